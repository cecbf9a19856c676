package parquet

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"
	pq "github.com/parquet-go/parquet-go"

	"github.com/tarn-lake/tarn/types"
)

// gen makes random schemas and rows.
type gen struct {
	*rand.Rand
	nulls    float64 // share of NULLs where they are allowed
	distinct int     // values of a leaf: few make dictionaries
}

func newGen(seed uint64) *gen {
	r := rand.New(rand.NewPCG(seed, 1))
	return &gen{r, []float64{0, 0.1, 0.9, 1}[r.IntN(4)], []int{1, 3, 1000}[r.IntN(3)]}
}

var leafTypes = []types.Type{types.Boolean, types.Byte, types.Short, types.Int, types.Long, types.Float, types.Double, types.String, types.Binary,
	types.Date, types.Timestamp, types.TimestampNTZ, types.Decimal{P: 4, S: 2}, types.Decimal{P: 9}, types.Decimal{P: 18, S: 3}, types.Decimal{P: 19}, types.Decimal{P: 38, S: 10},
	types.Varchar{N: 5}, types.YearMonth{From: types.Year, To: types.Month}, types.DayTime{From: types.Day, To: types.Second}}

func (g *gen) typ(depth int) types.Type {
	if depth > 0 {
		switch g.IntN(6) {
		case 0:
			return types.Array{Elem: g.typ(depth - 1), Nullable: g.IntN(2) == 0}
		case 1:
			return types.Map{Key: g.typ(0), Value: g.typ(depth - 1), Nullable: g.IntN(2) == 0}
		case 2:
			return types.Struct{Fields: g.fields(1+g.IntN(3), depth-1)}
		}
	}
	return leafTypes[g.IntN(len(leafTypes))]
}

func (g *gen) fields(n, depth int) []types.Field {
	var out []types.Field
	for i := range n {
		out = append(out, types.Field{Name: fmt.Sprintf("f%d.x", i), Type: g.typ(depth), Nullable: g.IntN(2) == 0})
	}
	return out
}

func (g *gen) value(t types.Type, nullable bool) types.Value {
	if nullable && g.Float64() < g.nulls {
		return nil
	}
	switch t := t.(type) {
	case types.Array:
		out := []types.Value{}
		for range g.IntN(4) {
			out = append(out, g.value(t.Elem, t.Nullable))
		}
		return out
	case types.Map:
		out := []types.Pair{}
		seen := map[string]bool{}
		for range g.IntN(4) {
			key := g.value(t.Key, false)
			if s := fmt.Sprint(key); !seen[s] {
				seen[s] = true
				out = append(out, types.Pair{Key: key, Value: g.value(t.Value, t.Nullable)})
			}
		}
		return out
	case types.Struct:
		var out []types.Value
		for _, f := range t.Fields {
			out = append(out, g.value(f.Type, f.Nullable))
		}
		return out
	}
	r := rand.New(rand.NewPCG(uint64(g.IntN(g.distinct)), 2))
	return leafValue(r, t)
}

func leafValue(r *rand.Rand, t types.Type) types.Value {
	n := int64(r.Uint64())
	switch t := t.(type) {
	case types.Decimal:
		most := new(bigNum).pow10(t.P)
		return most.below(r)
	case types.Varchar:
		return fmt.Sprint(n % 100000)
	case types.YearMonth:
		return int32(n)
	case types.DayTime:
		return n
	}
	switch t {
	case types.Boolean:
		return n&1 == 0
	case types.Byte:
		return int64(int8(n))
	case types.Short:
		return int64(int16(n))
	case types.Int:
		return int64(int32(n))
	case types.Float:
		if n%7 == 0 {
			return float32(math.Inf(1))
		}
		return float32(n)
	case types.Double:
		return float64(n) / 3
	case types.String:
		return strings.Repeat(fmt.Sprintf("é%d", n%1000), r.IntN(40))
	case types.Binary:
		b := make([]byte, r.IntN(300))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	case types.Date:
		return int32(n)
	}
	return n
}

// bigNum draws decimals.
type bigNum struct{ digits int }

func (b *bigNum) pow10(p int) *bigNum { b.digits = p; return b }

func (b *bigNum) below(r *rand.Rand) decimal128.Num {
	s := ""
	for range 1 + r.IntN(b.digits) {
		s += string(rune('0' + r.IntN(10)))
	}
	d, err := decimal128.FromString(s, int32(b.digits), 0)
	if err != nil {
		panic(err)
	}
	if r.IntN(2) == 0 {
		return d.Negate()
	}
	return d
}

func (g *gen) rows(fields []types.Field, n int) [][]types.Value {
	out := make([][]types.Value, n)
	for i := range out {
		for _, f := range fields {
			out[i] = append(out[i], g.value(f.Type, f.Nullable))
		}
	}
	return out
}

// arrays makes columns of rows; some of them are slices of longer arrays.
func (g *gen) arrays(tb testing.TB, fields []types.Field, rows [][]types.Value) []arrow.Array {
	tb.Helper()
	skip := g.IntN(3)
	var out []arrow.Array
	for i, f := range fields {
		b := array.NewBuilder(memory.DefaultAllocator, types.Arrow(f.Type))
		for range skip {
			b.AppendNull()
		}
		for _, r := range rows {
			if err := types.AppendValue(b, r[i]); err != nil {
				tb.Fatal(err)
			}
		}
		out = append(out, array.NewSlice(b.NewArray(), int64(skip), int64(skip+len(rows))))
	}
	return out
}

// write makes a file of rows, in batches.
func (g *gen) write(tb testing.TB, fields []types.Field, rows [][]types.Value, o WriterOptions) ([]byte, *Writer) {
	tb.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, fields, o)
	if err != nil {
		tb.Fatal(err)
	}
	for rest := rows; len(rest) > 0; {
		n := min(len(rest), 1+g.IntN(len(rows)))
		if err := w.Write(g.arrays(tb, fields, rest[:n])); err != nil {
			tb.Fatal(err)
		}
		rest = rest[n:]
	}
	if err := w.Close(map[string]string{"key": "value\x00\xff"}); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes(), w
}

// cell is a value of a leaf, or the absence of one.
type cell struct {
	rep, def int
	v        types.Value
}

// readRows puts the rows of a file together again.
func readRows(tb testing.TB, b []byte, columns []*node) [][]types.Value {
	tb.Helper()
	f, err := Open(bytes.NewReader(b), int64(len(b)), Limits{Ratio: 1 << 40})
	if err != nil {
		tb.Fatal(err)
	}
	var out [][]types.Value
	for g := range f.Groups() {
		leaves := make([][]cell, len(f.Leaves()))
		for i, leaf := range f.Leaves() {
			v, err := f.Read(g, leaf)
			if err != nil {
				tb.Fatalf("leaf %v: %v", leaf.Path, err)
			}
			for k := range v.Len {
				c := cell{v: v.Value(k)}
				if v.Rep != nil {
					c.rep = int(v.Rep[k])
				}
				if v.Def != nil {
					c.def = int(v.Def[k])
				}
				leaves[i] = append(leaves[i], c)
			}
		}
		for _, row := range split(leaves, 0) {
			r := &assembler{leaves: row}
			var values []types.Value
			for _, n := range columns {
				values = append(values, r.value(n))
			}
			out = append(out, values)
		}
	}
	return out
}

// split cuts the cells of leaves before each cell whose repetition is at most rep.
func split(leaves [][]cell, rep int) [][][]cell {
	var out [][][]cell
	for i, cells := range leaves {
		part := -1
		for k := 0; k < len(cells); {
			from := k
			for k++; k < len(cells) && cells[k].rep > rep; k++ {
			}
			if part++; part == len(out) {
				out = append(out, make([][]cell, len(leaves)))
			}
			out[part][i] = cells[from:k]
		}
	}
	return out
}

// assembler builds values of the next leaves.
type assembler struct{ leaves [][]cell }

func (n *node) width() int {
	if n.leaf != nil {
		return 1
	}
	w := 0
	for _, k := range n.kids {
		w += k.width()
	}
	return w
}

func (a *assembler) value(n *node) types.Value {
	width := n.width()
	own := a.leaves[:width]
	a.leaves = a.leaves[width:]
	if own[0][0].def < n.def {
		return nil
	}
	in := &assembler{own}
	switch n.kind {
	case nodeLeaf:
		return retype(own[0][0].v, n.typ)
	case nodeStruct:
		var out []types.Value
		for _, k := range n.kids {
			out = append(out, in.value(k))
		}
		return out
	}
	var parts [][][]cell
	if own[0][0].def > n.def {
		parts = split(own, n.rep+1)
	}
	list, pairs := []types.Value{}, []types.Pair{}
	for _, p := range parts {
		in := &assembler{p}
		if n.kind == nodeMap {
			pairs = append(pairs, types.Pair{Key: in.value(n.kids[0]), Value: in.value(n.kids[1])})
		} else {
			list = append(list, in.value(n.kids[0]))
		}
	}
	if n.kind == nodeMap {
		return pairs
	}
	return list
}

// retype gives values whose leaf says less than their type.
func retype(v types.Value, t types.Type) types.Value {
	if n, ok := v.(int64); ok {
		switch t.(type) {
		case types.YearMonth:
			return int32(n)
		}
	}
	return v
}

// roundTrip writes random rows and reads them back, and checks the bounds.
func roundTrip(t *testing.T, seed uint64, n int, o WriterOptions) {
	g := newGen(seed)
	fields := g.fields(1+g.IntN(4), g.IntN(4))
	if o.TwoLevelLists {
		fields = withoutNulls(fields)
	}
	rows := g.rows(fields, n)
	b, w := g.write(t, fields, rows, o)
	got := readRows(t, b, w.columns)
	if len(got) != len(rows) {
		t.Fatalf("seed %d: %d rows, want %d", seed, len(got), len(rows))
	}
	for i := range rows {
		if !reflect.DeepEqual(got[i], rows[i]) {
			t.Fatalf("seed %d: %v, row %d:\ngot  %v\nwant %v", seed, types.Struct{Fields: fields}, i, got[i], rows[i])
		}
	}
	checkRanges(t, seed, w, b)
}

// withoutNulls lets no element of a list be NULL.
func withoutNulls(fields []types.Field) []types.Field {
	for i := range fields {
		fields[i].Type = typeWithoutNulls(fields[i].Type)
	}
	return fields
}

func typeWithoutNulls(t types.Type) types.Type {
	switch t := t.(type) {
	case types.Array:
		return types.Array{Elem: typeWithoutNulls(t.Elem)}
	case types.Map:
		return types.Map{Key: t.Key, Value: typeWithoutNulls(t.Value), Nullable: t.Nullable}
	case types.Struct:
		return types.Struct{Fields: withoutNulls(t.Fields)}
	}
	return t
}

// checkRanges compares what the writer says of the leaves with their values.
func checkRanges(t *testing.T, seed uint64, w *Writer, b []byte) {
	f, err := Open(bytes.NewReader(b), int64(len(b)), Limits{Ratio: 1 << 40})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range w.Ranges() {
		nulls := int64(0)
		for g := range f.Groups() {
			v, err := f.Read(g, f.Leaves()[i])
			if err != nil {
				t.Fatal(err)
			}
			for k := range v.Len {
				if !v.Set(k) {
					nulls++
					continue
				}
				x := retype(v.Value(k), w.leaves[i].typ)
				if r.Min != nil && (less(x, r.Min) || less(r.Max, x)) {
					t.Fatalf("seed %d: leaf %v: %v is not between %v and %v", seed, r.Path, x, r.Min, r.Max)
				}
			}
		}
		if nulls != r.Nulls {
			t.Fatalf("seed %d: leaf %v: %d NULLs, want %d", seed, r.Path, r.Nulls, nulls)
		}
	}
}

func less(a, b types.Value) bool {
	switch a := a.(type) {
	case bool:
		return !a && b.(bool)
	case int32:
		return a < b.(int32)
	case int64:
		return a < b.(int64)
	case float32:
		return a < b.(float32)
	case float64:
		return a < b.(float64)
	case string:
		return a < b.(string)
	case []byte:
		return bytes.Compare(a, b.([]byte)) < 0
	case decimal128.Num:
		return a.Less(b.(decimal128.Num))
	}
	panic(fmt.Sprintf("%T", a))
}

func TestRoundTrip(t *testing.T) {
	gzip, _ := NewCodec("gzip")
	zstd, _ := NewCodec("zstd")
	none, _ := NewCodec("uncompressed")
	options := []WriterOptions{{}, {Required: true}, {FixedDecimals: true, Required: true, Codec: zstd}, {TwoLevelLists: true, Codec: none},
		{Required: true, TwoLevelLists: true, Codec: gzip}, {PageBytes: 64, GroupRows: 70}, {PageBytes: 500, FixedDecimals: true, Required: true, GroupRows: 99}}
	for seed := range uint64(140) {
		o := options[seed%uint64(len(options))]
		roundTrip(t, seed, int(seed%7)*50, o)
	}
}

// TestDictionary fills chunks of which some take a dictionary, some none, and some only at their begin.
func TestDictionary(t *testing.T) {
	const n = 200_000
	fields := []types.Field{{Name: "constant", Type: types.String}, {Name: "few", Type: types.Int, Nullable: true}, {Name: "late", Type: types.String},
		{Name: "unique", Type: types.Long}, {Name: "reals", Type: types.Double, Nullable: true}}
	rows := make([][]types.Value, n)
	for i := range rows {
		late := "same"
		if i > n/4 {
			late = fmt.Sprint("other", i)
		}
		rows[i] = []types.Value{"constant", int64(i % 10), late, int64(i) * 7, float64(i / 100)}
		if i%3 == 0 {
			rows[i][1], rows[i][4] = nil, nil
		}
	}
	b, w := newGen(1).write(t, fields, rows, WriterOptions{GroupRows: 150_000})
	got := readRows(t, b, w.columns)
	if !reflect.DeepEqual(got, rows) {
		t.Fatal("rows differ")
	}
	checkRanges(t, 1, w, b)
	var coded []string
	for _, g := range w.groups {
		s := ""
		for _, c := range g.chunks {
			s += map[[2]bool]string{{true, false}: "d", {false, true}: "p", {true, true}: "m"}[[2]bool{c.coded, c.plain}]
		}
		coded = append(coded, s)
	}
	if got := strings.Join(coded, " "); got != "ddmpd ddppd" {
		t.Errorf("chunks with dictionaries: %s", got)
	}
	if len(b) > 4<<20 {
		t.Errorf("%d bytes", len(b))
	}
}

// TestSchema prints the schema as parquet-go reads it.
func TestSchema(t *testing.T) {
	fields := []types.Field{{Name: "id", Type: types.Long}, {Name: "d", Type: types.Decimal{P: 12, S: 2}, Nullable: true, Metadata: types.Metadata{}.With("id", 7)},
		{Name: "l", Type: types.Array{Elem: types.Struct{Fields: []types.Field{{Name: "x", Type: types.Byte, Nullable: true}, {Name: "t", Type: types.Timestamp}}}}, Nullable: true},
		{Name: "m", Type: types.Map{Key: types.String, Value: types.Array{Elem: types.Date, Nullable: true}, Nullable: true}, Nullable: true}}
	for _, tt := range []struct {
		o    WriterOptions
		want string
	}{
		{WriterOptions{Root: "r", FieldID: "id"}, `message r {
	optional int64 id (INT(64,true));
	optional int64 d (DECIMAL(12,2)) = 7;
	optional group l (LIST) {
		repeated group list {
			optional group element {
				optional int32 x (INT(8,true));
				optional int64 t (TIMESTAMP(isAdjustedToUTC=true,unit=MICROS));
			}
		}
	}
	optional group m (MAP) {
		repeated group key_value {
			required binary key (STRING);
			optional group value (LIST) {
				repeated group list {
					optional int32 element (DATE);
				}
			}
		}
	}
}`},
		{WriterOptions{Required: true, FixedDecimals: true, TwoLevelLists: true, Int96: true}, `message spark_schema {
	required int64 id (INT(64,true));
	optional fixed_len_byte_array(6) d (DECIMAL(12,2));
	optional group l (LIST) {
		repeated group array {
			optional int32 x (INT(8,true));
			required int96 t;
		}
	}
	optional group m (MAP) {
		repeated group key_value {
			required binary key (STRING);
			optional group value (LIST) {
				repeated int32 array (DATE);
			}
		}
	}
}`},
	} {
		var b bytes.Buffer
		w, err := NewWriter(&b, fields, tt.o)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Close(nil); err != nil {
			t.Fatal(err)
		}
		f, err := pq.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Schema().String(); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

// TestNullWhereNone: NULLs in REQUIRED places are errors that name them.
func TestNullWhereNone(t *testing.T) {
	in := types.Struct{Fields: []types.Field{{Name: "x", Type: types.Int}}}
	for _, tt := range []struct {
		t    types.Type
		v    types.Value
		o    WriterOptions
		want string
	}{
		{types.Int, nil, WriterOptions{Required: true}, "column c:"},
		{in, []types.Value{nil}, WriterOptions{Required: true}, "column c.x:"},
		{types.Array{Elem: types.Int}, []types.Value{int64(1), nil}, WriterOptions{Required: true}, "column c.list.element:"},
		{types.Array{Elem: types.Int, Nullable: true}, []types.Value{nil}, WriterOptions{TwoLevelLists: true}, "column c.array:"},
		{types.Map{Key: types.Int, Value: types.Int}, []types.Pair{{Key: int64(1)}}, WriterOptions{Required: true}, "column c.key_value.value:"},
	} {
		fields := []types.Field{{Name: "c", Type: tt.t}}
		w, err := NewWriter(new(bytes.Buffer), fields, tt.o)
		if err != nil {
			t.Fatal(err)
		}
		err = w.Write(newGen(0).arrays(t, fields, [][]types.Value{{tt.v}}))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v %v: %v", tt.t, tt.v, err)
		}
	}
}

// FuzzWriter writes random rows and reads them back.
func FuzzWriter(f *testing.F) {
	f.Add(uint64(1), uint16(10), byte(0))
	f.Add(uint64(2), uint16(300), byte(255))
	f.Fuzz(func(t *testing.T, seed uint64, n uint16, flags byte) {
		o := WriterOptions{Required: flags&1 > 0, FixedDecimals: flags&2 > 0, TwoLevelLists: flags&4 > 0}
		if flags&8 > 0 {
			o.PageBytes = 50
		}
		if flags&16 > 0 {
			o.GroupRows = 33
		}
		roundTrip(t, seed, int(n%1000), o)
	})
}
