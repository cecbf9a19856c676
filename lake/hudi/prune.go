package hudi

import (
	"context"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// wanted are the slices that may hold rows for which w.Where is true.
func (s *Snapshot) wanted(ctx context.Context, w rel.Want) ([]*fileSlice, error) {
	if w.Where == nil || s.reading.noPruning {
		return s.slices, nil
	}
	columns := map[rel.ID]int{} // of w, as fields of the schema
	for _, c := range w.Columns {
		if i := s.schema.Index(c.Name); i >= 0 {
			columns[c.ID] = i
		}
	}
	keep := map[string]bool{} // by partition
	var out []*fileSlice
	for _, slice := range s.slices {
		k, known := keep[slice.Partition]
		if !known {
			k = rel.MayHold(w.Where, s.partitionFacts(slice.Partition, columns))
			keep[slice.Partition] = k
		}
		if k {
			out = append(out, slice)
		}
	}
	out, err := s.pruneByKeys(ctx, out, w.Where, columns)
	if err == nil {
		out, err = s.pruneByPartitions(ctx, out, w.Where, columns)
	}
	if err == nil {
		out, err = s.pruneByStats(ctx, out, w, columns)
	}
	if err == nil {
		out, err = s.pruneByFilters(ctx, out, w.Where, columns)
	}
	return out, err
}

// partitionFacts is what the path of a partition tells of columns.
func (s *Snapshot) partitionFacts(path string, columns map[rel.ID]int) rel.Facts {
	values := map[int]rel.Known{} // by field of the schema
	if parts, ok := pathValues(s.config, path); ok {
		for i, p := range parts {
			at := s.schema.Index(s.config.Partition[i].Name)
			if at < 0 || !p.exact {
				continue
			}
			t := s.schema.Fields[at].Type
			if v, ok := p.value(t); ok {
				values[at] = rel.KnownValue(v, t)
			}
		}
	}
	if s.config.MetaFields {
		values[s.schema.Index(partitionPathColumn)] = rel.KnownValue(path, types.String)
	}
	return func(c *rel.Col, field []int) (rel.Known, bool) {
		at, ok := columns[c.ID]
		if !ok || len(field) > 0 {
			return rel.Known{}, false
		}
		k, ok := values[at]
		return k, ok
	}
}
