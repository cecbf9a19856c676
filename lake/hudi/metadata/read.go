package metadata

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/lake/hudi/logfile"
)

// An entry is what a file of a slice has under a key: a record that is not decoded yet, or nothing when the key is deleted.
type entry struct {
	raw     []byte
	decoder *decoder
	record  *Record // once it is decoded or merged
}

// get is the record of an entry.
func (e *entry) get(key string) (*Record, error) {
	if e.record != nil {
		return e.record, nil
	}
	if e.decoder == nil {
		return &Record{Key: key}, nil
	}
	r, err := e.decoder.decode(key, e.raw)
	e.record = r
	return r, err
}

// A query says which keys of a slice are read: those that are given, in rising order, or all that begin with a prefix.
type query struct {
	keys   []string // nil: all with the prefix
	prefix string   // "": all
}

// entries collects what the files of a slice have, from old to new.
type entries struct {
	merges bool // whether records of one key are merged; else the last one counts
	byKey  map[string]*entry
}

// put adds an entry of a later file than all before.
func (x *entries) put(key string, e *entry) error {
	old := x.byKey[key]
	if old == nil || !x.merges {
		x.byKey[key] = e
		return nil
	}
	prev, err := old.get(key)
	if err != nil {
		return err
	}
	next, err := e.get(key)
	if err != nil {
		return err
	}
	x.byKey[key] = &entry{record: merge(prev, next)}
	return nil
}

// mergesRecords reports whether records of one key of a partition are merged. In the others the last one counts.
func mergesRecords(partition string) bool {
	return partition == FilesPartition || partition == ColumnStatsPartition || partition == PartitionStatsPartition ||
		strings.HasPrefix(partition, ExpressionPrefix)
}

// read gives what a slice of a partition has for a query, not in order. The records are whole; keys that are gone have empty ones.
func (t *Table) read(ctx context.Context, partition string, s *slice, q query) (map[string]*entry, error) {
	x := &entries{merges: mergesRecords(partition), byKey: map[string]*entry{}}
	if s.base != nil {
		if err := t.readBase(ctx, s.base, q, x); err != nil {
			return nil, t.damaged(ctx, s.base.path, err)
		}
	}
	return x.byKey, t.readLogs(ctx, s, q, x)
}

// damaged makes the error of a file that cannot be read one that says so. Errors of the store stay what they are.
func (t *Table) damaged(ctx context.Context, path string, err error) error {
	var stale *StaleError
	if err == nil || ctx.Err() != nil || errors.As(err, &stale) {
		return err
	}
	return &StaleError{Path: path, Reason: "a file cannot be read", Err: err}
}

func (t *Table) readBase(ctx context.Context, f *file, q query, x *entries) error {
	r, err := t.bucket.Open(ctx, f.path)
	if err != nil {
		return err
	}
	defer r.Close()
	return readTable(r, f.size, q, x)
}

// readTable reads an HFile, which says the schema of its records itself.
func readTable(r io.ReaderAt, size int64, q query, x *entries) error {
	h, d, err := openTable(r, size)
	if err != nil {
		return err
	}
	return find(h, q, func(key string, value []byte) error { return x.put(key, &entry{raw: value, decoder: d}) })
}

// readLogs reads the blocks of a slice's logs that count.
func (t *Table) readLogs(ctx context.Context, s *slice, q query, x *entries) error {
	blocks, files, err := t.blocks(ctx, s)
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	if err != nil {
		return err
	}
	for _, b := range blocks {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := readBlock(b.Block, q, x); err != nil {
			return t.damaged(ctx, b.path, err)
		}
	}
	return nil
}

// A logBlock is a block of a log that counts.
type logBlock struct {
	*logfile.Block
	path string
}

// blocks are the blocks of a slice's logs, in the order in which they apply; the files are to be closed.
func (t *Table) blocks(ctx context.Context, s *slice) (blocks []logBlock, files []io.Closer, err error) {
	for _, l := range s.logs {
		f, err := t.bucket.Open(ctx, l.path)
		if err != nil {
			return nil, files, t.damaged(ctx, l.path, err)
		}
		files = append(files, f)
		r := logfile.NewReader(f, l.size)
		for {
			b, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err == nil && b.Type == logfile.Corrupt {
				err = fmt.Errorf("the block at byte %d was not written to its end", b.Offset)
			}
			if err == nil {
				blocks, err = t.add(blocks, logBlock{b, l.path})
			}
			if err != nil {
				return nil, files, t.damaged(ctx, l.path, err)
			}
		}
	}
	return blocks, files, nil
}

// add adds a block if its write counts. A rollback takes out the blocks of its target instead.
func (t *Table) add(blocks []logBlock, b logBlock) ([]logBlock, error) {
	target, err := b.Rollback()
	if err != nil {
		return nil, err
	}
	if target != "" {
		return slices.DeleteFunc(blocks, func(o logBlock) bool { return o.Instant() == target }), nil
	}
	if _, ok := t.counts(b.Instant()); !ok {
		return blocks, nil
	}
	if b.Header.Get(logfile.CompactedBlockTimes) != "" { // of a log compaction, which leaves the blocks where they are that it merged
		return blocks, nil
	}
	return append(blocks, b), nil
}

func readBlock(b *logfile.Block, q query, x *entries) error {
	switch b.Type {
	case logfile.HFileData:
		return readTable(b.Content, b.Content.Size(), q, x)
	case logfile.DeleteKeys:
		deleted, err := b.Deletions()
		if err != nil {
			return err
		}
		for _, d := range deleted {
			if q.asks(d.Key) {
				if err := x.put(d.Key, &entry{}); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return fmt.Errorf("a %v block has no place in a metadata table", b.Type)
}

// asks reports whether a query is for a key.
func (q query) asks(key string) bool {
	if q.keys == nil {
		return strings.HasPrefix(key, q.prefix)
	}
	_, ok := slices.BinarySearch(q.keys, key)
	return ok
}

// lookup reads the records of keys of a partition. Keys that it does not have, or no more, are left out.
func (t *Table) lookup(ctx context.Context, partition string, keys []string, visit func(*Record) error) error {
	groups, err := t.groups(ctx, partition)
	if err != nil {
		return err
	}
	byShard := make([][]string, len(groups))
	for _, k := range keys {
		n := shard(k, len(groups))
		byShard[n] = append(byShard[n], k)
	}
	for n, keys := range byShard {
		if len(keys) == 0 {
			continue
		}
		slices.Sort(keys)
		if err := t.visit(ctx, partition, groups[n], query{keys: slices.Compact(keys)}, visit); err != nil {
			return err
		}
	}
	return nil
}

// scan reads the records of a partition whose keys begin with a prefix.
func (t *Table) scan(ctx context.Context, partition, prefix string, visit func(*Record) error) error {
	groups, err := t.groups(ctx, partition)
	if err != nil {
		return err
	}
	for _, s := range groups {
		if err := t.visit(ctx, partition, s, query{prefix: prefix}, visit); err != nil {
			return err
		}
	}
	return nil
}

// visit reads the records that a slice has for a query, by rising keys.
func (t *Table) visit(ctx context.Context, partition string, s *slice, q query, visit func(*Record) error) error {
	found, err := t.read(ctx, partition, s, q)
	if err != nil {
		return err
	}
	for _, k := range sortedKeys(found) {
		r, err := found[k].get(k)
		if err != nil {
			return &StaleError{Path: partition, Reason: "a record of " + s.id + " cannot be read", Err: err}
		}
		if r.empty() {
			continue
		}
		if err := visit(r); err != nil {
			return err
		}
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
