package files

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/types"
)

// sampleRows bounds the rows that a schema is inferred from.
const sampleRows = 100_000

func (s *state) option(names ...string) string {
	for k, v := range s.folder.entry.Options {
		if slices.Contains(names, strings.ToLower(k)) {
			return v
		}
	}
	return ""
}

// inferCSV names the columns _c0, _c1, … or by the header. All are text, unless inferSchema asks for more.
func (s *state) inferCSV(ctx context.Context) (types.Struct, error) {
	var header []string
	var kinds []types.Type
	infer := strings.EqualFold(s.option("inferschema"), "true")
	rows := 0
	for _, f := range s.files {
		file, err := s.open(ctx, f)
		if err != nil {
			return types.Struct{}, err
		}
		r := csv.NewReader(io.NewSectionReader(file, 0, f.Size))
		r.FieldsPerRecord, r.LazyQuotes = -1, true
		if sep := []rune(s.option("sep", "delimiter")); len(sep) == 1 {
			r.Comma = sep[0]
		}
		first := true
		for rows < sampleRows && (infer || header == nil) {
			rec, err := r.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				file.Close()
				return types.Struct{}, &lake.Error{Op: "read", Path: f.Path, Err: err}
			}
			if first && header == nil {
				header = s.header(rec)
				kinds = make([]types.Type, len(header))
			}
			if first && strings.EqualFold(s.option("header"), "true") {
				first = false
				continue
			}
			first = false
			rows++
			for i, v := range rec {
				if infer && i < len(kinds) && v != s.option("nullvalue") {
					kinds[i] = widen(kinds[i], csvType(v))
				}
			}
		}
		file.Close()
	}
	var out types.Struct
	for i, name := range header {
		t := kinds[i]
		if t == nil {
			t = types.String
		}
		out.Fields = append(out.Fields, types.Field{Name: name, Type: t, Nullable: true})
	}
	return out, nil
}

func (s *state) header(rec []string) []string {
	out := make([]string, len(rec))
	for i, v := range rec {
		out[i] = "_c" + strconv.Itoa(i)
		if strings.EqualFold(s.option("header"), "true") && v != "" {
			out[i] = strings.TrimPrefix(v, "\ufeff")
		}
	}
	return out
}

func csvType(v string) types.Type {
	if _, err := strconv.ParseInt(v, 10, 32); err == nil {
		return types.Int
	}
	if _, err := strconv.ParseInt(v, 10, 64); err == nil {
		return types.Long
	}
	if _, err := strconv.ParseFloat(v, 64); err == nil {
		return types.Double
	}
	if strings.EqualFold(v, "true") || strings.EqualFold(v, "false") {
		return types.Boolean
	}
	if _, err := parseDate(v); err == nil && len(v) == 10 {
		return types.Date
	}
	if len(v) > 10 && (v[10] == ' ' || v[10] == 'T') {
		if _, err := parseDate(v[:10]); err == nil {
			return types.Timestamp
		}
	}
	return types.String
}

// widen is the narrowest of the inferred types that holds values of both. nil is no value yet.
func widen(a, b types.Type) types.Type {
	switch {
	case a == nil || a == types.Void:
		return b
	case b == nil || b == types.Void || types.Equal(a, b):
		return a
	case types.Numeric(a) && types.Numeric(b):
		if a == types.Double || b == types.Double {
			return types.Double
		}
		return types.Long
	case a == types.Date && b == types.Timestamp, a == types.Timestamp && b == types.Date:
		return types.Timestamp
	}
	switch a := a.(type) {
	case types.Struct:
		if b, ok := b.(types.Struct); ok {
			return mergeStructs(a, b)
		}
	case types.Array:
		if b, ok := b.(types.Array); ok {
			return types.Array{Elem: widen(a.Elem, b.Elem), Nullable: true}
		}
	}
	return types.String
}

func mergeStructs(a, b types.Struct) types.Struct {
	kinds := map[string]types.Type{}
	for _, f := range append(slices.Clone(a.Fields), b.Fields...) {
		kinds[f.Name] = widen(kinds[f.Name], f.Type)
	}
	var out types.Struct
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		out.Fields = append(out.Fields, types.Field{Name: name, Type: kinds[name], Nullable: true})
	}
	return out
}

// inferJSON finds the fields of all objects, in the order of their names as Spark has them.
func (s *state) inferJSON(ctx context.Context) (types.Struct, error) {
	var all types.Type
	rows := 0
	for _, f := range s.files {
		file, err := s.open(ctx, f)
		if err != nil {
			return types.Struct{}, err
		}
		d := jsontext.NewDecoder(io.NewSectionReader(file, 0, f.Size), jsontext.AllowDuplicateNames(true))
		for ; rows < sampleRows; rows++ {
			v, err := d.ReadValue()
			if errors.Is(err, io.EOF) {
				break
			}
			var t types.Type
			if err == nil {
				t, err = jsonType(v)
			}
			if err != nil {
				file.Close()
				return types.Struct{}, &lake.Error{Op: "read", Path: f.Path, Err: err}
			}
			if arr, ok := t.(types.Array); ok {
				t = arr.Elem
			}
			all = widen(all, t)
		}
		file.Close()
	}
	if st, ok := settle(all).(types.Struct); ok {
		return st, nil
	}
	return types.Struct{}, &lake.Error{Op: "infer the schema of", Path: s.folder.entry.Location,
		Err: fmt.Errorf("no JSON objects in the files")}
}

func jsonType(v jsontext.Value) (types.Type, error) {
	switch v.Kind() {
	case 'n':
		return types.Void, nil
	case 't', 'f':
		return types.Boolean, nil
	case '"':
		return types.String, nil
	case '0':
		if _, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return types.Long, nil
		}
		return types.Double, nil
	case '[':
		var elems []jsontext.Value
		if err := json.Unmarshal(v, &elems); err != nil {
			return nil, err
		}
		var elem types.Type = types.Void
		for _, e := range elems {
			t, err := jsonType(e)
			if err != nil {
				return nil, err
			}
			elem = widen(elem, t)
		}
		return types.Array{Elem: elem, Nullable: true}, nil
	}
	var fields map[string]jsontext.Value
	if err := json.Unmarshal(v, &fields, jsontext.AllowDuplicateNames(true)); err != nil {
		return nil, err
	}
	var out types.Struct
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		t, err := jsonType(fields[name])
		if err != nil {
			return nil, err
		}
		out.Fields = append(out.Fields, types.Field{Name: name, Type: t, Nullable: true})
	}
	return out, nil
}

// settle makes text of the parts of t that no value told a type of.
func settle(t types.Type) types.Type {
	switch t := t.(type) {
	case types.Basic:
		if t == types.Void {
			return types.String
		}
	case types.Array:
		return types.Array{Elem: settle(t.Elem), Nullable: true}
	case types.Struct:
		var out types.Struct
		for _, f := range t.Fields {
			f.Type = settle(f.Type)
			out.Fields = append(out.Fields, f)
		}
		return out
	}
	return t
}

// parseDate reads yyyy-MM-dd as days since 1970.
func parseDate(s string) (int32, error) {
	t, err := time.Parse("2006-01-02", s)
	return int32(t.Unix() / 86400), err
}
