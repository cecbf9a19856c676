package avro

import (
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tarn-lake/tarn/types"
)

// trips are n rows of 13 fields: five of Hudi's own, and eight of a table.
func trips(b *testing.B, n int) (*Schema, types.Struct, [][]byte) {
	var s types.Struct
	for _, name := range []string{"_hoodie_commit_time", "_hoodie_commit_seqno", "_hoodie_record_key", "_hoodie_partition_path", "_hoodie_file_name"} {
		s.Fields = append(s.Fields, types.Field{Name: name, Type: types.String, Nullable: true})
	}
	for name, t := range map[string]types.Type{"id": types.Long, "rider": types.String, "fare": types.Double, "ts": types.Timestamp, "city": types.String,
		"day": types.Date, "amount": types.Decimal{P: 10, S: 2}, "qty": types.Int} {
		s.Fields = append(s.Fields, types.Field{Name: name, Type: t, Nullable: true})
	}
	text, err := Text("trips_record", "hoodie.trips", s, NullFirst)
	if err != nil {
		b.Fatal(err)
	}
	schema, err := Parse(text)
	if err != nil {
		b.Fatal(err)
	}
	rows := array.NewRecordBuilder(memory.DefaultAllocator, arrowSchema(s))
	for i := range n {
		for f, field := range s.Fields {
			var v types.Value
			switch field.Type {
			case types.String:
				v = fmt.Sprintf("%s-%06d", field.Name[:3], i)
			case types.Double:
				v = float64(i) / 3
			case types.Date:
				v = int32(i % 20000)
			case types.Long, types.Int, types.Timestamp:
				v = int64(i * 37)
			default:
				v = types.DecimalValue(int64(i))
			}
			if err := types.AppendValue(rows.Field(f), v); err != nil {
				b.Fatal(err)
			}
		}
	}
	columns := rows.NewRecordBatch().Columns()
	e, err := NewEncoder(schema, s.Fields)
	if err != nil {
		b.Fatal(err)
	}
	var records [][]byte
	for i := range n {
		record, err := e.Append(nil, columns, i)
		if err != nil {
			b.Fatal(err)
		}
		records = append(records, record)
	}
	return schema, s, records
}

const logRows = 50_000

// BenchmarkDecode reads a log of 50,000 records of 13 fields.
func BenchmarkDecode(b *testing.B) {
	schema, s, records := trips(b, logRows)
	for name, want := range map[string][]types.Field{"all": s.Fields, "key": s.Fields[2:3]} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				d, err := NewDecoder(schema, want)
				if err != nil {
					b.Fatal(err)
				}
				d.Reserve(len(records))
				for _, r := range records {
					if err := d.Append(r); err != nil {
						b.Fatal(err)
					}
				}
				d.Batch().Release()
			}
			b.ReportMetric(float64(b.N)*logRows/b.Elapsed().Seconds(), "records/s")
		})
	}
}

// BenchmarkEncode writes them.
func BenchmarkEncode(b *testing.B) {
	schema, s, records := trips(b, logRows)
	d, err := NewDecoder(schema, s.Fields)
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range records {
		if err := d.Append(r); err != nil {
			b.Fatal(err)
		}
	}
	columns := d.Batch().Columns()
	e, err := NewEncoder(schema, s.Fields)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	var dst []byte
	for b.Loop() {
		dst = dst[:0]
		for i := range logRows {
			if dst, err = e.Append(dst, columns, i); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.N)*logRows/b.Elapsed().Seconds(), "records/s")
}
