package types

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

var errForm = errors.New("it has another form")

// ParseText reads the text of a value as partition paths and statistics of table formats have it: numbers as Java writes them, dates and
// times as SQL does. A timestamp without a zone is of zone; nil is UTC.
func ParseText(s string, t Type, zone *time.Location) (Value, error) {
	switch t := t.(type) {
	case Char, Varchar, Collated:
		return s, nil
	case Decimal:
		return parseDecimal(s, t)
	case Basic:
		switch t {
		case String:
			return s, nil
		case Binary:
			return []byte(s), nil
		case Boolean:
			return parseBool(s)
		case Byte, Short, Int, Long:
			return strconv.ParseInt(s, 10, intBits[t])
		case Float:
			f, err := parseFloat(s, 32)
			return float32(f), err
		case Double:
			return parseFloat(s, 64)
		case Date:
			return parseDate(s)
		case Timestamp:
			return parseInstant(s, zone)
		case TimestampNTZ:
			return parseWallClock(s)
		}
	}
	return nil, errors.New("no such values can be read from text")
}

var intBits = map[Basic]int{Byte: 8, Short: 16, Int: 32, Long: 64}

func parseBool(s string) (Value, error) {
	switch {
	case strings.EqualFold(s, "true"):
		return true, nil
	case strings.EqualFold(s, "false"):
		return false, nil
	}
	return nil, errForm
}

// parseFloat reads the text of Java's Double.toString.
func parseFloat(s string, bits int) (float64, error) {
	if strings.ContainsAny(s, "xX_pP") { // Go's, but not Java's
		return 0, errForm
	}
	f, err := strconv.ParseFloat(s, bits)
	if errors.Is(err, strconv.ErrRange) {
		err = nil // the infinity or zero that Go gives is what Java reads
	}
	return f, err
}

// parseDecimal reads a decimal number exactly, with an exponent or without. It must fit t without rounding.
func parseDecimal(s string, t Decimal) (Value, error) {
	mantissa, exponent := s, 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		e, err := strconv.Atoi(s[i+1:])
		if err != nil || e < -100 || e > 100 {
			return nil, errForm
		}
		mantissa, exponent = s[:i], e
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	if len(digits) > 200 || strings.ContainsAny(fraction, "+-") {
		return nil, errForm
	}
	n, ok := new(big.Int).SetString(digits, 10)
	if !ok || strings.ContainsRune(digits, '_') {
		return nil, errForm
	}
	shift := t.S - len(fraction) + exponent
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(shift, -shift))), nil)
	if shift >= 0 {
		n.Mul(n, ten)
	} else {
		var rest big.Int
		n.QuoRem(n, ten, &rest)
		if rest.Sign() != 0 {
			return nil, fmt.Errorf("it has more than %d digits after the point", t.S)
		}
	}
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.P)), nil)
	if n.CmpAbs(limit) >= 0 {
		return nil, fmt.Errorf("it has more than %d digits", t.P)
	}
	return decimal128.FromBigInt(n), nil
}

// parseDate reads `yyyy-mm-dd`, with a sign and more digits for years beyond 9999, as days since 1970.
func parseDate(s string) (Value, error) {
	days, rest, err := leadingDate(s)
	if err != nil || rest != "" {
		return nil, errForm
	}
	return int32(days), nil
}

// leadingDate reads a date at the start of s and gives what follows.
func leadingDate(s string) (days int64, rest string, err error) {
	sign, body := int64(1), s
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") {
		if s[0] == '-' {
			sign = -1
		}
		body = s[1:]
	}
	y, after, ok := strings.Cut(body, "-")
	if !ok || len(y) < 4 || len(y) > 6 || len(after) < 5 || after[2] != '-' {
		return 0, "", errForm
	}
	year, ok1 := parseDigits(y, len(y))
	month, ok2 := parseDigits(after[:2], 2)
	day, ok3 := parseDigits(after[3:5], 2)
	if !ok1 || !ok2 || !ok3 {
		return 0, "", errForm
	}
	at := time.Date(int(sign*year), time.Month(month), int(day), 0, 0, 0, 0, time.UTC)
	if int64(at.Month()) != month || int64(at.Day()) != day {
		return 0, "", errors.New("there is no such day")
	}
	return at.Unix() / 86400, after[5:], nil
}

// clock reads ` hh:mm:ss[.ffffff]` or `Thh:mm:ss[.ffffff]` as microseconds of the day, and gives what follows.
func clock(s string) (micros int64, rest string, err error) {
	if len(s) < 9 || s[0] != ' ' && s[0] != 'T' || s[3] != ':' || s[6] != ':' {
		return 0, "", errForm
	}
	h, ok1 := parseDigits(s[1:3], 2)
	m, ok2 := parseDigits(s[4:6], 2)
	sec, ok3 := parseDigits(s[7:9], 2)
	if !ok1 || !ok2 || !ok3 || h > 23 || m > 59 || sec > 59 {
		return 0, "", errForm
	}
	micros, rest = ((h*60+m)*60+sec)*1_000_000, s[9:]
	if strings.HasPrefix(rest, ".") {
		n := 1
		for n < len(rest) && '0' <= rest[n] && rest[n] <= '9' {
			n++
		}
		if n == 1 || n > 10 {
			return 0, "", errForm
		}
		f, _ := parseDigits((rest[1:n] + "000000")[:6], 6)
		micros, rest = micros+f, rest[n:]
	}
	return micros, rest, nil
}

const dayMicros = 86400 * 1_000_000

// parseWallClock reads a date and a time of day without a zone. A date alone is its midnight.
func parseWallClock(s string) (Value, error) {
	days, rest, err := leadingDate(s)
	if err != nil {
		return nil, err
	}
	if rest == "" {
		return days * dayMicros, nil
	}
	micros, rest, err := clock(rest)
	if err != nil || rest != "" {
		return nil, errForm
	}
	return days*dayMicros + micros, nil
}

// parseInstant reads a date, a time of day and a zone: `Z`, `+hh:mm`, `-hh:mm:ss`, or none, which is zone.
func parseInstant(s string, zone *time.Location) (Value, error) {
	days, rest, err := leadingDate(s)
	if err != nil {
		return nil, err
	}
	var micros int64
	if rest != "" {
		if micros, rest, err = clock(rest); err != nil {
			return nil, err
		}
	}
	wall := days*dayMicros + micros
	switch {
	case rest == "" && zone == nil || rest == "Z":
		return wall, nil
	case rest == "":
		at := time.UnixMicro(wall).UTC()
		return time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), zone).UnixMicro(), nil
	}
	offset, err := parseOffset(rest)
	return wall - offset*1_000_000, err
}

// parseOffset reads a distance from UTC in seconds.
func parseOffset(s string) (int64, error) {
	parts := strings.Split(s[1:], ":")
	if s[0] != '+' && s[0] != '-' || len(parts) < 2 || len(parts) > 3 {
		return 0, errForm
	}
	var total int64
	for _, p := range parts {
		n, ok := parseDigits(p, 2)
		if !ok {
			return 0, errForm
		}
		total = total*60 + n
	}
	if len(parts) == 2 {
		total *= 60
	}
	if s[0] == '-' {
		total = -total
	}
	return total, nil
}

// parseDigits reads a number written with exactly width digits.
func parseDigits(text string, width int) (int64, bool) {
	if len(text) != width {
		return 0, false
	}
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}
