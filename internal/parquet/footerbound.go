package parquet

import (
	"encoding/binary"

	pq "github.com/parquet-go/parquet-go"

	"github.com/tarn-lake/tarn/types"
)

// Max is a value that no value of a leaf in a row group is above, by the footer; nil when all are NULL. It is not ok when the footer does
// not say, and for floating point, where NaN hides.
func (f *File) Max(group int, leaf Leaf) (max types.Value, ok bool) {
	defer func() {
		if recover() != nil {
			max, ok = nil, false
		}
	}()
	c := f.file.Metadata().RowGroups[group].Columns[leaf.Index].MetaData
	s := c.Statistics
	if s.MaxValue == nil {
		return nil, s.NullCount == c.NumValues && c.NumValues > 0
	}
	return boundOf(leaf, s.MaxValue)
}

// boundOf is a plain-encoded value of the footer.
func boundOf(leaf Leaf, b []byte) (types.Value, bool) {
	v := &Vector{Leaf: Leaf{Path: leaf.Path, Type: leaf.Type}, Len: 1}
	switch leaf.Type.Kind() {
	case pq.Boolean:
		if len(b) != 1 {
			return nil, false
		}
		v.Bools = []bool{b[0] != 0}
	case pq.Int32:
		if len(b) != 4 {
			return nil, false
		}
		v.Ints = []int64{int64(int32(binary.LittleEndian.Uint32(b)))}
	case pq.Int64:
		if len(b) != 8 {
			return nil, false
		}
		v.Ints = []int64{int64(binary.LittleEndian.Uint64(b))}
	case pq.ByteArray, pq.FixedLenByteArray:
		v.Texts = []string{string(b)}
	default:
		return nil, false
	}
	out := v.Value(0)
	return out, out != nil
}
