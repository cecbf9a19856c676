package rel

import (
	"testing"

	"github.com/tarn-lake/tarn/internal/seed"
	"github.com/tarn-lake/tarn/types"
)

var someTypes = []types.Type{types.Void, types.Boolean, types.Byte, types.Short, types.Int, types.Long, types.Float, types.Double,
	types.Decimal{P: 10, S: 2}, types.Decimal{P: 38, S: 10}, types.String, types.Binary, types.Date, types.Timestamp, types.TimestampNTZ,
	types.YearMonth{From: types.Year, To: types.Month}, types.DayTime{From: types.Hour, To: types.Second}, types.CalendarInterval,
	types.Array{Elem: types.Int}, types.Array{Elem: types.String}, types.Map{Key: types.String, Value: types.Int}}

// TestCommonTypeIsSymmetric: which of two types comes first changes nothing, and a type is common with itself.
func TestCommonTypeIsSymmetric(t *testing.T) {
	for _, mode := range []Mode{ANSI, Legacy} {
		s := Settings{Mode: mode}
		for _, a := range someTypes {
			if c, ok := CommonType([]types.Type{a, a}, s); !ok || !types.Equal(c, a) {
				t.Errorf("%v with itself: %v", a, c)
			}
			for _, b := range someTypes {
				x, okX := CommonType([]types.Type{a, b}, s)
				y, okY := CommonType([]types.Type{b, a}, s)
				if okX != okY || okX && !types.Equal(x, y) {
					t.Errorf("%v and %v: %v %v, the other way %v %v", a, b, x, okX, y, okY)
				}
			}
		}
	}
}

// TestDecimalResults: what Spark's rules give never has more than 38 digits, nor more digits behind the point
// than in all.
func TestDecimalResults(t *testing.T) {
	r := seed.Rand(t)
	draw := func() types.Decimal { p := 1 + r.IntN(38); return types.Decimal{P: p, S: r.IntN(p + 1)} }
	for range 10000 {
		a, b := draw(), draw()
		for _, op := range []string{"+", "-", "*", "/", "%"} {
			d := decimalResult(op, a, b)
			if d.P < 1 || d.P > 38 || d.S < 0 || d.S > d.P {
				t.Fatalf("%v %s %v = %v", a, op, b, d)
			}
		}
	}
}

func TestStoreAssign(t *testing.T) {
	for _, c := range []struct {
		from, to types.Type
		ok       bool
	}{
		{types.Long, types.Byte, true}, {types.String, types.Int, false}, {types.Int, types.String, true},
		{types.Timestamp, types.Date, true}, {types.Boolean, types.Int, false}, {types.Void, types.Binary, true},
		{types.Array{Elem: types.Long}, types.Array{Elem: types.Int}, true}, {types.Array{Elem: types.String}, types.Array{Elem: types.Int}, false},
	} {
		_, err := StoreAssign(NewColumn("c", c.from).Ref(), c.to, Settings{})
		if (err == nil) != c.ok {
			t.Errorf("%v to %v: %v", c.from, c.to, err)
		}
	}
	e, err := StoreAssign(NewColumn("c", types.String).Ref(), types.Varchar{N: 3}, Settings{})
	if c, ok := e.(*Call); err != nil || !ok || c.Name != "varchar_type_write_side_check" {
		t.Errorf("varchar(3): %v, %v", e, err)
	}
}
