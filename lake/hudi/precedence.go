package hudi

import (
	"fmt"
	"maps"
	"strings"

	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// mergeable refuses changes of rows where the table merges them by rules that tarn does not know.
func (x *tx) mergeable() error {
	c := x.config()
	switch {
	case c.CDC && c.Version < 6:
		return fmt.Errorf("the table records changes (hoodie.table.cdc.enabled), which writes to tables of version %d do not keep", c.Version)
	case c.CDC && !c.CDCMode.Known():
		return fmt.Errorf("hoodie.table.cdc.supplemental.logging.mode=%s is not known", c.CDCMode)
	}
	_, err := mergeRuleOf(x.config())
	return err
}

// rule says how the write merges rows. It is of a table that is mergeable.
func (x *tx) rule() *mergeRule {
	r, err := mergeRuleOf(x.config())
	if err != nil {
		return &mergeRule{}
	}
	return &r
}

// withPayloadOf is c with the payload class that options name, where the table names none: up to version 6 the properties of copy-on-write
// tables of Hudi do not, and each write does.
func withPayloadOf(c *config.Table, o options) (*config.Table, error) {
	class := o.text("", optPayload, "hoodie.compaction.payload.class")
	if class == "" || folds(class) || c.Version >= 8 || c.Properties["hoodie.compaction.payload.class"] != "" {
		return c, nil
	}
	p := maps.Clone(c.Properties)
	p["hoodie.compaction.payload.class"] = class
	return config.NewTable(p)
}

// byEventTime reports whether an incoming row loses against a stored one of a greater ordering value.
func (x *tx) byEventTime() bool {
	r := x.rule()
	return r.overBase && len(r.ordering) > 0
}

// needsOrdering reports whether rows without ordering value are refused: such rows could be written, but not be read again.
func (x *tx) needsOrdering() bool {
	c := x.config()
	return len(c.Ordering) > 0 && (x.byEventTime() || c.Version < 8)
}

// orderingColumns are the columns that decide between an incoming and a stored row.
func (x *tx) orderingColumns() []string {
	if x.byEventTime() {
		return x.config().Ordering
	}
	return nil
}

// batchOrder are the columns by which rows of one key in one batch are ordered. Up to version 6 the greatest ordering value stays,
// whatever the payload is; from 8 on by the merge mode.
func (x *tx) batchOrder(f *freshRows) []rel.Column {
	named := x.namedColumns(f)
	var out []rel.Column
	for _, name := range x.batchOrdering() {
		if o, ok := columnNamed(named, name); ok {
			out = append(out, o)
		}
	}
	return out
}

// batchOrdering are the names of the columns of [tx.batchOrder].
func (x *tx) batchOrdering() []string {
	c := x.config()
	switch {
	case c.MergeMode == config.CommitTime && c.Version >= 8:
		return nil
	case len(c.Ordering) == 0:
		return splitNames(x.options.text("", "hoodie.datasource.write.precombine.field"))
	}
	return c.Ordering
}

// loses is the condition under which a row of f is older than the stored one. Of equal values the incoming row wins. It is nil where
// no row loses.
func (x *tx) loses(f *freshRows, known *knownRows) rel.Expr {
	return x.losesBy(x.orderingColumns(), f, known)
}

func (x *tx) losesBy(names []string, f *freshRows, known *knownRows) rel.Expr {
	if len(names) == 0 || len(names) != len(known.ordering) {
		return nil
	}
	named := x.namedColumns(f)
	var lost rel.Expr
	for i := len(names) - 1; i >= 0; i-- {
		in, ok := columnNamed(named, names[i])
		if !ok {
			return nil
		}
		stored := nullableRef(known.ordering[i])
		less := compare("<", in.Ref(), stored)
		if x.rule().sequence {
			less = not(precedes(stored, in.Ref()))
		}
		if lost == nil {
			lost = less
		} else {
			lost = either(less, rel.And(equals(in.Ref(), stored), lost))
		}
	}
	return &rel.Call{Name: "coalesce", Args: []rel.Expr{lost, &rel.Lit{T: types.Boolean, Value: false}}, T: types.Boolean}
}

// precedes is true where the sequence a, a file and a position, is before b.
func precedes(a, b rel.Expr) rel.Expr {
	number := func(x rel.Expr, part int32) rel.Expr {
		p := &rel.Call{Name: "split_part", Args: []rel.Expr{x, text("."), code(part)}, T: types.String, Null: true}
		return cast(p, types.Long)
	}
	return either(compare("<", number(a, 1), number(b, 1)),
		rel.And(equals(number(a, 1), number(b, 1)), compare("<", number(a, 2), number(b, 2))))
}

// deletion is the condition under which an incoming row deletes the stored one.
func (x *tx) deletion(f *freshRows, op operation) rel.Expr {
	no := rel.Expr(&rel.Lit{T: types.Boolean, Value: false})
	if op == opDelete {
		return no
	}
	named := x.namedColumns(f)
	var is rel.Expr
	if c, ok := columnNamed(named, isDeletedColumn); ok && c.Type == types.Type(types.Boolean) {
		is = c.Ref()
	}
	r := x.rule()
	field, marker := x.options.text(r.deleteField, optDeleteField), x.options.text(r.deleteMarker, optDeleteMarker)
	if c, ok := columnNamed(named, field); ok && field != "" && marker != "" && types.Text(c.Type) {
		says := equals(c.Ref(), text(marker))
		if r.deleteFold {
			says = equals(&rel.Call{Name: "lower", Args: []rel.Expr{c.Ref()}, T: types.String, Null: true}, text(strings.ToLower(marker)))
		}
		if is == nil {
			is = says
		} else {
			is = either(says, is)
		}
	}
	if is == nil {
		return no
	}
	return &rel.Call{Name: "coalesce", Args: []rel.Expr{is, no}, T: types.Boolean}
}
