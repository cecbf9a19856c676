package logfile

import (
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf16"
)

// appendKryoDeletions appends the content of a DeleteKeys block, version 2, to dst: the one that Hudi 0.12 and 0.13 (table version 5) read.
// Dates and times are the plain numbers that those releases compare. It is an error when an ordering value cannot be stored.
func appendKryoDeletions(dst []byte, deletions []Deletion) ([]byte, error) {
	dst = binary.BigEndian.AppendUint32(dst, 2)
	start := len(dst)
	w := kryoWriter{b: append(dst, 0, 0, 0, 0), names: map[string]int{}}
	w.class("[L" + deleteClass + ";")
	w.varint(isNew)
	w.varint(uint64(len(deletions)) + 1)
	for _, d := range deletions {
		w.class(deleteClass)
		w.varint(isNew)
		w.class(keyClass)
		w.varint(isNew)
		w.object(d.Partition)
		w.object(d.Key)
		if err := w.ordering(d.Ordering); err != nil {
			return nil, fmt.Errorf("delete %s: %w", d.Key, err)
		}
	}
	binary.BigEndian.PutUint32(w.b[start:], uint32(len(w.b)-start-4))
	return w.b, nil
}

// isNew is the reference of an object that follows. Nothing is written as a reference to an object before it, which readers do not ask for.
const isNew = 1

type kryoWriter struct {
	b     []byte
	names map[string]int
}

func (w *kryoWriter) varint(u uint64) { w.b = binary.AppendUvarint(w.b, u) }

func (w *kryoWriter) zigzag(n int64) { w.b = binary.AppendVarint(w.b, n) }

// class names a class, with its name where it is the first of it.
func (w *kryoWriter) class(name string) {
	w.varint(1)
	i, known := w.names[name]
	if !known {
		i = len(w.names)
		w.names[name] = i
	}
	w.varint(uint64(i))
	if !known {
		w.text(name)
	}
}

func (w *kryoWriter) registered(number uint64) { w.varint(number + 2) }

func (w *kryoWriter) object(s string) {
	w.varint(isNew)
	w.text(s)
}

func (w *kryoWriter) ordering(v Ordering) error {
	switch v := v.(type) {
	case nil:
		w.varint(0)
	case bool:
		w.registered(kryoBoolean)
		if v {
			w.b = append(w.b, 1)
		} else {
			w.b = append(w.b, 0)
		}
	case int32:
		w.integer(v)
	case Date:
		w.integer(int32(v))
	case LocalDate:
		w.integer(int32(v))
	case int64:
		w.long(v)
	case TimeMicros:
		w.long(int64(v))
	case TimestampMicros:
		w.long(int64(v))
	case float32:
		w.registered(kryoFloat)
		w.b = binary.BigEndian.AppendUint32(w.b, math.Float32bits(v))
	case float64:
		w.registered(kryoDouble)
		w.b = binary.BigEndian.AppendUint64(w.b, math.Float64bits(v))
	case string:
		w.registered(kryoString)
		w.object(v)
	case Decimal:
		w.class("java.math.BigDecimal")
		w.varint(isNew)
		unscaled := minimal(v.Unscaled)
		w.varint(uint64(len(unscaled)) + 1)
		w.b = append(w.b, unscaled...)
		w.zigzag(int64(v.Scale))
	default:
		return fmt.Errorf("an ordering value of Go type %T cannot be stored in a table of version 5", v)
	}
	return nil
}

func (w *kryoWriter) integer(n int32) {
	w.registered(kryoInt)
	w.zigzag(int64(n))
}

func (w *kryoWriter) long(n int64) {
	w.registered(kryoLong)
	w.zigzag(n)
}

// text writes a string in the form that [kryo.text] reads.
func (w *kryoWriter) text(s string) {
	if n := len(s); n > 1 && n < 64 && ascii(s) {
		w.b = append(w.b, s...)
		w.b[len(w.b)-1] |= 0x80
		return
	}
	units := utf16.Encode([]rune(s))
	if n := len(units) + 1; n>>6 == 0 {
		w.b = append(w.b, byte(n)|0x80)
	} else {
		w.b = append(w.b, byte(n&0x3f)|0xc0)
		w.varint(uint64(n) >> 6)
	}
	for _, u := range units {
		switch {
		case u < 0x80:
			w.b = append(w.b, byte(u))
		case u < 0x800:
			w.b = append(w.b, 0xc0|byte(u>>6), 0x80|byte(u&0x3f))
		default:
			w.b = append(w.b, 0xe0|byte(u>>12), 0x80|byte(u>>6&0x3f), 0x80|byte(u&0x3f))
		}
	}
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
