package hudi

import (
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
