package hudi

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// knownRows is the keys of rows of the table, where they are, and their ordering values.
type knownRows struct {
	rows           rel.Node
	key, file, pos rel.Column
	path           rel.Column // without ID in tables without partitions
	global         bool       // keys are unique in the whole table
	ordering       []rel.Column
}

func newKnownRows() *knownRows {
	return &knownRows{key: rel.NewColumn("known key", types.String), file: rel.NewColumn("known file", types.Long), pos: rel.NewColumn("known pos", types.Long)}
}

const optIndexType = "hoodie.index.type"

// indexType is how the write finds the rows of its keys.
func (x *tx) indexType() string {
	return strings.ToUpper(x.options.text("SIMPLE", optIndexType))
}

// namesRecordIndex reports whether a type of index is that of the metadata table which has the keys of the whole table: releases
// before 1.1 know it by the shorter name.
func namesRecordIndex(kind string) bool {
	return strings.EqualFold(kind, "RECORD_INDEX") || strings.EqualFold(kind, "GLOBAL_RECORD_LEVEL_INDEX")
}

// global reports whether a key is unique in the whole table, and not only in its partition.
func (x *tx) global() (bool, error) {
	switch kind := x.indexType(); kind {
	case "SIMPLE", "BLOOM", "BUCKET", "INMEMORY", "RECORD_LEVEL_INDEX":
		return false, nil
	case "GLOBAL_SIMPLE", "GLOBAL_BLOOM", "RECORD_INDEX", "GLOBAL_RECORD_LEVEL_INDEX":
		return true, nil
	default:
		return false, badOption("hoodie.index.type=%s is not one of SIMPLE, GLOBAL_SIMPLE, BLOOM, GLOBAL_BLOOM, INMEMORY, BUCKET, RECORD_INDEX, GLOBAL_RECORD_LEVEL_INDEX, RECORD_LEVEL_INDEX, which tarn knows", kind)
	}
}

// knownKeys is the rows of the slices that may have keys of f; nil when there are none.
func (x *tx) knownKeys(ctx context.Context, f *freshRows, op operation) (*knownRows, error) {
	global, err := x.global()
	if err != nil {
		return nil, err
	}
	located, err := x.locate(ctx, f)
	switch {
	case err != nil:
		return nil, err
	case located != nil && len(located) == 0:
		return nil, nil
	case located != nil && x.logsTell(f, op):
		k, err := x.asKnown(ctx, located)
		if err != nil {
			return nil, err
		}
		return x.placed(k, slices.Collect(maps.Values(located)), global), nil
	}
	list, err := x.slicesFor(ctx, f, located, global)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	k := newKnownRows()
	var columns []rel.Column
	for _, name := range x.orderingColumns() {
		i := x.base.schema.Index(name)
		if i < 0 {
			continue
		}
		c := rel.NewColumn(x.base.schema.Fields[i].Name, x.base.schema.Fields[i].Type)
		columns, k.ordering = append(columns, c), append(k.ordering, c)
	}
	if k.rows, err = x.base.storedRows(ctx, list, columns, k.file, k.pos, k.key); err != nil {
		return nil, err
	}
	return x.placed(k, list, global), nil
}

// slicesFor are the slices that may have the keys of rows: those of their buckets where the table has such, else those that a record index
// located, else those of their partitions, or of all, whose footers do not say otherwise.
func (x *tx) slicesFor(ctx context.Context, f *freshRows, located map[string]*fileSlice, global bool) ([]*fileSlice, error) {
	b, err := x.bucketIndex()
	if err != nil {
		return nil, err
	}
	if b != nil {
		return x.slicesOf(ctx, b, f)
	}
	paths := map[string]bool{}
	if !global {
		if paths, err = x.pathsOf(ctx, f); err != nil {
			return nil, err
		}
	}
	named := map[*fileSlice]bool{}
	for _, s := range located {
		named[s] = true
	}
	var list []*fileSlice
	for _, s := range x.base.slices {
		if (global || paths[s.Partition]) && (located == nil || named[s]) {
			list = append(list, s)
		}
	}
	if located != nil {
		return list, nil
	}
	return x.mayHaveKeys(ctx, f, list, global)
}

// storedRows are columns of the rows of slices, and the parts of their row ids, from the first on: file, position, key.
func (s *Snapshot) storedRows(ctx context.Context, list []*fileSlice, columns []rel.Column, parts ...rel.Column) (rel.Node, error) {
	id := newRowID()
	rows, err := s.rows(ctx, list, columns, &id)
	if err != nil {
		return nil, err
	}
	p := &rel.Project{In: rows}
	for _, c := range columns {
		p.Cols = append(p.Cols, rel.Computed{Column: c, Expr: c.Ref()})
	}
	for i, c := range parts {
		p.Cols = append(p.Cols, rel.Computed{Column: c, Expr: &rel.Field{X: id.Ref(), Index: i}})
	}
	return p, nil
}

// placed gives known rows of slices the paths of their partitions.
func (x *tx) placed(k *knownRows, list []*fileSlice, global bool) *knownRows {
	k.global = global
	if len(x.config().Partition) > 0 {
		table, number, path := places(distinct(list))
		k.rows = &rel.Join{Kind: rel.Inner, Left: k.rows, Right: table, On: equals(k.file.Ref(), number.Ref())}
		k.path = path
	}
	return k
}

// distinct is list without repetitions, in order.
func distinct(list []*fileSlice) []*fileSlice {
	out := slices.SortedFunc(slices.Values(list), func(a, b *fileSlice) int { return cmp.Compare(a.Number, b.Number) })
	return slices.Compact(out)
}

// same is the condition under which a row of f has the key of a known one.
func (k *knownRows) same(f *freshRows) rel.Expr {
	on := rel.Expr(equals(f.key.Ref(), k.key.Ref()))
	if k.path.ID != 0 && !k.global {
		on = rel.And(on, equals(f.path.Ref(), k.path.Ref()))
	}
	return on
}
