package hudi

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tarn-lake/tarn/internal/bitmap"
	"github.com/tarn-lake/tarn/types"
)

// A fold brings the logs of a slice down to one row per key. Its memory is the decoded columns of all log records of the slice.
type fold struct {
	rule     *mergeRule
	fields   []types.Field // decoded columns: the wanted ones first, then those that the fold needs itself
	wanted   int
	ordering []int // in fields
	deleted  int   // _hoodie_is_deleted in fields, or -1
	marker   int   // the delete field in fields, or -1
	op       int   // _hoodie_operation in fields; logs may have it where the table's schema does not
	keys     keys

	parts   []*part
	entries []entry
	byKey   map[string]int32
	hidden  bitmap.Set // rows of the base file that the logs speak of, as far as their blocks say
}

// place is a row of a part.
type place struct{ part, row int32 }

// entry is what the logs say of one key. Its values are those of the first of its rows that has the column; a row that is whole ends
// the search.
type entry struct {
	key      string
	row      place
	older    []place // rows whose values show where those before have none
	deletion bool
	block    bool // a deletion of a block of keys: it has no row
	ordering orderingValue
	base     int64 // the row of the base file that has the key, unknown where the blocks do not say
}

// unknown is the position of a row that blocks do not place.
const unknown = -1

// rows are the rows of e, the newest first.
func (e *entry) rows(yield func(place) bool) {
	if e.block || !yield(e.row) {
		return
	}
	for _, p := range e.older {
		if !yield(p) {
			return
		}
	}
}

// newFold prepares the fold of wanted columns.
func (s *Snapshot) newFold(rule *mergeRule, wanted []types.Field) *fold {
	f := &fold{rule: rule, fields: append([]types.Field(nil), wanted...), wanted: len(wanted), byKey: map[string]int32{}}
	names := s.keyColumns()
	at := make([]int, len(names))
	for i, name := range names {
		at[i] = f.need(s, name)
	}
	f.keys = s.keyReader(at, names)
	for _, name := range rule.ordering {
		f.ordering = append(f.ordering, f.need(s, name))
	}
	f.deleted, f.marker = f.needOptional(s, isDeletedColumn), -1
	if rule.deleteField != "" {
		f.marker = f.needOptional(s, rule.deleteField)
	}
	f.op = f.need(s, operationColumn)
	return f
}

// need is the number of a column by name, which is added when it is not there.
func (f *fold) need(s *Snapshot, name string) int {
	if i := s.schema.Index(name); i >= 0 {
		name = s.schema.Fields[i].Name
	}
	for i, field := range f.fields {
		if field.Name == name {
			return i
		}
	}
	field := types.Field{Name: name, Type: types.String, Nullable: true}
	if i := s.schema.Index(name); i >= 0 {
		field = s.schema.Fields[i]
	}
	f.fields = append(f.fields, field)
	return len(f.fields) - 1
}

// needOptional is need for a column that tables need not have: -1.
func (f *fold) needOptional(s *Snapshot, name string) int {
	if s.schema.Index(name) < 0 {
		return -1
	}
	return f.need(s, name)
}

// run folds the blocks of a slice.
func (f *fold) run(ctx context.Context, s *Snapshot, l *logBlocks) error {
	r := newBlockReader(s, f.fields)
	for _, b := range l.blocks {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		p, err := r.read(b)
		if err != nil {
			return fmt.Errorf("log of file group %s: %w", l.slice.FileID, err)
		}
		if err := f.place(s, l.slice, b, p); err != nil {
			return fmt.Errorf("log of file group %s: %w", l.slice.FileID, err)
		}
		f.parts = append(f.parts, p)
		if err := f.add(int32(len(f.parts)-1), p); err != nil {
			return fmt.Errorf("log of file group %s: block at byte %d: %w", l.slice.FileID, b.Offset, err)
		}
	}
	return nil
}

func (f *fold) add(number int32, p *part) error {
	if p.keys {
		f.addDeletions(p)
		return nil
	}
	if len(f.entries) == 0 {
		f.entries, f.byKey = make([]entry, 0, p.rows), make(map[string]int32, p.rows)
	}
	ordering := make([]arrow.Array, len(f.ordering))
	for i, c := range f.ordering {
		ordering[i] = p.columns[c]
	}
	for row := range p.rows {
		key, err := f.keys(p, row)
		if err != nil {
			return err
		}
		e := entry{key: key, row: place{number, int32(row)}, deletion: f.deletes(p, row), ordering: orderingAt(ordering, row), base: p.place(row)}
		f.put(e, p.partial)
	}
	return nil
}

// deletes reports whether a row is a deletion.
func (f *fold) deletes(p *part, row int) bool {
	if f.deleted >= 0 {
		if c, ok := p.columns[f.deleted].(*array.Boolean); ok && c.IsValid(row) && c.Value(row) {
			return true
		}
	}
	if c, ok := p.columns[f.op].(*array.String); ok && c.IsValid(row) && c.Value(row) == operationDelete {
		return true
	}
	if f.marker >= 0 && p.columns[f.marker] != nil && p.columns[f.marker].IsValid(row) {
		return f.rule.deletes(p.columns[f.marker].ValueStr(row))
	}
	return false
}

func (f *fold) addDeletions(p *part) {
	columns := make([]types.Type, len(f.ordering))
	for i, c := range f.ordering {
		columns[i] = f.fields[c].Type
	}
	for i, d := range p.deletions {
		f.put(entry{key: d.Key, deletion: true, block: true, ordering: deletionOrdering(d.Ordering, columns), base: p.place(i)}, false)
	}
}

// put merges a record with what the logs said of its key before.
func (f *fold) put(e entry, partial bool) {
	i, ok := f.byKey[e.key]
	if !ok {
		f.byKey[e.key] = int32(len(f.entries))
		f.entries = append(f.entries, e)
		return
	}
	old := &f.entries[i]
	e.base = max(old.base, e.base)
	old.base = e.base
	through := f.rule.keepsNulls == nullsKeepOlder || f.rule.unavailable != ""
	rows := !e.deletion && !old.deletion
	switch newer := f.replaces(old, &e); {
	case newer && rows && (partial || through):
		e.older = append([]place{old.row}, old.older...)
		*old = e
	case newer:
		*old = e
	case rows && (through || f.parts[old.row.part].partial):
		old.older = append(old.older, e.row)
	}
}

// replaces reports whether a record takes the place of an earlier one of its key.
func (f *fold) replaces(old, e *entry) bool {
	switch {
	case len(f.ordering) == 0, e.ordering == natural, old.ordering == natural:
		return true
	case f.rule.onlyDeletes && !e.deletion && !old.deletion:
		return true
	case old.deletion && !f.rule.deletesCount:
		return true // before table version 8, deletions leave no trace for the rows after them
	}
	return compareOrdering(e.ordering, old.ordering) >= 0
}

// always reports whether an entry goes before a row of the base file, whatever their ordering values.
func (f *fold) always(e *entry) bool {
	return !f.rule.overBase || e.ordering == natural || e.block && !f.rule.deletesCount || f.rule.onlyDeletes && !e.deletion
}

// column is the values of a wanted column, and which entries have one: the others have that of the base file.
func (f *fold) column(c int) (values, has arrow.Array) {
	h := array.NewBooleanBuilder(memory.DefaultAllocator)
	h.Reserve(len(f.entries))
	if f.single() && f.parts[0].columns[c] != nil {
		for range f.entries {
			h.UnsafeAppend(true)
		}
		return f.parts[0].columns[c], h.NewArray()
	}
	b := array.NewBuilder(memory.DefaultAllocator, types.Arrow(f.fields[c].Type))
	b.Reserve(len(f.entries))
	for i := range f.entries {
		h.UnsafeAppend(f.value(b, c, &f.entries[i]))
	}
	return b.NewArray(), h.NewArray()
}

// single reports whether the entries are the rows of one part, in their order, each with all its values.
func (f *fold) single() bool {
	return len(f.parts) == 1 && f.parts[0].deletions == nil && f.parts[0].rows == len(f.entries) &&
		f.rule.keepsNulls == nullsReplace && f.rule.unavailable == ""
}

// value appends the value of a column to b, and reports whether the entry has one.
func (f *fold) value(b array.Builder, c int, e *entry) bool {
	for at := range e.rows {
		p := f.parts[at.part]
		a := p.columns[c]
		if a == nil && p.partial || f.keepsOlder(a, int(at.row)) {
			continue
		}
		appendCell(b, a, int(at.row))
		return true
	}
	b.AppendNull()
	return false
}

// keepsOlder reports whether a value stands for that of the older row.
func (f *fold) keepsOlder(a arrow.Array, row int) bool {
	if a == nil || a.IsNull(row) {
		return f.rule.keepsNulls != nullsReplace
	}
	if f.rule.unavailable == "" {
		return false
	}
	switch a := a.(type) {
	case *array.String:
		return a.Value(row) == f.rule.unavailable
	case *array.Binary:
		return string(a.Value(row)) == f.rule.unavailable
	}
	return false
}

// orderings is the values of an ordering column, by its number among them; NULL where the logs go first always.
func (f *fold) orderings(k int) arrow.Array {
	t := types.Arrow(f.fields[f.ordering[k]].Type)
	b := array.NewBuilder(memory.DefaultAllocator, t)
	for i := range f.entries {
		e := &f.entries[i]
		switch {
		case e.ordering == natural:
			b.AppendNull()
		case e.block:
			appendOrdering(b, e.ordering, k)
		default:
			appendCell(b, f.parts[e.row.part].columns[f.ordering[k]], int(e.row.row))
		}
	}
	return b.NewArray()
}

// lowest is the smallest ordering value of the entries that do not go first always; false when all do. It is of a table with one
// ordering column.
func (f *fold) lowest() (low orderingValue, ok bool) {
	for i := range f.entries {
		e := &f.entries[i]
		if !f.always(e) && (!ok || compareOrdering(e.ordering, low) < 0) {
			low, ok = e.ordering, true
		}
	}
	return low, ok
}

// lacks reports whether some row has no value for a wanted column, so that the base file's counts.
func (f *fold) lacks() bool {
	may := f.rule.keepsNulls != nullsReplace || f.rule.unavailable != ""
	for _, p := range f.parts {
		may = may || p.partial
	}
	if !may {
		return false
	}
	for i := range f.entries {
		for c := range f.wanted {
			if e := &f.entries[i]; !e.deletion && !f.finds(c, e) {
				return true
			}
		}
	}
	return false
}

// finds reports whether the rows of an entry have a value of a column.
func (f *fold) finds(c int, e *entry) bool {
	for at := range e.rows {
		p := f.parts[at.part]
		if a := p.columns[c]; (a != nil || !p.partial) && !f.keepsOlder(a, int(at.row)) {
			return true
		}
	}
	return false
}
