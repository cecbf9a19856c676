package avro

import (
	"reflect"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/types"
)

// TestSharedDecimals: decimals of one kind are defined once, and found again.
func TestSharedDecimals(t *testing.T) {
	d := types.Decimal{P: 10, S: 2}
	want := types.Struct{Fields: []types.Field{{Name: "a", Type: d, Nullable: true}, {Name: "b", Type: types.Array{Elem: d, Nullable: true}, Nullable: true},
		{Name: "c", Type: types.Decimal{P: 20, S: 2}}}}
	text, err := Text("t_record", "hoodie.t", want, SharedDecimals)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Struct()
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s\nis %v, %v; want %v", text, got, err, want)
	}
	if n := strings.Count(text, `"name":"decimal_10_2","namespace":""`); n != 1 {
		t.Errorf("decimal_10_2 is defined %d times: %s", n, text)
	}
}
