package hudi

import (
	"context"
	"path"

	"github.com/tarn-lake/tarn/lake/hudi/metadata"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// The metadata table may hold the bounds of columns in each file. They say which base files hold no wanted row; where there are logs,
// rows may have other values than the base file.

// maxBounds is how many bounds are looked up for one scan. Files beyond them are read.
const maxBounds = 200_000

// pruneByStats leaves out the slices of which the metadata table tells that w.Where is true for none of their rows. What it does not
// tell, or not well, leaves nothing out.
func (s *Snapshot) pruneByStats(ctx context.Context, slices []*fileSlice, w rel.Want, columns map[rel.ID]int) ([]*fileSlice, error) {
	if s.metadata == nil || s.history != nil || len(slices) < 2 {
		return slices, nil
	}
	b := s.bounded(w.Where, columns)
	wanted := len(b.columns) + len(b.expressions)
	refs := map[*fileSlice]metadata.FileRef{}
	var files []metadata.FileRef
	for _, slice := range slices {
		if ref, ok := s.onlyFile(slice); ok && wanted*(len(files)+1) <= maxBounds {
			refs[slice] = ref
			files = append(files, ref)
		}
	}
	if wanted == 0 || len(files) == 0 {
		return slices, nil
	}
	stats, err := b.read(ctx, s.metadata, files)
	if err != nil {
		return slices, ctx.Err()
	}
	var out []*fileSlice
	for _, slice := range slices {
		ref, ok := refs[slice]
		if !ok || rel.MayHold(b.cond, s.facts(stats, columns, ref)) {
			out = append(out, slice)
		}
	}
	return out, nil
}

// onlyFile is the base file that has all rows of a slice.
func (s *Snapshot) onlyFile(slice *fileSlice) (metadata.FileRef, bool) {
	if slice.Base == nil || len(slice.Logs) > 0 && !s.reading.optimized {
		return metadata.FileRef{}, false
	}
	return metadata.FileRef{Partition: slice.Partition, Name: path.Base(slice.Base.Path)}, true
}

// boundedColumns are the names of the columns in cond that may have bounds.
func (s *Snapshot) boundedColumns(cond rel.Expr, columns map[rel.ID]int) []string {
	var out []string
	seen := map[int]bool{}
	rel.WalkExpr(cond, func(e rel.Expr) bool {
		if c, ok := e.(*rel.Col); ok {
			if i, ok := columns[c.ID]; ok && !seen[i] && types.Atomic(s.schema.Fields[i].Type) {
				seen[i] = true
				out = append(out, s.schema.Fields[i].Name)
			}
		}
		return true
	})
	return out
}

// pruneByPartitions leaves out the slices of partitions of which the metadata table tells that cond is true for none of their rows, logs
// included. It tells of the rows that there are now.
func (s *Snapshot) pruneByPartitions(ctx context.Context, slices []*fileSlice, cond rel.Expr, columns map[rel.ID]int) ([]*fileSlice, error) {
	if s.metadata == nil || s.history != nil || !s.isLatest() || !s.metadata.Has(metadata.PartitionStatsPartition) || len(slices) < 2 {
		return slices, nil
	}
	var partitions []string
	for _, slice := range slices { // by partition
		if n := len(partitions); n == 0 || partitions[n-1] != slice.Partition {
			partitions = append(partitions, slice.Partition)
		}
	}
	names := s.boundedColumns(cond, columns)
	if len(partitions) < 2 || len(names) == 0 || len(names)*len(partitions) > maxBounds {
		return slices, nil
	}
	stats, err := s.metadata.PartitionStats(ctx, names, partitions)
	if err != nil {
		return slices, ctx.Err()
	}
	bounds := bounds{byName: stats}
	var out []*fileSlice
	for _, slice := range slices {
		facts := s.facts(bounds, columns, metadata.FileRef{Partition: slice.Partition})
		if rel.MayHold(cond, func(c *rel.Col, field []int) (rel.Known, bool) {
			k, ok := facts(c, field)
			k.Nulls = -1 // a file from before the column came may not be counted
			return k, ok
		}) {
			out = append(out, slice)
		}
	}
	return out, nil
}

// facts is what bounds tell of the columns of a condition in one file.
func (s *Snapshot) facts(b bounds, columns map[rel.ID]int, file metadata.FileRef) rel.Facts {
	return func(c *rel.Col, field []int) (rel.Known, bool) {
		if len(field) > 0 {
			return rel.Known{}, false
		}
		if of, ok := b.byID[c.ID]; ok {
			return known(notNull(of[file]), c.Type())
		}
		at, ok := columns[c.ID]
		if !ok {
			return rel.Known{}, false
		}
		f := s.schema.Fields[at]
		return known(b.byName[f.Name][file], f.Type)
	}
}

// notNull are the bounds of an expression as those of a column are: its index counts no NULL among the values
// (HoodieExpressionIndex of 1.0 and 1.1).
func notNull(st *metadata.Stats) *metadata.Stats {
	if st == nil || st.Nulls < 0 || st.Values < 0 {
		return nil
	}
	out := *st
	out.Values += st.Nulls
	return &out
}

// known is what bounds tell of a column of type t.
func known(st *metadata.Stats, t types.Type) (rel.Known, bool) {
	if st == nil || st.Deleted || st.Values < 0 || st.Nulls < 0 || st.Nulls > st.Values {
		return rel.Known{}, false
	}
	k := rel.Known{Type: t, Rows: st.Values}
	k.Nulls = st.Nulls
	if v, ok := st.Min.As(t, st.Type); ok && st.Min.Wrapper != 0 {
		k.Min = v
	}
	if v, ok := st.Max.As(t, st.Type); ok && st.Max.Wrapper != 0 {
		k.Max = v
	}
	k.NaN = t == types.Type(types.Float) || t == types.Type(types.Double) // bounds of Parquet leave NaN out
	return k, true
}
