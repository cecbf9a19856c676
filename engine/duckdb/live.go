package duckdb

import (
	"errors"
	"fmt"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tarn-lake/tarn/rel"
)

// liveRows are the rows that scans of files with hidden rows leave out, per file of a call of read_parquet.
type liveRows struct {
	numbered[[]hiddenRows]
	fn *Scalar
}

// hiddenRows has one bit per row of a file, set when the row is hidden; rows past its end are not.
type hiddenRows struct {
	once sync.Once
	rows rel.RowSet
	bits []uint64
}

func newLiveRows() *liveRows {
	l := &liveRows{}
	l.fn = &Scalar{
		Name:   "tarn_live",
		Args:   []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint64, arrow.PrimitiveTypes.Int64},
		Result: arrow.FixedWidthTypes.Boolean,
		Eval:   l.eval,
	}
	return l
}

func hiddenOf(files []rel.File) []hiddenRows {
	set := make([]hiddenRows, len(files))
	for i, f := range files {
		set[i].rows = f.Hidden
	}
	return set
}

// maxPosition bounds the positions of hidden rows: a set is a bitmap in memory.
const maxPosition = 1 << 33

// load makes the bitmap when the first row of the file is asked about.
func (h *hiddenRows) load() []uint64 {
	h.once.Do(func() {
		for pos := range h.rows.All() {
			w := pos >> 6
			if pos >= maxPosition {
				panic(fmt.Sprintf("the hidden row %d lies past any row", pos))
			}
			if w >= uint64(len(h.bits)) {
				h.bits = append(h.bits, make([]uint64, max(w+1-uint64(len(h.bits)), uint64(len(h.bits))))...)
			}
			h.bits[w] |= 1 << (pos & 63)
		}
	})
	return h.bits
}

// eval answers whether rows are live: of the set, of the file in it, at the position.
func (l *liveRows) eval(n int, in []Vec, out *Out) error {
	if n == 0 {
		return nil
	}
	sets, files, rows := Values[int64](in[0]), Values[uint64](in[1]), Values[int64](in[2])
	set, _ := l.get(sets[0])
	res := Results[uint8](out)
	last, bits := ^uint64(0), []uint64(nil)
	for i := range n {
		if f := files[i]; f != last {
			if f >= uint64(len(set)) {
				return errors.New("tarn_live: no such file")
			}
			last, bits = f, set[f].load()
		}
		res[i] = 1
		if w := uint64(rows[i]) >> 6; w < uint64(len(bits)) {
			res[i] = uint8(^bits[w] >> (rows[i] & 63) & 1)
		}
	}
	return nil
}
