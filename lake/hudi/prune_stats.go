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
	if s.metadata == nil || s.history != nil || !s.metadata.Has(metadata.ColumnStatsPartition) || len(slices) < 2 {
		return slices, nil
	}
	names := s.boundedColumns(w.Where, columns)
	refs := map[*fileSlice]metadata.FileRef{}
	var files []metadata.FileRef
	for _, slice := range slices {
		if slice.Base != nil && (len(slice.Logs) == 0 || s.reading.optimized) && len(names)*(len(files)+1) <= maxBounds {
			refs[slice] = metadata.FileRef{Partition: slice.Partition, Name: path.Base(slice.Base.Path)}
			files = append(files, refs[slice])
		}
	}
	if len(names) == 0 || len(files) == 0 {
		return slices, nil
	}
	stats, err := s.metadata.ColumnStats(ctx, names, files)
	if err != nil {
		return slices, ctx.Err()
	}
	var out []*fileSlice
	for _, slice := range slices {
		ref, ok := refs[slice]
		if !ok || rel.MayHold(w.Where, s.fileFacts(ref, stats, columns)) {
			out = append(out, slice)
		}
	}
	return out, nil
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

// fileFacts is what stats tell of columns in one file.
func (s *Snapshot) fileFacts(file metadata.FileRef, stats map[string]map[metadata.FileRef]*metadata.Stats, columns map[rel.ID]int) rel.Facts {
	return func(c *rel.Col, field []int) (rel.Known, bool) {
		at, ok := columns[c.ID]
		if !ok || len(field) > 0 {
			return rel.Known{}, false
		}
		f := s.schema.Fields[at]
		st := stats[f.Name][file]
		if st == nil || st.Deleted || st.Values < 0 || st.Nulls < 0 || st.Nulls > st.Values {
			return rel.Known{}, false
		}
		k := rel.Known{Type: f.Type, Rows: st.Values}
		k.Nulls = st.Nulls
		if v, ok := st.Min.As(f.Type, st.Type); ok && st.Min.Wrapper != 0 {
			k.Min = v
		}
		if v, ok := st.Max.As(f.Type, st.Type); ok && st.Max.Wrapper != 0 {
			k.Max = v
		}
		k.NaN = f.Type == types.Type(types.Float) || f.Type == types.Type(types.Double) // bounds of Parquet leave NaN out
		return k, true
	}
}
