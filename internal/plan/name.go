package plan

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// text is a constant as it stands in the names of columns: numbers and strings bare, the rest as SQL.
func (a *analyzer) text(l *rel.Lit) string {
	switch v := l.Value.(type) {
	case nil:
		return "NULL"
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case []byte:
		return fmt.Sprintf("X'%X'", v)
	case float64:
		return string(types.AppendFloat(nil, v, 64))
	case float32:
		return string(types.AppendFloat(nil, float64(v), 32))
	case decimal128.Num:
		return decimalText(v, l.T)
	case types.Interval:
		return "INTERVAL '" + string(types.AppendInterval(nil, v)) + "'"
	case int32:
		if t, ok := l.T.(types.YearMonth); ok {
			return string(types.AppendYearMonth(nil, int64(v), t))
		}
		return "DATE '" + string(types.AppendDate(nil, int64(v))) + "'"
	case int64:
		return a.longText(v, l.T)
	}
	return fmt.Sprint(l.Value)
}

func (a *analyzer) longText(v int64, t types.Type) string {
	switch t := t.(type) {
	case types.DayTime:
		return string(types.AppendDayTime(nil, v, t))
	case types.Time:
		return "TIME '" + string(types.AppendTime(nil, v)) + "'"
	}
	switch t {
	case types.Timestamp:
		return "TIMESTAMP '" + string(types.AppendTimestamp(nil, v, a.zone())) + "'"
	case types.TimestampNTZ:
		return "TIMESTAMP_NTZ '" + string(types.AppendTimestampNTZ(nil, v)) + "'"
	}
	return strconv.FormatInt(v, 10)
}

// decimalText is a number as Java's BigDecimal prints it: plain unless it is very small.
func decimalText(v decimal128.Num, t types.Type) string {
	scale := t.(types.Decimal).S
	unscaled := v.BigInt().String()
	digits := strings.TrimPrefix(unscaled, "-")
	exponent := len(digits) - 1 - scale
	if scale == 0 || exponent >= -6 {
		return v.ToString(int32(scale))
	}
	s := digits[:1]
	if len(digits) > 1 {
		s += "." + digits[1:]
	}
	if unscaled != digits {
		s = "-" + s
	}
	return s + "E" + strconv.Itoa(exponent)
}

// texts joins the texts of arguments.
func texts(args []term) string {
	out := make([]string, len(args))
	for i, t := range args {
		out[i] = t.text
	}
	return strings.Join(out, ", ")
}
