package rel

import (
	"iter"

	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// File is a data file, read by a Scan or made by an engine.
type File struct {
	Bucket    storage.Bucket
	Path      string // name in Bucket
	ID        int64  // the file part of its row ids
	Size      int64  // bytes
	Rows      int64  // physical rows; negative when unknown
	ModTime   int64  // milliseconds since 1970; 0 when unknown
	Partition []types.Value
	Key       string           // of a made file: the value of the destination's key column
	Stats     map[string]Range // by leaf path, names joined by '.', as stored; nil when unknown
	Hidden    RowSet           // positions of deleted rows; nil when none
}

// Range is what is known of the values of one leaf column in a file. A nil Min or Max is unknown.
// NaN says that the column holds NaN, which the bounds leave out.
type Range struct {
	Min, Max types.Value
	Nulls    int64 // negative when unknown
	NaN      bool
	Exact    bool // Min and Max are values of the column, not just bounds
}

// RowSet is a set of row positions in one file.
type RowSet interface {
	Contains(pos uint64) bool
	Len() uint64
	All() iter.Seq[uint64] // in rising order
}
