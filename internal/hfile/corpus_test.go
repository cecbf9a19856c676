package hfile

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func corpus(t testing.TB) string {
	dir := os.Getenv("TARN_SHARED")
	if dir == "" {
		dir = "../../../shared"
	}
	dir = filepath.Join(dir, "corpus/hudi")
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("the corpus is missing")
		}
		t.Skip("no corpus here")
	}
	return dir
}

// eachFile calls f for every HFile in the metadata tables that real Hudi wrote: base files, and blocks of logs.
func eachFile(t testing.TB, f func(name string, data []byte)) {
	zips, _ := filepath.Glob(filepath.Join(corpus(t), "*/*.zip"))
	for _, name := range zips {
		r, err := zip.OpenReader(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range r.File {
			if strings.Contains(file.Name, "__MACOSX") || strings.HasSuffix(file.Name, ".parquet") || strings.HasSuffix(file.Name, "/") {
				continue
			}
			in, err := file.Open()
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(in)
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Base(name) + "/" + file.Name
			if strings.HasSuffix(name, ".hfile") {
				f(name, data)
			}
			eachLogBlock(data, func(i int, block []byte) { f(fmt.Sprintf("%s block %d", name, i), block) })
		}
		r.Close()
	}
}

// eachLogBlock calls f for the HFile blocks of a log file.
func eachLogBlock(data []byte, f func(i int, block []byte)) {
	for i := 0; len(data) > 26 && string(data[:6]) == "#HUDI#"; i++ {
		size := binary.BigEndian.Uint64(data[6:])
		block := data[14 : 14+size-8]
		data = data[14+size:]
		u32 := func() int { v := binary.BigEndian.Uint32(block); block = block[4:]; return int(v) }
		u32()
		kind := u32()
		for n := u32(); n > 0; n-- {
			u32()
			block = block[u32():]
		}
		if length := binary.BigEndian.Uint64(block); kind == 4 {
			f(i, block[8:8+length])
		}
	}
}

func open(t testing.TB, name string, data []byte) *Reader {
	t.Helper()
	f, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return f
}

// TestHBase reads files of 5,000 and 20,000 cells that HBase's writer made, by all ways.
func TestHBase(t *testing.T) {
	const many = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	for name, c := range map[string]struct {
		n          int
		key, value string
		blocks     int
	}{
		"hudi_1_0_hbase_2_4_13_1KB_GZ_20000_large_keys.hfile": {20000, "hudi-key-" + many + "-%09d", "hudi-value-%09d", 2858},
		"hudi_1_0_hbase_2_4_9_16KB_GZ_20000.hfile":            {20000, "hudi-key-%09d", "hudi-value-%09d", 0},
		"hudi_1_0_hbase_2_4_9_16KB_NONE_5000.hfile":           {5000, "hudi-key-%09d", "hudi-value-%09d", 0},
		"hudi_1_0_hbase_2_4_9_no_entry.hfile":                 {0, "", "", 0},
	} {
		data, err := os.ReadFile(filepath.Join(corpus(t), "hfile", name))
		if err != nil {
			t.Fatal(err)
		}
		f := open(t, name, data)
		i := 0
		it := f.All()
		for ; it.Next(); i++ {
			key, value := fmt.Sprintf(c.key, i), fmt.Sprintf(c.value, i)
			if string(it.Key()) != key || string(it.Value()) != value {
				t.Fatalf("%s: cell %d is %q %q", name, i, it.Key(), it.Value())
			}
		}
		if it.Err() != nil || i != c.n || f.Len() != int64(c.n) {
			t.Fatalf("%s: %d of %d cells: %v", name, i, f.Len(), it.Err())
		}
		for i := 0; i < c.n; i += 7 {
			key, want := fmt.Sprintf(c.key, i), fmt.Sprintf(c.value, i)
			if got, ok, err := f.Get([]byte(key)); string(got) != want || !ok || err != nil {
				t.Fatalf("%s: %s: %q %v %v", name, key, got, ok, err)
			}
			if _, ok, err := f.Get([]byte(key + "x")); ok || err != nil {
				t.Fatalf("%s: a key that it does not have: %v %v", name, ok, err)
			}
		}
		prefix := []byte(fmt.Sprintf(c.key, 1200)[:max(len(fmt.Sprintf(c.key, 1200))-2, 0)])
		n := 0
		for it = f.Prefix(prefix); it.Next(); n++ {
			if !bytes.HasPrefix(it.Key(), prefix) {
				t.Fatalf("%s: %q", name, it.Key())
			}
		}
		if n != min(100, c.n) || it.Err() != nil {
			t.Fatalf("%s: %d cells of the prefix %q: %v", name, n, prefix, it.Err())
		}
		if _, ok, err := f.Get([]byte("a")); ok || err != nil {
			t.Fatalf("%s: a key before all: %v %v", name, ok, err)
		}
	}
}

// TestNativeLongKeys reads a file that the writer of Hudi 1.1.1 made, whose index spells lengths of keys otherwise than HBase. Its
// cells have keys of 5 to 195 bytes, in blocks of 200.
func TestNativeLongKeys(t *testing.T) {
	data, err := os.ReadFile("testdata/native_long_keys.hfile")
	if err != nil {
		t.Fatal(err)
	}
	f := open(t, "native", data)
	for i := range 20 {
		key := fmt.Sprintf("%05d", i) + strings.Repeat("k", 10*i)
		if v, ok, err := f.Get([]byte(key)); string(v) != fmt.Sprintf("value-%d", i) || !ok || err != nil {
			t.Errorf("%s: %q %v %v", key, v, ok, err)
		}
	}
	if f.Len() != 20 || len(f.root) < 10 {
		t.Errorf("%d cells in %d blocks", f.Len(), len(f.root))
	}
}

// TestCorpus reads all HFiles of all metadata tables, and writes those of HBase's profile again: the blocks must hold the same
// bytes in the same order, checksums apart only where gzip packed otherwise.
func TestCorpus(t *testing.T) {
	files, cells, again := 0, 0, 0
	eachFile(t, func(name string, data []byte) {
		f := open(t, name, data)
		files++
		n := int64(0)
		it := f.All()
		for ; it.Next(); n++ {
			cells++
			if got, ok, err := f.Get(it.Key()); !ok || err != nil || !bytes.Equal(got, it.Value()) {
				t.Fatalf("%s: %q: %v %v", name, it.Key(), ok, err)
			}
		}
		if it.Err() != nil || n != f.Len() {
			t.Fatalf("%s: %d of %d cells: %v", name, n, f.Len(), it.Err())
		}
		if _, ok := f.Info("schema"); !ok {
			t.Errorf("%s: no schema", name)
		}
		bloom, ok, err := f.Meta("bloomFilter")
		if err != nil || ok != strings.HasSuffix(name, ".hfile") || ok && len(bloom) == 0 {
			t.Errorf("%s: bloom filter of %d bytes: %v", name, len(bloom), err)
		}
		if data[len(data)-4] == 3 {
			again++
			sameFile(t, name, data, rewrite(t, f))
		}
	})
	t.Logf("%d files, %d cells, %d written again", files, cells, again)
}

func rewrite(t *testing.T, f *Reader) []byte {
	var b bytes.Buffer
	w := NewWriter(&b, Options{Codec: f.t.codec})
	for it := f.All(); it.Next(); {
		if err := w.Append(it.Key(), it.Value()); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range f.info {
		w.Info(name, value)
	}
	for _, e := range f.metas {
		meta, _, err := f.Meta(string(e.row))
		if err != nil {
			t.Fatal(err)
		}
		w.Meta(string(e.row), meta)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func sameFile(t *testing.T, name string, want, got []byte) {
	t.Helper()
	a, b := open(t, name, want), open(t, name, got)
	x, y := a.t, b.t
	x.fileInfo, x.loadOnOpen, x.last, y.fileInfo, y.loadOnOpen, y.last = 0, 0, 0, 0, 0, 0
	single := a.t.first == a.t.last
	if !single { // HBase shortens the keys of the index
		x.indexBytes, y.indexBytes = 0, 0
	}
	if x != y {
		t.Fatalf("%s: trailers differ:\n got %+v\nwant %+v", name, y, x)
	}
	for len(want) > trailerSize {
		magic := string(want[:8])
		wantData, n, err := parseBlock(want, a.t.codec, magic)
		if err != nil {
			t.Fatalf("%s: %s: %v", name, magic, err)
		}
		gotData, m, err := parseBlock(got, a.t.codec, magic)
		if err != nil {
			t.Fatalf("%s: %s: %v", name, magic, err)
		}
		if magic != rootIndex && !bytes.Equal(wantData, gotData) {
			t.Fatalf("%s: %s differs", name, magic)
		}
		if single && len(wantData) != len(gotData) {
			t.Fatalf("%s: %s differs in length", name, magic)
		}
		if bytes.Equal(want[16:24], bytes.Repeat([]byte{255}, 8)) != bytes.Equal(got[16:24], bytes.Repeat([]byte{255}, 8)) || !bytes.Equal(want[24:29], got[24:29]) {
			t.Fatalf("%s: the header of %s differs", name, magic)
		}
		want, got = want[n:], got[m:]
	}
	if len(got) != trailerSize {
		t.Fatalf("%s: %d bytes too many", name, len(got)-trailerSize)
	}
}
