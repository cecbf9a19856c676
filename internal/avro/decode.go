package avro

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tarn-lake/tarn/types"
)

// Bounds of what a decoder holds between two batches.
const (
	maxHeld   = 1 << 30 // bytes of records: offsets of Arrow are 32 bits
	freeCells = 1 << 23 // cells that took no bytes: 64 MiB
	cellRatio = 16      // and as many more for each byte
)

// A Decoder lays records of one writer's schema into Arrow columns of the types that a reader wants, as [types.Arrow]
// gives them. Fields are found by name; those that nobody wants are passed over, those that the writer lacks are NULL.
//
// Values are promoted as Avro and Hudi do: int → bigint → float → double, numbers, dates and decimals → string,
// string ↔ binary, whole numbers → decimal, decimals to a scale that is not smaller. A value that its type cannot
// hold is an error.
type Decoder struct {
	fields  []arrow.Field
	columns []column // nil where the writer lacks the field
	lacks   []bool
	steps   []step
	c       cursor
	rows    int
	held    int
}

// step decodes one value of a record.
type step func(*cursor)

// NewDecoder prepares the decoding. It is an error when a field of the writer cannot become the type that is wanted.
func NewDecoder(writer *Schema, want []types.Field) (*Decoder, error) {
	if writer.root.kind != kRecord {
		return nil, fmt.Errorf("avro: %v has no fields", writer.root)
	}
	d := &Decoder{fields: types.ArrowFields(types.Struct{Fields: want}), lacks: make([]bool, len(want))}
	d.columns = make([]column, len(want))
	for i, f := range want {
		d.lacks[i] = !writer.Has(f.Name)
		if !d.lacks[i] {
			d.columns[i] = newColumn(f.Type)
		}
	}
	var err error
	if d.steps, err = compileFields(writer.root, want, d.columns); err != nil {
		return nil, fmt.Errorf("avro: %w", err)
	}
	d.c.budget = freeCells
	return d, nil
}

// Lacks says which of the wanted fields the writer does not have. It must not be changed.
func (d *Decoder) Lacks() []bool { return d.lacks }

// Len is the number of records since the last batch.
func (d *Decoder) Len() int { return d.rows }

// Size is the number of bytes of the records since the last batch.
func (d *Decoder) Size() int { return d.held }

// Reserve makes room for n more records. It is the caller that knows that there can be so many.
func (d *Decoder) Reserve(n int) {
	for _, c := range d.columns {
		if c != nil {
			c.Reserve(n)
		}
	}
}

// Append decodes one record, which is not kept. After an error the decoder is spent: it gives the same error again.
func (d *Decoder) Append(record []byte) error {
	c := &d.c
	if c.err != nil {
		return c.err
	}
	if d.held += len(record); d.held > maxHeld {
		c.err = fmt.Errorf("avro: batch of more than %d bytes", maxHeld)
		return c.err
	}
	c.b, c.pos, c.budget = record, 0, c.budget+cellRatio*len(record)
	for _, s := range d.steps {
		s(c)
	}
	if c.err == nil && c.left() > 0 {
		c.fail("%d bytes are left after the last field", c.left())
	}
	if c.err != nil {
		c.err = fmt.Errorf("avro: record %d: %w", d.rows, c.err)
		return c.err
	}
	d.rows++
	return nil
}

// Batch gives the records since the last batch, and starts the next one. It is empty after an error.
func (d *Decoder) Batch() arrow.RecordBatch {
	if d.c.err != nil {
		d.rows = 0
	}
	columns := make([]arrow.Array, len(d.fields))
	for i, b := range d.columns {
		if b == nil || d.c.err != nil {
			columns[i] = array.MakeArrayOfNull(memory.DefaultAllocator, d.fields[i].Type, d.rows)
		} else {
			columns[i] = b.NewArray()
		}
	}
	batch := array.NewRecordBatch(arrow.NewSchema(d.fields, nil), columns, int64(d.rows))
	d.rows, d.held, d.c.budget = 0, 0, freeCells
	return batch
}

// compileFields makes the steps of a record's fields, in the writer's order. Columns that are nil belong to fields that
// the writer lacks.
func compileFields(n *node, want []types.Field, columns []column) ([]step, error) {
	wanted := make(map[string]int, len(want))
	for i, f := range want {
		if _, ok := wanted[f.Name]; ok {
			return nil, fmt.Errorf("field %s is wanted twice", f.Name)
		}
		wanted[f.Name] = i
	}
	steps := make([]step, 0, len(n.fields))
	for _, f := range n.fields {
		i, ok := wanted[f.name]
		if !ok {
			steps = append(steps, skipStep(f.node))
			continue
		}
		s, err := compile(f.node, want[i].Type, columns[i])
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", f.name, err)
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// compile makes the step of a value that may be null.
func compile(n *node, t types.Type, b column) (step, error) {
	if n.kind == kUnion && len(n.branches) == 1 {
		return compileSingle(n.branches[0], t, b)
	}
	n, null := n.optional()
	value, err := compileValue(n, t, b)
	if err != nil || null < 0 {
		return value, err
	}
	cells := 0
	if _, ok := t.(types.Struct); ok {
		cells = leaves(t)
	}
	return func(c *cursor) {
		switch branch := c.long(); {
		case branch == int64(null):
			c.spend(cells)
			b.AppendNull()
		case branch == int64(1-null):
			value(c)
		default:
			c.fail("union has no branch %d", branch)
		}
	}, nil
}

// compileSingle makes the step of a union of one type, which still says that it is the first.
func compileSingle(n *node, t types.Type, b column) (step, error) {
	value, err := compileValue(n, t, b)
	return func(c *cursor) {
		if branch := c.long(); branch != 0 {
			c.fail("union has no branch %d", branch)
		}
		value(c)
	}, err
}

// leaves is the number of columns that hold values of t.
func leaves(t types.Type) int {
	s, ok := t.(types.Struct)
	if !ok {
		return 1
	}
	n := 1
	for _, f := range s.Fields {
		n += leaves(f.Type)
	}
	return n
}

func compileValue(n *node, t types.Type, b column) (step, error) {
	if n.kind == kNull {
		return func(*cursor) { b.AppendNull() }, nil
	}
	var s step
	var err error
	switch t := t.(type) {
	case types.Array:
		if n.kind == kArray {
			s, err = arrayStep(n, t, b.(*array.ListBuilder))
		}
	case types.Map:
		if n.kind == kMap && types.Text(t.Key) {
			s, err = mapStep(n, t, b.(*array.MapBuilder))
		}
	case types.Struct:
		if n.kind == kRecord {
			s, err = recordStep(n, t, b.(*array.StructBuilder))
		}
	default:
		s = leafStep(n, t, b)
	}
	if s == nil && err == nil {
		err = fmt.Errorf("%v cannot be read as %v", n, t)
	}
	return s, err
}

func arrayStep(n *node, t types.Array, b *array.ListBuilder) (step, error) {
	item, err := compile(n.elem, t.Elem, b.ValueBuilder())
	if err != nil {
		return nil, err
	}
	cells := 0
	if n.elem.empty() {
		cells = 1
	}
	return func(c *cursor) {
		b.Append(true)
		for k := c.block(cells); k > 0; k = c.block(cells) {
			for ; k > 0 && c.err == nil; k-- {
				item(c)
			}
		}
	}, nil
}

func mapStep(n *node, t types.Map, b *array.MapBuilder) (step, error) {
	key := textStep(b.KeyBuilder())
	item, err := compile(n.elem, t.Value, b.ItemBuilder())
	if err != nil {
		return nil, err
	}
	return func(c *cursor) {
		b.Append(true)
		for k := c.block(0); k > 0; k = c.block(0) {
			for ; k > 0 && c.err == nil; k-- {
				key(c)
				item(c)
			}
		}
	}, nil
}

func recordStep(n *node, t types.Struct, b *array.StructBuilder) (step, error) {
	columns := make([]column, len(t.Fields))
	var missing []column
	cells := 0
	for i, f := range t.Fields {
		columns[i] = b.FieldBuilder(i)
		if n.field(f.Name) < 0 {
			missing = append(missing, columns[i])
			cells += leaves(f.Type)
		}
	}
	steps, err := compileFields(n, t.Fields, columns)
	if err != nil {
		return nil, err
	}
	return func(c *cursor) {
		b.Append(true)
		c.spend(cells)
		for _, m := range missing {
			m.AppendNull()
		}
		for _, s := range steps {
			s(c)
		}
	}, nil
}
