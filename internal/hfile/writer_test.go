package hfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"
)

// TestRandom writes sorted random cells in blocks of all sizes, and finds them again by all ways.
func TestRandom(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 40 {
		keys := map[string]bool{}
		for range r.IntN(400) {
			keys[string(randomBytes(r, 12))+fmt.Sprint(r.IntN(50))] = true
		}
		if r.IntN(4) == 0 {
			keys[string(bytes.Repeat([]byte("k"), 1+r.IntN(maxRow)))] = true
			keys[""] = true
		}
		checkFile(t, r, keys, Options{BlockSize: 1 + r.IntN(3000), Codec: Codec(1 + r.IntN(2))})
	}
}

func randomBytes(r *rand.Rand, limit int) []byte {
	b := make([]byte, r.IntN(limit+1))
	for i := range b {
		b[i] = "ab\x00\xff"[r.IntN(4)]
	}
	return b
}

func checkFile(t *testing.T, r *rand.Rand, keys map[string]bool, o Options) {
	var sorted []string
	for k := range keys {
		sorted = append(sorted, k)
	}
	slices.Sort(sorted)
	var b bytes.Buffer
	w := NewWriter(&b, o)
	values := map[string][]byte{}
	for _, k := range sorted {
		values[k] = randomBytes(r, 200)
		if err := w.Append([]byte(k), values[k]); err != nil {
			t.Fatal(err)
		}
	}
	w.Meta("bloomFilter", []byte("filter"))
	w.Info("schema", []byte("{}"))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f := open(t, "random", b.Bytes())
	prefix := randomBytes(r, 3)
	var got, want []string
	for it := f.Prefix(prefix); it.Next(); {
		got = append(got, string(it.Key()))
	}
	for _, k := range sorted {
		if v, ok, err := f.Get([]byte(k)); err != nil || !ok || !bytes.Equal(v, values[k]) {
			t.Fatalf("%q: %v %v", k, ok, err)
		}
		if bytes.HasPrefix([]byte(k), prefix) {
			want = append(want, k)
		}
		other := k + "\x00"
		if _, ok, err := f.Get([]byte(other)); err != nil || ok != keys[other] {
			t.Fatalf("%q: %v %v", other, ok, err)
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("prefix %q: %q, want %q", prefix, got, want)
	}
	if meta, ok, err := f.Meta("bloomFilter"); string(meta) != "filter" || !ok || err != nil {
		t.Fatalf("%q %v %v", meta, ok, err)
	}
}

// TestOrder refuses keys that do not come in order.
func TestOrder(t *testing.T) {
	for _, second := range []string{"a", "b"} {
		w := NewWriter(&bytes.Buffer{}, Options{})
		if err := w.Append([]byte("b"), nil); err != nil {
			t.Fatal(err)
		}
		if err := w.Append([]byte(second), nil); err == nil || w.Close() == nil {
			t.Errorf("%s after b: no error", second)
		}
	}
}

// TestDamage flips each byte of a file: what is read is an error or the truth.
func TestDamage(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, Options{BlockSize: 60})
	for i := range 10 {
		if err := w.Append(fmt.Appendf(nil, "key %d", i), fmt.Appendf(nil, "value %d", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	whole := b.Bytes()
	for i := range len(whole) - trailerSize {
		data := bytes.Clone(whole)
		data[i] ^= 1 << (i % 8)
		f, err := Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			continue
		}
		for n, it := 0, f.All(); it.Next(); n++ {
			if i >= 24 && string(it.Key()) != fmt.Sprintf("key %d", n) {
				t.Fatalf("byte %d: cell %d is %q", i, n, it.Key())
			}
		}
	}
}

// TestHostile reads files whose indexes would lead round and round, or whose blocks would not fit into memory.
func TestHostile(t *testing.T) {
	bounded(t, func() {
		leaf := binary.BigEndian.AppendUint32(nil, 0) // no entries
		if _, err := parseLeaf(append(leaf, 0, 0, 0, 0)); err == nil {
			t.Error("a leaf without entries")
		}
		same := appendEntries(appendEntries(nil, []entry{{0, 40, []byte("\x00\x01a")}}), []entry{{0, 40, []byte("\x00\x01a")}})
		if _, err := parseRoot(same, 2); err == nil {
			t.Error("an index that names a block twice")
		}
		w := NewWriter(&bytes.Buffer{}, Options{})
		var zeros bytes.Buffer
		w.w = &zeros
		w.block(rootIndex, make([]byte, maxIndex+1), true)
		if _, _, err := parseBlock(zeros.Bytes(), Gzip, rootIndex); err == nil {
			t.Error("an index without bound")
		}
		if _, err := unpack(make([]byte, 100), maxBlock, Gzip); err == nil {
			t.Error("100 bytes unpack to too many")
		}
	})
}

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

// FuzzReader reads a file by all ways.
func FuzzReader(f *testing.F) {
	for _, o := range []Options{{}, {BlockSize: 20, Codec: None}} {
		var b bytes.Buffer
		w := NewWriter(&b, o)
		for i := range 5 {
			if err := w.Append(fmt.Appendf(nil, "key %d", i), []byte("v")); err != nil {
				f.Fatal(err)
			}
		}
		w.Meta("bloomFilter", []byte("filter"))
		if err := w.Close(); err != nil {
			f.Fatal(err)
		}
		f.Add(unsigned(b.Bytes()), []byte("key 3"))
	}
	f.Fuzz(func(t *testing.T, data, key []byte) {
		bounded(t, func() {
			r, err := Open(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				return
			}
			n := 0
			for it := r.All(); it.Next(); n++ {
				if n > len(data)*maxRatio {
					t.Fatalf("%d cells of %d bytes", n, len(data))
				}
			}
			for it := r.Prefix(key); it.Next(); {
				if !bytes.HasPrefix(it.Key(), key) {
					t.Fatalf("%q does not begin with %q", it.Key(), key)
				}
			}
			if _, ok, err := r.Get(key); ok && err != nil {
				t.Fatal(err)
			}
			r.Meta("bloomFilter")
		})
	})
}

// unsigned takes the checksum types out of a file, so that changed bytes are read.
func unsigned(data []byte) []byte {
	data = bytes.Clone(data)
	for i := 0; i < len(data)-trailerSize; {
		data[i+24] = 0
		i += headerSize + int(binary.BigEndian.Uint32(data[i+8:]))
	}
	return data
}
