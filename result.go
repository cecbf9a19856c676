package tarn

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
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
			if err := types.AppendValue(b.Field(i), v); err != nil {
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
