package duckdb

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tarn-lake/tarn/types"
)

// TestGather takes random rows of slices of arrays of each layout.
func TestGather(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	in := types.Struct{Fields: []types.Field{{Name: "a", Type: types.String}, {Name: "b", Type: types.Array{Elem: types.Boolean}}}}
	for _, typ := range []types.Type{types.Void, types.Boolean, types.Byte, types.Short, types.Int, types.Double, types.Decimal{P: 30, S: 2}, types.Binary,
		types.String, types.Array{Elem: types.String}, types.Map{Key: types.Int, Value: in}, in} {
		b := array.NewBuilder(memory.DefaultAllocator, types.Arrow(typ))
		for range 100 {
			must(t, types.AppendValue(b, randomValue(r, typ)))
		}
		a := array.NewSlice(b.NewArray(), 7, 93)
		at := make([]int32, r.IntN(200))
		for i := range at {
			at[i] = int32(r.IntN(a.Len()))
		}
		got := gather(a, at)
		for i, k := range at {
			g, err := types.ValueAt(got, i, typ)
			must(t, err)
			w, err := types.ValueAt(a, int(k), typ)
			must(t, err)
			if !reflect.DeepEqual(g, w) {
				t.Fatalf("%v: row %d is %v, want %v", typ, i, g, w)
			}
		}
		if got.Len() != len(at) {
			t.Errorf("%v: %d rows", typ, got.Len())
		}
	}
}

func randomValue(r *rand.Rand, t types.Type) types.Value {
	if r.IntN(4) == 0 || t == types.Void {
		return nil
	}
	switch t := t.(type) {
	case types.Decimal:
		return types.DecimalValue(int64(r.Uint64()))
	case types.Struct:
		var out []types.Value
		for _, f := range t.Fields {
			out = append(out, randomValue(r, f.Type))
		}
		return out
	case types.Array:
		out := []types.Value{}
		for range r.IntN(4) {
			out = append(out, randomValue(r, t.Elem))
		}
		return out
	case types.Map:
		out := []types.Pair{}
		for i := range r.IntN(4) {
			out = append(out, types.Pair{Key: int64(i), Value: randomValue(r, t.Value)})
		}
		return out
	}
	switch t {
	case types.Boolean:
		return r.IntN(2) == 0
	case types.Double:
		return r.Float64()
	case types.String:
		return string(make([]byte, r.IntN(20)))
	case types.Binary:
		return make([]byte, r.IntN(20))
	case types.Byte:
		return int64(int8(r.Uint32()))
	case types.Short:
		return int64(int16(r.Uint32()))
	}
	return int64(int32(r.Uint32()))
}
