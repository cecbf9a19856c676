package types

import (
	"reflect"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Values of every type come back from Arrow as they went in, among NULLs.
func TestValuesThroughArrow(t *testing.T) {
	pair := Struct{Fields: []Field{{Name: "a", Type: Int}, {Name: "b", Type: Map{Key: String, Value: Date}}}}
	for _, c := range []struct {
		t Type
		v Value
	}{
		{Void, nil}, {Boolean, true}, {Byte, int64(-1)}, {Short, int64(-300)}, {Int, int64(1 << 30)}, {Long, int64(1 << 60)},
		{Float, float32(1.5)}, {Double, 1.5}, {Decimal{30, 3}, DecimalValue(-1500)},
		{String, "a"}, {Char{3}, "a  "}, {Varchar{3}, ""}, {Binary, []byte{0, 255}},
		{Date, int32(-1)}, {Timestamp, int64(-1)}, {TimestampNTZ, int64(1)}, {Time{6}, int64(2)},
		{YearMonth{Year, Month}, int32(-14)}, {DayTime{Day, Second}, int64(-5)}, {CalendarInterval, Interval{1, -2, 3}},
		{Array{Elem: Array{Elem: String}}, []Value{[]Value{"x", nil}, nil, []Value{}}},
		{pair, []Value{nil, []Pair{{"k", int32(7)}, {"l", nil}}}},
		{Variant, []Value{[]byte{1}, []byte{2}}},
	} {
		b := array.NewBuilder(memory.DefaultAllocator, Arrow(c.t))
		for _, v := range []Value{nil, c.v, nil} {
			if err := AppendValue(b, v); err != nil {
				t.Fatalf("%s: %v", c.t, err)
			}
		}
		a := b.NewArray()
		for i, want := range []Value{nil, c.v, nil} {
			if got, err := ValueAt(a, i, c.t); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: value %d is %#v, %v, want %#v", c.t, i, got, err, want)
			}
		}
	}
}

func TestValueAtOfAnotherType(t *testing.T) {
	b := array.NewBuilder(memory.DefaultAllocator, Arrow(Array{Elem: Int}))
	if err := AppendValue(b, []Value{int64(1)}); err != nil {
		t.Fatal(err)
	}
	if v, err := ValueAt(b.NewArray(), 0, Map{Key: Int, Value: Int}); err == nil {
		t.Errorf("an array is read as a map: %v", v)
	}
}
