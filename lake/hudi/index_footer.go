package hudi

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tarn-lake/tarn/lake/hudi/bloom"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// A write looks for its keys only in slices that may have them, as the footers of their base files tell:
//
//	keys of the batch, sorted ─▶ least and greatest key of a file ─▶ with a BLOOM index, its filter ─▶ slices to be joined

// maxHeldKeys is how many keys are held against footers; for more, all slices are looked into.
const maxHeldKeys = 500_000

// footersAtOnce is how many footers are read at the same time.
const footersAtOnce = 8

// mayHaveKeys leaves out the slices of list that have none of the keys of f.
func (x *tx) mayHaveKeys(ctx context.Context, f *freshRows, list []*fileSlice, global bool) ([]*fileSlice, error) {
	if len(list) < 2 {
		return list, nil
	}
	keys, err := x.batchKeys(ctx, f, global)
	if err != nil || keys == nil {
		return list, err
	}
	grown, err := x.base.grown(ctx, list)
	if err != nil {
		return nil, err
	}
	filters := strings.HasSuffix(x.indexType(), "BLOOM")
	keep := make([]bool, len(list))
	var wait sync.WaitGroup
	turn := make(chan struct{}, footersAtOnce)
	for i, s := range list {
		if s.Base == nil || grown[s] {
			keep[i] = true
			continue
		}
		turn <- struct{}{}
		wait.Go(func() {
			defer func() { <-turn }()
			known, err := x.table.keysIn(ctx, s.Base, filters)
			keep[i] = err != nil || known.mayHave(keys[keysOf(s.Partition, global)])
		})
	}
	wait.Wait()
	var out []*fileSlice
	for i, s := range list {
		if keep[i] {
			out = append(out, s)
		}
	}
	return out, ctx.Err()
}

// keysOf is where the keys of a partition are among those of a batch.
func keysOf(partition string, global bool) string {
	if global {
		return ""
	}
	return partition
}

// keyList is distinct keys, sorted. Hudi's releases order keys by UTF-8 or by UTF-16: which of them a range means is known of plain
// keys alone.
type keyList struct{ plain, others []string }

// batchKeys are the keys of f by partition, with a global index all under ""; nil when there are too many.
func (x *tx) batchKeys(ctx context.Context, f *freshRows, global bool) (map[string]*keyList, error) {
	p := &rel.Project{In: f.rows, Cols: []rel.Computed{{Column: rel.NewColumn("key", types.String), Expr: f.key.Ref()}}}
	path := rel.Expr(text(""))
	if !global && len(x.config().Partition) > 0 {
		path = f.path.Ref()
	}
	p.Cols = append(p.Cols, rel.Computed{Column: rel.NewColumn("path", types.String), Expr: path})
	r, err := x.engine.Query(ctx, p)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	out := map[string]*keyList{}
	n := 0
	for r.Next() {
		keys, ok1 := r.RecordBatch().Column(0).(*array.String)
		paths, ok2 := r.RecordBatch().Column(1).(*array.String)
		if !ok1 || !ok2 {
			return nil, fmt.Errorf("the engine gave keys of type %s", r.RecordBatch().Column(0).DataType())
		}
		if n += keys.Len(); n > maxHeldKeys {
			return nil, nil
		}
		takeKeys(out, keys, paths)
	}
	for _, l := range out {
		slices.Sort(l.plain)
		l.plain = slices.Compact(l.plain)
	}
	return out, r.Err()
}

// takeKeys copies the keys of a batch of columns.
func takeKeys(out map[string]*keyList, keys, paths *array.String) {
	all, ends := string(keys.ValueBytes()), relative(keys)
	var of *keyList
	last := ""
	for i := range keys.Len() {
		if path := paths.Value(i); of == nil || path != last {
			last = strings.Clone(path)
			if of = out[last]; of == nil {
				of = new(keyList)
				out[last] = of
			}
		}
		if key := all[ends[i]:ends[i+1]]; isPlain(key) {
			of.plain = append(of.plain, key)
		} else {
			of.others = append(of.others, key)
		}
	}
}

// isPlain reports whether a text has no character from U+E000 on: such ones sort in the same way in UTF-8 and UTF-16.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] >= 0xEE {
			return false
		}
	}
	return true
}

// fileKeys is what the footer of a base file says of its keys.
type fileKeys struct {
	bounded  bool
	min, max string
	rows     int64
	filter   *bloom.Filter // nil when there is none, or it was not asked for
	size     int64         // in bytes, about
}

// rowsPerTest is how many rows can be joined in the time in which a key is tested.
const rowsPerTest = 8

// mayHave reports whether one of keys may be in the file.
func (k *fileKeys) mayHave(keys *keyList) bool {
	if keys == nil {
		return false
	}
	within := keys.plain
	if k.bounded {
		from, _ := slices.BinarySearch(within, k.min)
		to, found := slices.BinarySearch(within, k.max)
		if found {
			to++
		}
		within = within[from:to]
	}
	return k.hasSome(within) || k.hasSome(keys.others)
}

func (k *fileKeys) hasSome(keys []string) bool {
	if k.filter == nil || int64(len(keys))*rowsPerTest > k.rows {
		return len(keys) > 0
	}
	for _, key := range keys {
		if k.filter.Contains([]byte(key)) {
			return true
		}
	}
	return false
}

// newFileKeys is what entries of a footer say. What is damaged or missing says nothing.
func newFileKeys(footer map[string]string, rows int64, filters bool) *fileKeys {
	k := &fileKeys{rows: rows}
	min, ok1 := footer[footerMin]
	max, ok2 := footer[footerMax]
	if ok1 && ok2 && min <= max && isPlain(min) && isPlain(max) {
		k.bounded, k.min, k.max = true, min, max
	}
	k.size = int64(len(min) + len(max) + 100)
	if text := footer[footerBloom]; filters && text != "" {
		if f, err := bloom.Parse(footer[footerKind], text); err == nil {
			k.filter = f
			k.size += int64(len(text)) * 3 / 4
		}
	}
	return k
}

// grown are the slices of list whose logs may have keys that their base files lack: another index than those of base files put rows
// there, or it is not known any more.
func (s *Snapshot) grown(ctx context.Context, list []*fileSlice) (map[*fileSlice]bool, error) {
	logged := slices.DeleteFunc(slices.Clone(list), func(s *fileSlice) bool { return len(s.Logs) == 0 })
	if len(logged) == 0 {
		return nil, nil
	}
	first, from := "", ""
	if all := s.timeline.Instants(); len(all) > 0 {
		first = all[0].Time
	}
	for _, slice := range logged {
		if i := slice.Instant(); from == "" || i < from {
			from = i
		}
	}
	groups, err := s.growing(ctx, from)
	if err != nil {
		return nil, err
	}
	out := map[*fileSlice]bool{}
	for _, slice := range logged {
		archived := slices.ContainsFunc(slice.Logs, func(l logFile) bool { return l.Instant < first })
		out[slice] = archived || groups[timeline.FileGroup{Partition: slice.Partition, FileID: slice.FileID}]
	}
	return out, nil
}

// growing are the file groups to whose logs the writes of the timeline since an instant added rows.
func (s *Snapshot) growing(ctx context.Context, from string) (map[timeline.FileGroup]bool, error) {
	out := map[timeline.FileGroup]bool{}
	for _, i := range s.timeline.Completed(timeline.DeltaCommit) {
		if i.Time < from && i.Completion < from {
			continue
		}
		m, err := s.timeline.ReadCommit(ctx, i)
		if err != nil {
			return nil, err
		}
		for partition, stats := range m.PartitionToWriteStats {
			for _, w := range stats {
				if w.IsLog() && w.NumInserts > 0 {
					out[timeline.FileGroup{Partition: partition, FileID: w.FileID}] = true
				}
			}
		}
	}
	return out, nil
}

// keptFooters is about how many bytes of footers are kept.
const keptFooters = 64 << 20

// footers keeps what the footers of base files say of their keys: base files never change. The zero value is empty.
type footers struct {
	mu    sync.Mutex
	size  int64
	known map[footerOf]*fileKeys
}

type footerOf struct {
	path    string
	size    int64
	filters bool
}

// keysIn is what the footer of b says of its keys.
func (t *Table) keysIn(ctx context.Context, b *baseFile, filters bool) (*fileKeys, error) {
	c, at := &t.format.footers, footerOf{t.path + "/" + b.Path, b.Size, filters}
	c.mu.Lock()
	k := c.known[at]
	c.mu.Unlock()
	if k != nil {
		return k, nil
	}
	entries, rows, err := t.footerAndRows(ctx, b.Path)
	if err != nil {
		return nil, err
	}
	k = newFileKeys(entries, rows, filters)
	c.mu.Lock()
	defer c.mu.Unlock()
	for old, was := range c.known {
		if c.size+k.size <= keptFooters {
			break
		}
		c.size -= was.size
		delete(c.known, old)
	}
	if c.known == nil {
		c.known = map[footerOf]*fileKeys{}
	}
	c.known[at] = k
	c.size += k.size
	return k, nil
}
