package duckdb

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	duck "github.com/duckdb/duckdb-go-bindings"
)

// Scalar is a scalar function in Go that works on whole vectors. A null argument makes the result null and
// Eval sees such rows as settled ([Out.Valid] is false); with Nulls set, Eval decides.
//
// Functions are registered in an instance when a statement first needs them. Several threads call Eval at
// once. An error, or a panic, becomes the error of the statement.
type Scalar struct {
	Name     string           // as emitted, unquoted: lower-case letters, digits and _
	Args     []arrow.DataType // nil stands for any type
	Variadic bool             // the last of Args may come any number of times, also never
	Result   arrow.DataType
	Nulls    bool // Eval handles null arguments
	Volatile bool // equal arguments may give unequal results
	Eval     Eval
	// Bind, when set, is called once per use in a statement and gives the Eval of that use, so that a
	// constant pattern or format is read once.
	Bind func(args []Arg) (Eval, error)
}

// Eval computes n results from n rows of arguments.
type Eval func(n int, in []Vec, out *Out) error

// Arg is what is known of an argument before any row.
type Arg struct {
	Type  arrow.DataType
	Const bool
	Null  bool   // a constant NULL
	Text  string // the value of a constant, as DuckDB casts it to text; of a string the string itself
}

// Vec is an argument: n values and their validity. It must not outlive the call.
type Vec struct {
	v duck.Vector
	n int
	m mask
}

// Valid reports whether row i is not null. The values of null rows are garbage.
func (v Vec) Valid(i int) bool { return v.m.ok(i) }

// Values views the values of a fixed-width argument: bool as uint8, decimals as int16, int32, int64 or
// [2]uint64 (low word first) by precision, dates as int32, times and timestamps as int64, intervals as
// [2]uint64 (months and days, then microseconds).
func Values[T any](v Vec) []T { return data[T](v.v, v.n) }

// Texts views a string or binary argument.
func (v Vec) Texts() Texts { return Texts{data[header](v.v, v.n)} }

// Texts are the texts of a vector.
type Texts struct{ hs []header }

// At views the text of row i, which must be valid.
func (t Texts) At(i int) []byte { return t.hs[i].bytes() }

// Array copies the argument, of any type, to Arrow.
func (v Vec) Array() (arrow.Array, error) {
	c, err := child(duck.VectorGetColumnType(v.v), nil)
	if err != nil {
		return nil, err
	}
	c.reset(new(pool), v.n)
	if err := c.append(v.v, 0, v.n); err != nil {
		return nil, err
	}
	d := c.finish()
	defer d.Release()
	return array.MakeFromData(d), nil
}

// Out is the result of a call.
type Out struct {
	v    duck.Vector
	n    int
	typ  arrow.DataType
	m    mask
	hs   []header
	long []byte // texts of more than 12 bytes, moved to DuckDB by one call at the end
	at   int    // first row with such a text, or -1
}

// Results views the result values of a fixed-width function, laid out as [Values] says.
func Results[T any](o *Out) []T { return data[T](o.v, o.n) }

// SetNull makes the result of row i null.
func (o *Out) SetNull(i int) {
	if o.m == nil {
		o.m = writable(o.v, o.n)
	}
	o.m.setNull(i)
}

// Valid reports whether row i still has a result to compute.
func (o *Out) Valid(i int) bool { return o.m.ok(i) }

// SetText sets row i of a string or binary result. text is copied.
func (o *Out) SetText(i int, text []byte) {
	if len(text) <= inlineSize {
		o.hs[i] = inline(text)
		return
	}
	if o.at < 0 || i < o.at {
		o.at = i
	}
	o.hs[i] = distant(text, len(o.long))
	o.long = append(o.long, text...)
}

// SetArray sets all rows from an array of the result type.
func (o *Out) SetArray(a arrow.Array) error {
	if a.Len() != o.n || !arrow.TypeEqual(a.DataType(), o.typ) {
		return fmt.Errorf("duckdb: result is %d rows of %v, want %d of %v", a.Len(), a.DataType(), o.n, o.typ)
	}
	o.hs = nil
	before := append(mask(nil), o.m...)
	if err := fill(o.v, a, 0, o.n); err != nil {
		return err
	}
	if before != nil {
		o.m = writable(o.v, o.n)
		o.m.and(before)
		nullKids(o.v, o.typ, o.m, o.n)
	}
	return nil
}

// flush checks the texts and hands the long ones over.
func (o *Out) flush() error {
	if o.hs == nil {
		return nil
	}
	if o.typ.ID() == arrow.STRING {
		if err := o.checkText(); err != nil {
			return err
		}
	}
	if o.at >= 0 {
		settle(o.v, o.hs, o.at, o.long)
	}
	return nil
}

func (o *Out) checkText() error {
	if !utf8.Valid(o.long) {
		return errUTF8
	}
	for i := range o.hs {
		h := &o.hs[i]
		switch l := h.len(); {
		case l > inlineSize:
			if !utf8.RuneStart(o.long[h.w1]) {
				return errUTF8
			}
		case (h.w0>>32|h.w1)&0x8080808080808080 != 0 && !utf8.Valid(h.bytes()):
			return errUTF8
		}
	}
	return nil
}

// need registers the functions that a statement uses and the instance does not have yet.
func (c *conn) need(fns []*Scalar) error {
	c.db.mu.Lock()
	defer c.db.mu.Unlock()
	for _, s := range fns {
		if c.db.scalars[s.Name] {
			continue
		}
		if err := c.settle(); err != nil {
			return err
		}
		if err := c.register(s); err != nil {
			return fmt.Errorf("function %s: %w", s.Name, err)
		}
		c.db.scalars[s.Name] = true
	}
	return nil
}

// settle ends the transaction of a statement whose rows were not read to their end: DuckDB ends it at the next
// statement, and rolls back what was registered in it meanwhile.
func (c *conn) settle() error { return c.exec(context.Background(), "SELECT 1") }

func (c *conn) register(s *Scalar) error {
	f := duck.CreateScalarFunction()
	defer duck.DestroyScalarFunction(&f)
	duck.ScalarFunctionSetName(f, s.Name)
	for i, a := range s.Args {
		t, err := argType(a)
		if err != nil {
			return err
		}
		if s.Variadic && i == len(s.Args)-1 {
			duck.ScalarFunctionSetVarargs(f, t)
		} else {
			duck.ScalarFunctionAddParameter(f, t)
		}
		duck.DestroyLogicalType(&t)
	}
	t, err := logicalType(s.Result)
	if err != nil {
		return err
	}
	duck.ScalarFunctionSetReturnType(f, t)
	duck.DestroyLogicalType(&t)
	if s.Nulls {
		duck.ScalarFunctionSetSpecialHandling(f)
	}
	if s.Volatile {
		duck.ScalarFunctionSetVolatile(f)
	}
	if s.Bind != nil {
		duck.ScalarFunctionSetBind(f, fnScalarBind())
	}
	duck.ScalarFunctionSetExtraInfo(f, box(s), fnFree())
	duck.ScalarFunctionSetFunction(f, fnScalar())
	if duck.RegisterScalarFunction(c.h, f) == duck.StateError {
		return errors.New("cannot be registered")
	}
	return nil
}

func argType(t arrow.DataType) (duck.LogicalType, error) {
	if t == nil {
		return duck.CreateLogicalType(duck.TypeAny), nil
	}
	return logicalType(t)
}

// bindScalar asks the function for the Eval of this use.
func bindScalar(info duck.BindInfo) error {
	s := unbox[*Scalar](duck.ScalarFunctionBindGetExtraInfo(info))
	var ctx duck.ClientContext
	duck.ScalarFunctionGetClientContext(info, &ctx)
	defer duck.DestroyClientContext(&ctx)
	args := make([]Arg, duck.ScalarFunctionBindGetArgumentCount(info))
	for i := range args {
		a, err := bindArg(ctx, info, i)
		if err != nil {
			return fmt.Errorf("%s: argument %d: %w", s.Name, i+1, err)
		}
		args[i] = a
	}
	eval, err := s.Bind(args)
	if err != nil {
		return err
	}
	duck.ScalarFunctionSetBindData(info, box(eval), fnFree())
	duck.ScalarFunctionSetBindDataCopy(info, fnCopy())
	return nil
}

func bindArg(ctx duck.ClientContext, info duck.BindInfo, i int) (Arg, error) {
	e := duck.ScalarFunctionBindGetArgument(info, duck.IdxT(i))
	defer duck.DestroyExpression(&e)
	k, err := child(duck.ExpressionReturnType(e), nil)
	if err != nil {
		return Arg{}, err
	}
	a := Arg{Type: k.typ}
	if !duck.ExpressionIsFoldable(e) {
		return a, nil
	}
	var v duck.Value
	failed := duck.ExpressionFold(ctx, e, &v)
	defer duck.DestroyErrorData(&failed)
	if duck.ErrorDataHasError(failed) { // it fails again, with the rows, if there are any
		return a, nil
	}
	defer duck.DestroyValue(&v)
	a.Const = true
	if a.Null = duck.IsNullValue(v); !a.Null {
		a.Text = duck.GetVarchar(v)
	}
	return a, nil
}

// work is what a call needs and the next one can use again.
type work struct {
	out  Out
	args []Vec
}

var scratch = sync.Pool{New: func() any { return new(work) }}

// evalScalar runs one call on a chunk of arguments, which come flat.
func evalScalar(info duck.FunctionInfo, in duck.DataChunk, result duck.Vector) error {
	s := unbox[*Scalar](duck.ScalarFunctionGetExtraInfo(info))
	eval := s.Eval
	if s.Bind != nil {
		eval = unbox[Eval](duck.ScalarFunctionGetBindData(info))
	}
	n := int(duck.DataChunkGetSize(in))
	w := scratch.Get().(*work)
	defer scratch.Put(w)
	out := &w.out
	*out = Out{v: result, n: n, typ: s.Result, at: -1, long: out.long[:0]}
	w.args = w.args[:0]
	for i := range int(duck.DataChunkGetColumnCount(in)) {
		v := duck.DataChunkGetVector(in, duck.IdxT(i))
		a := Vec{v, n, validity(v, n)}
		if a.m != nil && !s.Nulls {
			if out.m == nil {
				out.m = writable(result, n)
			}
			out.m.and(a.m)
		}
		w.args = append(w.args, a)
	}
	if id := s.Result.ID(); id == arrow.STRING || id == arrow.BINARY {
		out.hs = data[header](result, n)
		clear(out.hs)
	}
	if err := eval(n, w.args, out); err != nil {
		return err
	}
	return out.flush()
}
