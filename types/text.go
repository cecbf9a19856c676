package types

import (
	"bytes"
	"math"
	"strconv"
	"time"
)

// The functions here and in interval.go append the text that Spark gives a value of their type when it is cast to a
// string. Other spellings (JSON, names of columns, partition values) are made of them.

// AppendFloat appends f as Java's Float.toString (bits is 32) and Double.toString (64) spell it: the fewest digits that
// mean f, but two at least, and an exponent below 0.001 and from 10000000 on: 1.0, 1.0E10, NaN, -Infinity.
func AppendFloat(dst []byte, f float64, bits int) []byte {
	switch a := math.Abs(f); {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	case a != 0 && (a < 1e-3 || a >= 1e7):
		return appendScientific(dst, f, bits)
	}
	n := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, bits)
	if bytes.IndexByte(dst[n:], '.') < 0 {
		dst = append(dst, ".0"...)
	}
	return dst
}

func appendScientific(dst []byte, f float64, bits int) []byte {
	n := len(dst)
	dst = strconv.AppendFloat(dst, f, 'E', -1, bits)
	if bytes.IndexByte(dst[n:], '.') < 0 { // of the numbers with two digits the nearest: 4.9E-324, not 5.0E-324
		dst = strconv.AppendFloat(dst[:n], f, 'E', 1, bits)
	}
	e := n + bytes.IndexByte(dst[n:], 'E') + 1
	exponent, _ := strconv.ParseInt(string(dst[e:]), 10, 64) // a plus and leading zeros, which Java leaves out
	return strconv.AppendInt(dst[:e], exponent, 10)
}

// AppendDate appends the date of a number of days since 1970-01-01: 2024-02-29, with a plus before years beyond 9999.
func AppendDate(dst []byte, days int64) []byte {
	y, m, d := CivilDate(days)
	switch {
	case y > 9999:
		dst = append(dst, '+')
	case y < 0:
		dst, y = append(dst, '-'), -y
	}
	dst = AppendPadded(dst, y, 4)
	dst = AppendPadded(append(dst, '-'), int64(m), 2)
	return AppendPadded(append(dst, '-'), int64(d), 2)
}

// AppendTime appends the time of day of a number of microseconds, with as many digits of the second as it has: 01:02:03.5.
func AppendTime(dst []byte, micros int64) []byte {
	dst = AppendPadded(dst, micros/microsPerHour, 2)
	dst = AppendPadded(append(dst, ':'), micros/microsPerMinute%60, 2)
	dst = AppendPadded(append(dst, ':'), micros/microsPerSecond%60, 2)
	return appendFraction(dst, micros%microsPerSecond)
}

// AppendTimestamp appends the date and the time of day that clocks in zone show at an instant, given in microseconds since
// 1970-01-01T00:00:00Z: 2024-02-29 01:02:03.5.
func AppendTimestamp(dst []byte, micros int64, zone *time.Location) []byte {
	seconds := floorDiv(micros, microsPerSecond)
	_, offset := time.Unix(seconds, 0).In(zone).Zone()
	return appendMoment(dst, seconds+int64(offset), micros-seconds*microsPerSecond)
}

// AppendTimestampNTZ appends the reading of a clock, given in microseconds since 1970-01-01 00:00:00.
func AppendTimestampNTZ(dst []byte, micros int64) []byte {
	seconds := floorDiv(micros, microsPerSecond)
	return appendMoment(dst, seconds, micros-seconds*microsPerSecond)
}

func appendMoment(dst []byte, seconds, micros int64) []byte {
	days := floorDiv(seconds, 86400)
	dst = append(AppendDate(dst, days), ' ')
	return AppendTime(dst, (seconds-days*86400)*microsPerSecond+micros)
}

// AppendPadded appends n, which is not negative, with zeros before it up to a width.
func AppendPadded(dst []byte, n int64, width int) []byte {
	for m := n; m >= 10; m /= 10 {
		width--
	}
	for ; width > 1; width-- {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, n, 10)
}

// appendFraction appends a point and microseconds without the zeros at their end; nothing when there are none.
func appendFraction(dst []byte, micros int64) []byte {
	if micros == 0 {
		return dst
	}
	dst = AppendPadded(append(dst, '.'), micros, 6)
	return bytes.TrimRight(dst, "0")
}
