package hudi

import (
	"context"
	"strconv"

	"github.com/tarn-lake/tarn/lake/hudi/metadata"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// maxWanted is how many keys of a condition are looked up.
const maxWanted = 10_000

// maxValues is how many values of a condition are looked up in a secondary index.
const maxValues = 100

// pruneByKeys leaves out the slices that cannot have a row with one of the keys that a condition asks for, by the record index; a
// secondary index tells the keys of rows with values of another column. The record index has one row of each key, so it counts only
// for tables whose property hoodie.index.type says that their writers go by it.
func (s *Snapshot) pruneByKeys(ctx context.Context, slices []*fileSlice, cond rel.Expr, columns map[rel.ID]int) ([]*fileSlice, error) {
	if len(slices) < 2 || s.metadata == nil || !s.metadata.Has(metadata.RecordIndexPartition) || !s.config.MetaFields ||
		!namesRecordIndex(kept(s.config, optIndexType)) || !s.isLatest() {
		return slices, nil
	}
	keys, ok := wantedKeys(cond, s.keyColumn(columns))
	if !ok {
		var err error
		if keys, ok, err = s.secondaryKeys(ctx, cond, columns); err != nil {
			return nil, err
		}
	}
	if !ok || len(keys) > maxWanted {
		return slices, nil
	}
	located, err := s.locate(ctx, keys)
	if err != nil || located == nil {
		return slices, err
	}
	named := map[*fileSlice]bool{}
	for _, slice := range located {
		named[slice] = true
	}
	var out []*fileSlice
	for _, slice := range slices {
		if named[slice] {
			out = append(out, slice)
		}
	}
	return out, nil
}

// secondaryKeys are the keys of all rows for which a condition may be true, by a secondary index; false when none tells.
func (s *Snapshot) secondaryKeys(ctx context.Context, cond rel.Expr, columns map[rel.ID]int) (keys []string, ok bool, err error) {
	for field, f := range s.schema.Fields {
		index, ok := s.metadata.SecondaryIndex(f.Name)
		if !ok || f.Type != types.Type(types.String) && f.Type != types.Type(types.Int) && f.Type != types.Type(types.Long) {
			continue
		}
		values, ok := wantedKeys(cond, func(e rel.Expr) bool {
			c, isColumn := e.(*rel.Col)
			at, known := -1, false
			if isColumn {
				at, known = columns[c.ID]
			}
			return known && at == field
		})
		if !ok || len(values) > maxValues {
			continue
		}
		for _, v := range values {
			more, err := s.metadata.KeysWith(ctx, index, &v)
			if err != nil {
				return nil, false, ctx.Err()
			}
			keys = append(keys, more...)
		}
		return keys, true, nil
	}
	return nil, false, nil
}

// isLatest reports whether the rows are those that the indexes of the metadata table speak of: all that there are now.
func (s *Snapshot) isLatest() bool {
	v := s.view
	return v != nil && v.until == "" && v.completed == "" && v.below == "" && !s.reading.optimized && s.reading.changed == nil
}

// keyColumn tells the columns whose text is the record key.
func (s *Snapshot) keyColumn(columns map[rel.ID]int) func(rel.Expr) bool {
	field := -1
	if g, err := s.table.keys(); err == nil && g.Bare() {
		field = s.schema.Index(g.KeyFields()[0])
		if field >= 0 && s.schema.Fields[field].Type != types.Type(types.String) && !types.Integral(s.schema.Fields[field].Type) {
			field = -1
		}
	}
	return func(e rel.Expr) bool {
		c, ok := e.(*rel.Col)
		if !ok {
			return false
		}
		at, ok := columns[c.ID]
		return ok && (at == field || s.schema.Fields[at].Name == recordKeyColumn)
	}
}

// wantedKeys are the record keys of all rows for which a condition may be true; false when it does not tell.
func wantedKeys(cond rel.Expr, isKey func(rel.Expr) bool) ([]string, bool) {
	e, ok := cond.(*rel.Call)
	if !ok || len(e.Args) < 2 {
		return nil, false
	}
	switch e.Name {
	case "and":
		if keys, ok := wantedKeys(e.Args[0], isKey); ok {
			return keys, true
		}
		return wantedKeys(e.Args[1], isKey)
	case "or":
		a, ok1 := wantedKeys(e.Args[0], isKey)
		b, ok2 := wantedKeys(e.Args[1], isKey)
		return append(a, b...), ok1 && ok2
	case "=":
		if isKey(e.Args[1]) {
			return keyTexts(e.Args[:1])
		}
	case "in":
	default:
		return nil, false
	}
	if !isKey(e.Args[0]) {
		return nil, false
	}
	return keyTexts(e.Args[1:])
}

// keyTexts are constants as record keys; false when one is no constant, or of a type whose keys are not simply its text.
func keyTexts(list []rel.Expr) (out []string, ok bool) {
	for _, e := range list {
		v, ok := rel.Constant(e)
		if !ok || e.Type() != types.Type(types.String) && !types.Integral(e.Type()) {
			return nil, false
		}
		switch v := v.(type) {
		case nil: // equals nothing
		case string:
			out = append(out, v)
		case int32:
			out = append(out, strconv.Itoa(int(v)))
		case int64:
			out = append(out, strconv.FormatInt(v, 10))
		default:
			return nil, false
		}
	}
	return out, true
}
