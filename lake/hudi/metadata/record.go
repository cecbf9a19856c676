package metadata

// Kind says what a record is about. The numbers are stored.
type Kind int32

// The kinds of records (HoodieMetadataRecord.type).
const (
	AllPartitions  Kind = 1 // the partitions of the table
	Files          Kind = 2 // the files of a partition
	ColumnStats    Kind = 3 // bounds of a column in a file
	BloomFilters   Kind = 4 // the Bloom filter of a base file
	RecordIndex    Kind = 5 // where the row of a key is
	PartitionStats Kind = 6 // bounds of a column in a partition
	SecondaryIndex Kind = 7 // that a value of a column occurs in the row of a key
)

// Record is a record of the metadata table: one of the pointers is set, or Files, as Kind says. With none it is a tombstone.
type Record struct {
	Key       string // of the HFile; the field of the record is empty
	Kind      Kind
	Files     map[string]FileState // by name; of AllPartitions by partition
	Bloom     *Bloom
	Stats     *Stats
	Location  *Location
	Secondary *Secondary
}

// FileState is what is known of a file.
type FileState struct {
	Size    int64
	Deleted bool
}

// Bloom is the filter of a base file.
type Bloom struct {
	Kind    string // as the footer of the file names it
	Instant string
	Filter  []byte // the text that the footer has
	Deleted bool
}

// Stats bounds the values of a column. Counts that are not known are -1.
type Stats struct {
	File               string // name in its partition, or the partition
	Column             string
	Min, Max           Value
	Values, Nulls      int64 // Values counts nulls too
	Size, Uncompressed int64 // bytes
	Deleted            bool
	Tight              bool // the bounds are of the rows that are there, not of all that were
	Type               ValueType
}

// Location is where the row of a key is.
type Location struct {
	Partition string
	FileID    string
	Instant   int64 // milliseconds since 1970: when the key came
	Position  int64 // of the row in its base file; -1 when not known
}

// Secondary marks an entry of a secondary index.
type Secondary struct{ Deleted bool }

// empty reports whether the record says that its key is gone.
func (r *Record) empty() bool {
	switch {
	case r.Bloom != nil:
		return r.Bloom.Deleted
	case r.Stats != nil:
		return r.Stats.Deleted
	case r.Secondary != nil:
		return r.Secondary.Deleted
	}
	return r.Location == nil && r.Kind != Files && r.Kind != AllPartitions
}
