package parquet

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	pq "github.com/parquet-go/parquet-go"
)

type sample struct {
	Text  *string            `parquet:"text,optional"`
	Small int32              `parquet:"small"`
	Big   *int64             `parquet:"big,optional"`
	Real  float64            `parquet:"real"`
	Yes   bool               `parquet:"yes"`
	List  []string           `parquet:"list,list"`
	Pairs map[string]string  `parquet:"pairs"`
	In    *struct{ X int64 } `parquet:"in,optional"`
}

func sampleFile(tb testing.TB, n int, options ...pq.WriterOption) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := pq.NewGenericWriter[sample](&b, append(options, pq.MaxRowsPerRowGroup(int64(n)/2+1))...)
	for i := range n {
		text, big := string(rune('a'+i%26)), int64(i)<<33
		row := sample{Small: int32(-i), Real: float64(i) / 2, Yes: i%2 == 0}
		if i%3 > 0 {
			row.Text, row.Big, row.In = &text, &big, &struct{ X int64 }{int64(i)}
			row.List = []string{text, "z"}[:i%3]
			row.Pairs = map[string]string{text: "v"}
		}
		if _, err := w.Write([]sample{row}); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// readAll reads every leaf of a file.
func readAll(b []byte, lim Limits) ([]*Vector, error) {
	f, err := Open(bytes.NewReader(b), int64(len(b)), lim)
	if err != nil {
		return nil, err
	}
	var out []*Vector
	for g := range f.Groups() {
		for _, leaf := range f.Leaves() {
			v, err := f.Read(g, leaf)
			if err != nil {
				return nil, err
			}
			for i := range v.Len {
				v.Value(i)
			}
			out = append(out, v)
		}
	}
	return out, nil
}

func TestRead(t *testing.T) {
	for _, options := range [][]pq.WriterOption{
		nil, {pq.Compression(&pq.Snappy)}, {pq.Compression(&pq.Zstd), pq.DataPageVersion(1)}, {pq.Compression(&pq.Gzip), pq.PageBufferSize(64)},
	} {
		b := sampleFile(t, 100, options...)
		f, err := Open(bytes.NewReader(b), int64(len(b)), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if f.Rows() != 100 || f.Groups() != 2 || f.GroupRows(0) != 51 {
			t.Fatalf("%d rows in %d groups, %d in the first", f.Rows(), f.Groups(), f.GroupRows(0))
		}
		read := func(path ...string) *Vector {
			leaf, ok := f.Leaf(path...)
			if !ok {
				t.Fatalf("there is no column %v", path)
			}
			v, err := f.Read(0, leaf)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		text, big, in := read("text"), read("big"), read("in", "X")
		for i := range text.Len {
			if set := i%3 > 0; text.Set(i) != set || big.Set(i) != set || in.Set(i) != set {
				t.Fatalf("row %d: %v %v %v", i, text.Set(i), big.Set(i), in.Set(i))
			}
			if text.Set(i) && (text.Texts[i] != string(rune('a'+i%26)) || big.Ints[i] != int64(i)<<33 || in.Ints[i] != int64(i)) {
				t.Fatalf("row %d: %s %d %d", i, text.Texts[i], big.Ints[i], in.Ints[i])
			}
		}
		if small, real, yes := read("small"), read("real"), read("yes"); small.Ints[7] != -7 || real.Reals[7] != 3.5 || yes.Bools[7] || !yes.Bools[8] {
			t.Error("wrong values")
		}
		list := read("list", "list", "element")
		var cells []string
		for i := range 6 {
			if list.Set(i) {
				cells = append(cells, list.Texts[i])
			}
		}
		if !slices.Equal(cells, []string{"b", "c", "z", "e"}) || !slices.Equal(list.Rep[:6], []byte{0, 0, 0, 1, 0, 0}) {
			t.Errorf("list %q, levels %v", cells, list.Rep[:6])
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	good := sampleFile(t, 20)
	spoil := func(f func(b []byte) []byte) []byte { return f(bytes.Clone(good)) }
	for name, b := range map[string][]byte{
		"empty":       nil,
		"text":        []byte("this is no Parquet file at all"),
		"head":        spoil(func(b []byte) []byte { b[0] = 'X'; return b }),
		"tail":        spoil(func(b []byte) []byte { b[len(b)-1] = 'X'; return b }),
		"footer size": spoil(func(b []byte) []byte { b[len(b)-5] = 0x7f; return b }),
		"footer":      spoil(func(b []byte) []byte { copy(b[len(b)-60:], bytes.Repeat([]byte{0xff}, 40)); return b }),
		"cut":         good[:len(good)-9],
		"half":        good[len(good)/2:],
	} {
		if _, err := readAll(b, Limits{}); err == nil {
			t.Errorf("%s: passed", name)
		}
	}
	for name, lim := range map[string]Limits{"columns": {Columns: 3}, "groups": {RowGroups: 1}, "depth": {Depth: 1}, "footer": {Footer: 10}, "memory": {Uncompressed: 100}} {
		if _, err := readAll(good, lim); err == nil {
			t.Errorf("limit of %s: passed", name)
		}
	}
}

// FuzzParquetFooter opens and reads what mutations make of good files: never a panic, a hang or much memory.
func FuzzParquetFooter(f *testing.F) {
	f.Add(sampleFile(f, 3))
	f.Add(sampleFile(f, 30, pq.Compression(&pq.Snappy), pq.DataPageVersion(1)))
	f.Add([]byte("PAR1\x15\x02\x19\x00\x00\x04\x00\x00\x00PAR1"))
	f.Fuzz(func(t *testing.T, b []byte) {
		readAll(b, Limits{Uncompressed: 64 << 20})
		_, _, _ = Entries(bytes.NewReader(b), int64(len(b)), Limits{})
	})
}

// TestEntries reads the entries of a footer alone.
func TestEntries(t *testing.T) {
	b := sampleFile(t, 3, pq.KeyValueMetadata("a", "one"), pq.KeyValueMetadata("b", string(make([]byte, 1000))), pq.KeyValueMetadata("none", ""))
	got, rows, err := Entries(bytes.NewReader(b), int64(len(b)), Limits{})
	if err != nil || rows != 3 {
		t.Fatalf("%d rows: %v", rows, err)
	}
	f, err := Open(bytes.NewReader(b), int64(len(b)), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"a", "b", "none"} {
		if want, ok := f.Metadata(key); !ok || got[key] != want {
			t.Errorf("%s is %q, want %q", key, got[key], want)
		}
	}
}

// TestMutations reads files with random faults, most of them in the footer and in page headers.
func TestMutations(t *testing.T) {
	const seed = 7
	r := rand.New(rand.NewPCG(seed, 0))
	passed, n := 0, 3000
	for _, good := range [][]byte{sampleFile(t, 30), sampleFile(t, 30, pq.Compression(&pq.Snappy), pq.DataPageVersion(1)), sampleFile(t, 3000, pq.Compression(&pq.Zstd))} {
		for range n / 3 {
			b := bytes.Clone(good)
			for range 1 + r.IntN(4) {
				at := r.IntN(len(b))
				if r.IntN(2) == 0 {
					at = max(0, len(b)-1-r.IntN(1500))
				}
				b[at] = byte(r.IntN(256))
			}
			begin := time.Now()
			if _, err := readAll(b, Limits{Uncompressed: 64 << 20}); err == nil {
				passed++
			}
			if d := time.Since(begin); d > 5*time.Second {
				t.Fatalf("seed %d: one file took %v", seed, d)
			}
		}
	}
	t.Logf("%d of %d files with faults were readable", passed, n)
}
