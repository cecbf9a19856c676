package bloom

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func keys(n int, form string) (out [][]byte) {
	for i := range n {
		out = append(out, fmt.Appendf(nil, form, i))
	}
	return out
}

// slowMurmur follows Hadoop's text of the hash, word by word, with signed bytes.
func slowMurmur(data []byte, seed int32) int32 {
	const m = 0x5bd1e995
	h := uint32(seed) ^ uint32(len(data))
	n := len(data) / 4
	for i := range n {
		var k int32
		for j := 3; j >= 0; j-- {
			k = k<<8 | int32(data[4*i+j])
		}
		u := uint32(k) * m
		u ^= u >> 24
		h = h*m ^ u*m
	}
	left := len(data) - 4*n
	for j := left; j >= 1; j-- {
		h ^= uint32(int32(int8(data[len(data)-j])) << (8 * (j - 1)))
	}
	if left > 0 {
		h *= m
	}
	h ^= h >> 13
	h *= m
	return int32(h ^ h>>15)
}

func TestHash(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	f := New(DefaultEntries, DefaultRate, DefaultMaxEntries)
	for range 20_000 {
		key := make([]byte, r.IntN(80))
		for i := range key {
			key[i] = byte(r.Uint32())
		}
		seed := r.Uint32()
		h := murmur2(key, seed)
		if want := slowMurmur(key, int32(seed)); int32(h) != want {
			t.Fatalf("murmur2(%x, %d) = %d, want %d", key, seed, int32(h), want)
		}
		if got, want := f.bit(h), math.Abs(float64(int32(h)%int32(f.size))); float64(got) != want {
			t.Fatalf("bit(%d) = %d, want %v", int32(h), got, want)
		}
	}
	if got := f.bit(1 << 31); int64(got) != (1<<31)%int64(f.size) {
		t.Errorf("bit of the least number = %d", got)
	}
}

// TestLanes compares several keys at a time with one after the other.
func TestLanes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	fast, slow := New(100, 0.01, 250), New(100, 0.01, 250)
	var list [][]byte
	for range 1000 {
		key := make([]byte, r.IntN(75))
		for i := range key {
			key[i] = byte(r.Uint32())
		}
		list = append(list, key)
		slow.set(slow.next(), key)
	}
	fast.Add(list...)
	if !bytes.Equal(fast.appendTo(nil), slow.appendTo(nil)) {
		t.Error("filters differ")
	}
	for _, k := range list {
		if !fast.Contains(k) {
			t.Fatalf("%x is missing", k)
		}
	}
}

// TestRows checks how rows are added: one per started number of entries, none beyond the limit.
func TestRows(t *testing.T) {
	for _, c := range []struct{ keys, rows, last int }{
		{0, 1, 0}, {1, 1, 1}, {100, 1, 100}, {101, 2, 1}, {200, 2, 100}, {201, 3, 1}, {300, 3, 100}, {301, 3, 101}, {1000, 3, 800},
	} {
		f := New(100, 1e-3, 250)
		f.Add(keys(c.keys, "key-%d")...)
		b := f.appendTo(nil)
		last, rows := binary.BigEndian.Uint32(b[17:]), binary.BigEndian.Uint32(b[21:])
		if int(rows) != c.rows || int(last) != c.last {
			t.Errorf("%d keys: %d rows, %d in the last; want %d, %d", c.keys, rows, last, c.rows, c.last)
		}
	}
}

func TestDefaultShape(t *testing.T) {
	f := New(DefaultEntries, DefaultRate, DefaultMaxEntries)
	if f.size != 2587966 || f.hashes != 30 {
		t.Errorf("%d bits, %d hashes; Hudi writes 2587966 and 30", f.size, f.hashes)
	}
}

func TestRate(t *testing.T) {
	f := newSimple(10_000, 0.01)
	f.Add(keys(10_000, "in-%d")...)
	found := 0
	for _, k := range keys(10_000, "out-%d") {
		if f.Contains(k) {
			found++
		}
	}
	if found > 200 {
		t.Errorf("%d of 10000 other keys were found, about 100 were to be", found)
	}
}

func TestAddStrings(t *testing.T) {
	f, g := New(100, 1e-6, 1000), New(100, 1e-6, 1000)
	f.AddStrings([]byte("skipped/one/three"), []int32{8, 11, 12, 17})
	g.Add([]byte("one"), []byte("/"), []byte("three"))
	if f.Text() != g.Text() {
		t.Error("filters differ")
	}
}

func TestParse(t *testing.T) {
	for _, f := range []*Filter{New(60, 1e-4, 1000), New(1, 0.5, 3), newSimple(77, 1e-3), newSimple(0, 0.9)} {
		f.Add(keys(200, "%d")...)
		g, err := Parse(f.Kind(), f.Text())
		if err != nil {
			t.Fatal(err)
		}
		if g.Text() != f.Text() || g.Kind() != f.Kind() {
			t.Error("a filter is not what was written")
		}
	}
}

func TestParseRefuses(t *testing.T) {
	good := New(60, 1e-4, 1000).appendTo(nil)
	change := func(at int, b byte) []byte {
		out := bytes.Clone(good)
		out[at] = b
		return out
	}
	for name, b := range map[string][]byte{
		"empty": nil, "cut": good[:len(good)-1], "header only": good[:dynamicHeader], "longer": append(bytes.Clone(good), 0),
		"version": change(0, 0), "hash": change(8, 0), "no hashes": change(7, 0), "hashes": change(4, 1), "negative size": change(9, 0x80),
		"another size of a row": change(dynamicHeader+12, 1), "rows": change(21, 0x7f), "no rows": change(24, 0), "keys of a row": change(13, 0x80),
	} {
		if _, err := decode(Dynamic, b); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := decode("ROARING", good); err == nil {
		t.Error("unknown kind: no error")
	}
	if _, err := Parse(Simple, "%"); err == nil {
		t.Error("no base64: no error")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(true, New(60, 1e-4, 1000).appendTo(nil))
	f.Add(false, newSimple(3, 1e-4).appendTo(nil))
	f.Fuzz(func(t *testing.T, dynamic bool, b []byte) {
		kind := Simple
		if dynamic {
			kind = Dynamic
		}
		g, err := decode(kind, b)
		if err != nil {
			return
		}
		g.Contains([]byte("key"))
		g.Add([]byte("key"))
		if !g.Contains([]byte("key")) {
			t.Error("an added key is missing")
		}
		if _, err := decode(kind, g.appendTo(nil)); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkAdd(b *testing.B) {
	for _, form := range []string{"%d", "trip-%015d", "a3b0c442-98fc-1c14-9afb-%012d"} {
		list := keys(20_000, form)
		b.Run(string(list[1]), func(b *testing.B) {
			f := New(DefaultEntries, DefaultRate, DefaultMaxEntries)
			for b.Loop() {
				f.Add(list...)
			}
			b.ReportMetric(float64(b.N*len(list))/b.Elapsed().Seconds()/1e6, "Mkeys/s")
		})
	}
}
