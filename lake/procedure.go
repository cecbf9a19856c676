package lake

import (
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// Procedure describes a procedure of a format, which CALL runs. The answer to a call comes from a [Caller].
type Procedure struct {
	Name    string // in lower case
	About   string // one sentence
	Params  []Param
	Columns []rel.Column // of the answer; nil when they depend on the arguments
	Mends   bool         // it runs also on tables that only a [Mender] opens
	Refused string       // why the format has the procedure but it is not run here, and what to do instead; "" where it is
}

// Param is a parameter of a procedure. Arguments without a name are given to parameters in their order.
type Param struct {
	Name     string
	Type     types.Type
	Default  types.Value
	Required bool
	About    string
}

// ProcedureLister is a Format whose tables are Callers.
type ProcedureLister interface {
	// Procedures are those that its tables know, in the order of their names. Each has the parameters table and path, of
	// which a call gives one.
	Procedures() []Procedure
}
