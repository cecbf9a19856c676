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
	b, err := w.newBase(ctx, partition, s, instant, token)
	if err != nil {
		return timeline.WriteStat{}, err
	}
	for c, err := range cells {
		if err == nil {
			err = b.add(c)
		}
		if err != nil {
			b.abandon()
			return timeline.WriteStat{}, err
		}
	}
	return b.close()
}

// A baseWriter writes a base file of cells that come by rising keys. It has what only base files have: a filter and the range of
// their keys. A filter that would be beyond its size tells nothing and is left out; readers use it only when told to.
type baseWriter struct {
	stat   timeline.WriteStat
	out    io.WriteCloser
	cancel context.CancelFunc
	sized  *counter
	table  *hfile.Writer

	keys        [][]byte
	first, last string
}

func (w *Writer) newBase(ctx context.Context, partition string, s *slice, instant, token string) (*baseWriter, error) {
	path := fmt.Sprintf("%s/%s_%s_%s.hfile", partition, s.id, token, instant)
	ctx, cancel := context.WithCancel(ctx)
	out, err := w.bucket.Create(ctx, path, storage.Exclusive)
	if err != nil {
		cancel()
		return nil, err
	}
	b := &baseWriter{out: out, cancel: cancel, sized: &counter{w: out}}
	b.stat = timeline.WriteStat{FileID: s.id, Path: path, Partition: partition, PrevCommit: timeline.NoCommit, RuntimeStats: &timeline.RuntimeStats{}}
	b.table = hfile.NewWriter(b.sized, tableOptions)
	b.table.Info("schema", []byte(schemaText(w.version)))
	return b, nil
}

func (b *baseWriter) add(c cell) error {
	if err := b.table.Append([]byte(c.key), c.value); err != nil {
		return err
	}
	if b.stat.NumWrites == 0 {
		b.first = c.key
	}
	b.last = c.key
	if b.stat.NumWrites++; b.stat.NumWrites <= bloom.DefaultMaxEntries {
		b.keys = append(b.keys, []byte(c.key))
	}
	return nil
}

// abandon gives up: a context that is over leaves no file.
func (b *baseWriter) abandon() {
	b.cancel()
	b.out.Close()
}

func (b *baseWriter) close() (timeline.WriteStat, error) {
	defer b.cancel()
	if b.stat.NumWrites <= bloom.DefaultMaxEntries {
		filter := bloom.New(max(len(b.keys), 1), bloom.DefaultRate, bloom.DefaultMaxEntries)
		filter.Add(b.keys...)
		b.table.Info("bloomFilterTypeCode", []byte(filter.Kind()))
		b.table.Meta("bloomFilter", []byte(filter.Text()))
	}
	if b.stat.NumWrites > 0 {
		b.table.Info("minRecordKey", []byte(b.first))
		b.table.Info("maxRecordKey", []byte(b.last))
	}
	if err := b.table.Close(); err != nil {
		b.abandon()
		return timeline.WriteStat{}, err
	}
	if err := b.out.Close(); err != nil {
		return timeline.WriteStat{}, err
	}
	b.stat.TotalWriteBytes, b.stat.FileSizeInBytes = b.sized.size, b.sized.size
	return b.stat, nil
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
