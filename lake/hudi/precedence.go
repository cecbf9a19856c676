package hudi

import (
	"fmt"

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
	case c.PartialUpdate != "":
		return fmt.Errorf("the table merges rows by hoodie.table.partial.update.mode=%s, which writes do not know yet", c.PartialUpdate)
	case c.MergeMode == config.Custom:
		return fmt.Errorf("the table merges rows by %s, which is not known", c.Payload+c.MergeStrategy)
	}
	return nil
}

// byEventTime reports whether an incoming row loses against a stored one of a greater ordering value.
func (x *tx) byEventTime() bool {
	c := x.config()
	return c.MergeMode == config.EventTime && len(c.Ordering) > 0
}

// needsOrdering reports whether rows without ordering value are refused: such rows could be written, but not be read again.
func (x *tx) needsOrdering() bool {
	c := x.config()
	return len(c.Ordering) > 0 && (c.MergeMode == config.EventTime || c.Version < 8)
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
	c := x.config()
	if c.MergeMode == config.CommitTime && c.Version >= 8 {
		return nil
	}
	named := x.namedColumns(f)
	var out []rel.Column
	names := c.Ordering
	if len(names) == 0 {
		names = splitNames(x.options.text("", "hoodie.datasource.write.precombine.field"))
	}
	for _, name := range names {
		if o, ok := columnNamed(named, name); ok {
			out = append(out, o)
		}
	}
	return out
}

// loses is the condition under which a row of f is older than the stored one. Of equal values the incoming row wins. It is nil where
// no row loses.
func (x *tx) loses(f *freshRows, known *knownRows) rel.Expr {
	names := x.orderingColumns()
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
		if lost == nil {
			lost = less
		} else {
			lost = either(less, rel.And(equals(in.Ref(), stored), lost))
		}
	}
	return &rel.Call{Name: "coalesce", Args: []rel.Expr{lost, &rel.Lit{T: types.Boolean, Value: false}}, T: types.Boolean}
}

// deletion is the condition under which an incoming row deletes the stored one.
func (x *tx) deletion(f *freshRows, op operation) rel.Expr {
	no := rel.Expr(&rel.Lit{T: types.Boolean, Value: false})
	if op == opDelete {
		return no
	}
	named := x.namedColumns(f)
	if c, ok := columnNamed(named, isDeletedColumn); ok && c.Type == types.Type(types.Boolean) {
		return &rel.Call{Name: "coalesce", Args: []rel.Expr{c.Ref(), no}, T: types.Boolean}
	}
	o := x.config().MergeOptions
	field, marker := o["hoodie.payload.delete.field"], o["hoodie.payload.delete.marker"]
	field, marker = x.options.text(field, "hoodie.payload.delete.field"), x.options.text(marker, "hoodie.payload.delete.marker")
	if c, ok := columnNamed(named, field); ok && field != "" && marker != "" && types.Text(c.Type) {
		return &rel.Call{Name: "coalesce", Args: []rel.Expr{equals(c.Ref(), text(marker)), no}, T: types.Boolean}
	}
	return no
}
