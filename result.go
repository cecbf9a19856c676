package tarn

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tarn-lake/tarn/types"
)

// nothing is the result of a statement without rows.
func nothing() *Rows { return &Rows{} }

// text is a column of strings that are not NULL.
func text(name string) Column { return Column{Name: name, Type: types.String} }

// maybe is a column of strings.
func maybe(name string) Column { return Column{Name: name, Type: types.String, Nullable: true} }

// table is a result made of values in memory.
func table(cols []Column, rows [][]types.Value) (*Rows, error) {
	fields := make([]arrow.Field, len(cols))
	for i, c := range cols {
		fields[i] = arrow.Field{Name: c.Name, Type: types.Arrow(c.Type), Nullable: true}
	}
	schema := arrow.NewSchema(fields, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for _, row := range rows {
		for i, v := range row {
			if err := appendValue(b.Field(i), v); err != nil {
				return nil, fmt.Errorf("column %s: %w", cols[i].Name, err)
			}
		}
	}
	batch := b.NewRecordBatch()
	defer batch.Release()
	reader, err := array.NewRecordReader(schema, []arrow.RecordBatch{batch})
	if err != nil {
		return nil, err
	}
	return &Rows{cols: cols, src: reader}, nil
}

// texts is a result of strings alone.
func texts(cols []Column, rows [][]string) (*Rows, error) {
	out := make([][]types.Value, len(rows))
	for i, row := range rows {
		for _, v := range row {
			out[i] = append(out[i], v)
		}
	}
	return table(cols, out)
}

// appendValue adds v to the builder of an array that carries its type.
func appendValue(b array.Builder, v types.Value) error {
	if v == nil {
		b.AppendNull()
		return nil
	}
	switch b := b.(type) {
	case *array.BooleanBuilder:
		b.Append(v.(bool))
	case *array.Int8Builder:
		b.Append(int8(v.(int64)))
	case *array.Int16Builder:
		b.Append(int16(v.(int64)))
	case *array.Int32Builder:
		b.Append(int32(v.(int64)))
	case *array.Int64Builder:
		b.Append(v.(int64))
	case *array.Float32Builder:
		b.Append(v.(float32))
	case *array.Float64Builder:
		b.Append(v.(float64))
	case *array.Decimal128Builder:
		b.Append(v.(decimal128.Num))
	case *array.StringBuilder:
		b.Append(v.(string))
	case *array.BinaryBuilder:
		b.Append(v.([]byte))
	case *array.Date32Builder:
		b.Append(arrow.Date32(v.(int32)))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(v.(int64)))
	case *array.Time64Builder:
		b.Append(arrow.Time64(v.(int64)))
	case *array.MonthIntervalBuilder:
		b.Append(arrow.MonthInterval(v.(int32)))
	case *array.DurationBuilder:
		b.Append(arrow.Duration(v.(int64)))
	case *array.MonthDayNanoIntervalBuilder:
		i := v.(types.Interval)
		b.Append(arrow.MonthDayNanoInterval{Months: i.Months, Days: i.Days, Nanoseconds: i.Micros * 1000})
	default:
		return appendNested(b, v)
	}
	return nil
}

func appendNested(b array.Builder, v types.Value) error {
	switch b := b.(type) {
	case *array.MapBuilder:
		b.Append(true)
		for _, p := range v.([]types.Pair) {
			if err := appendValue(b.KeyBuilder(), p.Key); err != nil {
				return err
			}
			if err := appendValue(b.ItemBuilder(), p.Value); err != nil {
				return err
			}
		}
		return nil
	case *array.ListBuilder:
		b.Append(true)
		for _, e := range v.([]types.Value) {
			if err := appendValue(b.ValueBuilder(), e); err != nil {
				return err
			}
		}
		return nil
	case *array.StructBuilder:
		b.Append(true)
		for i, f := range v.([]types.Value) {
			if err := appendValue(b.FieldBuilder(i), f); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("no builder for %s", b.Type())
}
