package logfile

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// AppendDeletions appends the content of a DeleteKeys block to dst as a table of that version has it: from 6 on version 3, else version 2.
// It is an error when an ordering value cannot be stored.
func AppendDeletions(dst []byte, deletions []Deletion, version int) ([]byte, error) {
	if version < 6 {
		return appendKryoDeletions(dst, deletions)
	}
	dst = binary.BigEndian.AppendUint32(dst, deletesVersion)
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	if len(deletions) > 0 {
		dst = binary.AppendVarint(dst, int64(len(deletions)))
	}
	for _, d := range deletions {
		dst = appendText(binary.AppendVarint(dst, 1), d.Key)
		dst = appendText(binary.AppendVarint(dst, 1), d.Partition)
		var err error
		if dst, err = appendOrdering(dst, d.Ordering, false); err != nil {
			return nil, fmt.Errorf("delete %s: %w", d.Key, err)
		}
	}
	dst = binary.AppendVarint(dst, 0)
	binary.BigEndian.PutUint32(dst[start:], uint32(len(dst)-start-4))
	return dst, nil
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendVarint(dst, int64(len(s))), s...)
}

func appendOrdering(dst []byte, v Ordering, inArray bool) ([]byte, error) {
	number := func(branch, n int64) []byte { return binary.AppendVarint(binary.AppendVarint(dst, branch), n) }
	branch := func(n int64) []byte { return binary.AppendVarint(dst, n) }
	switch v := v.(type) {
	case nil:
		return branch(orderNull), nil
	case bool:
		if v {
			return append(branch(orderBoolean), 1), nil
		}
		return append(branch(orderBoolean), 0), nil
	case int32:
		return number(orderInt, int64(v)), nil
	case int64:
		return number(orderLong, v), nil
	case float32:
		return binary.LittleEndian.AppendUint32(branch(orderFloat), math.Float32bits(v)), nil
	case float64:
		return binary.LittleEndian.AppendUint64(branch(orderDouble), math.Float64bits(v)), nil
	case []byte:
		return appendText(branch(orderBytes), string(v)), nil
	case string:
		return appendText(branch(orderString), v), nil
	case Date:
		return number(orderDate, int64(v)), nil
	case TimeMicros:
		return number(orderTimeMicros, int64(v)), nil
	case TimestampMicros:
		return number(orderTimestampMicros, int64(v)), nil
	case Decimal:
		b, err := v.bytes()
		return appendText(branch(orderDecimal), string(b)), err
	case LocalDate:
		if inArray {
			return number(orderArray, int64(v)), nil
		}
		return number(orderDate, int64(v)), nil
	case []Ordering:
		if !inArray {
			return appendOrderings(branch(orderArray), v)
		}
	}
	return nil, fmt.Errorf("ordering values of the type %T cannot be stored", v)
}

func appendOrderings(dst []byte, values []Ordering) ([]byte, error) {
	dst = binary.AppendVarint(dst, 1)
	if len(values) > 0 {
		dst = binary.AppendVarint(dst, int64(len(values)))
	}
	for _, v := range values {
		var err error
		if dst, err = appendOrdering(dst, v, true); err != nil {
			return nil, err
		}
	}
	return binary.AppendVarint(dst, 0), nil
}

// bytes is the number at the scale of the format, in as few bytes as hold it.
func (d Decimal) bytes() ([]byte, error) {
	n, ok := d.Rescale(decimalScale)
	if !ok || !n.FitsInPrecision(decimalPrecision) {
		return nil, fmt.Errorf("an ordering value of scale %d does not fit decimal(%d,%d)", d.Scale, decimalPrecision, decimalScale)
	}
	return minimal(n), nil
}

// Rescale is the unscaled number of d at another scale, if there is one of at most 38 digits.
func (d Decimal) Rescale(scale int32) (decimal128.Num, bool) {
	more := scale - d.Scale
	switch {
	case more >= 0 && more < maxDigits && d.Unscaled.FitsInPrecision(maxDigits-more):
		return d.Unscaled.IncreaseScaleBy(more), true
	case more < 0 && more > -maxDigits:
		whole, rest := d.Unscaled.Div(decimal128.GetScaleMultiplier(int(-more)))
		return whole, rest == decimal128.Num{}
	}
	return decimal128.Num{}, false
}

const maxDigits = 38

// minimal is n big-endian in two's complement without bytes that only repeat the sign.
func minimal(n decimal128.Num) []byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(n.HighBits()))
	b = binary.BigEndian.AppendUint64(b, n.LowBits())
	for len(b) > 1 && (b[0] == 0 && b[1] < 0x80 || b[0] == 0xff && b[1] >= 0x80) {
		b = b[1:]
	}
	return b
}
