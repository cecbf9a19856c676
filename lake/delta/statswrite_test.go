package delta

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// Expected texts are those of Spark for the same values (the tables all_types, statistics and timestamp_ntz), but for the
// tie breaker of astral text, which Spark cuts in UTF-16 units.
func TestBoundText(t *testing.T) {
	smile := strings.Repeat("😀", 31) + "zz"
	top := strings.Repeat("\U0010ffff", 32)
	for _, c := range []struct {
		t        types.Type
		r        rel.Range
		min, max string
	}{
		{types.Int, rel.Range{Min: int64(-1), Max: int64(1)}, "-1", "1"},
		{types.Float, rel.Range{Min: float32(1.4e-45), Max: float32(3.4028235e38)}, "1.4E-45", "3.4028235E38"},
		{types.Double, rel.Range{Min: 1.0, Max: math.Inf(1)}, "1.0", `"Infinity"`},
		{types.Double, rel.Range{Min: 1.0, Max: 2.0, NaN: true}, "1.0", `"NaN"`},
		{types.Double, rel.Range{NaN: true}, "", `"NaN"`},
		{types.Decimal{P: 9, S: 3}, rel.Range{Min: types.DecimalValue(-999999999), Max: types.DecimalValue(5)}, "-999999.999", "0.005"},
		{types.Date, rel.Range{Min: int32(-719162), Max: int32(2932896)}, `"0001-01-01"`, `"9999-12-31"`},
		{types.Date, rel.Range{Min: int32(-719163), Max: int32(2932897)}, "", ""},
		{types.Timestamp, rel.Range{Min: int64(1577836800123456), Max: int64(-1)}, `"2020-01-01T00:00:00.123Z"`, `"1969-12-31T23:59:59.999Z"`},
		{types.TimestampNTZ, rel.Range{Min: int64(-12219292800000000), Max: int64(253402300799999999)},
			`"1582-10-15T00:00:00.000"`, `"9999-12-31T23:59:59.999"`},
		{types.Boolean, rel.Range{Min: false, Max: true}, "", ""},
		{types.Binary, rel.Range{Min: []byte("a"), Max: []byte("b")}, "", ""},
		{types.String, rel.Range{Min: "a\n", Max: "six"}, `"a\n"`, `"six"`},
		{types.String, rel.Range{Min: strings.Repeat("a", 40), Max: strings.Repeat("a", 40)},
			`"` + strings.Repeat("a", 32) + `"`, `"` + strings.Repeat("a", 32) + "\u007f\""},
		{types.String, rel.Range{Min: smile, Max: smile}, `"` + strings.Repeat("😀", 31) + `z"`, `"` + strings.Repeat("😀", 31) + "z\u007f\""},
		{types.String, rel.Range{Min: top + top + "x", Max: top + top + top}, `"` + top + `"`, ""},
	} {
		lo, _ := minValue(c.r, c.t)
		hi, _ := maxValue(c.r, c.t)
		if string(lo) != c.min || string(hi) != c.max {
			t.Errorf("%s %v: %s, %s; want %s, %s", c.t, c.r, lo, hi, c.min, c.max)
		}
	}
}

func TestCutKeepsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		alphabet := rapid.SampledFrom([]rune{'a', '~', '\u007f', 'é', '\uffff', '😀', '\U0010ffff'})
		s := string(rapid.SliceOfN(alphabet, 0, 80).Draw(t, "s"))
		if lo := cutBelow(s, 32); lo > s {
			t.Fatalf("minimum %q is above %q", lo, s)
		}
		if hi, ok := cutAbove(s, 32); ok && hi < s {
			t.Fatalf("maximum %q is below %q", hi, s)
		}
	})
}

func TestStatsText(t *testing.T) {
	inner := types.Struct{Fields: []types.Field{{Name: "x", Type: types.Int}, {Name: "l", Type: types.Array{Elem: types.Int}}}}
	s := types.Struct{Fields: []types.Field{{Name: "a", Type: types.Int}, {Name: "n", Type: inner}, {Name: "b", Type: types.Boolean}}}
	f := rel.File{Rows: 3, Stats: map[string]rel.Range{
		"a":   {Min: int64(1), Max: int64(2), Nulls: 1},
		"n.x": {Nulls: 3},
		"b":   {Min: true, Max: true},
	}}
	want := `{"numRecords":3,"minValues":{"a":1,"n":{}},"maxValues":{"a":2,"n":{}},"nullCount":{"a":1,"n":{"x":3},"b":0},"tightBounds":true}`
	if got := statsText(f, s, true); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := statsText(rel.File{Rows: 1}, types.Struct{}, false); got != `{"numRecords":1}` {
		t.Errorf("without columns: %s", got)
	}
}

func TestIndexed(t *testing.T) {
	inner := types.Struct{Fields: []types.Field{{Name: "x", Type: types.Int}, {Name: "y.z", Type: types.Int}}}
	s := types.Struct{Fields: []types.Field{{Name: "a", Type: types.Int}, {Name: "n", Type: inner}, {Name: "b", Type: types.Int}}}
	for _, c := range []struct {
		properties map[string]string
		want       string
	}{
		{nil, "struct<a:int,n:struct<x:int,y.z:int>,b:int>"},
		{map[string]string{"delta.dataSkippingNumIndexedCols": "2"}, "struct<a:int,n:struct<x:int>>"},
		{map[string]string{"delta.dataSkippingNumIndexedCols": "0"}, "struct<>"},
		{map[string]string{"delta.dataSkippingNumIndexedCols": "-1"}, "struct<a:int,n:struct<x:int,y.z:int>,b:int>"},
		{map[string]string{"delta.dataSkippingStatsColumns": "B, n.`y.z`"}, "struct<n:struct<y.z:int>,b:int>"},
		{map[string]string{"delta.dataSkippingStatsColumns": "n"}, "struct<n:struct<x:int,y.z:int>>"},
	} {
		if got := indexed(s, s, c.properties, nil).String(); got != c.want {
			t.Errorf("%v: %s, want %s", c.properties, got, c.want)
		}
	}
	many := types.Struct{}
	for range 40 {
		many.Fields = append(many.Fields, types.Field{Name: "c", Type: types.Int})
	}
	if got := len(indexed(many, many, nil, nil).Fields); got != 32 {
		t.Errorf("%d columns are indexed, want 32", got)
	}
}
