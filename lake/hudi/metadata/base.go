package metadata

import (
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/tarn-lake/tarn/internal/hfile"
	"github.com/tarn-lake/tarn/lake/hudi/bloom"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/storage"
)

func cellsOf(list []cell) iter.Seq2[cell, error] {
	return func(yield func(cell, error) bool) {
		for _, c := range list {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// writeBase writes a base file of cells that come by rising keys.
func (w *Writer) writeBase(ctx context.Context, partition string, s *slice, instant, token string, cells iter.Seq2[cell, error]) (timeline.WriteStat, error) {
	path := fmt.Sprintf("%s/%s_%s_%s.hfile", partition, s.id, token, instant)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // abandons a file that is not closed
	out, err := w.bucket.Create(ctx, path, storage.Exclusive)
	if err != nil {
		return timeline.WriteStat{}, err
	}
	n := &counter{w: out}
	rows, err := writeCells(n, schemaText(w.version), cells)
	if err != nil {
		cancel()
		out.Close()
		return timeline.WriteStat{}, err
	}
	if err := out.Close(); err != nil {
		return timeline.WriteStat{}, err
	}
	return timeline.WriteStat{FileID: s.id, Path: path, Partition: partition, PrevCommit: timeline.NoCommit, NumWrites: rows,
		TotalWriteBytes: n.size, FileSizeInBytes: n.size, RuntimeStats: &timeline.RuntimeStats{}}, nil
}

// writeCells writes an HFile with what only base files have: a filter and the range of their keys. A filter that would be beyond its
// size tells nothing and is left out; readers use it only when told to.
func writeCells(out io.Writer, schema string, cells iter.Seq2[cell, error]) (rows int64, err error) {
	h := hfile.NewWriter(out, tableOptions)
	h.Info("schema", []byte(schema))
	var keys [][]byte
	first, last := "", ""
	for c, err := range cells {
		if err == nil {
			err = h.Append([]byte(c.key), c.value)
		}
		if err != nil {
			return rows, err
		}
		if rows == 0 {
			first = c.key
		}
		last = c.key
		if rows++; rows <= bloom.DefaultMaxEntries {
			keys = append(keys, []byte(c.key))
		}
	}
	if rows <= bloom.DefaultMaxEntries {
		filter := bloom.New(max(len(keys), 1), bloom.DefaultRate, bloom.DefaultMaxEntries)
		filter.Add(keys...)
		h.Info("bloomFilterTypeCode", []byte(filter.Kind()))
		h.Meta("bloomFilter", []byte(filter.Text()))
	}
	if rows > 0 {
		h.Info("minRecordKey", []byte(first))
		h.Info("maxRecordKey", []byte(last))
	}
	return rows, h.Close()
}

// A counter counts what is written through it.
type counter struct {
	w    io.Writer
	size int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.size += int64(n)
	return n, err
}
