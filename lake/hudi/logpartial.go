package hudi

import (
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tarn-lake/tarn/internal/avro"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/types"
)

// optPartialUpdates says whether MERGE INTO logs only the columns that it changes.
const optPartialUpdates = "hoodie.spark.sql.merge.into.partial.updates"

// changedColumns are the columns of changed rows that logs have after an edit, nil when they have all. Hudi's MERGE INTO logs only those
// that a clause assigns: on merge-on-read tables from version 8 on that name no rule for partial rows of their own, when the write has no
// global index. Where rows are ordered by event time, the ordering columns are among them. Tables that record changes log whole rows: their
// readers take the rows of a log for the rows behind a commit.
func (x *tx) changedColumns(c lake.Edit) ([]bool, error) {
	t := x.config()
	if !x.merges() || t.Version < 8 || c.Merge == nil || c.Kept == nil || !t.MetaFields || t.MergeMode == config.Custom || t.PartialUpdate != "" || t.CDC || x.evolved || x.base.history != nil ||
		!x.options.flag(optPartialUpdates, true) {
		return nil, nil
	}
	if global, err := x.global(); err != nil || global {
		return nil, err
	}
	own := ownColumns(x.view.schema).Fields
	out := make([]bool, len(own))
	some := false
	for i, field := range own {
		out[i] = !c.Kept[i]
		some = some || out[i]
		out[i] = out[i] || slices.ContainsFunc(x.orderingColumns(), func(name string) bool { return strings.EqualFold(name, field.Name) })
	}
	if !some || !slices.Contains(out, false) {
		return nil, nil
	}
	return out, nil
}

// recordForm is one of the forms of the records of a write: which of the columns they have.
type recordForm struct {
	schema  string
	encoder *avro.Encoder
	columns []int // of the rows of logRows, behind changedRecord
	values  []arrow.Array
	partial bool
}

// take chooses the columns of f from those of records.
func (f *recordForm) take(columns []arrow.Array) {
	f.values = f.values[:0]
	for _, c := range f.columns {
		f.values = append(f.values, columns[c])
	}
}

// newForm is the form of records with those columns for which has is true.
func (x *tx) newForm(columns []types.Field, has func(i int) bool) (*recordForm, error) {
	f := &recordForm{}
	var own []types.Field
	for i, c := range columns {
		if has(i) {
			own, f.columns = append(own, c), append(f.columns, i)
		}
	}
	f.partial = len(own) < len(columns)
	name, namespace := recordName(x.config().Name)
	text, err := avro.Text(name, namespace, types.Struct{Fields: own}, spelling(x.config()))
	if err != nil {
		return nil, err
	}
	schema, err := avro.Parse(text)
	if err != nil {
		return nil, err
	}
	f.schema = text
	f.encoder, err = avro.NewEncoder(schema, own)
	return f, err
}

// forms are the forms of new and of changed rows. Columns are those of records, own those of the table among them.
func (x *tx) forms(l *layout, f *freshRows, columns []types.Field) (whole, changed *recordForm, err error) {
	whole, err = x.newForm(columns, func(int) bool { return true })
	if err != nil || f.changed == nil {
		return whole, whole, err
	}
	var stored []bool // per column of records
	for range len(columns) - l.storedColumns() {
		stored = append(stored, true)
	}
	for i, has := range f.changed {
		if l.kept[i] {
			stored = append(stored, has)
		}
	}
	changed, err = x.newForm(columns, func(i int) bool { return stored[i] })
	return whole, changed, err
}

// storedColumns is the number of the table's columns that files hold.
func (l *layout) storedColumns() (n int) {
	for _, kept := range l.kept {
		if kept {
			n++
		}
	}
	return n
}
