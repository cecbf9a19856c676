package plan

import (
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/types"
)

var basicTypes = map[string]types.Type{
	"BOOLEAN": types.Boolean, "TINYINT": types.Byte, "BYTE": types.Byte, "SMALLINT": types.Short, "SHORT": types.Short,
	"INT": types.Int, "INTEGER": types.Int, "BIGINT": types.Long, "LONG": types.Long, "FLOAT": types.Float,
	"REAL": types.Float, "DOUBLE": types.Double, "STRING": types.String, "BINARY": types.Binary, "DATE": types.Date,
	"TIMESTAMP_LTZ": types.Timestamp, "TIMESTAMP_NTZ": types.TimestampNTZ, "INTERVAL": types.CalendarInterval,
	"VARIANT": types.Variant, "VOID": types.Void,
}

// spelledType is the type that t spells; setting tells what TIMESTAMP means.
func spelledType(t syntax.TypeName, setting func(string) string) (types.Type, error) {
	switch t := t.(type) {
	case *syntax.BasicType:
		return basicType(t, setting)
	case *syntax.IntervalType:
		return intervalType(t)
	case *syntax.ArrayType:
		elem, err := spelledType(t.Elem, setting)
		return types.Array{Elem: elem, Nullable: true}, err
	case *syntax.MapType:
		key, err := spelledType(t.Key, setting)
		if err != nil {
			return nil, err
		}
		value, err := spelledType(t.Value, setting)
		return types.Map{Key: key, Value: value, Nullable: true}, err
	case *syntax.StructType:
		return asType(spelledFields(t.Fields, setting))
	}
	return nil, unsupported("type", t)
}

func asType(s types.Struct, err error) (types.Type, error) { return s, err }

func basicType(t *syntax.BasicType, setting func(string) string) (types.Type, error) {
	n := make([]int, len(t.Params))
	for i, p := range t.Params {
		n[i], _ = strconv.Atoi(p)
	}
	switch t.Name {
	case "TIMESTAMP":
		if setting("spark.sql.timestampType") == "TIMESTAMP_NTZ" {
			return types.TimestampNTZ, nil
		}
		return types.Timestamp, nil
	case "DECIMAL", "DEC", "NUMERIC":
		return decimalType(t, n)
	case "CHAR", "CHARACTER":
		return types.Char{N: first(n, 1)}, nil
	case "VARCHAR":
		return types.Varchar{N: first(n, 1)}, nil
	case "TIME":
		return types.Time{P: first(n, 6)}, nil
	case "STRING":
		if t.Collation != nil && !strings.EqualFold(t.Collation.Last(), "UTF8_BINARY") {
			return types.Collated{Name: strings.ToUpper(t.Collation.Last())}, nil
		}
	}
	if b, ok := basicTypes[t.Name]; ok {
		return b, nil
	}
	return nil, fail("UNSUPPORTED_DATATYPE", t, "typeName", quoteSQL(t.Name))
}

func first(n []int, otherwise int) int {
	if len(n) > 0 {
		return n[0]
	}
	return otherwise
}

func decimalType(t *syntax.BasicType, n []int) (types.Type, error) {
	d := types.Decimal{P: first(n, 10)}
	if len(n) > 1 {
		d.S = n[1]
	}
	if d.P > 38 {
		return nil, fail("DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION", t, "precision", strconv.Itoa(d.P), "maxPrecision", "38")
	}
	if d.S > d.P {
		return nil, fail("INVALID_DECIMAL_SCALE", t, "precision", strconv.Itoa(d.P), "scale", strconv.Itoa(d.S))
	}
	return d, nil
}

var units = map[string]types.Unit{"YEAR": types.Year, "MONTH": types.Month, "DAY": types.Day, "HOUR": types.Hour,
	"MINUTE": types.Minute, "SECOND": types.Second}

func intervalType(t *syntax.IntervalType) (types.Type, error) {
	from := units[t.From]
	to := from
	if t.To != "" {
		to = units[t.To]
	}
	if from <= types.Month && to <= types.Month && from <= to {
		return types.YearMonth{From: from, To: to}, nil
	}
	if from >= types.Day && from <= to {
		return types.DayTime{From: from, To: to}, nil
	}
	return nil, fail("_LEGACY_ERROR_TEMP_0028", t, "from", strings.ToLower(t.From), "to", strings.ToLower(t.To))
}

func spelledFields(fields []*syntax.FieldType, setting func(string) string) (types.Struct, error) {
	s := types.Struct{Fields: make([]types.Field, len(fields))}
	for i, f := range fields {
		t, err := spelledType(f.Type, setting)
		if err != nil {
			return types.Struct{}, err
		}
		s.Fields[i] = types.Field{Name: f.Name.Name, Type: t, Nullable: !f.NotNull}
		if f.Comment != nil {
			s.Fields[i].Metadata = s.Fields[i].Metadata.With("comment", f.Comment.Value)
		}
	}
	return s, nil
}

// read is t as expressions see it: char and varchar are plain text once they are read.
func read(t types.Type) types.Type {
	switch t := t.(type) {
	case types.Char, types.Varchar:
		return types.String
	case types.Array:
		t.Elem = read(t.Elem)
		return t
	case types.Map:
		t.Key, t.Value = read(t.Key), read(t.Value)
		return t
	case types.Struct:
		fields := append([]types.Field(nil), t.Fields...)
		for i := range fields {
			fields[i].Type = read(fields[i].Type)
		}
		return types.Struct{Fields: fields}
	}
	return t
}
