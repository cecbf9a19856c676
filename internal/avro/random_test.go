package avro

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"
	generic "github.com/twmb/avro"

	"github.com/tarn-lake/tarn/types"
)

// randomType has all types that Avro can hold.
func randomType(r *rand.Rand, depth int) types.Type {
	leaves := []types.Type{types.Boolean, types.Int, types.Long, types.Float, types.Double, types.String, types.Binary, types.Date,
		types.Timestamp, types.TimestampNTZ, types.Decimal{P: 9, S: 2}, types.Decimal{P: 38, S: 18}, types.Decimal{P: 1, S: 0}}
	n := len(leaves)
	if depth < 3 {
		n += 3
	}
	switch i := r.IntN(n); i - len(leaves) {
	case 0:
		return types.Array{Elem: randomType(r, depth+1), Nullable: r.IntN(2) == 0}
	case 1:
		return types.Map{Key: types.String, Value: randomType(r, depth+1), Nullable: r.IntN(2) == 0}
	case 2:
		return randomStruct(r, depth+1)
	default:
		return leaves[i]
	}
}

func randomStruct(r *rand.Rand, depth int) types.Struct {
	var s types.Struct
	for i := range 1 + r.IntN(5) {
		s.Fields = append(s.Fields, types.Field{Name: fmt.Sprintf("f%d", i), Type: randomType(r, depth), Nullable: r.IntN(2) == 0})
	}
	return s
}

func randomValue(r *rand.Rand, t types.Type, nullable bool) types.Value {
	if nullable && r.IntN(3) == 0 {
		return nil
	}
	long := r.Int64() >> r.IntN(64)
	if r.IntN(2) == 0 {
		long = -long
	}
	switch t := t.(type) {
	case types.Decimal:
		if t.P < 18 {
			return decimal128.FromI64(long % []int64{0, 10, 9: 1e9}[t.P])
		}
		return decimal128.FromI64(long)
	case types.Array:
		out := []types.Value{}
		for range r.IntN(4) {
			out = append(out, randomValue(r, t.Elem, t.Nullable))
		}
		return out
	case types.Map:
		out := []types.Pair{}
		for range r.IntN(2) {
			out = append(out, types.Pair{Key: randomText(r), Value: randomValue(r, t.Value, t.Nullable)})
		}
		return out
	case types.Struct:
		var out []types.Value
		for _, f := range t.Fields {
			out = append(out, randomValue(r, f.Type, f.Nullable))
		}
		return out
	}
	switch t {
	case types.Boolean:
		return r.IntN(2) == 0
	case types.Int:
		return int64(int32(long))
	case types.Float:
		return r.Float32()
	case types.Double:
		return r.NormFloat64()
	case types.String:
		return randomText(r)
	case types.Binary:
		return []byte(randomText(r))
	case types.Date:
		return int32(long)
	}
	return long
}

func randomText(r *rand.Rand) string {
	return string([]rune{'a', 'ß', '語', '😀', 0}[:r.IntN(6)])
}

// TestRandom writes rows of random types, and reads them again, here and with another implementation of Avro.
func TestRandom(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		s := randomStruct(r, 0)
		text, err := Text("row", "hoodie.t", s, NullFirst)
		if err != nil {
			t.Fatal(err)
		}
		schema, err := Parse(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if back, err := schema.Struct(); err != nil || !types.Same(back, s) {
			t.Fatalf("%v became %v: %v", s, back, err)
		}
		other, err := generic.Parse(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		batch := array.NewRecordBuilder(memory.DefaultAllocator, arrowSchema(s))
		for range 5 {
			for i, f := range s.Fields {
				if err := types.AppendValue(batch.Field(i), randomValue(r, f.Type, f.Nullable)); err != nil {
					t.Fatal(err)
				}
			}
		}
		columns := batch.NewRecordBatch().Columns()
		e, err := NewEncoder(schema, s.Fields)
		if err != nil {
			t.Fatal(err)
		}
		d, err := NewDecoder(schema, s.Fields)
		if err != nil {
			t.Fatal(err)
		}
		for row := range 5 {
			record, err := e.Append(nil, columns, row)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Append(record); err != nil {
				t.Fatal(err)
			}
			checkGeneric(t, other, record)
		}
		got := d.Batch()
		for i, f := range s.Fields {
			for row := range 5 {
				if a, b := value(got.Column(i), row, f.Type), value(columns[i], row, f.Type); a != b {
					t.Fatalf("%v: %s became %s", f.Type, b, a)
				}
			}
		}
	}
}

// checkGeneric checks that the other implementation reads a record whole and writes it as the same bytes.
func checkGeneric(t *testing.T, s *generic.Schema, record []byte) {
	t.Helper()
	var v any
	rest, err := s.Decode(record, &v)
	if err != nil || len(rest) > 0 {
		t.Fatalf("%x: %d bytes left: %v", record, len(rest), err)
	}
	again, err := s.Encode(v)
	if err != nil || !bytes.Equal(again, record) {
		t.Fatalf("%x became %x: %v", record, again, err)
	}
}

// TestNames refuses columns that Java's Avro would not read.
func TestNames(t *testing.T) {
	for name, want := range map[string]bool{"a1_": true, "_x": true, "größe": true, "1a": false, "a b": false, "a.b": false, "": false, "a-b": false} {
		_, err := Text("r", "n", types.Struct{Fields: []types.Field{{Name: name, Type: types.Int}}}, NullFirst)
		if (err == nil) != want {
			t.Errorf("%q: %v", name, err)
		}
	}
}
