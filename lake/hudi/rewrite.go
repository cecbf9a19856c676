package hudi

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/keygen"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// The file groups of one write are written anew in runs: so many at most, and small ones together.
const (
	maxRuns = 16
	minRun  = 128 << 20 // bytes
)

// rewrite writes the rows that stay in slices, and the fresh ones that belong there, as new base files of the same groups.
func (x *tx) rewrite(ctx context.Context, l *layout, changes []*sliceEdit, f *freshRows, fills fills) (lake.Metrics, error) {
	var m lake.Metrics
	for _, s := range changes {
		if err := x.touch(s.slice); err != nil {
			return m, err
		}
	}
	for _, run := range runsOf(changes) {
		one, err := x.rewriteRun(ctx, l, run, f, fills)
		m = sum(m, one)
		if err != nil {
			return m, err
		}
	}
	return m, nil
}

// runsOf splits slices into runs of about the same number of bytes.
func runsOf(changes []*sliceEdit) [][]*sliceEdit {
	var total int64
	for _, s := range changes {
		total += s.slice.Base.Size
	}
	limit := max(total/maxRuns+1, minRun)
	var out [][]*sliceEdit
	size := limit
	for _, s := range changes {
		if size >= limit {
			out, size = append(out, nil), 0
		}
		out[len(out)-1] = append(out[len(out)-1], s)
		size += s.slice.Base.Size
	}
	return out
}

func (x *tx) rewriteRun(ctx context.Context, l *layout, run []*sliceEdit, f *freshRows, fills fills) (lake.Metrics, error) {
	rows, err := x.live(l, run)
	if err != nil {
		return lake.Metrics{}, err
	}
	byNumber := map[string]*sliceEdit{}
	updated, inserted := false, false
	for _, s := range run {
		byNumber[strconv.FormatInt(s.slice.Number, 10)] = s
		updated, inserted = updated || s.updated > 0, inserted || s.inserted > 0
	}
	if updated {
		more, err := x.replacing(l, f, run)
		if err != nil {
			return lake.Metrics{}, err
		}
		rows = rows.and(more)
	}
	if inserted {
		rows = rows.and(x.filling(l, f, run))
	}
	d := l.dest(x.act, rows.columns)
	d.Key = rows.group
	d.Name = func(key string, n int) string {
		s := byNumber[key]
		if s == nil || n > 0 {
			return x.act.refuse(fmt.Errorf("the engine made file %d of group %q, which it was not asked for", n, key))
		}
		return x.act.nameBase(ctx, s.slice.Partition, s.slice.FileID, key, s.slice.Base, x.indexOf(ctx, l, s))
	}
	files, err := x.writeFiles(ctx, rows.rows, d)
	if err != nil {
		return lake.Metrics{}, err
	}
	changes, err := x.recordChanges(ctx, l, run, f)
	if err != nil {
		return lake.Metrics{}, err
	}
	return x.rewritten(ctx, l, run, files, changes)
}

// indexOf is the key index for the next base file of a slice. Where few rows leave the file, the former one's is the start.
func (x *tx) indexOf(ctx context.Context, l *layout, s *sliceEdit) *keyIndex {
	k := newKeyIndex(l, x.act.instant.Time)
	if s.deleted <= s.updated+1000 {
		if former, err := x.table.footer(ctx, s.slice.Base.Path); err == nil {
			k.from(former)
		}
	}
	return k
}

// writeFiles stores rows, watched by the observers of their files.
func (x *tx) writeFiles(ctx context.Context, rows rel.Node, d engine.Dest) ([]rel.File, error) {
	d.Observe = func(name string) engine.Observer {
		n, _ := x.act.name(name)
		return n.observer
	}
	files, err := x.engine.Write(ctx, rows, d)
	if err == nil {
		err = x.act.failure()
	}
	return files, err
}

// rewritten tells of the new base files of a run. A group without rows gets a file without rows.
func (x *tx) rewritten(ctx context.Context, l *layout, run []*sliceEdit, files []rel.File, changes map[int64]changeFile) (lake.Metrics, error) {
	var m lake.Metrics
	byKey := map[string]rel.File{}
	for _, f := range files {
		byKey[f.Key] = f
	}
	for _, s := range run {
		key := strconv.FormatInt(s.slice.Number, 10)
		f, ok := byKey[key]
		if !ok || f.Rows == 0 {
			name := x.act.nameBase(ctx, s.slice.Partition, s.slice.FileID, key, s.slice.Base, nil)
			if err := x.act.failure(); err != nil {
				return m, err
			}
			var err error
			if f, err = x.writeEmpty(ctx, l, name); err != nil {
				return m, err
			}
		}
		stat := x.act.baseStat(f)
		stat.PrevCommit, stat.PrevBaseFile = s.slice.Base.Instant, s.slice.Base.String()
		stat.NumUpdateWrites, stat.NumDeletes, stat.NumInserts = s.updated, s.deleted, s.inserted
		if c, ok := changes[s.slice.Number]; ok {
			stat.CDCStats = map[string]int64{c.name: c.size}
		}
		x.act.add(stat, f)
		m.FilesAdded++
		m.FilesRemoved++
		m.BytesAdded += f.Size
		m.BytesRemoved += s.slice.Base.Size
		m.Copied += f.Rows - s.updated - s.inserted
	}
	return m, nil
}

// baseStat is what a commit says of a base file.
func (a *action) baseStat(f rel.File) timeline.WriteStat {
	n, _ := a.name(f.Path)
	return timeline.WriteStat{FileID: n.fileID, Path: f.Path, PrevCommit: timeline.NoCommit, Partition: n.partition, NumWrites: f.Rows,
		TotalWriteBytes: f.Size, FileSizeInBytes: f.Size, RuntimeStats: &timeline.RuntimeStats{}}
}

// insertNew writes rows into new file groups: as many for each partition as their size asks for, or one for each bucket.
func (x *tx) insertNew(ctx context.Context, l *layout, rows storedRows, fileSize int64) (lake.Metrics, error) {
	if err := x.mayGrow(); err != nil {
		return lake.Metrics{}, err
	}
	d := l.dest(x.act, rows.columns)
	d.Key = rows.group
	bucketed := x.buckets != nil
	if !bucketed {
		d.FileSize = cmp.Or(fileSize, l.limit)
	}
	d.Name = func(group string, n int) string {
		path, fileID := pathOfGroup(group, bucketed)
		if err := keygen.CheckPath(path); err != nil {
			return x.act.refuse(err)
		}
		if bucketed && n > 0 {
			return x.act.refuse(fmt.Errorf("the engine made file %d of bucket %q, which has one", n, group))
		}
		return x.act.nameBase(ctx, path, fileID, group, nil, newKeyIndex(l, x.act.instant.Time))
	}
	files, err := x.writeFiles(ctx, rows.rows, d)
	if err != nil {
		return lake.Metrics{}, err
	}
	var m lake.Metrics
	for _, f := range files {
		if f.Rows == 0 {
			continue
		}
		stat := x.act.baseStat(f)
		stat.NumInserts = f.Rows
		x.act.add(stat, f)
		m.FilesAdded++
		m.BytesAdded += f.Size
		m.Inserted += f.Rows
	}
	return m, nil
}

// fills says which new rows go to which slice: by partition path, the number of a slice.
type fills map[string]int64

// filling is the new rows that go to slices of a run, in the groups of these.
func (x *tx) filling(l *layout, f *freshRows, run []*sliceEdit) storedRows {
	in, number, _ := x.joining(f, run)
	return l.added(f, x.act, in, cast(number.Ref(), types.String))
}

// joining is the new rows that go to slices of a run, with the numbers and partition paths of these.
func (x *tx) joining(f *freshRows, run []*sliceEdit) (in rel.Node, number, path rel.Column) {
	var list []*fileSlice
	for _, s := range run {
		if s.inserted > 0 {
			list = append(list, s.slice)
		}
	}
	table, number, path := places(list)
	on := equals(f.path.Ref(), path.Ref())
	if f.bucket.ID != 0 {
		on = equals(f.file.Ref(), number.Ref())
	}
	return &rel.Join{Kind: rel.Inner, Left: f.inserts(), Right: table, On: on}, number, path
}

// elsewhere is the new rows that go to new file groups.
func (x *tx) elsewhere(l *layout, f *freshRows, fills fills) storedRows {
	in := f.inserts()
	if len(fills) > 0 {
		path := rel.NewColumn("path", types.String)
		table := &rel.Values{Cols: []rel.Column{path}}
		for p := range fills {
			table.Rows = append(table.Rows, []rel.Expr{text(p)})
		}
		in = &rel.Join{Kind: rel.Anti, Left: in, Right: table, On: equals(f.path.Ref(), path.Ref())}
	}
	if f.bucket.ID != 0 {
		in = &rel.Filter{In: in, Cond: isNull(f.file.Ref())}
	}
	return l.fresh(f, x.act, in)
}
