package duckdb

/*
#include <stdlib.h>
void tarn_bind(void *); void tarn_init(void *); void tarn_local(void *); void tarn_scan(void *, void *);
void tarn_scalar(void *, void *, void *); void tarn_scalar_bind(void *);
void tarn_free(void *); void *tarn_copy(void *);
static void *fn_bind(void) { return (void *)tarn_bind; }
static void *fn_init(void) { return (void *)tarn_init; }
static void *fn_local(void) { return (void *)tarn_local; }
static void *fn_scan(void) { return (void *)tarn_scan; }
static void *fn_scalar(void) { return (void *)tarn_scalar; }
static void *fn_scalar_bind(void) { return (void *)tarn_scalar_bind; }
static void *fn_free(void) { return (void *)tarn_free; }
static void *fn_copy(void) { return (void *)tarn_copy; }
*/
import "C"

import (
	"fmt"
	"runtime/cgo"
	"sync/atomic"
	"unsafe"

	duck "github.com/duckdb/duckdb-go-bindings"
)

// boxes counts the values held for DuckDB; the tests watch that it returns to where it was.
var boxes atomic.Int64

// box keeps a Go value reachable from C memory that DuckDB owns and gives back to tarn_free.
func box(v any) unsafe.Pointer {
	boxes.Add(1)
	p := C.malloc(C.size_t(unsafe.Sizeof(cgo.Handle(0))))
	*(*cgo.Handle)(p) = cgo.NewHandle(v)
	return p
}

// unbox returns the value of a box, which must hold a T.
func unbox[T any](p unsafe.Pointer) T { return (*(*cgo.Handle)(p)).Value().(T) }

// releaser is a boxed value that holds something to give back when DuckDB drops it.
type releaser interface{ release() }

//export tarn_free
func tarn_free(p unsafe.Pointer) {
	h := *(*cgo.Handle)(p)
	guard(func(string) {}, func() error {
		if r, ok := h.Value().(releaser); ok {
			r.release()
		}
		return nil
	})
	h.Delete()
	C.free(p)
	boxes.Add(-1)
}

//export tarn_copy
func tarn_copy(p unsafe.Pointer) unsafe.Pointer { return box(unbox[any](p)) }

// guard runs f and hands its error, or its panic, to set: a panic that reached C would end the process.
func guard(set func(string), f func() error) {
	defer func() {
		if r := recover(); r != nil {
			set(fmt.Sprintf("panic in Go callback: %v", r))
		}
	}()
	if err := f(); err != nil {
		set(err.Error())
	}
}

//export tarn_bind
func tarn_bind(p unsafe.Pointer) {
	info := duck.BindInfo{Ptr: p}
	guard(func(m string) { duck.BindSetError(info, m) }, func() error { return bindSource(info) })
}

//export tarn_init
func tarn_init(p unsafe.Pointer) {
	info := duck.InitInfo{Ptr: p}
	guard(func(m string) { duck.InitSetError(info, m) }, func() error { return initScan(info) })
}

//export tarn_local
func tarn_local(p unsafe.Pointer) {
	info := duck.InitInfo{Ptr: p}
	guard(func(m string) { duck.InitSetError(info, m) }, func() error {
		duck.InitSetInitData(info, box(&scanPart{}), C.fn_free())
		return nil
	})
}

//export tarn_scan
func tarn_scan(p, out unsafe.Pointer) {
	info := duck.FunctionInfo{Ptr: p}
	guard(func(m string) { duck.FunctionSetError(info, m) }, func() error {
		return scanChunk(info, duck.DataChunk{Ptr: out})
	})
}

//export tarn_scalar_bind
func tarn_scalar_bind(p unsafe.Pointer) {
	info := duck.BindInfo{Ptr: p}
	guard(func(m string) { duck.ScalarFunctionBindSetError(info, m) }, func() error { return bindScalar(info) })
}

//export tarn_scalar
func tarn_scalar(p, in, out unsafe.Pointer) {
	info := duck.FunctionInfo{Ptr: p}
	guard(func(m string) { duck.ScalarFunctionSetError(info, m) }, func() error {
		return evalScalar(info, duck.DataChunk{Ptr: in}, duck.Vector{Ptr: out})
	})
}

// The addresses that DuckDB calls.
func fnBind() unsafe.Pointer       { return C.fn_bind() }
func fnInit() unsafe.Pointer       { return C.fn_init() }
func fnLocal() unsafe.Pointer      { return C.fn_local() }
func fnScan() unsafe.Pointer       { return C.fn_scan() }
func fnScalar() unsafe.Pointer     { return C.fn_scalar() }
func fnScalarBind() unsafe.Pointer { return C.fn_scalar_bind() }
func fnFree() unsafe.Pointer       { return C.fn_free() }
func fnCopy() unsafe.Pointer       { return C.fn_copy() }
