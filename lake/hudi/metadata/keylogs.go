package metadata

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/storage"
)

// A write may move as many keys as the table has rows. They come in the order of all keys, so those of each file group come in order
// too: they are held as plain bytes until they are many, and become a block of the log of their file group.
//
//	keys, rising ─▶ by file group: bytes of keys ─▶ HFile block ─▶ log

// maxHeld is about how many bytes of keys are held before the largest block is written.
const maxHeld = 128 << 20

// keyLogs writes the logs of a partition of keys.
type keyLogs struct {
	w       *Writer
	instant string
	logs    []*keyLog // by file group
	held    int
	limit   int
}

// A keyLog is the log of one file group, and the keys that come into its next block.
type keyLog struct {
	newLog
	out             io.WriteCloser // nil until the first block
	size            int64
	written, erased int64

	keys []byte
	ends []uint32
	at   []*Location // nil: the key is gone
}

// writeKeys writes the places of keys as logs, numbered from first on.
func (w *Writer) writeKeys(ctx context.Context, instant string, first int, keys iter.Seq2[PlacedKey, error]) ([]timeline.WriteStat, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // abandons logs that are not closed
	k := &keyLogs{w: w, instant: instant, limit: maxHeld}
	groups, err := w.groups(ctx, RecordIndexPartition)
	if err != nil {
		return nil, err
	}
	for n, s := range groups {
		k.logs = append(k.logs, &keyLog{newLog: newLog{partition: RecordIndexPartition, slice: s, base: instant, version: 1, token: fmt.Sprintf("%d-0-0", first+n)}})
	}
	for p, err := range keys {
		if err == nil {
			err = k.add(ctx, p)
		}
		if err != nil {
			cancel()
			k.abandon()
			return nil, err
		}
	}
	stats, err := k.end(ctx)
	if err != nil {
		cancel()
		k.abandon()
	}
	return stats, err
}

func (k *keyLogs) add(ctx context.Context, p PlacedKey) error {
	l := k.logs[shard(p.Key, len(k.logs))]
	l.keys = append(l.keys, p.Key...)
	l.ends = append(l.ends, uint32(len(l.keys)))
	l.at = append(l.at, p.At)
	const other = 12 // bytes of ends and at
	if k.held += len(p.Key) + other; k.held < k.limit {
		return nil
	}
	most := l
	for _, o := range k.logs {
		if len(o.ends) > len(most.ends) {
			most = o
		}
	}
	k.held -= len(most.keys) + other*len(most.ends)
	return k.block(ctx, most)
}

// block writes the keys that are held for a log.
func (k *keyLogs) block(ctx context.Context, l *keyLog) error {
	if len(l.ends) == 0 {
		return nil
	}
	cells, n, gone := l.cells(k.w.version)
	var b bytes.Buffer
	if err := appendBlocks(&b, k.instant, k.w.version, l.partition, cells, n, gone); err != nil {
		return err
	}
	l.written, l.erased = l.written+int64(n), l.erased+int64(len(gone))
	l.keys, l.ends, l.at = nil, nil, nil
	if l.out == nil {
		if err := k.w.place(ctx, &l.newLog); err != nil {
			return err
		}
		var err error
		if l.out, err = k.w.bucket.Create(ctx, l.path(), storage.Exclusive); err != nil {
			return err
		}
	}
	l.size += int64(b.Len())
	_, err := l.out.Write(b.Bytes())
	return err
}

// cells are the n cells of the keys with a place, and the keys that are gone.
func (l *keyLog) cells(version int) (cells iter.Seq2[cell, error], n int, gone []string) {
	for i := range l.ends {
		if l.at[i] == nil {
			gone = append(gone, string(l.key(i)))
		}
	}
	return func(yield func(cell, error) bool) {
		var value []byte
		for i, at := range l.at {
			if at == nil {
				continue
			}
			r := Record{Kind: RecordIndex, Location: at}
			value = r.encode(value[:0], version)
			if !yield(cell{string(l.key(i)), value}, nil) {
				return
			}
		}
	}, len(l.ends) - len(gone), gone
}

func (l *keyLog) key(i int) []byte {
	from := uint32(0)
	if i > 0 {
		from = l.ends[i-1]
	}
	return l.keys[from:l.ends[i]]
}

// end writes what is held and finishes the logs.
func (k *keyLogs) end(ctx context.Context) (stats []timeline.WriteStat, err error) {
	for _, l := range k.logs {
		if err == nil {
			err = k.block(ctx, l)
		}
		if l.out == nil {
			continue
		}
		if err != nil {
			return nil, err
		}
		err = l.out.Close()
		l.out = nil
		stats = append(stats, k.w.logStat(l.newLog, l.written, l.erased, l.size))
	}
	return stats, err
}

// abandon closes logs that will not be finished; their context is over.
func (k *keyLogs) abandon() {
	for _, l := range k.logs {
		if l.out != nil {
			l.out.Close()
		}
	}
}
