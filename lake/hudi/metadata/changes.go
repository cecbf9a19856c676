package metadata

import (
	"context"
	"iter"
	"math"

	"github.com/tarn-lake/tarn/types"
)

// Changes is what a write does to the files of a table and the places of its rows.
type Changes struct {
	Added   []NewFile
	Removed []FileRef // files that are deleted, not those that are only replaced
	Dropped []string  // partitions that are gone

	// Keys are those that are in new places and those that no row has any more, by rising keys and each once. They are asked for
	// only when there is a record index.
	Keys iter.Seq2[PlacedKey, error]

	// KeysUnknown says that Keys does not tell all: a record index is dropped.
	KeysUnknown bool

	// Live are the files of a partition that a reader reads after the write. It is asked for only when there are bounds of
	// partitions, and for partitions that the write touches.
	Live func(partition string) []string

	// Empty says whether a file has no rows: a base file without any, a log that only deletes. It is asked for of files of which
	// the metadata table has no bounds. Without it they may have rows.
	Empty func(context.Context, FileRef) (bool, error)
}

// PlacedKey is a key and where its row is from now on; nowhere when At is nil.
type PlacedKey struct {
	Key string
	At  *Location
}

// NewFile is a file that a write made, or made longer.
type NewFile struct {
	FileRef
	Size   int64
	Bounds []Bounds // of all columns that [Table.BoundedColumns] names; nil when they are not known
	Filter *Bloom   // of a base file; nil when there is none
}

// Bounds is what is known of the values of a column in a file.
type Bounds struct {
	Column             string
	Type               types.Type
	Min, Max           types.Value // nil when there is no value
	Values, Nulls      int64       // Values counts nulls too
	Size, Uncompressed int64       // bytes
}

// stats is the record of b; not ok when the type has none or a bound that values have is missing.
func (b *Bounds) stats(file FileRef, version int) (*Stats, bool) {
	low, kind, ok := newValue(b.Min, b.Type, version)
	high, _, ok2 := newValue(b.Max, b.Type, version)
	known := low.Wrapper != NoValue && high.Wrapper != NoValue || b.Values == b.Nulls
	return &Stats{File: file.Name, Column: b.Column, Min: low, Max: high, Values: b.Values, Nulls: b.Nulls, Size: b.Size,
		Uncompressed: b.Uncompressed, Type: kind}, ok && ok2 && known
}

// Bounded reports whether bounds of a type are kept.
func Bounded(t types.Type, version int) bool {
	_, ok := valueType(t)
	d, isDecimal := t.(types.Decimal)
	switch {
	case version == 8 && (isDecimal || t == types.Date || t == types.Timestamp || t == types.TimestampNTZ):
		return false // Hudi 1.0 has several forms of them
	case version < 9 && isDecimal:
		return d.S <= oldScale && d.P-d.S <= oldPrecision-oldScale
	}
	return ok
}

// NaN is the upper bound of a column of doubles or floats that has NaN among its values: Spark orders it last.
func NaN(t types.Type) types.Value {
	if t == types.Float {
		return float32(math.NaN())
	}
	return math.NaN()
}

// BoundedColumns are those of all columns of which bounds are kept in files: those that the index is defined by, from table version 8
// on, and all before.
func (t *Table) BoundedColumns(all []string) []string {
	def, ok := t.indexes[ColumnStatsPartition]
	if !ok || len(def.Sources) == 0 {
		return all
	}
	return def.Sources
}
