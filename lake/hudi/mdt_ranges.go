package hudi

import (
	"bytes"
	"cmp"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// ranges gathers what the metadata table keeps of the values of columns, from the rows of a log file. Engines tell it of base files.
type ranges struct {
	fields []types.Field
	rows   int64
	list   []columnRange
}

type columnRange struct {
	least, most types.Value // nil when there is none
	nulls       int64
	nan         bool
	unknown     bool // of a type that has no order here
}

func newRanges(fields []types.Field) *ranges {
	r := &ranges{fields: fields}
	r.reset()
	return r
}

// reset forgets the rows seen so far.
func (r *ranges) reset() { r.rows, r.list = 0, make([]columnRange, len(r.fields)) }

// add takes in a row of columns.
func (r *ranges) add(columns []arrow.Array, row int) error {
	r.rows++
	for i, f := range r.fields {
		c := &r.list[i]
		switch {
		case c.unknown:
		case !scalar(f.Type):
			c.unknown = true
		case columns[i].IsNull(row):
			c.nulls++
		default:
			if s, ok := columns[i].(*array.String); ok && !c.widens(s.Value(row)) {
				continue
			}
			v, err := types.ValueAt(columns[i], row, f.Type)
			if err != nil {
				return err
			}
			c.take(v)
		}
	}
	return nil
}

// widens reports whether a text lies outside of the range: most do not, and need not be copied.
func (c *columnRange) widens(s string) bool {
	least, ok := c.least.(string)
	most, _ := c.most.(string)
	return !ok || s < least || s > most
}

func (c *columnRange) take(v types.Value) {
	if types.IsNaN(v) {
		c.nan = true
		return
	}
	if s, ok := v.(string); ok { // its bytes are of the batch
		v = string([]byte(s))
	}
	if c.least == nil {
		c.least, c.most = v, v
		return
	}
	below, ok := compareScalars(v, c.least)
	above, ok2 := compareScalars(v, c.most)
	switch {
	case !ok || !ok2:
		c.unknown = true
	case below < 0:
		c.least = v
	case above > 0:
		c.most = v
	}
}

// compareScalars orders two values of one type; ok is false for types without an order.
func compareScalars(a, b types.Value) (order int, ok bool) {
	switch a := a.(type) {
	case bool:
		switch {
		case a == b.(bool):
			return 0, true
		case a:
			return 1, true
		}
		return -1, true
	case int64:
		return cmp.Compare(a, b.(int64)), true
	case int32:
		return cmp.Compare(a, b.(int32)), true
	case float32:
		return cmp.Compare(a, b.(float32)), true
	case float64:
		return cmp.Compare(a, b.(float64)), true
	case string:
		return cmp.Compare(a, b.(string)), true
	case []byte:
		return bytes.Compare(a, b.([]byte)), true
	case decimal128.Num:
		return a.Cmp(b.(decimal128.Num)), true
	}
	return 0, false
}

// stats is what was gathered, in the form in which engines tell it.
func (r *ranges) stats() map[string]rel.Range {
	out := make(map[string]rel.Range, len(r.fields))
	for i, f := range r.fields {
		if c := r.list[i]; !c.unknown {
			out[f.Name] = rel.Range{Min: c.least, Max: c.most, Nulls: c.nulls, NaN: c.nan, Exact: true}
		}
	}
	return out
}
