package duckdb

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/big"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// use is one use of a function in Go: the types and settings of the call. Functions of equal name and use
// are one function in DuckDB.
type use struct {
	args   []types.Type
	result types.Type
	zone   string
	mode   rel.Mode
	param  string // constant text of a template
}

// udf is a function in Go of the function table: nulls says that it wants to see NULL arguments, volatile
// that it must run for each row.
type udf struct {
	make     func(u use) (Eval, error)
	nulls    bool
	volatile bool
	perUse   bool // each use in a statement has a state of its own
}

// errNull makes the result of a row NULL.
var errNull = errors.New("null")

// udfNamed finds a function by the name that templates call it by.
func udfNamed(name string) (udf, bool) {
	for _, family := range []map[string]udf{
		castFunctions, numberFunctions, decimalFunctions, textFunctions, codeFunctions, regexpFunctions,
		timeFunctions, intervalFunctions, collectionFunctions, jsonFunctions, hashFunctions, formatFunctions, randomFunctions,
	} {
		if f, ok := family[name]; ok {
			return f, true
		}
	}
	return udf{}, false
}

// udf says that the statement calls the function in Go of that name, and gives its name in DuckDB.
func (e *emitter) udf(name string, u use) (string, error) {
	f, ok := udfNamed(name)
	if !ok {
		return "", fmt.Errorf("duckdb: no function in Go is named %q", name)
	}
	h := fnv.New64a()
	fmt.Fprint(h, u.zone, 0, u.mode, 0, u.param, 0, shape(u.result))
	s := &Scalar{Nulls: f.nulls, Volatile: f.volatile, Result: types.Arrow(u.result)}
	for _, a := range u.args {
		fmt.Fprint(h, 0, shape(a))
		s.Args = append(s.Args, types.Arrow(a))
	}
	s.Name = fmt.Sprintf("tarn_%s_%x", name, h.Sum64())
	if known, ok := e.scalars[s.Name]; ok {
		return known.Name, nil
	}
	if f.perUse {
		s.Bind = func([]Arg) (Eval, error) { return f.make(u) }
		return e.use(s), nil
	}
	eval, err := f.make(u)
	if err != nil {
		return "", err
	}
	s.Eval = eval
	return e.use(s), nil
}

// shape spells a type with all that functions can tell apart.
func shape(t types.Type) string { return types.SQL(t) }

// row reads the arguments of one row.
type row struct {
	cols []cells
	i    int
	err  error // of reading an argument
}

// cells are the values of one argument.
type cells struct {
	v    Vec
	t    types.Type
	text Texts
	i8   []int8
	i16  []int16
	i32  []int32
	i64  []int64
	f32  []float32
	f64  []float64
	wide [][2]uint64
	arr  arrow.Array
}

func newCells(v Vec, t types.Type) (cells, error) {
	c := cells{v: v, t: t}
	switch t := t.(type) {
	case types.Decimal:
		switch {
		case t.P <= 4:
			c.i16 = Values[int16](v)
		case t.P <= 9:
			c.i32 = Values[int32](v)
		case t.P <= 18:
			c.i64 = Values[int64](v)
		default:
			c.wide = Values[[2]uint64](v)
		}
		return c, nil
	case types.YearMonth:
		c.i32 = Values[int32](v)
		return c, nil
	case types.DayTime, types.Time:
		c.i64 = Values[int64](v)
		return c, nil
	case types.Array, types.Map, types.Struct:
		a, err := v.Array()
		c.arr = a
		return c, err
	}
	if types.Text(t) {
		c.text = v.Texts()
		return c, nil
	}
	switch t {
	case types.Binary:
		c.text = v.Texts()
	case types.Boolean, types.Byte:
		c.i8 = Values[int8](v)
	case types.Short:
		c.i16 = Values[int16](v)
	case types.Int, types.Date, types.Void:
		c.i32 = Values[int32](v)
	case types.Long, types.Timestamp, types.TimestampNTZ:
		c.i64 = Values[int64](v)
	case types.Float:
		c.f32 = Values[float32](v)
	case types.Double:
		c.f64 = Values[float64](v)
	case types.CalendarInterval:
		c.wide = Values[[2]uint64](v)
	default:
		a, err := v.Array()
		c.arr = a
		return c, err
	}
	return c, nil
}

// null reports whether argument k is NULL.
func (r *row) null(k int) bool { return !r.cols[k].v.Valid(r.i) }

// bytes views argument k, a text or binary.
func (r *row) bytes(k int) []byte { return r.cols[k].text.At(r.i) }

// text views argument k as a string, which is good until the call ends.
func (r *row) text(k int) string {
	b := r.bytes(k)
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// int is argument k, a whole number, boolean, date, timestamp or interval of one number.
func (r *row) int(k int) int64 {
	switch c := &r.cols[k]; {
	case c.i64 != nil:
		return c.i64[r.i]
	case c.i32 != nil:
		return int64(c.i32[r.i])
	case c.i16 != nil:
		return int64(c.i16[r.i])
	case c.i8 != nil:
		return int64(c.i8[r.i])
	}
	return 0
}

// bool is argument k.
func (r *row) bool(k int) bool { return r.int(k) != 0 }

// float is argument k, any number.
func (r *row) float(k int) float64 {
	switch c := &r.cols[k]; {
	case c.f64 != nil:
		return c.f64[r.i]
	case c.f32 != nil:
		return float64(c.f32[r.i])
	}
	return float64(r.int(k))
}

// decimal is the unscaled number of argument k, a decimal or whole number.
func (r *row) decimal(k int) *big.Int {
	c := &r.cols[k]
	if c.wide == nil {
		return big.NewInt(r.int(k))
	}
	w := c.wide[r.i]
	return fromWords(w[0], w[1])
}

// interval is argument k, a calendar interval.
func (r *row) interval(k int) types.Interval {
	w := r.cols[k].wide[r.i]
	return types.Interval{Months: int32(uint32(w[0])), Days: int32(uint32(w[0] >> 32)), Micros: int64(w[1])}
}

// value is argument k, of any type.
func (r *row) value(k int) types.Value {
	if r.null(k) {
		return nil
	}
	c := &r.cols[k]
	switch t := c.t.(type) {
	case types.Decimal:
		return decimalValue(r.decimal(k))
	case types.YearMonth:
		return int32(r.int(k))
	case types.DayTime, types.Time:
		return r.int(k)
	case types.Basic:
		switch t {
		case types.Boolean:
			return r.bool(k)
		case types.Byte, types.Short, types.Int, types.Long, types.Timestamp, types.TimestampNTZ:
			return r.int(k)
		case types.Date:
			return int32(r.int(k))
		case types.Float:
			return float32(r.float(k))
		case types.Double:
			return r.float(k)
		case types.String:
			return string(r.bytes(k))
		case types.Binary:
			return append([]byte{}, r.bytes(k)...)
		case types.CalendarInterval:
			return r.interval(k)
		case types.Void:
			return nil
		}
	}
	if types.Text(c.t) {
		return string(r.bytes(k))
	}
	v, err := types.ValueAt(c.arr, r.i, c.t)
	if err != nil && r.err == nil {
		r.err = err
	}
	return v
}

// list is argument k, an array.
func (r *row) list(k int) []types.Value {
	v, _ := r.value(k).([]types.Value)
	return v
}

// each calls f for the rows that still need a result.
func each(u use, in []Vec, n int, out *Out, nulls bool, f func(r *row) error) error {
	r := &row{cols: make([]cells, len(in))}
	for k, v := range in {
		c, err := newCells(v, u.args[k])
		if err != nil {
			return err
		}
		if c.arr != nil {
			defer c.arr.Release()
		}
		r.cols[k] = c
	}
	for i := range n {
		if !nulls && !out.Valid(i) {
			continue
		}
		r.i = i
		err := f(r)
		if r.err != nil {
			return r.err
		}
		switch err {
		case nil:
		case errNull:
			out.SetNull(i)
		default:
			return err
		}
	}
	return nil
}

// textUDF is a function whose result is text or binary.
func textUDF(f func(u use, r *row) ([]byte, error)) udf {
	return udf{make: func(u use) (Eval, error) {
		return func(n int, in []Vec, out *Out) error {
			return each(u, in, n, out, false, func(r *row) error {
				b, err := f(u, r)
				if err == nil {
					out.SetText(r.i, b)
				}
				return err
			})
		}, nil
	}}
}

// intUDF is a function whose result is a whole number, boolean, date, timestamp or interval of one number.
func intUDF(f func(u use, r *row) (int64, error)) udf {
	return udf{make: func(u use) (Eval, error) {
		width := intWidth(u.result)
		return func(n int, in []Vec, out *Out) error {
			set := intSetter(out, width)
			return each(u, in, n, out, false, func(r *row) error {
				x, err := f(u, r)
				if err == nil {
					set(r.i, x)
				}
				return err
			})
		}, nil
	}}
}

// inZone is a function that needs the session zone. An unknown zone is an error before there are rows; each call has a
// zone of its own, which remembers what it computed.
func inZone(f func(u use, z *zone, n int, in []Vec, out *Out) error) udf {
	return udf{make: func(u use) (Eval, error) {
		if _, err := loadZone(u.zone); err != nil {
			return nil, err
		}
		return func(n int, in []Vec, out *Out) error {
			z, err := newZone(u.zone)
			if err != nil {
				return err
			}
			return f(u, z, n, in, out)
		}, nil
	}}
}

// boolUDF is a function whose result is a boolean.
func boolUDF(f func(u use, r *row) (bool, error)) udf {
	return intUDF(func(u use, r *row) (int64, error) {
		b, err := f(u, r)
		if b {
			return 1, err
		}
		return 0, err
	})
}

// intWidth is how many bytes hold a value of t.
func intWidth(t types.Type) int {
	switch t {
	case types.Boolean, types.Byte:
		return 1
	case types.Short:
		return 2
	case types.Int, types.Date:
		return 4
	}
	if _, ok := t.(types.YearMonth); ok {
		return 4
	}
	return 8
}

func intSetter(out *Out, width int) func(i int, x int64) {
	switch width {
	case 1:
		to := Results[int8](out)
		return func(i int, x int64) { to[i] = int8(x) }
	case 2:
		to := Results[int16](out)
		return func(i int, x int64) { to[i] = int16(x) }
	case 4:
		to := Results[int32](out)
		return func(i int, x int64) { to[i] = int32(x) }
	}
	to := Results[int64](out)
	return func(i int, x int64) { to[i] = x }
}

// floatUDF is a function whose result is a float or double.
func floatUDF(f func(u use, r *row) (float64, error)) udf {
	return udf{make: func(u use) (Eval, error) {
		return func(n int, in []Vec, out *Out) error {
			if u.result == types.Float {
				to := Results[float32](out)
				return each(u, in, n, out, false, func(r *row) (err error) {
					x, err := f(u, r)
					to[r.i] = float32(x)
					return err
				})
			}
			to := Results[float64](out)
			return each(u, in, n, out, false, func(r *row) (err error) {
				to[r.i], err = f(u, r)
				return err
			})
		}, nil
	}}
}

// decimalUDF is a function whose result is a decimal, given as its unscaled number, which must fit.
func decimalUDF(f func(u use, r *row) (*big.Int, error)) udf {
	return udf{make: func(u use) (Eval, error) {
		p := u.result.(types.Decimal).P
		return func(n int, in []Vec, out *Out) error {
			set := decimalSetter(out, p)
			return each(u, in, n, out, false, func(r *row) error {
				x, err := f(u, r)
				if err == nil {
					set(r.i, x)
				}
				return err
			})
		}, nil
	}}
}

func decimalSetter(out *Out, p int) func(i int, x *big.Int) {
	switch {
	case p <= 4:
		to := Results[int16](out)
		return func(i int, x *big.Int) { to[i] = int16(x.Int64()) }
	case p <= 9:
		to := Results[int32](out)
		return func(i int, x *big.Int) { to[i] = int32(x.Int64()) }
	case p <= 18:
		to := Results[int64](out)
		return func(i int, x *big.Int) { to[i] = x.Int64() }
	}
	to := Results[[2]uint64](out)
	return func(i int, x *big.Int) {
		lo, hi := toWords(x)
		to[i] = [2]uint64{lo, hi}
	}
}

// valueUDF is a function whose result is of any type. It sees NULL arguments.
func valueUDF(f func(u use, r *row) (types.Value, error)) udf {
	return udf{nulls: true, make: func(u use) (Eval, error) {
		return func(n int, in []Vec, out *Out) error {
			b := array.NewBuilder(memory.DefaultAllocator, types.Arrow(u.result))
			defer b.Release()
			b.Reserve(n)
			err := each(u, in, n, out, true, func(r *row) error {
				v, err := f(u, r)
				if err == errNull {
					v, err = nil, nil
				}
				if err != nil {
					return err
				}
				return types.AppendValue(b, v)
			})
			if err != nil {
				return err
			}
			a := b.NewArray()
			defer a.Release()
			return out.SetArray(a)
		}, nil
	}}
}

// strict is f with NULL for a NULL argument.
func strict(f func(u use, r *row) (types.Value, error)) func(u use, r *row) (types.Value, error) {
	return func(u use, r *row) (types.Value, error) {
		for k := range r.cols {
			if r.null(k) {
				return nil, nil
			}
		}
		return f(u, r)
	}
}

// memo keeps what was made of the last text, such as a compiled pattern.
type memo[T any] struct {
	key  string
	have bool
	val  T
	err  error
}

// get is make(key), computed anew only when key is not that of the call before.
func (m *memo[T]) get(key string, make func(string) (T, error)) (T, error) {
	if !m.have || m.key != key {
		m.key, m.have = string(append([]byte(nil), key...)), true
		m.val, m.err = make(m.key)
	}
	return m.val, m.err
}
