package hudi

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/types"
)

// nullPartition stands in a path for NULL, and for the empty string.
const nullPartition = "__HIVE_DEFAULT_PARTITION__"

// pathValue is what the path of a partition tells of a partition column. Not exact means that the column of the partition's rows may
// have other values than text, as with formatted times.
type pathValue struct {
	text  string
	null  bool // NULL or ""
	exact bool
}

// pathValues takes the path of a partition apart; false when it has not one segment per partition column.
func pathValues(t *config.Table, path string) ([]pathValue, bool) {
	parts := []string{path}
	if len(t.Partition) > 1 {
		parts = strings.Split(path, "/")
	}
	if len(parts) != len(t.Partition) {
		return nil, false
	}
	out := make([]pathValue, len(parts))
	for i, part := range parts {
		f := t.Partition[i]
		if t.HiveStyle {
			rest, ok := strings.CutPrefix(part, f.Name+"=")
			if !ok {
				return nil, false
			}
			part = rest
		}
		out[i] = pathValue{text: part, exact: plainValues(t, f)}
		if part == nullPartition {
			out[i].null = true
		} else if t.URLEncode {
			out[i].text = unescape(part)
		}
	}
	return out, true
}

// plainValues reports whether the paths of a partition column hold its values, and not times in some format. Before table version 8,
// tables of the custom key generator do not say which of their columns are times.
func plainValues(t *config.Table, f config.PartitionField) bool {
	switch t.KeyGenerator {
	case config.Simple, config.Complex, config.GlobalDelete:
		return !t.SlashDates
	case config.CustomKeys:
		return f.Kind == "SIMPLE" && !t.SlashDates
	}
	return false
}

// unescape undoes the encoding of special characters as %XX (PartitionPathEncodeUtils).
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(n))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// value is v as a value of type t; false when the text may stand for several values, or none.
func (v pathValue) value(t types.Type) (types.Value, bool) {
	if v.null {
		return nil, !types.Text(t)
	}
	switch t {
	case types.Byte, types.Short, types.Int, types.Long:
		n, err := strconv.ParseInt(v.text, 10, 64)
		return n, err == nil
	case types.Boolean:
		return v.text == "true", v.text == "true" || v.text == "false"
	case types.Date:
		return dateValue(v.text)
	}
	return v.text, types.Text(t)
}

// dateValue reads a date of a path, which is spelled as a date or, by writers of Avro records, as days since 1970.
func dateValue(s string) (types.Value, bool) {
	if d, err := time.Parse(time.DateOnly, s); err == nil {
		return int32(d.Unix() / 86400), true
	}
	n, err := strconv.ParseInt(s, 10, 32)
	return int32(n), err == nil
}

// stored is v as the value of a partition column that data files do not hold.
func (v pathValue) stored(t types.Type) (types.Value, error) {
	if v.null {
		return nil, nil
	}
	out, ok := v.value(t)
	if !ok || !v.exact {
		return nil, fmt.Errorf("the partition path has %q, from which no %s can be told", v.text, t)
	}
	return out, nil
}
