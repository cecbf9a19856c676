package duckdb

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// textScan emits the reading of csv, json and text files, one call per set of files with equal constants.
// Values that files spell as text come as text and are cast by Spark's rules: DuckDB would read them by its
// own.
func (e *emitter) textScan(n *rel.Scan) (string, error) {
	var parts []string
	for _, files := range sameConstants(n) {
		s, err := e.textFiles(n, files)
		if err != nil {
			return "", err
		}
		parts = append(parts, s)
	}
	if len(parts) == 0 {
		return e.noRows(&rel.Values{Cols: n.Columns()})
	}
	return strings.Join(parts, " UNION ALL "), nil
}

// sameConstants groups files whose partition values, and names if a column shows them, are equal.
func sameConstants(n *rel.Scan) [][]rel.File {
	named := slices.ContainsFunc(n.Cols, func(c rel.ScanColumn) bool { return c.From == rel.FileName })
	at := map[string]int{}
	var groups [][]rel.File
	for _, f := range n.Files {
		key := fmt.Sprintf("%#v", f.Partition)
		if named {
			key += "\x00" + f.Path
		}
		i, ok := at[key]
		if !ok {
			i = len(groups)
			at[key], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], f)
	}
	return groups
}

func (e *emitter) textFiles(n *rel.Scan, files []rel.File) (string, error) {
	paths, err := e.pathList(files)
	if err != nil {
		return "", err
	}
	var read textReader
	switch n.Format {
	case "csv":
		read, err = csvReader(n)
	case "json":
		read, err = jsonReader(n)
	case "text":
		read, err = lineReader(n)
	default:
		return "", unsupported("reading %s files", n.Format)
	}
	if err != nil {
		return "", err
	}
	cols := []string{}
	for _, c := range n.Cols {
		x, err := e.textColumn(n, c, read, files)
		if err != nil {
			return "", fmt.Errorf("column %s: %w", c.Name, err)
		}
		cols = append(cols, x+" AS "+name(c.ID))
	}
	if len(cols) == 0 {
		cols = []string{`true AS "c0"`}
	}
	from := read.function + "(" + strings.Join(append([]string{paths}, read.options...), ", ") + ")" + read.where
	if len(read.raw) > 0 {
		from = "(SELECT " + strings.Join(read.raw, ", ") + " FROM " + from + ")"
	}
	return "SELECT " + strings.Join(cols, ", ") + " FROM " + from, nil
}

// textReader is a call of one of DuckDB's readers.
type textReader struct {
	function string
	options  []string
	where    string
	raw      []string              // select list that gives the columns below
	columns  map[string]rel.Column // by stored name: what the reader gives
}

// add makes the reader's column sql, of type t, the stored column stored.
func (r *textReader) add(stored, sql string, t types.Type) {
	c := rel.NewColumn(stored, t)
	r.columns[stored] = c
	r.raw = append(r.raw, sql+" AS "+name(c.ID))
}

// textColumn emits one column of a scan of text files.
func (e *emitter) textColumn(n *rel.Scan, c rel.ScanColumn, read textReader, files []rel.File) (string, error) {
	if c.From != rel.InFile {
		if c.From == rel.RowID {
			return "", unsupported("a row id of %s files", n.Format)
		}
		return e.scanColumn(c, "", files)
	}
	raw, ok := read.columns[c.File.Name]
	if !ok {
		return constant(c.Type, nil)
	}
	if types.Equal(raw.Type, c.Type) {
		return name(raw.ID), nil
	}
	if raw.Type != types.String {
		return e.convert(name(raw.ID), raw.Type, c.Type)
	}
	mode := rel.Try // PERMISSIVE: what cannot be read is NULL
	if strings.EqualFold(n.Options["mode"], "failfast") {
		mode = rel.ANSI
	}
	return e.expr(readText(raw.Ref(), c.Type, mode, n.Options))
}

// readText is the expression that reads a date, a time or another value from text.
func readText(x rel.Expr, t types.Type, mode rel.Mode, options map[string]string) rel.Expr {
	zone := options["timezone"]
	if zone == "" {
		zone = "UTC"
	}
	format, function := "", ""
	switch t {
	case types.Date:
		format, function = options["dateformat"], "to_date"
	case types.Timestamp:
		format, function = options["timestampformat"], "to_timestamp"
	case types.TimestampNTZ:
		format, function = options["timestampntzformat"], "to_timestamp_ntz"
	}
	if format == "" {
		return &rel.Cast{X: x, To: t, Mode: mode, Zone: zone}
	}
	return &rel.Call{Name: function, Args: []rel.Expr{x, &rel.Lit{T: types.String, Value: format}}, T: t, Null: true, Mode: mode, Zone: zone}
}

// option is the option key, or its default.
func option(n *rel.Scan, key, or string) string {
	if v, ok := n.Options[key]; ok {
		return v
	}
	return or
}

func yes(n *rel.Scan, key string) bool { return strings.EqualFold(n.Options[key], "true") }

// csvReader reads every column as text.
func csvReader(n *rel.Scan) (textReader, error) {
	stored := n.Stored.Fields
	if len(stored) == 0 {
		for _, c := range n.Cols {
			if c.From == rel.InFile {
				stored = append(stored, c.File)
			}
		}
	}
	if len(stored) == 0 {
		return textReader{}, unsupported("reading csv files without columns")
	}
	r := textReader{function: "read_csv", columns: map[string]rel.Column{}}
	spec := make([]string, len(stored))
	for i, f := range stored {
		raw := fmt.Sprintf("r%d", i)
		spec[i] = literal(raw) + ": 'VARCHAR'"
		r.add(f.Name, ident(raw), types.String)
	}
	delim := option(n, "sep", option(n, "delimiter", ","))
	r.options = []string{
		"auto_detect=false", "columns={" + strings.Join(spec, ", ") + "}", "hive_partitioning=false",
		"delim=" + literal(unescape(delim)),
		"quote=" + literal(unescape(option(n, "quote", `"`))),
		"escape=" + literal(unescape(option(n, "escape", `\`))),
		"nullstr=" + literal(option(n, "nullvalue", "")), "allow_quoted_nulls=false",
		fmt.Sprintf("header=%t", yes(n, "header")),
		"null_padding=true", "strict_mode=false", "parallel=false",
		fmt.Sprintf("ignore_errors=%t", strings.EqualFold(n.Options["mode"], "dropmalformed")),
	}
	if c := n.Options["comment"]; c != "" {
		r.options = append(r.options, "comment="+literal(c))
	}
	if enc := n.Options["encoding"]; enc != "" && !strings.EqualFold(enc, "utf-8") && !strings.EqualFold(enc, "utf8") {
		return r, unsupported("csv files in the encoding %s", enc)
	}
	return r, nil
}

// unescape reads the escapes that Spark knows in a delimiter.
func unescape(s string) string {
	switch s {
	case `\t`:
		return "\t"
	case `\\`:
		return `\`
	case `\0`, `\u0000`:
		return ""
	}
	return s
}

// jsonReader reads fields by name; dates and times come as text.
func jsonReader(n *rel.Scan) (textReader, error) {
	r := textReader{function: "read_json", columns: map[string]rel.Column{}}
	var spec []string
	for _, c := range n.Cols {
		if c.From != rel.InFile || r.columns[c.File.Name].ID != 0 {
			continue
		}
		t := c.File.Type
		switch t {
		case types.Date, types.Timestamp, types.TimestampNTZ, types.Binary:
			t = types.String
		}
		typ, err := typeName(t)
		if err != nil {
			return r, err
		}
		spec = append(spec, literal(c.File.Name)+": "+literal(typ))
		r.add(c.File.Name, ident(c.File.Name), t)
	}
	if len(spec) == 0 {
		spec = []string{"'\x01': 'BOOLEAN'"}
	}
	format := "newline_delimited"
	if yes(n, "multiline") {
		format = "auto"
	}
	r.options = []string{
		"auto_detect=false", "columns={" + strings.Join(spec, ", ") + "}", "hive_partitioning=false", "records=true",
		"format='" + format + "'",
		fmt.Sprintf("ignore_errors=%t", format == "newline_delimited" && !strings.EqualFold(n.Options["mode"], "failfast")),
	}
	return r, nil
}

// lineReader reads each line as one text. Whole files are read and split: the csv reader skips empty lines.
func lineReader(n *rel.Scan) (textReader, error) {
	r := textReader{function: "read_text", columns: map[string]rel.Column{}}
	stored := "value"
	for _, c := range n.Cols {
		if c.From == rel.InFile {
			stored = c.File.Name
		}
	}
	lines := `replace(replace(content, chr(13)||chr(10), chr(10)), chr(13), chr(10))`
	if sep := n.Options["linesep"]; sep != "" {
		lines = "replace(content, " + literal(sep) + ", chr(10))"
	}
	r.add(stored, "unnest(string_split(CASE WHEN right("+lines+", 1) = chr(10) THEN left("+lines+", -1) ELSE "+lines+" END, chr(10)))", types.String)
	r.where = " WHERE size > 0"
	return r, nil
}
