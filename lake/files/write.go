package files

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// tx adds files to a folder and removes files from it.
type tx struct {
	*state
	engine  engine.Engine
	added   []rel.File
	removed []string
	done    bool
}

func (t *folder) begin(ctx context.Context, x engine.Engine, meta *lake.Meta) (lake.Tx, error) {
	s, err := t.state(ctx, meta)
	if err != nil {
		return nil, err
	}
	return &tx{state: s, engine: x}, nil
}

// Apply writes the rows of an append or an overwrite. Removed files go at Commit.
func (t *tx) Apply(ctx context.Context, c lake.Change) (lake.Metrics, error) {
	switch c := c.(type) {
	case lake.Append:
		return t.write(ctx, c.Rows, c.Columns)
	case lake.Overwrite:
		if c.Where != nil && !c.Partitions {
			return lake.Metrics{}, t.folder.refuse("INSERT … REPLACE WHERE")
		}
		before := t.files
		m, err := t.write(ctx, c.Rows, c.Columns)
		if err != nil {
			return m, err
		}
		for _, f := range before {
			if !c.Partitions || t.replaced(f) {
				t.removed = append(t.removed, f.Path)
				m.FilesRemoved++
				m.BytesRemoved += f.Size
			}
		}
		return m, nil
	case lake.Define:
		t.meta = c.Meta
		return lake.Metrics{}, nil
	}
	return lake.Metrics{}, t.folder.refuse("UPDATE, DELETE or MERGE")
}

// replaced reports whether f lies in a partition that rows were written to.
func (t *tx) replaced(f rel.File) bool {
	dir := f.Path[:strings.LastIndexByte(f.Path, '/')+1]
	return slices.ContainsFunc(t.added, func(a rel.File) bool { return a.Path[:strings.LastIndexByte(a.Path, '/')+1] == dir })
}

func (t *tx) write(ctx context.Context, rows rel.Node, ids []rel.ID) (lake.Metrics, error) {
	var m lake.Metrics
	if t.folder.kind != "parquet" {
		return t.writeText(ctx, rows, ids)
	}
	dest := engine.Dest{Bucket: t.folder.entry.Bucket, Prefix: "part-", Suffix: ".snappy.parquet"}
	for i, f := range t.meta.Schema.Fields {
		dest.Columns = append(dest.Columns, engine.DestColumn{ID: ids[i], Field: plain(f)})
	}
	for _, p := range t.meta.Partition {
		dest.Partition = append(dest.Partition, t.meta.Schema.Index(p))
	}
	files, err := t.engine.Write(ctx, rows, dest)
	if err != nil {
		return m, err
	}
	t.added = append(t.added, files...)
	for _, f := range files {
		m.FilesAdded++
		m.BytesAdded += f.Size
		m.Inserted += max(0, f.Rows)
	}
	return m, nil
}

// plain is f as Parquet stores it: char and varchar are text.
func plain(f types.Field) types.Field {
	if types.Text(f.Type) {
		f.Type = types.String
	}
	f.Nullable = true
	return f
}

// Commit removes what was replaced.
func (t *tx) Commit(ctx context.Context, op lake.Operation) (lake.Commit, error) {
	t.done = true
	if err := t.folder.entry.Bucket.Remove(ctx, t.removed...); err != nil {
		return lake.Commit{}, fmt.Errorf("the new files are written, but replaced ones are left: %w", err)
	}
	return lake.Commit{Operation: op, FilesAdded: len(t.added), FilesRemoved: len(t.removed), Attempts: 1}, nil
}

// Rollback removes the files that were added.
func (t *tx) Rollback() error {
	if t.done {
		return nil
	}
	t.done = true
	names := make([]string, len(t.added))
	for i, f := range t.added {
		names[i] = f.Path
	}
	return t.folder.entry.Bucket.Remove(context.WithoutCancel(context.Background()), names...)
}
