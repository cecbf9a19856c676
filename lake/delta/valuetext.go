package delta

import (
	"fmt"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/types"
)

// partitionText is the text of a partition value in add.partitionValues, and whether it has one: NULL, the empty string and
// the empty binary are all JSON null (PROTOCOL.md, Partition Value Serialization).
func partitionText(v types.Value, t types.Type) (text string, ok bool, err error) {
	if v == nil {
		return "", false, nil
	}
	text, err = valueText(v, t)
	return text, err == nil && text != "", err
}

func valueText(v types.Value, t types.Type) (string, error) {
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v), nil
	case string:
		return v, nil
	case []byte:
		return string(v), nil
	case float32:
		return string(types.AppendFloat(nil, float64(v), 32)), nil
	case float64:
		return string(types.AppendFloat(nil, v, 64)), nil
	case int32:
		if t == types.Date {
			return string(types.AppendDate(nil, int64(v))), nil
		}
	case decimal128.Num:
		if d, is := t.(types.Decimal); is {
			return v.ToString(int32(d.S)), nil
		}
	case int64:
		switch t {
		case types.Byte, types.Short, types.Int, types.Long:
			return strconv.FormatInt(v, 10), nil
		case types.Timestamp:
			return time.UnixMicro(v).UTC().Format("2006-01-02T15:04:05.000000Z"), nil
		case types.TimestampNTZ:
			return string(types.AppendTimestampNTZ(nil, v)), nil
		}
	}
	return "", fmt.Errorf("a column of type %s cannot partition a table", t)
}
