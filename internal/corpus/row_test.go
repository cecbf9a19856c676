package corpus

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// rowText is row i of a batch in the canonical form of the corpus (generated/README.md), with numbers spelled alike.
func rowText(b arrow.RecordBatch, i int) string {
	parts := make([]string, b.NumCols())
	for c := range parts {
		parts[c] = strconv.Quote(b.ColumnName(c)) + ":" + cellText(b.Column(c), i)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func cellText(a arrow.Array, i int) string {
	if a.IsNull(i) {
		return "null"
	}
	switch a := a.(type) {
	case *array.Boolean:
		return strconv.FormatBool(a.Value(i))
	case *array.Int8:
		return strconv.Itoa(int(a.Value(i)))
	case *array.Int16:
		return strconv.Itoa(int(a.Value(i)))
	case *array.Int32:
		return strconv.Itoa(int(a.Value(i)))
	case *array.Int64:
		return strconv.FormatInt(a.Value(i), 10)
	case *array.Float32:
		return floatText(float64(a.Value(i)), 32)
	case *array.Float64:
		return floatText(a.Value(i), 64)
	case *array.Decimal128:
		t := a.DataType().(*arrow.Decimal128Type)
		return strconv.Quote(a.Value(i).ToString(t.Scale))
	case *array.String:
		return strconv.Quote(a.Value(i))
	case *array.Binary:
		return strconv.Quote("0x" + hex.EncodeToString(a.Value(i)))
	case *array.Date32:
		return strconv.Quote(time.Unix(int64(a.Value(i))*86400, 0).UTC().Format("2006-01-02"))
	case *array.Timestamp:
		text := time.UnixMicro(int64(a.Value(i))).UTC().Format("2006-01-02T15:04:05.000000")
		if a.DataType().(*arrow.TimestampType).TimeZone != "" {
			text += "Z"
		}
		return strconv.Quote(text)
	case *array.Map:
		return mapText(a, i)
	case *array.List:
		from, to := a.ValueOffsets(i)
		var parts []string
		for j := from; j < to; j++ {
			parts = append(parts, cellText(a.ListValues(), int(j)))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case *array.Struct:
		t := a.DataType().(*arrow.StructType)
		var parts []string
		for f := range a.NumField() {
			parts = append(parts, strconv.Quote(t.Field(f).Name)+":"+cellText(a.Field(f), i))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	return fmt.Sprintf("<%s>", a.DataType())
}

func mapText(a *array.Map, i int) string {
	from, to := a.ValueOffsets(i)
	var parts []string
	for j := from; j < to; j++ {
		parts = append(parts, "["+cellText(a.Keys(), int(j))+","+cellText(a.Items(), int(j))+"]")
	}
	slices.Sort(parts)
	return "[" + strings.Join(parts, ",") + "]"
}

func floatText(f float64, bits int) string {
	switch {
	case math.IsNaN(f):
		return `"NaN"`
	case math.IsInf(f, 1):
		return `"Infinity"`
	case math.IsInf(f, -1):
		return `"-Infinity"`
	}
	return strconv.FormatFloat(f, 'e', -1, bits)
}

// rowTexts are all rows of a reader, sorted.
func rowTexts(r array.RecordReader) ([]string, error) {
	defer r.Release()
	out := []string{}
	for r.Next() {
		b := r.RecordBatch()
		for i := range int(b.NumRows()) {
			out = append(out, rowText(b, i))
		}
	}
	slices.Sort(out)
	return out, r.Err()
}

// expectedRows reads a file of canonical rows, sorted.
func expectedRows(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for line := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n") {
		if line != "" {
			out = append(out, canonical(t, line))
		}
	}
	slices.Sort(out)
	return out
}

// canonical spells a line of JSON as rowText does, with its members in order.
func canonical(t *testing.T, line string) string {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(line))
	dec.UseNumber()
	text, err := respell(dec)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return text
}

func respell(dec *json.Decoder) (string, error) {
	tok, err := dec.Token()
	if err != nil {
		return "", err
	}
	switch tok := tok.(type) {
	case json.Delim:
		return respellParts(dec, tok)
	case string:
		return strconv.Quote(tok), nil
	case json.Number:
		if strings.ContainsAny(tok.String(), ".eE") {
			f, err := tok.Float64()
			return floatText(f, 64), err
		}
		return tok.String(), nil
	case bool:
		return strconv.FormatBool(tok), nil
	case nil:
		return "null", nil
	}
	return "", io.ErrUnexpectedEOF
}

func respellParts(dec *json.Decoder, open json.Delim) (string, error) {
	var parts []string
	for dec.More() {
		name := ""
		if open == '{' {
			tok, err := dec.Token()
			if err != nil {
				return "", err
			}
			name = strconv.Quote(tok.(string)) + ":"
		}
		part, err := respell(dec)
		if err != nil {
			return "", err
		}
		parts = append(parts, name+part)
	}
	_, err := dec.Token()
	if open == '{' {
		return "{" + strings.Join(parts, ",") + "}", err
	}
	return "[" + strings.Join(parts, ",") + "]", err
}
