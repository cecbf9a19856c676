package avro

import (
	"runtime"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tarn-lake/tarn/types"
)

// bounded fails when f takes more than two seconds or 256 MiB for an input of bad bytes.
func bounded(t *testing.T, f func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	f()
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	if made := after.TotalAlloc - before.TotalAlloc; took > 2*time.Second || made > 256<<20 {
		t.Fatalf("%v and %d MiB", took, made>>20)
	}
}

func arrowSchema(s types.Struct) *arrow.Schema { return arrow.NewSchema(types.ArrowFields(s), nil) }

const tripSchema = `{"type":"record","name":"t_record","namespace":"hoodie.t","fields":[{"name":"_hoodie_record_key","type":["null","string"],"doc":"","default":null},` +
	`{"name":"id","type":"long"},{"name":"price","type":["null",{"type":"fixed","name":"fixed","namespace":"hoodie.t.t_record.price","size":5,"logicalType":"decimal","precision":10,"scale":2}],"default":null},` +
	`{"name":"tags","type":["null",{"type":"array","items":["null","string"]}],"default":null},{"name":"m","type":["null",{"type":"map","values":{"type":"record","name":"m","namespace":"hoodie.t.t_record","fields":[{"name":"x","type":"double"}]}}],"default":null}]}`

// FuzzSchema parses a schema, and where it can be a table's, writes and parses it again.
func FuzzSchema(f *testing.F) {
	f.Add(tripSchema)
	f.Add(`["null",{"type":"enum","name":"e","symbols":["A"]},{"type":"fixed","name":"x.y","size":3},"e"]`)
	f.Add(`{"type":"record","name":"r","fields":[{"name":"n","type":"null"},{"name":"t","type":{"type":"long","logicalType":"local-timestamp-millis"}}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		bounded(t, func() {
			s, err := Parse(text)
			if err != nil {
				return
			}
			fields, err := s.Struct()
			if err != nil {
				return
			}
			for _, spelling := range []Spelling{NullFirst, NullLast} {
				again, err := Text("r", "n", fields, spelling)
				if err != nil { // of more levels than it writes
					continue
				}
				if back, err := Parse(again); err == nil { // names that are not Avro's need not come back
					if _, err := back.Struct(); err != nil {
						t.Fatalf("%s: %v", again, err)
					}
				}
			}
		})
	})
}

// FuzzRecord decodes a record in all ways; what can be decoded is encoded and decoded again.
func FuzzRecord(f *testing.F) {
	f.Add(tripSchema, []byte("\x02\x02k\x08\x02\x00\x00\x00\x01\x00\x02\x04\x02\x02a\x00\x00\x02\x02\x02a\x00\x00\x00\x00\x00\x00\xf0\x3f\x00"))
	f.Add(`{"type":"record","name":"r","fields":[{"name":"a","type":{"type":"array","items":{"type":"array","items":"null"}}}]}`, []byte("\x10\x7e\x7e\x7e\x7e\x00"))
	f.Add(`{"type":"record","name":"r","fields":[{"name":"u","type":["null","int","string"]},{"name":"e","type":{"type":"enum","name":"e","symbols":["A"]}}]}`, []byte("\x04\x02a\x00"))
	f.Fuzz(func(t *testing.T, text string, record []byte) {
		bounded(t, func() { fuzzRecord(t, text, record) })
	})
}

func fuzzRecord(t *testing.T, text string, record []byte) {
	s, err := Parse(text)
	if err != nil {
		return
	}
	var v any
	if s.Decode(record, &v) == nil {
		if again, err := s.Encode(nil, v); err == nil {
			var w any
			if err := s.Decode(again, &w); err != nil {
				t.Fatalf("%x became %x: %v", record, again, err)
			}
		}
	}
	fields, err := s.Struct()
	if err != nil {
		return
	}
	d, err := NewDecoder(s, append(fields.Fields, types.Field{Name: "lacking", Type: types.Array{Elem: types.Int}}))
	if err != nil {
		return
	}
	if d.Append(record) != nil {
		d.Batch()
		return
	}
	batch := d.Batch()
	e, err := NewEncoder(s, fields.Fields)
	if err != nil {
		return // an enum, a type that is only read
	}
	again, err := e.Append(nil, batch.Columns()[:len(fields.Fields)], 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Append(again); err != nil {
		t.Fatalf("%x became %x: %v", record, again, err)
	}
	second := d.Batch()
	for i := range fields.Fields {
		if a, b := batch.Column(i).ValueStr(0), second.Column(i).ValueStr(0); a != b {
			t.Fatalf("%s became %s", a, b)
		}
	}
}

// FuzzContainer reads a container file.
func FuzzContainer(f *testing.F) {
	s, err := Parse(tripSchema)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(WriteContainer(s, []byte("\x00\x02\x00\x00\x00"), []byte("\x00\x04\x00\x00\x00")))
	f.Add([]byte("Obj\x01\x04\x16avro.schema\x0a\"int\"\x14avro.codec\x0edeflate\x000123456789abcdef"))
	f.Fuzz(func(t *testing.T, data []byte) {
		bounded(t, func() {
			ReadContainer(data, func(s *Schema, record []byte) error {
				var v any
				return s.Decode(record, &v)
			})
		})
	})
}
