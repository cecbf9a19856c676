package duckdb

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/types"
)

// partitionKey emits the text that stands for x, of type t, while DuckDB sorts rows into files, such that
// partitionValue can read it back exactly.
func partitionKey(x string, t types.Type) (string, error) {
	switch t := t.(type) {
	case types.Decimal, types.YearMonth, types.DayTime:
		return "CAST(" + x + " AS VARCHAR)", nil
	case types.Char, types.Varchar:
		return x, nil
	case types.Basic:
		switch t {
		case types.String:
			return x, nil
		case types.Boolean, types.Byte, types.Short, types.Int, types.Long, types.Float, types.Double:
			return "CAST(" + x + " AS VARCHAR)", nil
		case types.Date:
			return "CAST(" + x + " - DATE '1970-01-01' AS VARCHAR)", nil
		case types.Timestamp, types.TimestampNTZ:
			return "CAST(epoch_us(" + x + ") AS VARCHAR)", nil
		case types.Binary:
			return "hex(" + x + ")", nil
		}
	}
	return "", unsupported("partitioning by a column of type %v", t)
}

// partitionValue reads the text of partitionKey.
func partitionValue(s string, t types.Type) (types.Value, error) {
	switch d := t.(type) {
	case types.Decimal:
		return decimal128.FromString(s, int32(d.P), int32(d.S))
	case types.YearMonth:
		n, err := strconv.ParseInt(s, 10, 32)
		return int32(n), err
	case types.DayTime:
		return strconv.ParseInt(s, 10, 64)
	}
	switch t {
	case types.Boolean:
		return strconv.ParseBool(s)
	case types.Float:
		f, err := strconv.ParseFloat(s, 32)
		return float32(f), err
	case types.Double:
		return strconv.ParseFloat(s, 64)
	case types.Date:
		n, err := strconv.ParseInt(s, 10, 32)
		return int32(n), err
	case types.Binary:
		return hex.DecodeString(s)
	case types.Byte, types.Short, types.Int, types.Long, types.Timestamp, types.TimestampNTZ:
		return strconv.ParseInt(s, 10, 64)
	}
	return s, nil
}

// nullPartition is the folder of rows whose partition column is NULL, or an empty text, which no folder
// name could tell from it.
const nullPartition = "__HIVE_DEFAULT_PARTITION__"

// partitionFolder is the name of the folder of rows in which column name is v, as Spark names it.
func partitionFolder(name string, t types.Type, v types.Value) string {
	s := nullPartition
	if v != nil && v != "" {
		s = escapeFolder(partitionText(t, v))
	}
	return escapeFolder(name) + "=" + s
}

// partitionText is v as Spark casts it to a string in UTC.
func partitionText(t types.Type, v types.Value) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case float32:
		return string(types.AppendFloat(nil, float64(v), 32))
	case float64:
		return string(types.AppendFloat(nil, v, 64))
	case decimal128.Num:
		return v.ToString(int32(t.(types.Decimal).S))
	case int32:
		if t == types.Date {
			return string(types.AppendDate(nil, int64(v)))
		}
	case int64:
		if t == types.Timestamp || t == types.TimestampNTZ {
			return string(types.AppendTimestampNTZ(nil, v))
		}
	}
	return fmt.Sprint(v)
}

// escapeFolder escapes the bytes that Hive and Spark escape in folder names.
func escapeFolder(s string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c == 0x7f || strings.IndexByte("\"#%'*/:=?\\{[]^", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
