package render

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"github.com/tarn-lake/tarn"
	"github.com/tarn-lake/tarn/types"
)

// Formats are the names of all formats.
var Formats = []string{"box", "csv", "tsv", "json", "jsonl", "markdown", "vertical"}

// Table is a result.
type Table struct {
	Columns []tarn.Column
	Rows    iter.Seq2[[]types.Value, error]
}

// Options say how to write. The zero value suits a file.
type Options struct {
	Zone     *time.Location // of timestamps; nil is UTC
	Terminal bool           // a person looks on: long results are cut in the middle, wide ones to Width
	Width    int            // of the terminal in cells; 0 is any
	Color    bool           // NULL is dimmed, names stand out
}

// printer writes rows in one format.
type printer interface {
	head() error
	row(row []types.Value) error
	foot() error
}

// Write writes t to w in the format of a name. The error is that of the rows, or of w.
func Write(w io.Writer, t Table, format string, o Options) error {
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	out := bufio.NewWriterSize(w, 1<<16)
	p, err := newPrinter(out, t.Columns, format, o)
	if err != nil {
		return err
	}
	if err := p.head(); err != nil {
		return err
	}
	for row, err := range t.Rows {
		if err == nil {
			err = p.row(row)
		}
		if err != nil {
			out.Flush()
			return err
		}
	}
	if err := p.foot(); err != nil {
		return err
	}
	return out.Flush()
}

func newPrinter(w *bufio.Writer, cols []tarn.Column, format string, o Options) (printer, error) {
	if !slices.Contains(Formats, format) {
		return nil, fmt.Errorf("there is no output format %q", format)
	}
	base := base{w: w, zone: o.Zone}
	for _, c := range cols {
		base.names, base.kinds = append(base.names, c.Name), append(base.kinds, c.Type)
	}
	switch format {
	case "csv":
		return &csv{base}, nil
	case "tsv":
		return &tsv{base}, nil
	case "json":
		return &jsonArray{base: base}, nil
	case "jsonl":
		return &jsonLines{base: base}, nil
	case "markdown":
		return &markdown{base}, nil
	case "vertical":
		return &vertical{base: base, look: o}, nil
	}
	return &box{base: base, look: o}, nil
}

// base is what all printers know.
type base struct {
	w     *bufio.Writer
	names []string
	kinds []types.Type
	zone  *time.Location
}

func (b *base) foot() error { return nil }

// line writes cells with a separator, and ends the line.
func (b *base) line(cells []string, before, between, after string) error {
	b.w.WriteString(before)
	for i, c := range cells {
		if i > 0 {
			b.w.WriteString(between)
		}
		b.w.WriteString(c)
	}
	_, err := b.w.WriteString(after + "\n")
	return err
}

// cells are the texts of a row, by show for a value that is not NULL, and null for NULL.
func (b *base) cells(row []types.Value, null string, show func(string) string) []string {
	out := make([]string, len(row))
	for i, v := range row {
		if v == nil {
			out[i] = null
		} else {
			out[i] = show(text(v, b.kinds[i], b.zone))
		}
	}
	return out
}
