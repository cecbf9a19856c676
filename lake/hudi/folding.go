package hudi

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// Some payload classes make a value of both rows of a key: a running sum, or a mean. Readers of other makers do not have such classes, so
// that a write makes the value before it is stored, also in logs, and to readers the last row of a key is the one that counts:
//
//	rows of one key in the batch ─▶ what they add up to ──┬─ key is new ─────▶ the value of the first row, and what the others add
//	                                                      └─ with stored row ─▶ its value, and what they add
//
// The table's properties name a class that every reader has; the class and its fields are kept as settings of writers.

// The payload classes that fold, and the options that name their columns.
const (
	sumPayload  = modelPackage + "AvroSummationPayload"
	meanPayload = modelPackage + "AvroAveragePayload"

	optPayload    = "hoodie.datasource.write.payload.class"
	optSumInput   = "hoodie.summation.payload.input.fields"
	optSumOutput  = "hoodie.summation.payload.output.fields"
	optMeanInput  = "hoodie.average.payload.input.fields"
	optMeanOutput = "hoodie.average.payload.output.fields.value"
	optMeanCount  = "hoodie.average.payload.output.fields.count"
)

var foldOptions = []string{optPayload, optSumInput, optSumOutput, optMeanInput, optMeanOutput, optMeanCount}

// folding is a value that the rows of a key add up to.
type folding struct {
	input, output int // columns of the table, by number
	count         int // of a mean, the column with the number of rows; -1 for a sum
}

// folds reports whether a payload class makes values of both rows.
func folds(class string) bool { return class == sumPayload || class == meanPayload }

// foldingsOf are the foldings that options ask for, of a table with these columns. The columns placing say which row is which, where it is, or which of
// two is newer.
func foldingsOf(o options, columns []types.Field, placing []string) ([]folding, error) {
	class := o.text("", optPayload)
	if !folds(class) {
		return nil, nil
	}
	keys := []string{optSumInput, optSumOutput}
	if class == meanPayload {
		keys = []string{optMeanInput, optMeanOutput, optMeanCount}
	}
	var lists [][]int
	for _, key := range keys {
		list, err := numericColumns(key, o.text("", key), columns)
		if err != nil {
			return nil, err
		}
		if len(lists) > 0 && len(list) != len(lists[0]) {
			return nil, badOption("%s names %d fields and %s %d: each input needs its output", keys[0], len(lists[0]), key, len(list))
		}
		lists = append(lists, list)
	}
	var out []folding
	made := map[int]bool{}
	for i := range lists[0] {
		f := folding{input: lists[0][i], output: lists[1][i], count: -1}
		if len(lists) == 3 {
			f.count = lists[2][i]
		}
		for _, c := range []int{f.output, f.count} {
			switch {
			case c < 0:
			case made[c]:
				return nil, badOption("the field %s is given twice as an output", columns[c].Name)
			case slices.ContainsFunc(placing, func(n string) bool { return strings.EqualFold(n, columns[c].Name) }):
				return nil, badOption("the field %s is part of a key, or orders or places rows: no values are added up there", columns[c].Name)
			default:
				made[c] = true
			}
		}
		out = append(out, f)
	}
	return out, nil
}

func numericColumns(key, list string, columns []types.Field) (out []int, err error) {
	names := splitNames(list)
	if len(names) == 0 {
		return nil, badOption("%s must name the fields", key)
	}
	for _, name := range names {
		i := slices.IndexFunc(columns, func(f types.Field) bool { return strings.EqualFold(f.Name, name) })
		if i < 0 {
			return nil, badOption("%s=%s: the table has no column %s", key, list, name)
		}
		if !types.Numeric(columns[i].Type) {
			return nil, badOption("%s=%s: the column %s is no number but %s", key, list, name, types.SQL(columns[i].Type))
		}
		out = append(out, i)
	}
	return out, nil
}

// takeFoldings reads what the write folds.
func (x *tx) takeFoldings() (err error) {
	c := x.config()
	if x.foldings, err = foldingsOf(x.options, ownColumns(x.view.schema).Fields, placingColumns(c.RecordKey, c.Ordering, c.Partition)); err != nil || x.foldings == nil {
		return err
	}
	global, err := x.global()
	switch class := x.options.text("", optPayload); {
	case err != nil:
		return err
	case len(x.config().RecordKey) == 0:
		return badOption("%s=%s needs a table with a record key", optPayload, class)
	case x.byEventTime():
		return badOption("%s=%s needs a table whose last row counts, and this one orders rows by %s", optPayload, class, strings.Join(x.config().Ordering, ","))
	case global && x.moves():
		return badOption("%s=%s needs rows that stay in their partition, and the index %s moves them", optPayload, class, x.indexType())
	case x.nonBlocking:
		return badOption("%s=%s needs to see the rows of other writers: non-blocking writers do not", optPayload, class)
	}
	return nil
}

func placingColumns(key, ordering []string, partition []config.PartitionField) []string {
	out := slices.Concat(key, ordering)
	for _, p := range partition {
		out = append(out, p.Name)
	}
	return out
}

// foldedRows are what the rows of a key in a batch add up to, per folding.
type foldedRows struct {
	reset rel.Column // boolean: a deletion in the batch took away what was stored
	parts []foldedPart
}

// foldedPart is one folding of the rows of a key: those that come to a stored row, and those that begin a new one.
type foldedPart struct {
	added, addedCount rel.Column // the sum of all inputs, and how many there are
	fresh, freshCount rel.Column // what the first row says, and the others add
}

// wide is the type in which numbers of a type are added up.
func wide(t types.Type) types.Type {
	if d, ok := t.(types.Decimal); ok {
		return types.Decimal{P: 38, S: d.S}
	}
	if types.Integral(t) {
		return types.Decimal{P: 38}
	}
	return types.Double
}

// plus is a + b in a wide type; NULL adds nothing.
func plus(a, b rel.Expr, t types.Type) rel.Expr {
	return firstOf(t, &rel.Call{Name: "+", Args: []rel.Expr{a, b}, T: t, Null: true}, rel.When{If: isNull(a), Then: b}, rel.When{If: isNull(b), Then: a})
}

func times(a, b rel.Expr) rel.Expr {
	return &rel.Call{Name: "*", Args: []rel.Expr{a, b}, T: types.Double, Null: true}
}

// ratio is a / b, NULL where b is 0.
func ratio(a, b rel.Expr) rel.Expr {
	return firstOf(types.Double, &rel.Call{Name: "/", Args: []rel.Expr{a, b}, T: types.Double, Null: true}, rel.When{If: equals(b, double(0)), Then: &rel.Lit{T: types.Double}})
}

func double(v float64) rel.Expr { return &rel.Lit{T: types.Double, Value: v} }

// folded adds to rows of a batch, ranked by newness in their keys, what the rows of each key add up to. Rows that a later deletion takes away do not count.
func (x *tx) folded(f *freshRows, in rel.Node, rank rel.Column, by []rel.Expr) (*freshRows, rel.Node) {
	if len(x.foldings) == 0 {
		return f, in
	}
	agg := func(name string, arg rel.Expr, t types.Type) rel.Expr {
		return &rel.Over{Fn: &rel.Agg{Name: name, Args: []rel.Expr{arg}, T: t, Null: true}, Partition: by}
	}
	in, cut := x.cut(f, in, rank, by)
	oldest := rel.Column{ID: rel.NewID(), Name: "oldest", Type: types.Int, Nullable: true}
	counts := either(isNull(cut.Ref()), compare("<", rank.Ref(), cut.Ref()))
	in = &rel.Window{In: in, Funcs: []rel.Computed{{Column: oldest, Expr: agg("max", firstOf(types.Int, &rel.Lit{T: types.Int}, rel.When{If: counts, Then: rank.Ref()}), types.Int)}}}
	first := equals(rank.Ref(), oldest.Ref())

	w := &rel.Window{In: in}
	sum := func(name string, value rel.Expr, t types.Type) rel.Column {
		c := rel.NewColumn(name, t)
		c.Nullable = true
		w.Funcs = append(w.Funcs, rel.Computed{Column: c, Expr: agg("sum", firstOf(t, &rel.Lit{T: t}, rel.When{If: counts, Then: value}), t)})
		return c
	}
	out := *f
	out.folded = &foldedRows{}
	named := x.namedColumns(f)
	for _, fold := range x.foldings {
		input, output := named[fold.input].Ref(), named[fold.output].Ref()
		t := wide(named[fold.output].Type)
		var p foldedPart
		if fold.count < 0 {
			own := firstOf(t, cast(output, t), rel.When{If: isNull(output), Then: cast(input, t)})
			p.added = sum("added", cast(input, t), t)
			p.fresh = sum("fresh", firstOf(t, cast(input, t), rel.When{If: first, Then: own}), t)
		} else {
			mean, count := cast(output, types.Double), cast(named[fold.count].Ref(), types.Double)
			one := firstOf(types.Double, double(1), rel.When{If: isNull(input), Then: double(0)})
			stated := rel.And(not(isNull(output)), not(isNull(named[fold.count].Ref())))
			p.added, p.addedCount = sum("added", cast(input, types.Double), types.Double), sum("added count", one, types.Double)
			p.fresh = sum("fresh", firstOf(types.Double, cast(input, types.Double), rel.When{If: rel.And(first, stated), Then: times(mean, count)}), types.Double)
			p.freshCount = sum("fresh count", firstOf(types.Double, one, rel.When{If: rel.And(first, stated), Then: count}), types.Double)
		}
		out.folded.parts = append(out.folded.parts, p)
	}
	p := asIs(w)
	out.folded.reset = rel.NewColumn("reset", types.Boolean)
	p.Cols = append(p.Cols, rel.Computed{Column: out.folded.reset, Expr: not(isNull(cut.Ref()))})
	return &out, p
}

// fold gives the rows of f the values that they and the stored rows add up to. A row that is older than the stored one adds to its values, and changes nothing
// else. The rows are evaluated once.
func (x *tx) fold(ctx context.Context, f *freshRows, e *edits) (*freshRows, func() error, error) {
	own, ordering := ownColumns(x.view.schema).Fields, x.config().Ordering
	stored, columns, k := x.storedColumns(ordering, func(i int) bool { return x.addsTo(i) || len(ordering) > 0 }) // a late row leaves the rest as it is
	p, err := x.besideStored(ctx, f, e, k, columns)
	if err != nil {
		return nil, nil, err
	}
	updates := rel.And(equals(f.code.Ref(), code(updateOp)), not(f.folded.reset.Ref()))
	named := x.namedColumns(f)
	late := x.losesBy(ordering, f, k)
	values := make([]rel.Expr, len(named))
	for i, in := range named {
		values[i] = in.Ref()
		if late != nil && stored[i].ID != 0 {
			values[i] = firstOf(in.Type, in.Ref(), rel.When{If: rel.And(updates, late), Then: stored[i].Ref()})
		}
	}
	for i, fold := range x.foldings {
		old := func(c int) rel.Expr {
			if stored[c].ID == 0 {
				return &rel.Lit{T: own[c].Type}
			}
			return stored[c].Ref()
		}
		part, t := f.folded.parts[i], own[fold.output].Type
		if fold.count < 0 {
			sum := firstOf(wide(t), part.fresh.Ref(), rel.When{If: updates, Then: plus(cast(old(fold.output), wide(t)), part.added.Ref(), wide(t))})
			values[fold.output] = cast(sum, t)
			continue
		}
		mean, count := cast(old(fold.output), types.Double), cast(old(fold.count), types.Double)
		total := firstOf(types.Double, part.fresh.Ref(), rel.When{If: updates, Then: plus(times(mean, count), part.added.Ref(), types.Double)})
		n := firstOf(types.Double, part.freshCount.Ref(), rel.When{If: rel.And(updates, not(either(isNull(mean), isNull(count)))), Then: plus(count, part.addedCount.Ref(), types.Double)},
			rel.When{If: updates, Then: part.addedCount.Ref()})
		values[fold.output], values[fold.count] = cast(ratio(total, n), t), cast(n, own[fold.count].Type)
	}
	return x.holdWith(ctx, f, p, values)
}

// addsTo reports whether values are added up in a column.
func (x *tx) addsTo(column int) bool {
	return slices.ContainsFunc(x.foldings, func(f folding) bool { return f.output == column || f.count == column })
}

// foldingProperties are the properties that keep the foldings of a new table for its writers.
func foldingProperties(o options, columns []types.Field, placing []string) (config.Properties, error) {
	list, err := foldingsOf(o, columns, placing)
	if err != nil || list == nil {
		return nil, err
	}
	out := config.Properties{}
	for _, key := range foldOptions {
		if v := o.text("", key); v != "" {
			out[keptPrefix+key] = v
		}
	}
	return out, nil
}

// unfolded makes a description of a new table, whose payload class folds, that of one whose last rows count.
func unfolded(n *config.New) error {
	if n.MergeMode != "" && n.MergeMode != config.CommitTime {
		return fmt.Errorf("hoodie.record.merge.mode=%s: values are added up in tables of the mode %s", n.MergeMode, config.CommitTime)
	}
	n.Payload = config.OverwriteWithLatest
	if n.Version >= 8 {
		n.Payload, n.MergeMode = "", config.CommitTime
	}
	return nil
}
