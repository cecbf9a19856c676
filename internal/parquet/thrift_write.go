package parquet

import "encoding/binary"

// thriftWriter appends structs in Thrift's compact protocol. Fields of a struct are given in rising order of their ids.
type thriftWriter struct {
	b    []byte
	last []int16 // id of the last field, per open struct
}

// open begins a struct that is the whole message or an element of a list.
func (w *thriftWriter) open() { w.last = append(w.last, 0) }

// close ends the struct begun last.
func (w *thriftWriter) close() {
	w.b = append(w.b, tStop)
	w.last = w.last[:len(w.last)-1]
}

func (w *thriftWriter) field(id int16, kind byte) {
	last := &w.last[len(w.last)-1]
	if delta := id - *last; delta > 0 && delta < 16 {
		w.b = append(w.b, byte(delta)<<4|kind)
	} else {
		w.b = append(w.b, kind)
		w.b = binary.AppendVarint(w.b, int64(id))
	}
	*last = id
}

// structure begins a struct in a field; close ends it.
func (w *thriftWriter) structure(id int16) {
	w.field(id, tStruct)
	w.open()
}

// empty is a struct without fields.
func (w *thriftWriter) empty(id int16) {
	w.structure(id)
	w.close()
}

func (w *thriftWriter) i32(id int16, v int) {
	w.field(id, tI32)
	w.b = binary.AppendVarint(w.b, int64(v))
}

func (w *thriftWriter) i64(id int16, v int64) {
	w.field(id, tI64)
	w.b = binary.AppendVarint(w.b, v)
}

func (w *thriftWriter) i8(id int16, v byte) {
	w.field(id, tByte)
	w.b = append(w.b, v)
}

func (w *thriftWriter) boolean(id int16, v bool) {
	if v {
		w.field(id, tTrue)
	} else {
		w.field(id, tFalse)
	}
}

func (w *thriftWriter) bytes(id int16, v []byte) {
	w.field(id, tBinary)
	w.b = binary.AppendUvarint(w.b, uint64(len(v)))
	w.b = append(w.b, v...)
}

func (w *thriftWriter) text(id int16, v string) { w.bytes(id, []byte(v)) }

// list begins a list of n elements, which the caller appends.
func (w *thriftWriter) list(id int16, elem byte, n int) {
	w.field(id, tList)
	if n < 15 {
		w.b = append(w.b, byte(n)<<4|elem)
		return
	}
	w.b = append(w.b, 15<<4|elem)
	w.b = binary.AppendUvarint(w.b, uint64(n))
}

// i32s is a list of numbers.
func (w *thriftWriter) i32s(id int16, vs ...int) {
	w.list(id, tI32, len(vs))
	for _, v := range vs {
		w.b = binary.AppendVarint(w.b, int64(v))
	}
}

// texts is a list of texts.
func (w *thriftWriter) texts(id int16, vs []string) {
	w.list(id, tBinary, len(vs))
	for _, v := range vs {
		w.b = binary.AppendUvarint(w.b, uint64(len(v)))
		w.b = append(w.b, v...)
	}
}
