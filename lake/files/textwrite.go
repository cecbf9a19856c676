package files

import (
	"bufio"
	"context"
	"io"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/google/uuid"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// writeText stores rows as one file of CSV, JSON lines or text. The engine makes text of the values; this writes lines.
func (t *tx) writeText(ctx context.Context, rows rel.Node, ids []rel.ID) (lake.Metrics, error) {
	var m lake.Metrics
	if len(t.meta.Partition) > 0 {
		return m, t.folder.refuse("writing partitioned " + t.folder.kind + " files")
	}
	lines, err := t.lines(rows, ids)
	if err != nil {
		return m, err
	}
	r, err := t.engine.Query(ctx, lines)
	if err != nil {
		return m, err
	}
	defer r.Release()
	f := rel.File{Bucket: t.folder.entry.Bucket, Path: "part-" + uuid.NewString() + "." + suffix(t.folder.kind)}
	w, err := f.Bucket.Create(ctx, f.Path, storage.Exclusive)
	if err != nil {
		return m, err
	}
	if f.Rows, f.Size, err = t.copyLines(w, r); err != nil {
		return m, abandon(w, err)
	}
	if err := w.Close(); err != nil {
		return m, err
	}
	t.added = append(t.added, f)
	return lake.Metrics{Inserted: f.Rows, FilesAdded: 1, BytesAdded: f.Size}, nil
}

func suffix(kind string) string {
	if kind == "text" {
		return "txt"
	}
	return kind
}

// abandon closes a file that could not be written; what it holds is removed with the other files of the transaction.
func abandon(w io.Closer, err error) error {
	w.Close()
	return err
}

// lines gives what each line is made from: the fields of CSV, the object of JSON, the text.
func (t *tx) lines(rows rel.Node, ids []rel.ID) (rel.Node, error) {
	set := rel.Settings{Zone: "UTC"}
	out := &rel.Project{In: rows}
	byID := map[rel.ID]rel.Column{}
	for _, c := range rows.Columns() {
		byID[c.ID] = c
	}
	var names []string
	var values []rel.Expr
	for i, f := range t.meta.Schema.Fields {
		names, values = append(names, f.Name), append(values, byID[ids[i]].Ref())
	}
	if t.folder.kind == "json" {
		object, err := rel.FindFunction("to_json").Resolve([]rel.Expr{rel.NewStruct(names, values)}, set)
		if err != nil {
			return nil, err
		}
		out.Cols = []rel.Computed{{Column: rel.NewColumn("line", types.String), Expr: object}}
		return out, nil
	}
	for i, v := range values {
		text, err := rel.CastTo(v, types.String, set)
		if err != nil {
			return nil, err
		}
		out.Cols = append(out.Cols, rel.Computed{Column: rel.NewColumn(names[i], types.String), Expr: text})
	}
	return out, nil
}

// copyLines writes the batches of r and counts rows and bytes.
func (t *tx) copyLines(to io.Writer, r array.RecordReader) (rows, size int64, err error) {
	w := bufio.NewWriter(to)
	sep := t.option("sep", "delimiter")
	if sep == "" {
		sep = ","
	}
	put := func(s string) {
		n, e := w.WriteString(s)
		size += int64(n)
		if err == nil {
			err = e
		}
	}
	if t.folder.kind == "csv" && strings.EqualFold(t.option("header"), "true") {
		put(strings.Join(t.names(sep), sep) + "\n")
	}
	for r.Next() {
		b := r.RecordBatch()
		for i := range int(b.NumRows()) {
			put(t.line(b, i, sep) + "\n")
		}
		if rows += b.NumRows(); err != nil {
			return rows, size, err
		}
	}
	if err = r.Err(); err != nil {
		return rows, size, err
	}
	return rows, size, w.Flush()
}

func (t *tx) names(sep string) []string {
	var out []string
	for _, f := range t.meta.Schema.Fields {
		out = append(out, csvField(f.Name, sep))
	}
	return out
}

func (t *tx) line(b arrow.RecordBatch, row int, sep string) string {
	parts := make([]string, b.NumCols())
	for i := range parts {
		col, ok := b.Column(i).(*array.String)
		if !ok || col.IsNull(row) {
			parts[i] = t.option("nullvalue")
			continue
		}
		parts[i] = col.Value(row)
		if t.folder.kind == "csv" {
			parts[i] = csvField(parts[i], sep)
		}
	}
	return strings.Join(parts, sep)
}

// csvField is a field as Spark writes it: in quotes where it is empty or holds a separator, quote or line end, with
// backslashes before quotes inside.
func csvField(s, sep string) string {
	if s == "" {
		return `""`
	}
	if !strings.Contains(s, sep) && !strings.ContainsAny(s, "\"\n\r") {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"`
}
