package tarn

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"
)

// SaveMode says what a [Writer] does when the table is already there.
type SaveMode string

// The save modes of Spark's DataFrameWriter.
const (
	ErrorIfExists SaveMode = "errorifexists" // fail: the default of Save and SaveAsTable
	Append        SaveMode = "append"        // add the rows: the default of InsertInto
	Overwrite     SaveMode = "overwrite"     // replace the rows
	Ignore        SaveMode = "ignore"        // do nothing, which the receipt says by having no Operation
)

// Writer writes rows to a table as Spark's df.write does. Its methods give changed copies, so that a Writer may
// be kept and used again.
type Writer struct {
	s         *Session
	query     string
	args      []any
	reader    array.RecordReader
	format    string
	mode      SaveMode
	options   map[string]string
	partition []string
}

// Write starts a write of the rows of a query.
func (s *Session) Write(query string, args ...any) Writer {
	return Writer{s: s, query: query, args: args}
}

// WriteBatches starts a write of Arrow batches. They are read once, and released.
func (s *Session) WriteBatches(r array.RecordReader) Writer { return Writer{s: s, reader: r} }

// Format names the table format. Default: the setting spark.sql.sources.default, else delta.
func (w Writer) Format(name string) Writer { w.format = strings.ToLower(name); return w }

// Mode sets the save mode. Besides the constants it takes Spark's words "error", "default", in any case.
func (w Writer) Mode(m SaveMode) Writer { w.mode = m; return w }

// Option sets an option of the format, such as mergeSchema, overwriteSchema, replaceWhere or partitionOverwriteMode.
// Case does not matter in key.
func (w Writer) Option(key, value string) Writer {
	w.options = maps.Clone(w.options)
	if w.options == nil {
		w.options = map[string]string{}
	}
	w.options[key] = value
	return w
}

// PartitionBy stores the rows of a new table in folders by the values of columns.
func (w Writer) PartitionBy(columns ...string) Writer { w.partition = slices.Clone(columns); return w }

// Save writes to the table at a path, and makes it where there is none. Columns match by name.
func (w Writer) Save(ctx context.Context, path string) (*Receipt, error) {
	return w.run(ctx, func(ctx context.Context, sv *saving) (*Rows, error) { return sv.save(ctx, path) })
}

// SaveAsTable writes to the table of a name, and makes it where there is none. Columns match by name.
func (w Writer) SaveAsTable(ctx context.Context, name string) (*Receipt, error) {
	return w.run(ctx, func(ctx context.Context, sv *saving) (*Rows, error) { return sv.saveAsTable(ctx, name) })
}

// InsertInto writes to the table of a name, which must be there. Columns match by position.
func (w Writer) InsertInto(ctx context.Context, name string) (*Receipt, error) {
	return w.run(ctx, func(ctx context.Context, sv *saving) (*Rows, error) { return sv.insertInto(ctx, name) })
}

func (w Writer) run(ctx context.Context, do func(context.Context, *saving) (*Rows, error)) (*Receipt, error) {
	if w.reader != nil {
		defer w.reader.Release()
	}
	sv, err := w.start()
	if err != nil {
		return nil, explain(err, w.query)
	}
	rows, err := do(ctx, sv)
	if err != nil {
		return nil, sv.explained(err)
	}
	rows.receipt.Seconds = time.Since(sv.started).Seconds()
	return rows.receipt, rows.Close()
}
