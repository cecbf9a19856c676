package duckdb

import (
	"errors"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tarn-lake/tarn/rel"
)

// liveRows are the rows that scans of files with hidden rows leave out, per file of a call of read_parquet.
type liveRows struct {
	numbered[[]hiddenRows]
	fn *Scalar
}

// hiddenRows answers whether a row of a file is hidden; rows past its end are not.
type hiddenRows struct {
	once sync.Once
	rows rel.RowSet
	bits []uint64 // one bit per row, set when it is hidden
	far  bool     // positions are too far apart for bits: ask rows
}

// mostBits bounds the bitmap of one file to 64 MiB. Positions come from files that anybody may have written.
const mostBits = 1 << 29

// load makes the bitmap when the first row of the file is asked about.
func (h *hiddenRows) load() *hiddenRows {
	h.once.Do(func() {
		for pos := range h.rows.All() {
			if pos >= mostBits {
				h.bits, h.far = nil, true
				return
			}
			w := pos >> 6
			if have := uint64(len(h.bits)); w >= have {
				h.bits = append(h.bits, make([]uint64, max(w+1-have, have))...)
			}
			h.bits[w] |= 1 << (pos & 63)
		}
	})
	return h
}

func (h *hiddenRows) live(pos uint64) bool {
	if h.far {
		return !h.rows.Contains(pos)
	}
	w := pos >> 6
	return w >= uint64(len(h.bits)) || h.bits[w]>>(pos&63)&1 == 0
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

// eval answers whether rows are live: of the set, of the file in it, at the position.
func (l *liveRows) eval(n int, in []Vec, out *Out) error {
	if n == 0 {
		return nil
	}
	sets, files, rows := Values[int64](in[0]), Values[uint64](in[1]), Values[int64](in[2])
	set, _ := l.get(sets[0])
	res := Results[uint8](out)
	last, hidden := ^uint64(0), (*hiddenRows)(nil)
	for i := range n {
		if f := files[i]; f != last {
			if f >= uint64(len(set)) {
				return errors.New("tarn_live: no such file")
			}
			last, hidden = f, set[f].load()
		}
		res[i] = 0
		if hidden.live(uint64(rows[i])) {
			res[i] = 1
		}
	}
	return nil
}
