package bitmap

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The two inline texts are the example of Delta's PROTOCOL.md, in the native layout, and the test vector of
// delta-kernel-rs, in the portable one. Both are the set 3, 4, 7, 11, 18, 29.
func TestDecodeKnown(t *testing.T) {
	for text, size := range map[string]int{
		"wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L":      40,
		"^Bg9^0rr910000000000iXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L": 44,
	} {
		payload, err := DecodeZ85(text, size)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Decode(payload, 6, 30)
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Collect(s.All()); !slices.Equal(got, []uint64{3, 4, 7, 11, 18, 29}) {
			t.Errorf("%s: %v", text, got)
		}
		for _, wrong := range [][2]int64{{5, 30}, {7, 30}, {6, 29}} {
			if _, err := Decode(payload, wrong[0], wrong[1]); err == nil {
				t.Errorf("cardinality %d, rows %d passed", wrong[0], wrong[1])
			}
		}
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := New(rapid.SliceOf(rapid.Uint64Max(1<<40)).Draw(t, "positions")...)
		from, n := rapid.Uint64Max(1<<34).Draw(t, "from"), rapid.Uint64Max(3000).Draw(t, "run")
		for i := range n {
			s.Add(from + i)
		}
		file, first := AppendFile(nil, New(1).Encode())
		payload := s.Encode()
		file, offset := AppendFile(file, payload)
		if first != 1 || int(offset)+len(payload)+8 != len(file) {
			t.Fatalf("offsets %d and %d", first, offset)
		}
		got, err := ReadFile(bytes.NewReader(file), int64(len(file)), offset, int32(len(payload)))
		if err != nil {
			t.Fatal(err)
		}
		text, err := DecodeZ85(EncodeZ85(got), len(got))
		if err != nil {
			t.Fatal(err)
		}
		back, err := Decode(text, int64(s.Len()), -1)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(slices.Collect(back.All()), slices.Collect(s.All())) {
			t.Fatal("another set came back")
		}
	})
}

func TestReadFileRefuses(t *testing.T) {
	payload := New(1, 2).Encode()
	size := int32(len(payload))
	file, offset := AppendFile(nil, payload)
	for name, spoil := range map[string]func([]byte){
		"version":  func(b []byte) { b[0] = 2 },
		"size":     func(b []byte) { b[4]++ },
		"checksum": func(b []byte) { b[len(b)-1]++ },
		"payload":  func(b []byte) { b[8]++ },
	} {
		bad := bytes.Clone(file)
		spoil(bad)
		if _, err := ReadFile(bytes.NewReader(bad), int64(len(bad)), offset, size); err == nil {
			t.Errorf("a wrong %s passed", name)
		}
	}
	for _, at := range []int32{-1, 2, 1 << 30} {
		if _, err := ReadFile(bytes.NewReader(file), int64(len(file)), at, size); err == nil {
			t.Errorf("offset %d passed", at)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	one := New(7).Encode()
	two := New(7, 1<<32|7).Encode()
	swapped := bytes.Clone(two)
	binary.LittleEndian.PutUint32(swapped[12:], 5)
	many := bytes.Clone(one)
	binary.LittleEndian.PutUint64(many[4:], 1<<60)
	for name, b := range map[string][]byte{
		"empty": nil, "short": one[:6], "cut": one[:len(one)-1], "more": append(bytes.Clone(one), 0), "keys": swapped, "count": many,
		"magic": append([]byte{1}, one[1:]...),
	} {
		if _, err := Decode(b, int64(New(7).Len()), -1); err == nil {
			t.Errorf("%s: passed", name)
		}
	}
}

func FuzzDV(f *testing.F) {
	f.Add(New(1, 5, 1<<33).Encode(), int64(3))
	f.Add(New(3, 4, 7, 11, 18, 29).Encode(), int64(6))
	native, _ := DecodeZ85("wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L", 40)
	f.Add(native, int64(6))
	f.Fuzz(func(t *testing.T, payload []byte, cardinality int64) {
		s, err := Decode(payload, cardinality, -1)
		if err != nil {
			return
		}
		back, err := Decode(s.Encode(), cardinality, -1)
		if err != nil || !slices.Equal(slices.Collect(back.All()), slices.Collect(s.All())) {
			t.Fatalf("the set did not survive: %v", err)
		}
	})
}
