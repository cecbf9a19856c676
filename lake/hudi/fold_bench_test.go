package hudi

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tarn-lake/tarn/internal/avro"
	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/logfile"
	"github.com/tarn-lake/tarn/types"
)

// benchLog is a log of n records of 13 fields, in one block.
func benchLog(b *testing.B, n int) (types.Struct, *logBlocks) {
	var s types.Struct
	for _, name := range append(append([]string{}, metaColumns...), "rider", "city", "note") {
		s.Fields = append(s.Fields, types.Field{Name: name, Type: types.String, Nullable: true})
	}
	for _, name := range []string{"id", "ts", "fare", "day", "qty"} {
		t := map[string]types.Type{"fare": types.Double, "day": types.Date, "qty": types.Int}[name]
		if t == nil {
			t = types.Long
		}
		s.Fields = append(s.Fields, types.Field{Name: name, Type: t, Nullable: true})
	}
	text, err := avro.Text("t_record", "hoodie.t", s, avro.NullFirst)
	if err != nil {
		b.Fatal(err)
	}
	schema, err := avro.Parse(text)
	if err != nil {
		b.Fatal(err)
	}
	rows := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(types.ArrowFields(s), nil))
	for i := range n {
		for c, f := range s.Fields {
			switch f.Type {
			case types.String:
				rows.Field(c).(*array.StringBuilder).Append(fmt.Sprintf("%.4s-%08d", f.Name, i))
			case types.Double:
				rows.Field(c).(*array.Float64Builder).Append(float64(i))
			case types.Date:
				rows.Field(c).(*array.Date32Builder).Append(arrow.Date32(i))
			case types.Int:
				rows.Field(c).(*array.Int32Builder).Append(int32(i))
			default:
				rows.Field(c).(*array.Int64Builder).Append(int64(i))
			}
		}
	}
	e, err := avro.NewEncoder(schema, s.Fields)
	if err != nil {
		b.Fatal(err)
	}
	columns := rows.NewRecordBatch().Columns()
	var records [][]byte
	for i := range n {
		r, err := e.Append(nil, columns, i)
		if err != nil {
			b.Fatal(err)
		}
		records = append(records, r)
	}
	var file bytes.Buffer
	if err := logfile.Write(&file, logfile.AvroData, logfile.Header{{Key: logfile.InstantTime, Value: "20260101000000000"}, {Key: logfile.Schema, Value: text}}, logfile.AppendRecords(nil, records)); err != nil {
		b.Fatal(err)
	}
	block, err := logfile.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len())).Next()
	if err != nil && err != io.EOF {
		b.Fatal(err)
	}
	return s, &logBlocks{slice: &fileSlice{}, blocks: []*logfile.Block{block}}
}

// BenchmarkFold folds a log of 50,000 records.
func BenchmarkFold(b *testing.B) {
	schema, logs := benchLog(b, 50_000)
	s := &Snapshot{config: &config.Table{MetaFields: true, Version: 8, MergeMode: config.EventTime, Ordering: []string{"ts"}}, schema: schema}
	rule, err := mergeRuleOf(s.config)
	if err != nil {
		b.Fatal(err)
	}
	for name, wanted := range map[string][]types.Field{"all": schema.Fields, "one": schema.Fields[10:11]} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				l := &logRows{snapshot: s, rule: &rule, fields: wanted}
				f := s.newFold(&rule, wanted)
				if err := f.run(context.Background(), s, logs); err != nil {
					b.Fatal(err)
				}
				var all []int
				for i := range l.columns() {
					all = append(all, i)
				}
				l.batch(logs.slice, f, all)
			}
		})
	}
}
