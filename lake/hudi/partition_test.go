package hudi

import (
	"fmt"
	"testing"

	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/types"
)

func TestPathValues(t *testing.T) {
	fields := func(names ...string) (out []config.PartitionField) {
		for _, n := range names {
			out = append(out, config.PartitionField{Name: n})
		}
		return out
	}
	simple := config.Table{KeyGenerator: config.Simple, Partition: fields("p")}
	hive, encoded, custom, old, times, two := simple, simple, simple, simple, simple, simple
	hive.HiveStyle = true
	encoded.URLEncode = true
	custom.KeyGenerator, custom.Partition = config.CustomKeys, []config.PartitionField{{Name: "p", Kind: "SIMPLE"}}
	old.KeyGenerator = config.CustomKeys
	times.KeyGenerator = config.Timestamp
	two.KeyGenerator, two.Partition = config.Complex, fields("p", "q")
	for _, c := range []struct {
		table config.Table
		path  string
		t     types.Type
		want  string // values that are told; "?" for those that are not
	}{
		{simple, "eu", types.String, "eu"},
		{simple, "eu/west", types.String, "eu/west"},
		{simple, nullPartition, types.String, "?"}, // NULL, or the empty text
		{simple, nullPartition, types.Int, "<nil>"},
		{simple, "12", types.Int, "12"},
		{simple, "1.5", types.Int, "?"},
		{simple, "true", types.Boolean, "true"},
		{simple, "2024-02-29", types.Date, "19782"},
		{simple, "19782", types.Date, "19782"},
		{simple, "1709168523500000", types.Timestamp, "?"},
		{simple, "1.10", types.Decimal{P: 5, S: 2}, "?"},
		{hive, "p=eu", types.String, "eu"},
		{hive, "eu", types.String, "-"},
		{encoded, "a%3Db%25", types.String, "a=b%"},
		{encoded, "50%", types.String, "50%"},
		{custom, "eu", types.String, "eu"},
		{old, "eu", types.String, "?"}, // may be a formatted time
		{times, "2024/01/01", types.String, "?"},
		{two, "eu/1", types.String, "eu 1"},
		{two, "eu", types.String, "-"},
		{two, "eu/1/2", types.String, "-"},
	} {
		values, ok := pathValues(&c.table, c.path)
		got := ""
		if !ok {
			got = " -"
		}
		for _, v := range values {
			x, ok := v.value(c.t)
			if !ok || !v.exact {
				x = "?"
			}
			got += fmt.Sprintf(" %v", x)
		}
		if got != " "+c.want {
			t.Errorf("%s as %s by %s: %s, want %s", c.path, c.t, c.table.KeyGenerator, got, c.want)
		}
	}
}
