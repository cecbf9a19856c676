package logfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf16"
)

// Deletions of the versions 1 and 2 are an array of HoodieKey or of DeleteRecord in the format of Kryo 4, with references. An object is
//
//	class                  varint: 0 null; 1 named: varint number, and where it is new, the name; else n-2 is a registered class
//	reference              varint: 1 the object follows; else n-2 is the number of an object before it
//	fields, by name        DeleteRecord: key, ordering value       HoodieKey: partition path, record key
//
// Texts are objects without a class, boxed numbers objects without a reference.

const (
	keyClass    = "org.apache.hudi.common.model.HoodieKey"
	deleteClass = "org.apache.hudi.common.model.DeleteRecord"
)

// kryo reads the format. Objects and names are numbered as they come.
type kryo struct {
	b       []byte
	names   []string
	objects []any
	err     error
}

func readKryo(c []byte) ([]Deletion, error) {
	r := kryo{b: c}
	class := r.class()
	r.object()
	if class != "[L"+keyClass+";" && class != "[L"+deleteClass+";" {
		r.fail("a list of class %q", class)
	}
	n := int64(r.varint()) - 1
	if n < 0 || n > int64(len(r.b)) {
		r.fail("%d deletions in %d bytes", n, len(r.b))
	}
	var out []Deletion
	for ; n > 0 && r.err == nil; n-- {
		out = append(out, r.deletion())
	}
	if r.err == nil && len(r.b) > 0 {
		r.fail("%d bytes after the last one", len(r.b))
	}
	if r.err != nil {
		return nil, fmt.Errorf("deletions in the format of Hudi before 0.14: %w; have Hudi compact the table first", r.err)
	}
	return out, nil
}

func (r *kryo) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
	r.b = nil
}

func (r *kryo) take(n int) []byte {
	if n > len(r.b) {
		if r.err == nil {
			r.err = errEnds
		}
		r.b = nil
		return make([]byte, n)
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *kryo) varint() uint64 {
	u, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail("%w", errEnds)
		return 0
	}
	r.b = r.b[n:]
	return u
}

func (r *kryo) zigzag() int64 {
	u := r.varint()
	return int64(u>>1) ^ -int64(u&1)
}

// Numbers of classes that Kryo and Hudi register.
const (
	kryoInt     = 0
	kryoString  = 1
	kryoFloat   = 2
	kryoBoolean = 3
	kryoLong    = 7
	kryoDouble  = 8
	hudiUTF8    = 10
)

// class reads a class: its name, or "#" and its number; "" is null.
func (r *kryo) class() string {
	switch n := r.varint(); n {
	case 0:
		return ""
	case 1:
		i := r.varint()
		if i == uint64(len(r.names)) {
			r.names = append(r.names, r.text())
		}
		if i >= uint64(len(r.names)) {
			r.fail("class %d, which was not named", i)
			return ""
		}
		return r.names[i]
	default:
		return fmt.Sprintf("#%d", n-2)
	}
}

// object says whether an object follows; else it is one that was before. The caller stores what follows under the number that it gives.
func (r *kryo) object() (number int, follows bool) {
	switch n := r.varint(); {
	case n == 1:
		r.objects = append(r.objects, nil)
		return len(r.objects) - 1, true
	case n >= 2 && n-2 < uint64(len(r.objects)):
		return int(n - 2), false
	default:
		r.fail("reference %d to an object that is not there", n)
		return 0, false
	}
}

func (r *kryo) deletion() Deletion {
	class := r.class()
	if class == keyClass {
		return r.key()
	}
	if class != deleteClass {
		r.fail("an object of class %q", class)
		return Deletion{}
	}
	if _, follows := r.object(); !follows {
		r.fail("a deletion that repeats another")
		return Deletion{}
	}
	if class = r.class(); class != keyClass {
		r.fail("a key of class %q", class)
		return Deletion{}
	}
	d := r.key()
	d.Ordering = r.ordering()
	return d
}

func (r *kryo) key() Deletion {
	number, follows := r.object()
	if !follows {
		if r.err == nil {
			if d, ok := r.objects[number].(Deletion); ok {
				return d
			}
			r.fail("a key that is none")
		}
		return Deletion{}
	}
	d := Deletion{Ordering: int32(0)}
	d.Partition = r.shared()
	d.Key = r.shared()
	if r.err == nil {
		r.objects[number] = d
	}
	return d
}

// shared is a text that may be one from before.
func (r *kryo) shared() string {
	if len(r.b) > 0 && r.b[0] == 0 { // null
		r.varint()
		return ""
	}
	number, follows := r.object()
	if r.err != nil {
		return ""
	}
	if follows {
		r.objects[number] = r.text()
	}
	s, ok := r.objects[number].(string)
	if !ok {
		r.fail("a text that is none")
	}
	return s
}

func (r *kryo) ordering() Ordering {
	switch class := r.class(); class {
	case "":
		return nil
	case fmt.Sprintf("#%d", kryoInt):
		return int32(r.zigzag())
	case fmt.Sprintf("#%d", kryoLong):
		return r.zigzag()
	case fmt.Sprintf("#%d", kryoFloat):
		return math.Float32frombits(binary.BigEndian.Uint32(r.take(4)))
	case fmt.Sprintf("#%d", kryoDouble):
		return math.Float64frombits(binary.BigEndian.Uint64(r.take(8)))
	case fmt.Sprintf("#%d", kryoBoolean):
		return r.take(1)[0] != 0
	case fmt.Sprintf("#%d", kryoString):
		return r.shared()
	case fmt.Sprintf("#%d", hudiUTF8):
		return r.utf8()
	case "java.math.BigDecimal":
		return r.decimal()
	default:
		r.fail("an ordering value of class %q", class)
	}
	return nil
}

// utf8 is a text as Avro holds it.
func (r *kryo) utf8() string {
	number, follows := r.object()
	if r.err != nil {
		return ""
	}
	if follows {
		r.objects[number] = string(r.sized())
	}
	s, _ := r.objects[number].(string)
	return s
}

// sized are bytes after their number and one.
func (r *kryo) sized() []byte {
	n := int64(r.varint()) - 1
	if n < 0 || n > int64(len(r.b)) {
		r.fail("%w", errEnds)
		return nil
	}
	return r.take(int(n))
}

func (r *kryo) decimal() Ordering {
	if _, follows := r.object(); !follows {
		r.fail("an ordering value that repeats another")
		return nil
	}
	n, err := unscaled(r.sized())
	if err != nil {
		r.fail("%w", err)
	}
	return Decimal{n, int32(r.zigzag())}
}

var errText = errors.New("a text is damaged")

// text is a string: of ASCII with the end marked in the last byte, or its length and one and its UTF-16 units as UTF-8.
func (r *kryo) text() string {
	if len(r.b) == 0 {
		r.fail("%w", errEnds)
		return ""
	}
	if r.b[0]&0x80 == 0 {
		for i, c := range r.b {
			if c&0x80 != 0 {
				b := append([]byte{}, r.take(i+1)...)
				b[i] &= 0x7f
				return string(b)
			}
		}
		r.fail("%w", errText)
		return ""
	}
	return r.units(r.textLength())
}

// textLength is a varint of which the first byte has 6 bits, below a mark and the bit that says whether it goes on.
func (r *kryo) textLength() int64 {
	c := r.take(1)[0]
	n := int64(c & 0x3f)
	if c&0x40 == 0 {
		return n - 1
	}
	rest := r.varint()
	if rest > 1<<30 {
		r.fail("%w", errText)
		return 0
	}
	return (n | int64(rest)<<6) - 1
}

func (r *kryo) units(n int64) string {
	if n > int64(len(r.b)) {
		r.fail("%w", errEnds)
		return ""
	}
	units := make([]uint16, 0, max(n, 0))
	for ; n > 0 && r.err == nil; n-- {
		c := r.take(1)[0]
		switch {
		case c < 0x80:
			units = append(units, uint16(c))
		case c>>5 == 6:
			units = append(units, uint16(c&0x1f)<<6|uint16(r.take(1)[0]&0x3f))
		case c>>4 == 14:
			b := r.take(2)
			units = append(units, uint16(c&0x0f)<<12|uint16(b[0]&0x3f)<<6|uint16(b[1]&0x3f))
		default:
			r.fail("%w", errText)
		}
	}
	var s strings.Builder
	for _, u := range utf16.Decode(units) {
		s.WriteRune(u)
	}
	return s.String()
}
