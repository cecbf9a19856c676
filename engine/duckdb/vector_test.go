package duckdb

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	duck "github.com/duckdb/duckdb-go-bindings"
)

// openForTest starts an instance without settings and lock.
func (d *instance) openForTest() error {
	var msg string
	if duck.OpenExt(":memory:", &d.h, duck.Config{}, &msg) == duck.StateError {
		return errors.New(msg)
	}
	c := &conn{db: d}
	d.conns = []*conn{c}
	if duck.Connect(d.h, &c.h) == duck.StateError {
		return errors.New("connect")
	}
	return nil
}

// kinds is a select list over i that covers every type, with nulls at all levels.
const kinds = `CASE WHEN i%7<>0 THEN i%3=0 END b, (i%100)::TINYINT i8, (i%30000)::SMALLINT i16, CASE WHEN i%5<>0 THEN i::INT END i32, -i i64,
 (i%200)::UTINYINT u8, (i%60000)::USMALLINT u16, i::UINTEGER u32, i::UBIGINT u64, (i/3)::FLOAT f32, CASE WHEN i%11=0 THEN 'nan'::DOUBLE ELSE i/7 END f64,
 CASE WHEN i%13<>0 THEN repeat('é',(i%9)::INT)||i END s, repeat('x',(i%40)::INT) s2, CASE WHEN i%2=0 THEN '\xFF\x00'::BLOB END bl,
 DATE '1970-01-01' + (i%40000)::INT d, TIMESTAMP '1960-01-01 00:00:00.000001' + to_seconds(i) ts, (TIMESTAMP '1960-01-01' + to_seconds(i))::TIMESTAMPTZ tz,
 TIME '01:02:03.000004' tm, make_timestamp_ns(i) tns, make_timestamp(i*1000000)::TIMESTAMP_S tss, make_timestamp(i*1000)::TIMESTAMP_MS tms,
 CASE WHEN i%3<>0 THEN to_months((i%50)::INT) + to_days((i%9)::INT) - to_microseconds(i) END iv,
 CASE WHEN i%4<>0 THEN (i%999/10)::DECIMAL(4,1) END d4, (i/100)::DECIMAL(9,2) d9, (-i/1000)::DECIMAL(18,3) d18,
 CASE WHEN i%3<>0 THEN (i*1000000000000000000::HUGEINT)::DECIMAL(38,5) END d38,
 CASE WHEN i%6<>0 THEN [i, NULL, i+1][1:(i%4)::INT] END l, CASE WHEN i%10<>0 THEN [[repeat('q',(i%20)::INT)], NULL, []] END ll,
 CASE WHEN i%9<>0 THEN {'a': i, 'b': 'name'||i, 'c': [i%5=0]} END st, CASE WHEN i%8<>0 THEN MAP {i%5: 'v'||i, 100+i: NULL} END m,
 (CASE WHEN i%7<>0 THEN [i, i+1, NULL] END)::BIGINT[3] arr, CASE WHEN i%3<>0 THEN [{'x': i, 'y': [i,i]}] END ls`

// sourceOf is a source of batches that can be read again and again.
func sourceOf(bs []arrow.RecordBatch) *source {
	s := &source{ctx: context.Background(), schema: bs[0].Schema(), rows: -1}
	s.open = func(_ context.Context, cols []int) (array.RecordReader, error) {
		fs := make([]arrow.Field, len(cols))
		for i, c := range cols {
			fs[i] = s.schema.Field(c)
		}
		sc := arrow.NewSchema(fs, nil)
		out := make([]arrow.RecordBatch, len(bs))
		for i, b := range bs {
			as := make([]arrow.Array, len(cols))
			for j, c := range cols {
				as[j] = b.Column(c)
			}
			out[i] = array.NewRecordBatch(sc, as, b.NumRows())
		}
		return array.NewRecordReader(sc, out)
	}
	return s
}

func addTest(c *conn, s *source) int64 {
	id := lastSource.Add(1)
	c.db.addSource(id, s)
	return id
}

// What comes out must be what goes in, also in slices at odd offsets: DuckDB compares both with the table.
func TestRoundTrip(t *testing.T) {
	c := openTest(t, testLimits(t))
	must(t, c.exec(t.Context(), "CREATE TABLE base AS SELECT i, "+kinds+" FROM range(20000) t(i)"))
	bs, err := c.rows(t.Context(), "FROM base ORDER BY i")
	must(t, err)
	var cut []arrow.RecordBatch
	for _, b := range bs {
		for at, step := int64(0), int64(1); at < b.NumRows(); at, step = at+step, step*3+1 {
			cut = append(cut, b.NewSlice(at, min(at+step, b.NumRows())))
		}
	}
	back := fmt.Sprintf("go_rows(%d)", addTest(c, sourceOf(cut)))
	for _, f := range bs[0].Schema().Fields() {
		q := fmt.Sprintf("SELECT count(*) FROM base b FULL JOIN %s g USING (i) WHERE b.%[2]s IS DISTINCT FROM g.%[2]s", back, f.Name)
		if v := value(t, c, q); v != "0" {
			t.Errorf("%s (%v): %s rows differ", f.Name, f.Type, v)
		}
	}
	for _, q := range []string{
		"count(*) FROM %s", "count(*) FROM %s WHERE i32 > 20000", "max(s) FROM %s", "sum(i)::BIGINT FROM %s WHERE s2 = repeat('x', 39)",
		"count(*) FROM %s a JOIN %[1]s b USING (i)", "count(*) FROM %s a JOIN %[1]s b ON a.s2 = b.s2 WHERE a.i < 100 AND b.i%%7 = 1",
		"count(st.a) || ' ' || count(st.b) FROM %s", "count(arr[1]) FROM %s", "sum(list_sum(l))::BIGINT FROM %s",
		"sum(len(map_values(m)[1]))::BIGINT FROM %s", "count(*) FROM %s WHERE i IN (SELECT i+1 FROM %[1]s WHERE b)",
		"string_agg(s, ',' ORDER BY i) FROM (FROM %s WHERE i%%5000 = 3)", "count(DISTINCT s) FROM %s", "min(tz)||max(ts) FROM %s",
	} {
		got, want := value(t, c, "SELECT "+fmt.Sprintf(q, back)), value(t, c, "SELECT "+fmt.Sprintf(q, "base"))
		if got != want || strings.HasPrefix(got, "ERR") {
			t.Errorf("%s: %s, want %s", q, got, want)
		}
	}
}

// A few values are compared with Go's, so that two mistakes cannot hide each other.
func TestValues(t *testing.T) {
	c := openTest(t, testLimits(t))
	for q, want := range map[string]string{
		"SELECT true":                                                      "true",
		"SELECT -5::TINYINT":                                               "-5",
		"SELECT 'é and more than twelve'":                                  "é and more than twelve",
		"SELECT DATE '1970-02-01'":                                         "1970-02-01",
		"SELECT 12.345::DECIMAL(9,3)":                                      "12.345",
		"SELECT -12.345::DECIMAL(38,3)":                                    "-12.345",
		"SELECT TIMESTAMPTZ '2020-01-01 00:00:00Z'":                        "2020-01-01T00:00:00Z",
		"SELECT '0b7c8a9e-1111-4222-8333-444455556666'::UUID":              "0b7c8a9e-1111-4222-8333-444455556666",
		"SELECT 'red'::ENUM('green','red')":                                "red",
		"SELECT [1,NULL,3]":                                                "[1,null,3]",
		"SELECT {'a': 1, 'b': NULL::INT}":                                  `{"a":1,"b":null}`,
		"SELECT MAP {1: 'x'}":                                              `[{"key":1,"value":"x"}]`,
		"SELECT 170141183460469231731687303715884105727::HUGEINT::VARCHAR": "170141183460469231731687303715884105727",
		"SELECT INTERVAL '1 month 2 days 3 microseconds'":                  `{"months":1,"days":2,"nanoseconds":3000}`,
	} {
		if v := value(t, c, q); v != want {
			t.Errorf("%s: %s, want %s", q, v, want)
		}
	}
}

// The plan's type is checked against what DuckDB gives.
func TestWantedTypes(t *testing.T) {
	c := openTest(t, testLimits(t))
	for _, tt := range []struct {
		sql  string
		want arrow.DataType
		ok   bool
	}{
		{"SELECT 5::BIGINT", arrow.FixedWidthTypes.Duration_us, true},
		{"SELECT 5::INTEGER", arrow.FixedWidthTypes.MonthInterval, true},
		{"SELECT NULL::INTEGER", arrow.Null, true},
		{"SELECT 1::INTEGER", arrow.Null, false},
		{"SELECT 5::BIGINT", arrow.PrimitiveTypes.Int32, false},
		{"SELECT 5::DECIMAL(10,2)", &arrow.Decimal128Type{Precision: 10, Scale: 3}, false},
		{"SELECT now()", &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "Europe/Paris"}, true},
		{"SELECT now()", &arrow.TimestampType{Unit: arrow.Microsecond}, false},
		{"SELECT {'x': 1}", arrow.StructOf(arrow.Field{Name: "y", Type: arrow.PrimitiveTypes.Int32}), true},
		{"SELECT [1]", arrow.ListOf(arrow.PrimitiveTypes.Int64), false},
	} {
		sc := arrow.NewSchema([]arrow.Field{{Name: "v", Type: tt.want, Nullable: true}}, nil)
		s, err := c.start(t.Context(), statement{sql: tt.sql, schema: sc})
		if err == nil {
			_, err = s.next()
			s.close()
		}
		if (err == nil) != tt.ok {
			t.Errorf("%s as %v: %v", tt.sql, tt.want, err)
		}
	}
}

// A null struct whose children hold values reads as null through its fields.
func TestNullParents(t *testing.T) {
	c := openTest(t, testLimits(t))
	kid := array.NewInt64Builder(memory.DefaultAllocator)
	kid.AppendValues([]int64{1, 2, 3}, nil)
	st := arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int64, Nullable: true})
	d := array.NewData(st, 3, []*memory.Buffer{memory.NewBufferBytes([]byte{0b101})}, []arrow.ArrayData{kid.NewArray().Data()}, 1, 0)
	sc := arrow.NewSchema([]arrow.Field{{Name: "s", Type: st, Nullable: true}}, nil)
	id := addTest(c, sourceOf([]arrow.RecordBatch{array.NewRecordBatch(sc, []arrow.Array{array.NewStructData(d)}, 3)}))
	if v := value(t, c, fmt.Sprintf("SELECT sum(s.a)::BIGINT FROM go_rows(%d)", id)); v != "4" {
		t.Error(v)
	}
}

func textBatch(parts ...string) arrow.RecordBatch {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	b.AppendValues(parts, nil)
	sc := arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true}}, nil)
	return array.NewRecordBatch(sc, []arrow.Array{b.NewArray()}, int64(len(parts)))
}

func TestSourceErrors(t *testing.T) {
	c := openTest(t, testLimits(t))
	before := boxes.Load()
	fail := func(open func(context.Context, []int) (array.RecordReader, error)) *source {
		s := sourceOf([]arrow.RecordBatch{textBatch("x")})
		s.open = open
		return s
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	late := sourceOf([]arrow.RecordBatch{textBatch("x")})
	late.ctx = cancelled
	for want, s := range map[string]*source{
		"invalid UTF-8":  sourceOf([]arrow.RecordBatch{textBatch("ok", "bad\xff")}),
		"invalid UTF-8 ": sourceOf([]arrow.RecordBatch{textBatch("a\xc3", "\xa9b")}),
		"boom":           fail(func(context.Context, []int) (array.RecordReader, error) { panic("boom") }),
		"no such file":   fail(func(context.Context, []int) (array.RecordReader, error) { return nil, errors.New("no such file") }),
		"schema says": fail(func(context.Context, []int) (array.RecordReader, error) {
			return array.NewRecordReader(arrow.NewSchema(nil, nil), nil)
		}),
		"context canceled": late,
	} {
		v := value(t, c, fmt.Sprintf("SELECT max(s) FROM go_rows(%d)", addTest(c, s)))
		if !strings.Contains(v, strings.TrimSpace(want)) {
			t.Errorf("%s, want %s", v, want)
		}
	}
	if v := value(t, c, "SELECT max(s) FROM go_rows(99999)"); !strings.Contains(v, "no source") {
		t.Error(v)
	}
	if v := value(t, c, "SELECT 42"); v != "42" {
		t.Error(v)
	}
	if n := boxes.Load(); n != before {
		t.Errorf("%d values are left", n-before)
	}
}

// Scans that end early, fail or run to the end leave nothing behind.
func TestScansLeaveNothing(t *testing.T) {
	c := openTest(t, testLimits(t))
	bs, err := c.rows(t.Context(), "SELECT i, 'text of row number '||i s FROM range(100000) t(i)")
	must(t, err)
	id := addTest(c, sourceOf(bs))
	before := boxes.Load()
	for range 5 {
		s, err := c.start(t.Context(), statement{sql: fmt.Sprintf("SELECT a.i, b.s FROM go_rows(%d) a, go_rows(%[1]d) b WHERE a.i + b.i > 5", id)})
		must(t, err)
		_, err = s.next()
		must(t, err)
		s.close()
		if v := value(t, c, fmt.Sprintf("SELECT error('x'||max(i)) FROM go_rows(%d)", id)); !strings.Contains(v, "x99999") {
			t.Error(v)
		}
	}
	if n := boxes.Load(); n != before {
		t.Errorf("%d values are left", n-before)
	}
}
