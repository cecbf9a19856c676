package delta

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// Names of data files, as Delta Spark gives them.
const (
	dataPrefix = "part-00000-"
	dataSuffix = "-c000.snappy.parquet"
)

// targetFileSize is what new files aim at, in bytes, unless the table or the statement says otherwise.
const targetFileSize = 128 << 20

// layout says how the rows of a table are stored: what is stored where under which name, and what is told of it.
type layout struct {
	fields    []types.Field // per column of the schema, physical
	partition []int         // indexes of the partition columns, in folder order
	indexed   types.Struct  // physical columns with statistics
	required  []string      // names of NOT NULL columns, "" for others
	tight     bool          // statistics say tightBounds
	fileSize  int64
}

// newLayout is the layout of a snapshot's table.
func newLayout(s *Snapshot) (*layout, error) {
	properties := s.meta.Properties
	l := &layout{fileSize: targetFileSize, tight: vectorsOn(properties), partition: s.partition}
	if size, ok := parseSize(properties["delta.targetFileSize"]); ok {
		l.fileSize = size
	}
	stored, err := physicalStruct(s.schema, s.mapping, s.mapping != mapNone)
	if err != nil {
		return nil, err
	}
	l.fields = stored.Fields
	var logical, physical types.Struct
	for i, f := range s.schema.Fields {
		required := ""
		if !f.Nullable {
			required = f.Name
		}
		l.required = append(l.required, required)
		if !slices.Contains(s.partition, i) {
			logical.Fields = append(logical.Fields, f)
			physical.Fields = append(physical.Fields, l.fields[i])
		}
	}
	l.indexed = indexed(logical, physical, properties, splitColumns(strings.Join(s.meta.Cluster, ",")))
	return l, nil
}

func vectorsOn(properties map[string]string) bool {
	return strings.EqualFold(properties["delta.enableDeletionVectors"], "true")
}

// parseSize reads a number of bytes with an optional unit, such as 128mb.
func parseSize(text string) (int64, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	text = strings.TrimSuffix(text, "b")
	shift := 0
	if n := len(text); n > 0 {
		if i := strings.IndexByte("kmgt", text[n-1]); i >= 0 {
			shift, text = 10*(i+1), text[:n-1]
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n << shift, err == nil && n > 0 && n < 1<<(62-shift)
}

// dest says to an engine how to store rows whose columns, one for each of the schema, have the given numbers.
func (l *layout) dest(t *Table, columns []rel.ID, fileSize int64) (engine.Dest, error) {
	if len(columns) != len(l.fields) {
		return engine.Dest{}, fmt.Errorf("%d columns are given for a table of %d", len(columns), len(l.fields))
	}
	d := engine.Dest{Bucket: t.bucket, Prefix: dataPrefix, Suffix: dataSuffix, FileSize: fileSize}
	if fileSize == 0 {
		d.FileSize = l.fileSize
	}
	wanted := map[string]bool{}
	for _, f := range l.indexed.Fields {
		wanted[f.Name] = true
	}
	at := make([]int, len(l.fields))
	for i, f := range l.fields {
		at[i] = len(d.Columns)
		if f.Type != types.Void { // has no form in Parquet
			d.Columns = append(d.Columns, engine.DestColumn{ID: columns[i], Field: f, Stats: wanted[f.Name] || l.required[i] != ""})
		}
	}
	for _, i := range l.partition {
		d.Partition = append(d.Partition, at[i])
	}
	return d, nil
}

// add is the action for a file that an engine wrote. A NULL where the schema forbids it is an error.
func (l *layout) add(f rel.File) (*Add, error) {
	if f.Rows < 0 || len(f.Partition) != len(l.partition) {
		return nil, fmt.Errorf("the engine did not say what %s holds", f.Path)
	}
	a := &Add{Path: EncodePath(f.Path), PartitionValues: map[string]*string{}, Size: f.Size, ModificationTime: f.ModTime, DataChange: true,
		Stats: statsText(f, l.indexed, l.tight)}
	if a.ModificationTime == 0 {
		a.ModificationTime = time.Now().UnixMilli()
	}
	for k, i := range l.partition {
		text, ok, err := partitionText(f.Partition[k], l.fields[i].Type)
		if err != nil {
			return nil, err
		}
		a.PartitionValues[l.fields[i].Name] = nil
		if ok {
			a.PartitionValues[l.fields[i].Name] = &text
		} else if l.required[i] != "" {
			return nil, nullError(l.required[i])
		}
	}
	for i, name := range l.required {
		if r, known := f.Stats[l.fields[i].Name]; name != "" && known && r.Nulls > 0 {
			return nil, nullError(name)
		}
	}
	return a, nil
}

func nullError(column string) error {
	return &lake.Error{Op: "write", Class: "DELTA_NOT_NULL_CONSTRAINT_VIOLATED", Params: map[string]string{"columnName": column},
		Err: fmt.Errorf("column %s is NOT NULL, but a row has NULL there", column)}
}

// write stores the rows of q as new files of the table and gives their actions. Files without rows are not kept.
func (x *tx) write(ctx context.Context, q rel.Node, columns []rel.ID, fileSize int64) ([]*Add, int64, error) {
	dest, err := x.layout.dest(x.table, columns, fileSize)
	if err != nil {
		return nil, 0, err
	}
	files, err := x.engine.Write(ctx, q, dest)
	if err != nil {
		return nil, 0, err
	}
	var adds []*Add
	var rows int64
	for _, f := range files {
		x.own(f.Path)
		if f.Rows == 0 {
			continue
		}
		a, err := x.layout.add(f)
		if err != nil {
			return nil, 0, err
		}
		adds = append(adds, a)
		rows += f.Rows
	}
	return adds, rows, nil
}
