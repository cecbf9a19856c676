package duckdb

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"
	duck "github.com/duckdb/duckdb-go-bindings"
)

// column collects the values of one column, or of one nested child, in Arrow layout:
//
//	vectors of up to 2,048 rows --append--> valid, offs, data, kids --finish--> array.Data
type column struct {
	typ   arrow.DataType
	add   func(c *column, v duck.Vector, off, n int) error
	width int // bytes of a fixed-width value
	size  int // values per row of a fixed-size list
	kids  []*column
	dict  []string // texts of an enum

	pool     *pool
	n, nulls int
	valid    []byte
	data     []byte
	offs     []int32
	want     int // rows the batch is meant to have
}

// newColumn makes the collector for values of type t that yields want, or t's natural Arrow type when
// want is nil. A want that t's values cannot be read as is an error: the plan and the engine disagree.
func newColumn(t duck.LogicalType, want arrow.DataType) (*column, error) {
	id := duck.GetTypeId(t)
	if want != nil && want.ID() == arrow.NULL {
		return &column{typ: want, add: addNull}, nil
	}
	var c *column
	var err error
	switch id {
	case duck.TypeList, duck.TypeArray, duck.TypeMap, duck.TypeStruct:
		return nestedColumn(id, t, want)
	case duck.TypeDecimal:
		c = decimalColumn(t)
	case duck.TypeEnum:
		c = enumColumn(t)
	default:
		c, err = flatColumn(id)
	}
	if err != nil {
		return nil, err
	}
	if want != nil {
		if !sameLayout(c.typ, want) {
			return nil, mismatch(c.typ, want)
		}
		c.typ = want
	}
	return c, nil
}

func mismatch(got, want arrow.DataType) error {
	return fmt.Errorf("duckdb: the engine gives %v where the plan says %v", got, want)
}

// sameLayout reports whether values of Arrow type got may be labelled want without a change of a bit.
func sameLayout(got, want arrow.DataType) bool {
	switch w := want.(type) {
	case *arrow.DurationType:
		return got.ID() == arrow.INT64 && w.Unit == arrow.Microsecond
	case *arrow.MonthIntervalType:
		return got.ID() == arrow.INT32
	case *arrow.TimestampType:
		g, ok := got.(*arrow.TimestampType)
		return ok && g.Unit == w.Unit && (g.TimeZone == "") == (w.TimeZone == "")
	}
	return arrow.TypeEqual(got, want)
}

func flatColumn(id duck.Type) (*column, error) {
	fixed := func(w int, at arrow.DataType) (*column, error) {
		return &column{typ: at, width: w, add: addFixed}, nil
	}
	switch id {
	case duck.TypeBoolean:
		return &column{typ: arrow.FixedWidthTypes.Boolean, add: addBool}, nil
	case duck.TypeTinyInt:
		return fixed(1, arrow.PrimitiveTypes.Int8)
	case duck.TypeSmallInt:
		return fixed(2, arrow.PrimitiveTypes.Int16)
	case duck.TypeInteger:
		return fixed(4, arrow.PrimitiveTypes.Int32)
	case duck.TypeBigInt:
		return fixed(8, arrow.PrimitiveTypes.Int64)
	case duck.TypeUTinyInt:
		return fixed(1, arrow.PrimitiveTypes.Uint8)
	case duck.TypeUSmallInt:
		return fixed(2, arrow.PrimitiveTypes.Uint16)
	case duck.TypeUInteger:
		return fixed(4, arrow.PrimitiveTypes.Uint32)
	case duck.TypeUBigInt:
		return fixed(8, arrow.PrimitiveTypes.Uint64)
	case duck.TypeHugeInt:
		return fixed(16, &arrow.Decimal128Type{Precision: 38})
	case duck.TypeFloat:
		return fixed(4, arrow.PrimitiveTypes.Float32)
	case duck.TypeDouble:
		return fixed(8, arrow.PrimitiveTypes.Float64)
	case duck.TypeDate:
		return fixed(4, arrow.FixedWidthTypes.Date32)
	case duck.TypeTime:
		return fixed(8, arrow.FixedWidthTypes.Time64us)
	case duck.TypeTimestampS:
		return fixed(8, &arrow.TimestampType{Unit: arrow.Second})
	case duck.TypeTimestampMS:
		return fixed(8, &arrow.TimestampType{Unit: arrow.Millisecond})
	case duck.TypeTimestamp:
		return fixed(8, &arrow.TimestampType{Unit: arrow.Microsecond})
	case duck.TypeTimestampNS:
		return fixed(8, &arrow.TimestampType{Unit: arrow.Nanosecond})
	case duck.TypeTimestampTZ:
		return fixed(8, &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"})
	case duck.TypeInterval:
		return &column{typ: arrow.FixedWidthTypes.MonthDayNanoInterval, width: 16, add: addInterval}, nil
	case duck.TypeVarchar:
		return &column{typ: arrow.BinaryTypes.String, add: addString}, nil
	case duck.TypeBlob:
		return &column{typ: arrow.BinaryTypes.Binary, add: addString}, nil
	case duck.TypeUUID:
		return &column{typ: arrow.BinaryTypes.String, add: addUUID}, nil
	case duck.TypeSQLNull:
		return &column{typ: arrow.Null, add: addNull}, nil
	}
	return nil, fmt.Errorf("duckdb: type %d has no Arrow form here", id)
}

func decimalColumn(t duck.LogicalType) *column {
	c := &column{
		typ:   &arrow.Decimal128Type{Precision: int32(duck.DecimalWidth(t)), Scale: int32(duck.DecimalScale(t))},
		width: 16,
	}
	switch duck.DecimalInternalType(t) {
	case duck.TypeSmallInt:
		c.add = addDecimal[int16]
	case duck.TypeInteger:
		c.add = addDecimal[int32]
	case duck.TypeBigInt:
		c.add = addDecimal[int64]
	default:
		c.add = addFixed
	}
	return c
}

func enumColumn(t duck.LogicalType) *column {
	c := &column{typ: arrow.BinaryTypes.String}
	for i := range duck.EnumDictionarySize(t) {
		c.dict = append(c.dict, duck.EnumDictionaryValue(t, duck.IdxT(i)))
	}
	switch duck.EnumInternalType(t) {
	case duck.TypeUTinyInt:
		c.add = addEnum[uint8]
	case duck.TypeUSmallInt:
		c.add = addEnum[uint16]
	default:
		c.add = addEnum[uint32]
	}
	return c
}

func nestedColumn(id duck.Type, t duck.LogicalType, want arrow.DataType) (*column, error) {
	switch id {
	case duck.TypeList:
		return listColumn(t, want)
	case duck.TypeArray:
		return arrayColumn(t, want)
	case duck.TypeMap:
		return mapColumn(t, want)
	}
	return structColumn(t, want)
}

// child makes the collector of a nested type, which it destroys.
func child(t duck.LogicalType, want arrow.DataType) (*column, error) {
	defer duck.DestroyLogicalType(&t)
	return newColumn(t, want)
}

func listColumn(t duck.LogicalType, want arrow.DataType) (*column, error) {
	var elem arrow.DataType
	if want != nil {
		w, ok := want.(*arrow.ListType)
		if !ok {
			return nil, mismatch(arrow.ListOf(arrow.Null), want)
		}
		elem = w.Elem()
	}
	k, err := child(duck.ListTypeChildType(t), elem)
	if err != nil {
		return nil, err
	}
	if want == nil {
		want = arrow.ListOf(k.typ)
	}
	return &column{typ: want, kids: []*column{k}, add: addList}, nil
}

func arrayColumn(t duck.LogicalType, want arrow.DataType) (*column, error) {
	size := int(duck.ArrayTypeArraySize(t))
	var elem arrow.DataType
	if want != nil {
		w, ok := want.(*arrow.FixedSizeListType)
		if !ok || int(w.Len()) != size {
			return nil, mismatch(arrow.FixedSizeListOf(int32(size), arrow.Null), want)
		}
		elem = w.Elem()
	}
	k, err := child(duck.ArrayTypeChildType(t), elem)
	if err != nil {
		return nil, err
	}
	if want == nil {
		want = arrow.FixedSizeListOf(int32(size), k.typ)
	}
	return &column{typ: want, size: size, kids: []*column{k}, add: addArray}, nil
}

func mapColumn(t duck.LogicalType, want arrow.DataType) (*column, error) {
	var key, item arrow.DataType
	if want != nil {
		w, ok := want.(*arrow.MapType)
		if !ok {
			return nil, mismatch(arrow.MapOf(arrow.Null, arrow.Null), want)
		}
		key, item = w.KeyType(), w.ItemType()
	}
	k, err := child(duck.MapTypeKeyType(t), key)
	if err != nil {
		return nil, err
	}
	v, err := child(duck.MapTypeValueType(t), item)
	if err != nil {
		return nil, err
	}
	if want == nil {
		want = arrow.MapOf(k.typ, v.typ)
	}
	entry := &column{typ: want.(*arrow.MapType).Elem(), kids: []*column{k, v}, add: addStruct}
	return &column{typ: want, kids: []*column{entry}, add: addList}, nil
}

// structColumn matches fields by position: names are the plan's business.
func structColumn(t duck.LogicalType, want arrow.DataType) (*column, error) {
	n := int(duck.StructTypeChildCount(t))
	var fields []arrow.Field
	if want != nil {
		w, ok := want.(*arrow.StructType)
		if !ok || w.NumFields() != n {
			return nil, mismatch(arrow.StructOf(), want)
		}
		fields = w.Fields()
	}
	c := &column{typ: want, add: addStruct}
	got := make([]arrow.Field, n)
	for i := range got {
		var w arrow.DataType
		if fields != nil {
			w = fields[i].Type
		}
		k, err := child(duck.StructTypeChildType(t, duck.IdxT(i)), w)
		if err != nil {
			return nil, err
		}
		c.kids = append(c.kids, k)
		got[i] = arrow.Field{Name: duck.StructTypeChildName(t, duck.IdxT(i)), Type: k.typ, Nullable: true}
	}
	if want == nil {
		c.typ = arrow.StructOf(got...)
	}
	return c, nil
}

// reset starts a new batch of about rows rows; the old buffers belong to the batch given away.
func (c *column) reset(p *pool, rows int) {
	size := rows * c.width
	if size == 0 && len(c.data) > 0 { // text: the last batch is the best guess
		size = len(c.data) + len(c.data)/8 + 16
	}
	for _, k := range c.kids {
		k.reset(p, max(rows, k.n))
	}
	c.pool, c.n, c.nulls, c.want, c.valid, c.offs, c.data = p, 0, 0, rows, nil, nil, nil
	if size > 0 {
		c.data = p.Allocate(size)[:0]
	}
}

// append adds rows [off, off+n) of the flat vector v.
func (c *column) append(v duck.Vector, off, n int) error { return c.add(c, v, off, n) }

// finish gives the collected rows away.
func (c *column) finish() *array.Data {
	buf := func(b []byte) *memory.Buffer { return memory.NewBufferWithAllocator(b, c.pool) }
	bufs := []*memory.Buffer{nil}
	if c.valid != nil {
		bufs[0] = buf(c.valid[:bitutil.BytesForBits(int64(c.n))])
	}
	switch id := c.typ.ID(); id {
	case arrow.NULL:
		c.nulls = c.n
	case arrow.STRUCT, arrow.FIXED_SIZE_LIST:
	case arrow.LIST, arrow.MAP, arrow.STRING, arrow.BINARY:
		o := c.offsets()
		bufs = append(bufs, buf(arrow.Int32Traits.CastToBytes(o[:cap(o)])[:4*len(o)]))
		if id == arrow.STRING || id == arrow.BINARY {
			bufs = append(bufs, buf(c.data))
		}
	default:
		bufs = append(bufs, buf(c.data))
	}
	kids := make([]arrow.ArrayData, len(c.kids))
	for i, k := range c.kids {
		kids[i] = k.finish()
	}
	d := array.NewData(c.typ, c.n, bufs, kids, c.nulls, 0)
	for _, b := range bufs {
		if b != nil {
			b.Release()
		}
	}
	for _, k := range kids {
		k.Release()
	}
	return d
}

// offsets gives the offset buffer, which always holds one more entry than there are rows.
func (c *column) offsets() []int32 {
	if c.offs == nil {
		b := c.pool.Allocate(4 * (c.want + 1))
		c.offs = arrow.Int32Traits.CastFromBytes(b[:cap(b)])[:1]
		c.offs[0] = 0
	}
	return c.offs
}
