package rel

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tarn-lake/tarn/types"
)

// Raise is an expression of type t whose evaluation fails with an error class. params are the names and values of its parameters, in turn.
func Raise(class string, t types.Type, params ...string) *Call {
	raised := struct {
		Class  string            `json:"class"`
		Params map[string]string `json:"params,omitempty"`
	}{class, map[string]string{}}
	for i := 0; i+1 < len(params); i += 2 {
		raised.Params[params[i]] = params[i+1]
	}
	text, err := json.Marshal(raised, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // a struct of texts
	}
	return &Call{Name: "raise_error", T: t, Null: true, Error: string(text)}
}
