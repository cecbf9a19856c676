package metadata

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/types"
)

// TestMergeWidened merges the bounds of files from before and after a column became wider, either first: the result holds all
// values in the wider type.
func TestMergeWidened(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	scaled := func(p, s int) func() (types.Type, types.Value) {
		return func() (types.Type, types.Value) {
			return types.Decimal{P: p, S: s}, decimal128.FromI64(r.Int64N(20000) - 10000)
		}
	}
	ints := func() (types.Type, types.Value) { return types.Int, int64(int32(r.Uint32())) }
	floats := func() (types.Type, types.Value) { return types.Float, float32(r.NormFloat64()) }
	doubles := func() (types.Type, types.Value) { return types.Double, r.NormFloat64() }
	for name, c := range map[string]struct {
		narrow, wide func() (types.Type, types.Value)
		versions     []int
	}{
		"int, bigint":      {ints, func() (types.Type, types.Value) { return types.Long, r.Int64() }, []int{6, 8, 9}},
		"int, double":      {ints, doubles, []int{6, 8, 9}},
		"int, float":       {ints, floats, []int{6, 8, 9}},
		"float, double":    {floats, doubles, []int{6, 8, 9}},
		"scales":           {scaled(10, 2), scaled(12, 4), []int{9}},
		"scales, the same": {scaled(10, 2), scaled(12, 2), []int{6, 9}},
	} {
		for _, version := range c.versions {
			for i := range 200 {
				first, second := c.narrow, c.wide
				if i%2 == 1 {
					first, second = c.wide, c.narrow
				}
				a, b := statsOf(t, first, version), statsOf(t, second, version)
				wide, _ := c.wide()
				if want, _ := valueType(wide); version == 9 && i%2 == 0 && b.Type != want {
					t.Fatalf("%s: type %v", name, b.Type)
				}
				got := mergeStats(a, b)
				for _, from := range []*Stats{a, b} {
					low, high := alike(from, got)
					if l, ok := less(low.Min, high.Min, got.Type); !ok || l {
						t.Fatalf("%s, version %d: %+v and %+v make %+v", name, version, a, b, got)
					}
					if l, ok := less(high.Max, low.Max, got.Type); !ok || l {
						t.Fatalf("%s, version %d: %+v and %+v make %+v", name, version, a, b, got)
					}
				}
				if _, ok := got.Min.As(wide, got.Type); !ok {
					t.Fatalf("%s, version %d: %+v cannot be read as %v", name, version, got.Min, wide)
				}
			}
		}
	}
	short := mergeStats(floatStats(0.1), &Stats{Min: Value{Wrapper: DoubleWrapper, Float: 5}, Max: Value{Wrapper: DoubleWrapper, Float: 5}, Values: 1})
	if short.Min.Float > 0.1 || short.Min.Float > float64(float32(0.1)) {
		t.Errorf("a float that is read as 0.1 or exactly is above %v", short.Min.Float)
	}
}

func floatStats(x float32) *Stats {
	v := Value{Wrapper: FloatWrapper, Float: float64(x)}
	return &Stats{Min: v, Max: v, Values: 1}
}

// statsOf is the bounds of a file of one row.
func statsOf(t *testing.T, make func() (types.Type, types.Value), version int) *Stats {
	t.Helper()
	kind, x := make()
	b := Bounds{Column: "c", Type: kind, Min: x, Max: x, Values: 1}
	s, ok := b.stats(FileRef{Name: "f"}, version)
	if !ok {
		t.Fatalf("no bounds of %v", x)
	}
	return s
}
