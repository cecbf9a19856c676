package metadata

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
)

// encode appends the Avro form of a record that a table of a version has. The key is not in it, and of the kinds that came
// later there is no place for the record.
func (r *Record) encode(b []byte, version int) []byte {
	const metaFields = 5 // null, all of them
	b = append(b, make([]byte, metaFields)...)
	b = appendText(b, "")
	b = binary.AppendVarint(b, int64(r.Kind))
	b = r.encodeFiles(b)
	if b = appendBranch(b, r.Bloom != nil); r.Bloom != nil {
		b = appendText(b, r.Bloom.Kind)
		b = appendText(b, r.Bloom.Instant)
		b = appendText(b, string(r.Bloom.Filter))
		b = appendFlag(b, r.Bloom.Deleted)
	}
	if b = appendBranch(b, r.Stats != nil); r.Stats != nil {
		b = r.Stats.encode(b, version)
	}
	if version < 6 {
		return b
	}
	if b = appendBranch(b, r.Location != nil); r.Location != nil {
		b = r.Location.encode(b, version)
	}
	if version < 8 {
		return b
	}
	if b = appendBranch(b, r.Secondary != nil); r.Secondary != nil {
		b = appendFlag(b, r.Secondary.Deleted)
	}
	return b
}

func (r *Record) encodeFiles(b []byte) []byte {
	if b = appendBranch(b, r.Files != nil); r.Files == nil {
		return b
	}
	if len(r.Files) > 0 {
		b = binary.AppendVarint(b, int64(len(r.Files)))
		for _, name := range slices.Sorted(maps.Keys(r.Files)) {
			f := r.Files[name]
			b = appendText(b, name)
			b = binary.AppendVarint(b, f.Size)
			b = appendFlag(b, f.Deleted)
		}
	}
	return append(b, 0)
}

func (s *Stats) encode(b []byte, version int) []byte {
	b = appendText(appendBranch(b, true), s.File)
	b = appendText(appendBranch(b, true), s.Column)
	b = s.Min.encode(b)
	b = s.Max.encode(b)
	for _, n := range []int64{s.Values, s.Nulls, s.Size, s.Uncompressed} {
		b = binary.AppendVarint(appendBranch(b, true), n)
	}
	b = appendFlag(b, s.Deleted)
	if version >= 8 {
		b = appendFlag(b, s.Tight)
	}
	if version < 9 {
		return b
	}
	if b = appendBranch(b, s.Type.Ordinal != 0); s.Type.Ordinal == 0 {
		return b
	}
	b = binary.AppendVarint(b, int64(s.Type.Ordinal))
	if b = appendBranch(b, s.Type.Info != ""); s.Type.Info != "" {
		b = appendText(b, s.Type.Info)
	}
	return b
}

func (v Value) encode(b []byte) []byte {
	b = binary.AppendVarint(b, int64(v.Wrapper))
	switch v.Wrapper {
	case NoValue:
	case BooleanWrapper:
		b = append(b, byte(v.Int))
	case FloatWrapper:
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v.Float)))
	case DoubleWrapper:
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v.Float))
	case BytesWrapper, StringWrapper, DecimalWrapper:
		b = appendText(b, v.Bytes)
	default:
		b = binary.AppendVarint(b, v.Int)
	}
	return b
}

// File ids that are a UUID and a number are stored as numbers, others as text.
const (
	uuidEncoding = 0
	textEncoding = 1
)

func (l *Location) encode(b []byte, version int) []byte {
	high, low, index, ok := parseUUID(l.FileID)
	encoding, text := int64(uuidEncoding), ""
	if !ok {
		high, low, index, encoding, text = -1, -1, -1, textEncoding, l.FileID
	}
	b = appendText(appendBranch(b, true), l.Partition)
	b = binary.AppendVarint(appendBranch(b, true), high)
	b = binary.AppendVarint(appendBranch(b, true), low)
	b = binary.AppendVarint(appendBranch(b, true), int64(index))
	b = appendText(appendBranch(b, true), text)
	b = binary.AppendVarint(appendBranch(b, true), l.Instant)
	b = binary.AppendVarint(b, encoding)
	if version < 8 {
		return b
	}
	if b = appendBranch(b, l.Position >= 0); l.Position >= 0 {
		b = binary.AppendVarint(b, l.Position)
	}
	return b
}

// appendBranch chooses a branch of a union with null, which is always the first.
func appendBranch(b []byte, set bool) []byte {
	if set {
		return append(b, 2)
	}
	return append(b, 0)
}

func appendFlag(b []byte, set bool) []byte {
	if set {
		return append(b, 1)
	}
	return append(b, 0)
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendVarint(b, int64(len(s))), s...)
}
