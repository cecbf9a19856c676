package hudi

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// moves reports whether a row of another partition than the stored one of its key makes that go, as the index of the write has it. Else
// the row takes the place of the stored one, in the partition of that.
func (x *tx) moves() bool {
	switch x.indexType() {
	case "GLOBAL_SIMPLE":
		return x.options.flag("hoodie.simple.index.update.partition.path", true)
	case "GLOBAL_BLOOM":
		return x.options.flag("hoodie.bloom.index.update.partition.path", true)
	case "RECORD_INDEX", "GLOBAL_RECORD_LEVEL_INDEX":
		return x.options.flag("hoodie.record.index.update.partition.path", false)
	}
	return false
}

// moved makes of an update whose row belongs to another partition than the stored one, which is in place, two rows: the deletion of the stored
// one, and a new one.
func (x *tx) moved(f *freshRows, place rel.Column) *freshRows {
	out := *f
	out.code, out.file, out.pos = rel.NewColumn("op", types.Int), rel.NewColumn("file", types.Long), rel.NewColumn("pos", types.Long)
	moves := compare("and", equals(f.code.Ref(), code(updateOp)), differs(f.path.Ref(), nullableRef(place)))
	half := rel.NewColumn("half", types.Int)
	halves := &rel.Values{Cols: []rel.Column{half}, Rows: [][]rel.Expr{{code(insertOp)}, {code(deleteOp)}}}
	first := equals(half.Ref(), code(insertOp))
	p := &rel.Project{In: &rel.Join{Kind: rel.Inner, Left: f.rows, Right: halves, On: either(first, moves)}}
	for _, c := range f.rows.Columns() {
		if c.ID != f.code.ID && c.ID != f.file.ID && c.ID != f.pos.ID && c.ID != place.ID {
			p.Cols = append(p.Cols, rel.Computed{Column: c, Expr: c.Ref()})
		}
	}
	isNew := rel.When{If: compare("and", first, moves), Then: &rel.Lit{T: types.Long}}
	p.Cols = append(p.Cols, rel.Computed{Column: out.code, Expr: firstOf(types.Int, f.code.Ref(), rel.When{If: moves, Then: half.Ref()})},
		rel.Computed{Column: out.file, Expr: firstOf(types.Long, nullableRef(f.file), isNew)},
		rel.Computed{Column: out.pos, Expr: firstOf(types.Long, nullableRef(f.pos), isNew)})
	out.rows = p
	return &out
}

// settled leaves updates in the partition of the stored row, which is in place: their partition columns take the values of that, whatever
// the incoming row says. Columns of which paths do not tell the values, such as formatted times, stay as they are.
func (x *tx) settled(f *freshRows, place rel.Column) *freshRows {
	out := *f
	out.stays, out.own = true, slices.Clone(f.own)
	path := rel.NewColumn("home", types.String)
	homes := &rel.Values{Cols: []rel.Column{path}}
	p := &rel.Project{In: &rel.Join{Kind: rel.LeftOuter, Left: f.rows, Right: homes, On: equals(place.Ref(), path.Ref())}}
	moves := compare("and", equals(f.code.Ref(), code(updateOp)), differs(f.path.Ref(), nullableRef(place)))
	fields := ownColumns(x.view.schema).Fields
	var parts []int // the partition column of each further column of homes
	for i, field := range fields {
		at := slices.IndexFunc(x.config().Partition, func(p config.PartitionField) bool { return strings.EqualFold(p.Name, field.Name) })
		if at < 0 {
			continue
		}
		told, value := rel.NewColumn("told", types.Boolean), rel.NewColumn("value", types.String)
		homes.Cols, parts = append(homes.Cols, told, value), append(parts, i)
		c, was := rel.NewColumn(field.Name, field.Type), columnOf(f.rows, f.own[i])
		c.Nullable, value.Nullable = true, true
		p.Cols = append(p.Cols, rel.Computed{Column: c, Expr: firstOf(field.Type, was.Ref(),
			rel.When{If: rel.And(moves, nullableRef(told)), Then: cast(value.Ref(), field.Type)})})
		out.own[i] = c.ID
	}
	for _, home := range partitionsOf(x.base.slices) {
		row := []rel.Expr{text(home)}
		for _, i := range parts {
			v, ok := x.partitionText(home, fields[i])
			row = append(row, &rel.Lit{T: types.Boolean, Value: ok}, v)
		}
		homes.Rows = append(homes.Rows, row)
	}
	for _, c := range f.rows.Columns() {
		if c.ID != place.ID {
			p.Cols = append(p.Cols, rel.Computed{Column: c, Expr: c.Ref()})
		}
	}
	out.rows = p
	return &out
}

// partitionsOf are the partitions of slices.
func partitionsOf(list []*fileSlice) []string {
	seen := map[string]bool{}
	var out []string
	for _, s := range list {
		if !seen[s.Partition] {
			seen[s.Partition] = true
			out = append(out, s.Partition)
		}
	}
	return out
}

// partitionText is the text of a partition column's value in a partition, as it can be cast; false where the path does not tell it.
func (x *tx) partitionText(path string, field types.Field) (rel.Expr, bool) {
	null := &rel.Lit{T: types.String}
	values, ok := pathValues(x.config(), path)
	if !ok {
		return null, false
	}
	for i, v := range values {
		if !strings.EqualFold(x.config().Partition[i].Name, field.Name) || !v.exact {
			continue
		}
		if v.null {
			return null, true
		}
		known, ok := v.value(field.Type)
		if days, isDate := known.(int32); isDate && field.Type == types.Type(types.Date) {
			known = time.Unix(int64(days)*86400, 0).UTC().Format(time.DateOnly)
		}
		return text(fmt.Sprint(known)), ok
	}
	return null, false
}
