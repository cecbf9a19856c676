package engine

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// Engine computes rows. Its methods may be called at the same time from several goroutines. Trees hold no
// rel.Table. Cancelling ctx ends a call within a second with ctx's error, and leaves no file.
type Engine interface {
	// Query streams the rows of q. Columns of the batches have the names and Arrow types (types.Arrow) of q's columns,
	// in order. Release the reader to end early.
	Query(ctx context.Context, q rel.Node) (array.RecordReader, error)
	// Write stores the rows of q as new data files, synced, and says what they hold. On an error it removes
	// what it wrote. It writes no metadata.
	Write(ctx context.Context, q rel.Node, to Dest) ([]rel.File, error)
	// Hold evaluates q once. The node that it gives has q's columns and may be read often until release.
	Hold(ctx context.Context, q rel.Node) (held rel.Node, release func() error, err error)
	Close() error
}

// Dest says where rows go and what the files must look like.
type Dest struct {
	Bucket    storage.Bucket
	Dir       string       // folder in Bucket, "" for its root
	Columns   []DestColumn // stored columns, in order, and the partition columns
	Partition []int        // indexes into Columns in folder order: `name=value/` folders; these are not stored in the files
	Prefix    string       // file names are Prefix + a fresh UUID + Suffix
	Suffix    string
	FileSize  int64    // bytes to aim at per file; 0: one file per partition folder
	Physical  Physical // rules of the destination

	// Key, a string column of q, puts rows of different values into different files, and Name says what the n-th file (from 0) of a
	// value is called: its whole name in Bucket. Rows come in any order; files end at FileSize. Not together with Partition.
	Key  rel.ID
	Name func(key string, n int) string
	// Sequence is what the values of Sequence columns start with in a file of that name.
	Sequence func(name string) string
	// Observe gives for each file somebody who sees its rows; nil: nobody.
	Observe func(name string) Observer
}

// Observer sees the rows of one file, in their order there, as they are stored. One goroutine at a time calls it.
type Observer interface {
	// Rows has one array per column of [Dest].Columns. They are valid until it returns.
	Rows(columns []arrow.Array) error
	// Footer is called after the last row: the entries of the file's key-value metadata. Values may be binary.
	Footer() (map[string]string, error)
}

// Made says what fills a column of files.
type Made uint8

// What fills a column. Rows that are written again keep the numbers that they had.
const (
	FromRows Made = iota // the column of q
	FileName             // the last part of the file's name
	Sequence             // the column of q; where that is NULL, [Dest].Sequence and the number of the row in the file, from 0
)

// DestColumn is one column of the files.
type DestColumn struct {
	ID    rel.ID // of q's columns; none for FileName
	Made  Made
	Field types.Field // name, nested names and type as stored; a field id in Metadata under rel.FieldIDKey; not Nullable: required where the rules say so
	Stats bool        // statistics of its leaves are wanted in rel.File.Stats
}

// Physical are the rules that a table format has for its Parquet files. The zero value is what Delta
// accepts and what DuckDB writes best: decimals as INT32, INT64 or FIXED by precision, timestamps as INT64
// microseconds, three-level lists, all fields optional, Snappy pages, the encodings of Parquet 2.
type Physical struct {
	V1            bool   // only the encodings of Parquet 1 (PLAIN, RLE, dictionary), for readers that know no others
	Codec         string // "", "snappy", "zstd", "gzip", "uncompressed", "lz4_raw"
	FixedDecimals bool   // decimals as FIXED_LEN_BYTE_ARRAY, as Hudi and Hive need
	Int96         bool   // timestamps as INT96
	TwoLevelLists bool
	Required      bool   // fields that are not Nullable are REQUIRED
	Schema        string // name of the schema's root; "": the engine's choice
}

// Progress is told how far a statement is: done of total, in rows where known, and the share in percent.
type Progress struct {
	Percent     float64
	Done, Total uint64
}

type progressKey struct{}

// WithProgress gives ctx a function that engines call, at most ten times a second, while a statement runs.
func WithProgress(ctx context.Context, f func(Progress)) context.Context {
	return context.WithValue(ctx, progressKey{}, f)
}

// ProgressOf is the function of WithProgress, or nil.
func ProgressOf(ctx context.Context) func(Progress) {
	f, _ := ctx.Value(progressKey{}).(func(Progress))
	return f
}

// Error is a failure of a running statement that has a Spark error class, such as DIVIDE_BY_ZERO.
type Error struct {
	Class  string            // empty: no class of Spark's fits
	Params map[string]string // of the class
	Msg    string            // the engine's own words
	Reason string            // a sentence for people, where the words of the class say too little
	Hint   string            // what can be done about it, or ""
	Err    error             // cause, may be nil
}

func (e *Error) Error() string {
	if e.Class != "" && e.Msg != "" {
		return e.Class + ": " + e.Msg
	}
	return e.Class + e.Msg
}

func (e *Error) Unwrap() error { return e.Err }
