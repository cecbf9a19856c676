package hudi

import (
	"context"
	"slices"

	"github.com/tarn-lake/tarn/lake/hudi/bloom"
	"github.com/tarn-lake/tarn/lake/hudi/metadata"
	"github.com/tarn-lake/tarn/rel"
)

// filtersAtOnce is how many Bloom filters are held in memory: they take up to half a megabyte each.
const filtersAtOnce = 64

// maxFiltered is how many files filters are read of. It is quicker to look into so many files than to read more filters.
const maxFiltered = 4096

// pruneByFilters leaves out the base files whose Bloom filters, which the metadata table may hold, say that they have none of the record keys
// that a condition asks for. Logs may add rows of other keys.
func (s *Snapshot) pruneByFilters(ctx context.Context, list []*fileSlice, cond rel.Expr, columns map[rel.ID]int) ([]*fileSlice, error) {
	if len(list) < 2 || s.metadata == nil || !s.metadata.Has(metadata.BloomFiltersPartition) || !s.config.MetaFields {
		return list, nil
	}
	keys, ok := wantedKeys(cond, s.keyColumn(columns))
	if !ok || len(keys) > maxValues {
		return list, nil
	}
	var refs []metadata.FileRef
	for _, slice := range list {
		if ref, ok := s.onlyFile(slice); ok {
			refs = append(refs, ref)
		}
	}
	if len(refs) > maxFiltered {
		return list, nil
	}
	without := map[metadata.FileRef]bool{}
	for some := range slices.Chunk(refs, filtersAtOnce) {
		filters, err := s.metadata.Filters(ctx, some)
		if err != nil {
			return list, ctx.Err()
		}
		for ref, f := range filters {
			without[ref] = !containsAny(f, keys)
		}
	}
	var out []*fileSlice
	for _, slice := range list {
		if ref, ok := s.onlyFile(slice); !ok || !without[ref] {
			out = append(out, slice)
		}
	}
	return out, nil
}

func containsAny(f *bloom.Filter, keys []string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { return f.Contains([]byte(k)) })
}
