package hudi

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// appendCell appends row i of a, NULL when a is nil, to a builder of its type.
func appendCell(b array.Builder, a arrow.Array, i int) {
	if a == nil || a.IsNull(i) {
		b.AppendNull()
		return
	}
	switch a := a.(type) {
	case *array.Boolean:
		b.(*array.BooleanBuilder).Append(a.Value(i))
	case *array.Int8:
		b.(*array.Int8Builder).Append(a.Value(i))
	case *array.Int16:
		b.(*array.Int16Builder).Append(a.Value(i))
	case *array.Int32:
		b.(*array.Int32Builder).Append(a.Value(i))
	case *array.Int64:
		b.(*array.Int64Builder).Append(a.Value(i))
	case *array.Float32:
		b.(*array.Float32Builder).Append(a.Value(i))
	case *array.Float64:
		b.(*array.Float64Builder).Append(a.Value(i))
	case *array.Date32:
		b.(*array.Date32Builder).Append(a.Value(i))
	case *array.Timestamp:
		b.(*array.TimestampBuilder).Append(a.Value(i))
	case *array.Decimal128:
		b.(*array.Decimal128Builder).Append(a.Value(i))
	case *array.String:
		b.(*array.StringBuilder).Append(a.Value(i))
	case *array.Binary:
		b.(*array.BinaryBuilder).Append(a.Value(i))
	case *array.Struct:
		s := b.(*array.StructBuilder)
		s.Append(true)
		for k := range a.NumField() {
			appendCell(s.FieldBuilder(k), a.Field(k), i)
		}
	case *array.Map:
		m := b.(*array.MapBuilder)
		m.Append(true)
		from, to := a.ValueOffsets(i)
		for j := from; j < to; j++ {
			appendCell(m.KeyBuilder(), a.Keys(), int(j))
			appendCell(m.ItemBuilder(), a.Items(), int(j))
		}
	case *array.List:
		l := b.(*array.ListBuilder)
		l.Append(true)
		from, to := a.ValueOffsets(i)
		for j := from; j < to; j++ {
			appendCell(l.ValueBuilder(), a.ListValues(), int(j))
		}
	default:
		b.AppendNull()
	}
}
