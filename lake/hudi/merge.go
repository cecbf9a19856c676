package hudi

import (
	"context"
	"errors"
	"slices"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// A slice with logs is read in one of two ways. The folded logs have one row per key (logRows).
//
// Where the logs win always, a row of the base file is shown unless the logs speak of its key, and the rows of the logs follow as they
// are. Conditions reach the base file; of its keys only those of wanted rows are read, and none where the blocks of the logs say which
// of its rows they speak of:
//
//	union ─┬─ base file  ANTI JOIN  logs  on file, key
//	       ├─ base file without the rows at the positions of the logs
//	       └─ logs that delete nothing
//
// Where a row of the base file may stay, or gives values that the logs lack, both are joined:
//
//	project, filter ── base file  FULL JOIN  logs  on file, and position or key

// keptLogs is how many bytes of logs are folded once and kept while the query runs, unless hoodie.memory.merge.max.size says another number.
// Of more, each slice is folded when the query comes to it.
const keptLogs = 64 << 20

// mergedRows is the rows of slices that have logs.
func (s *Snapshot) mergedRows(ctx context.Context, slices []*fileSlice, columns []rel.Column, rowID *rel.Column) (rel.Node, error) {
	rule, err := mergeRuleOf(s.config)
	if err != nil {
		return nil, &lake.Error{Op: "read", Path: s.table.path, Err: err, Hint: "Read the table with hoodie.datasource.query.type=read_optimized, or have Hudi compact it first."}
	}
	if s.config.DropPartitionColumns {
		return nil, &lake.Error{Op: "read", Path: s.table.path, Hint: "Have Hudi compact the table first.",
			Err: errors.New("log files of tables whose files lack the partition columns are not supported")}
	}
	l := &logRows{snapshot: s, rule: &rule}
	for _, c := range columns {
		l.fields = append(l.fields, s.wantedField(c))
	}
	over, joined, err := s.split(ctx, l, slices)
	if err != nil {
		return nil, err
	}
	var parts []rel.Node
	if len(over.slices) > 0 {
		nodes, err := s.overBase(over, columns, rowID)
		if err != nil {
			return nil, err
		}
		parts = append(parts, nodes...)
	}
	for _, set := range joined.byPlace() {
		n, err := s.withBase(set, columns, rowID)
		if err != nil {
			return nil, err
		}
		parts = append(parts, n)
	}
	return union(withRowID(columns, rowID), parts), nil
}

// wantedField is a wanted column by its name in the table.
func (s *Snapshot) wantedField(c rel.Column) types.Field {
	f := types.Field{Name: c.Name, Type: c.Type, Nullable: true}
	if i := s.schema.Index(c.Name); i >= 0 {
		f.Name = s.schema.Fields[i].Name
	}
	return f
}

// logSet is slices whose logs are read in one way.
type logSet struct {
	rows   *logRows
	slices []*fileSlice
	folds  []*fold // nil when the logs are not kept
	placed bool    // rows of base files are found by their positions
}

// byPlace parts slices whose logs say for each key which row of the base file has it from the others. A key of several rows needs a join
// by keys.
func (set logSet) byPlace() []logSet {
	placed, rest := logSet{rows: set.rows, placed: true}, logSet{rows: set.rows}
	for i, slice := range set.slices {
		to := &rest
		if set.folds != nil && set.folds[i].placed() && set.folds[i].hidden.Len() == uint64(len(set.folds[i].entries)) {
			to = &placed
		}
		to.slices = append(to.slices, slice)
		if set.folds != nil {
			to.folds = append(to.folds, set.folds[i])
		}
	}
	return slices.DeleteFunc([]logSet{placed, rest}, func(s logSet) bool { return len(s.slices) == 0 })
}

// split sorts slices into those where the logs always win and those that must be joined with their base files.
func (s *Snapshot) split(ctx context.Context, l *logRows, slices []*fileSlice) (over, joined logSet, err error) {
	all := *l
	if l.rule.overBase {
		for _, name := range l.rule.ordering {
			all.ordering = append(all.ordering, s.wantedField(rel.Column{Name: name, Type: s.columnType(name)}))
		}
	}
	over.rows, joined.rows = l, &all
	size := int64(0)
	for _, slice := range slices {
		for _, log := range slice.Logs {
			size += log.Size
		}
	}
	var folds []*fold
	keep := int64(keptLogs)
	if s.reading.keep != nil {
		keep = *s.reading.keep
	}
	if size <= keep {
		if folds, err = l.foldAll(ctx, slices); err != nil {
			return over, joined, err
		}
	}
	for i, slice := range slices {
		set, lacks := &joined, true
		if folds != nil {
			lacks = folds[i].lacks()
			wins, err := s.logsWin(ctx, l.rule, slice, folds[i])
			if err != nil {
				return over, joined, err
			}
			if slice.Base == nil || wins && !lacks {
				set = &over
			}
		} else if slice.Base == nil {
			set = &over
		}
		set.slices = append(set.slices, slice)
		if folds != nil {
			set.folds = append(set.folds, folds[i])
		}
		all.lacking = all.lacking || set == &joined && lacks
	}
	return over, joined, nil
}

// columnType is the type of a column of the table; a string where there is none.
func (s *Snapshot) columnType(name string) types.Type {
	if i := s.schema.Index(name); i >= 0 {
		return s.schema.Fields[i].Type
	}
	return types.String
}

// logsWin reports whether no row of the base file of a slice stays against its logs.
func (s *Snapshot) logsWin(ctx context.Context, rule *mergeRule, slice *fileSlice, f *fold) (bool, error) {
	if !rule.overBase || slice.Base == nil || len(rule.ordering) == 0 {
		return true, nil
	}
	if len(rule.ordering) > 1 || rule.sequence {
		return false, nil
	}
	low, some := f.lowest()
	if !some {
		return true, nil
	}
	high, ok, err := s.highest(ctx, slice.Base, rule.ordering[0])
	return ok && compareOrdering(high, low) <= 0, err
}

// overBase is the rows of slices whose logs win always.
func (s *Snapshot) overBase(set logSet, columns []rel.Column, rowID *rel.Column) ([]rel.Node, error) {
	var parts []rel.Node
	var based, placed []*fileSlice
	hidden := map[*fileSlice]rel.RowSet{}
	for i, slice := range set.slices {
		switch {
		case slice.Base == nil:
		case set.folds != nil && set.folds[i].placed():
			placed, hidden[slice] = append(placed, slice), &set.folds[i].hidden
		default:
			based = append(based, slice)
		}
	}
	if len(placed) > 0 {
		var id *rel.Column
		out := fresh(withRowID(columns, rowID))
		if rowID != nil {
			id = &out[len(columns)]
		}
		rest, err := s.baseRows(placed, out[:len(columns)], id, hidden)
		if err != nil {
			return nil, err
		}
		parts = append(parts, rest)
	}
	if len(based) > 0 {
		base, cols, id, err := s.keyedBase(based, columns)
		if err != nil {
			return nil, err
		}
		logs := set.rows.stream(set.slices, set.folds)
		rest := &rel.Project{In: &rel.Join{Kind: rel.Anti, Left: base, Right: logs, On: sameKey(id, logs)}}
		for i, c := range fresh(withRowID(columns, rowID)) {
			from := id
			if i < len(cols) {
				from = cols[i]
			}
			rest.Cols = append(rest.Cols, rel.Computed{Column: c, Expr: from.Ref()})
		}
		parts = append(parts, rest)
	}
	logs := set.rows.stream(set.slices, set.folds)
	own := &rel.Project{In: &rel.Filter{In: logs, Cond: function("not", types.Boolean, logs.Cols[logDeleted].Ref())}}
	for i, c := range fresh(withRowID(columns, rowID)) {
		var x rel.Expr = logRowID(logs.Cols)
		if i < len(columns) {
			x = logs.Cols[set.rows.valueColumn(i)].Ref()
		}
		own.Cols = append(own.Cols, rel.Computed{Column: c, Expr: x})
	}
	return append(parts, own), nil
}

// keyedBase is the rows of base files: fresh columns in the place of columns, and the row id.
func (s *Snapshot) keyedBase(slices []*fileSlice, columns []rel.Column) (base rel.Node, cols []rel.Column, id rel.Column, err error) {
	cols = fresh(columns)
	id = newRowID()
	base, err = s.baseRows(slices, cols, &id, nil)
	return base, cols, id, err
}

// sameKey is true for a row of a base file and the row of the logs that speaks of it.
func sameKey(id rel.Column, logs *rel.Stream) rel.Expr {
	return function("and", types.Boolean,
		function("=", types.Boolean, &rel.Field{X: id.Ref(), Index: 0}, logs.Cols[logFileNumber].Ref()),
		function("=", types.Boolean, &rel.Field{X: id.Ref(), Index: 2}, logs.Cols[logKey].Ref()))
}

// samePlace is true for a row of a base file and the row of the logs that stands in its place.
func samePlace(id rel.Column, logs *rel.Stream) rel.Expr {
	return function("and", types.Boolean,
		function("=", types.Boolean, &rel.Field{X: id.Ref(), Index: 0}, logs.Cols[logFileNumber].Ref()),
		function("=", types.Boolean, &rel.Field{X: id.Ref(), Index: 1}, logs.Cols[logPosition].Ref()))
}

// logRowID is the row id of a row of the logs.
func logRowID(logs []rel.Column) rel.Expr {
	return &rel.Call{Name: "struct", T: rowIDType, Args: []rel.Expr{logs[logFileNumber].Ref(), logs[logPosition].Ref(), logs[logKey].Ref()}}
}

func function(name string, t types.Type, args ...rel.Expr) *rel.Call {
	return &rel.Call{Name: name, T: t, Null: true, Args: args}
}

// withBase is the rows of slices whose logs are joined with their base files.
func (s *Snapshot) withBase(set logSet, columns []rel.Column, rowID *rel.Column) (rel.Node, error) {
	l := set.rows
	want := append([]rel.Column(nil), columns...)
	for _, f := range l.ordering {
		want = append(want, rel.Column{Name: f.Name, Type: f.Type, Nullable: true})
	}
	cols := fresh(distinctColumns(want))
	id := newRowID()
	if set.placed && rowID == nil {
		id.Type = rel.RowIDType
	}
	base, err := s.baseRows(set.slices, cols, &id, nil)
	if err != nil {
		return nil, err
	}
	logs := l.stream(set.slices, set.folds)
	on := sameKey(id, logs)
	if set.placed {
		on = samePlace(id, logs)
	}
	join := &rel.Join{Kind: rel.FullOuter, Left: base, Right: logs, On: on}
	wins := rel.NewColumn("logs win", types.Boolean)
	named := func(name string) rel.Expr {
		for _, c := range cols {
			if c.Name == name {
				return c.Ref()
			}
		}
		return &rel.Lit{T: types.Void}
	}
	marked := &rel.Project{In: join, Cols: []rel.Computed{{Column: wins, Expr: l.wins(logs.Cols, named)}}}
	for _, c := range join.Columns() {
		marked.Cols = append(marked.Cols, rel.Computed{Column: c, Expr: c.Ref()})
	}
	gone := function("and", types.Boolean, wins.Ref(), logs.Cols[logDeleted].Ref())
	out := &rel.Project{In: &rel.Filter{In: marked, Cond: function("not", types.Boolean, function("coalesce", types.Boolean, gone, &rel.Lit{T: types.Boolean, Value: false}))}}
	for i, c := range columns {
		from := rel.Expr(wins.Ref())
		if l.lacking {
			from = function("and", types.Boolean, from, logs.Cols[l.hasColumn(i)].Ref())
		}
		log := logs.Cols[l.valueColumn(i)]
		out.Cols = append(out.Cols, rel.Computed{Column: c, Expr: choose(from, log.Ref(), l.older(named(c.Name), log, logs.Cols[logDeleted]), c.Type)})
	}
	if rowID != nil {
		out.Cols = append(out.Cols, rel.Computed{Column: *rowID, Expr: choose(wins.Ref(), logRowID(logs.Cols), id.Ref(), rowIDType)})
	}
	return out, nil
}

// older is the value of the base file, which the logs fill where it stands for that of an older row.
func (l *logRows) older(base rel.Expr, log, deleted rel.Column) rel.Expr {
	none := &rel.Lit{T: log.Type}
	fill := choose(deleted.Ref(), none, log.Ref(), log.Type)
	switch {
	case l.rule.keepsNulls == nullsKeepOlder:
		return function("coalesce", log.Type, base, fill)
	case l.rule.unavailable != "" && log.Type == types.Type(types.String):
		marked := function("=", types.Boolean, base, &rel.Lit{T: types.String, Value: l.rule.unavailable})
		return choose(marked, function("coalesce", log.Type, fill, base), base, log.Type)
	}
	return base
}

// distinctColumns is columns without those of a name that came before.
func distinctColumns(columns []rel.Column) (out []rel.Column) {
	seen := map[string]bool{}
	for _, c := range columns {
		if !seen[c.Name] {
			out = append(out, c)
		}
		seen[c.Name] = true
	}
	return out
}

func choose(cond, then, otherwise rel.Expr, t types.Type) rel.Expr {
	return &rel.Case{Whens: []rel.When{{If: cond, Then: then}}, Else: otherwise, T: t}
}

// wins is true for joined rows of which the logs' side counts: there is one, and no row of a base file with a larger ordering value.
func (l *logRows) wins(logs []rel.Column, base func(name string) rel.Expr) rel.Expr {
	isLog := function("isnotnull", types.Boolean, logs[logFileNumber].Ref())
	if len(l.ordering) == 0 {
		return isLog
	}
	var larger rel.Expr
	for k := len(l.ordering) - 1; k >= 0; k-- {
		b, log := base(l.ordering[k].Name), logs[logFirst+k].Ref()
		more := rel.Expr(function(">", types.Boolean, b, log))
		if l.rule.sequence {
			more = not(precedes(b, log))
		}
		if larger != nil {
			more = function("or", types.Boolean, more, function("and", types.Boolean, function("=", types.Boolean, b, log), larger))
		}
		larger = more
	}
	no := &rel.Lit{T: types.Boolean, Value: false}
	stays := function("and", types.Boolean, function("not", types.Boolean, logs[logAlways].Ref()), function("coalesce", types.Boolean, larger, no))
	return function("and", types.Boolean, isLog, function("not", types.Boolean, function("coalesce", types.Boolean, stays, no)))
}
