package delta

import (
	"math"
	"testing"

	"github.com/tarn-lake/tarn/types"
)

// The texts are those of tables that Spark wrote (partition_types, timestamp_ntz, partition_timestamp_zone).
func TestPartitionText(t *testing.T) {
	for _, c := range []struct {
		v    types.Value
		t    types.Type
		want string
		ok   bool
	}{
		{nil, types.Int, "", false},
		{"", types.String, "", false},
		{[]byte{}, types.Binary, "", false},
		{"null", types.String, "null", true},
		{true, types.Boolean, "true", true},
		{int64(-1), types.Byte, "-1", true},
		{float32(1.5), types.Float, "1.5", true},
		{1e10, types.Double, "1.0E10", true},
		{math.Inf(-1), types.Double, "-Infinity", true},
		{math.NaN(), types.Double, "NaN", true},
		{math.SmallestNonzeroFloat64, types.Double, "4.9E-324", true},
		{types.DecimalValue(1500), types.Decimal{P: 10, S: 3}, "1.500", true},
		{types.DecimalValue(-1), types.Decimal{P: 10, S: 3}, "-0.001", true},
		{[]byte("AB"), types.Binary, "AB", true},
		{int32(-719162), types.Date, "0001-01-01", true},
		{int64(-2208988800000001), types.Timestamp, "1899-12-31T23:59:59.999999Z", true},
		{int64(1704067200000000), types.Timestamp, "2024-01-01T00:00:00.000000Z", true},
		{int64(1704112496789012), types.TimestampNTZ, "2024-01-01 12:34:56.789012", true},
		{int64(1704067200000000), types.TimestampNTZ, "2024-01-01 00:00:00", true},
	} {
		got, ok, err := partitionText(c.v, c.t)
		if err != nil || got != c.want || ok != c.ok {
			t.Errorf("partitionText(%v %s) = %q, %v, %v; want %q, %v", c.v, c.t, got, ok, err, c.want, c.ok)
		}
	}
}
