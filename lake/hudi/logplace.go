package hudi

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tarn-lake/tarn/lake/hudi/logfile"
)

// Record positions say which rows of the base file the records of a block stand for. They are a set; records and deletions of the
// block are in the order of their positions. They hold while the base file is the one that the block was written to:
//
//	base file of instant i   row 0  1  2  3  4  5        block   base instant i, positions {1, 4}
//	                                │        │                   record of key b
//	                                └────────┴───────────────────record of key e

// optPositions says whether blocks of logs tell which rows of the base file they change.
const optPositions = "hoodie.write.record.positions"

// placesRecords reports whether blocks of logs have record positions. Tables from version 8 on have them.
func (x *tx) placesRecords() bool {
	return x.config().Version >= 8 && x.options.flag(optPositions, true)
}

// basePlaces is the rows of the base file that the rows of a block stand for. A block has positions when each of its rows has one of
// its own: not those that are in logs only, of whose position a write by an index knows nothing, or of keys deleted twice.
type basePlaces struct {
	rows    positions
	n       uint64
	unknown bool
}

func (b *basePlaces) add(positions *array.Int64, i int) {
	b.n++
	if positions.IsNull(i) || positions.Value(i) < 0 {
		b.unknown = true
		return
	}
	b.rows.add(uint64(positions.Value(i)))
}

// text is the header's value for the places, "" where there is none.
func (b *basePlaces) text() string {
	b.rows.flush()
	if b.n == 0 || b.unknown || b.rows.set.Len() != b.n {
		return ""
	}
	return logfile.PositionsText(&b.rows.set)
}

// place takes the positions of the records of a block, where it has them and they are of the base file of the slice.
func (f *fold) place(s *Snapshot, slice *fileSlice, b *logfile.Block, p *part) error {
	if slice.Base == nil || s.reading.byKey {
		return nil
	}
	set, err := b.Positions(slice.Base.Instant)
	if err != nil || set == nil || set.Len() != uint64(p.rows) {
		return err
	}
	if last, ok := set.Max(); ok && last > 1<<62 {
		return nil
	}
	p.places = make([]int64, 0, p.rows)
	for at := range set.All() {
		p.places = append(p.places, int64(at))
	}
	f.hidden.Union(set)
	return nil
}

// placed reports whether the row of the base file is known for each key, so that rows need not be joined by their keys. A key that base
// files have more than once may stand at several of the hidden rows.
func (f *fold) placed() bool {
	return !slices.ContainsFunc(f.entries, func(e entry) bool { return e.base == unknown })
}
