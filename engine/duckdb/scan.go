package duckdb

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// scan emits the reading of files.
//
// Files are read in as few calls as their differences allow: files with hidden rows apart from those
// without, so that only they pay for it. What is constant per file (partition values, the number in row
// ids, the name) is looked up by the position of the file in its call.
func (e *emitter) scan(n *rel.Scan) (string, error) {
	if n.Format != "parquet" {
		return e.textScan(n)
	}
	var plainFiles, hidden []rel.File
	for _, f := range n.Files {
		if f.Hidden != nil && f.Hidden.Len() > 0 {
			hidden = append(hidden, f)
		} else {
			plainFiles = append(plainFiles, f)
		}
	}
	var parts []string
	for _, files := range [][]rel.File{plainFiles, hidden} {
		if len(files) == 0 {
			continue
		}
		s, err := e.parquet(n, files)
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

// parquet emits one call of read_parquet over files that all have hidden rows, or all have none.
func (e *emitter) parquet(n *rel.Scan, files []rel.File) (string, error) {
	paths, err := e.pathList(files)
	if err != nil {
		return "", err
	}
	schema, raw, err := schemaMap(n.Cols)
	if err != nil {
		return "", err
	}
	cols := []string{}
	for i, c := range n.Cols {
		x, err := e.scanColumn(c, raw[i], files)
		if err != nil {
			return "", fmt.Errorf("column %s: %w", c.Name, err)
		}
		cols = append(cols, x+" AS "+name(c.ID))
	}
	if len(cols) == 0 {
		cols = []string{`true AS "c0"`}
	}
	where := ""
	if files[0].Hidden != nil && files[0].Hidden.Len() > 0 {
		id := e.engine.live.add(hiddenOf(files))
		e.live = append(e.live, id)
		where = fmt.Sprintf(" WHERE %s(CAST(%d AS BIGINT), file_index, file_row_number)", e.use(e.engine.live.fn), id)
	}
	return "SELECT " + strings.Join(cols, ", ") + " FROM read_parquet(" + paths + ", schema=" + schema +
		", hive_partitioning=false, " + fmt.Sprintf("binary_as_string=%t", !readsBinary(n.Cols)) + ")" + where, nil
}

// readsBinary reports whether a stored column, or a part of one, is binary. Old writers leave text without
// the mark of text in Parquet, and DuckDB can take that for text only in all columns at once.
func readsBinary(cols []rel.ScanColumn) bool {
	return slices.ContainsFunc(cols, func(c rel.ScanColumn) bool { return c.From == rel.InFile && hasBinary(c.File.Type) })
}

func hasBinary(t types.Type) bool {
	switch t := t.(type) {
	case types.Array:
		return hasBinary(t.Elem)
	case types.Map:
		return hasBinary(t.Key) || hasBinary(t.Value)
	case types.Struct:
		return slices.ContainsFunc(t.Fields, func(f types.Field) bool { return hasBinary(f.Type) })
	}
	return t == types.Binary || t == types.Variant
}

// pathList spells the paths of files as patterns that match nothing else.
func (e *emitter) pathList(files []rel.File) (string, error) {
	parts := make([]string, len(files))
	for i, f := range files {
		p, err := e.survey.path(f)
		if err != nil {
			return "", err
		}
		parts[i] = literal(escapePattern(p))
	}
	return "[" + strings.Join(parts, ", ") + "]", nil
}

// escapePattern makes the wildcards of a path stand for themselves.
func escapePattern(p string) string {
	if !strings.ContainsAny(p, `*?[\`) {
		return p
	}
	var b strings.Builder
	for _, r := range p {
		switch r {
		case '*', '?', '[':
			b.WriteString("[" + string(r) + "]")
		case '\\':
			b.WriteString(`\\`)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// schemaMap says which stored columns are read, by field id or by name, and as which type; a column that a
// file lacks is NULL. raw gives the name under which each column comes. Without a stored column to read, one
// that no file has keeps the rows.
func schemaMap(cols []rel.ScanColumn) (schema string, raw []string, err error) {
	var byName, byID []string
	raw = make([]string, len(cols))
	for i, c := range cols {
		if c.From != rel.InFile {
			continue
		}
		typ, err := typeName(c.File.Type)
		if err != nil {
			return "", nil, fmt.Errorf("column %s: %w", c.Name, err)
		}
		raw[i] = fmt.Sprintf("r%d", i)
		value := "{name: " + literal(raw[i]) + ", type: " + literal(typ) + ", default_value: NULL}"
		if id, ok := c.File.Metadata.Int(rel.FieldIDKey); ok {
			byID = append(byID, fmt.Sprintf("%d: %s", id, value))
		} else {
			byName = append(byName, literal(c.File.Name)+": "+value)
		}
	}
	switch {
	case len(byID) > 0 && len(byName) > 0:
		return "", nil, unsupported("reading some columns by field id and some by name")
	case len(byID) > 0:
		byName = byID
	case len(byName) == 0:
		byName = []string{"'\x01': {name: 'none', type: 'BOOLEAN', default_value: NULL}"}
	}
	return "MAP {" + strings.Join(byName, ", ") + "}", raw, nil
}

// scanColumn emits the value of one column of a scan.
func (e *emitter) scanColumn(c rel.ScanColumn, raw string, files []rel.File) (string, error) {
	switch c.From {
	case rel.InFile:
		x, err := e.convert(storedValue(c.File, raw), c.File.Type, c.Type)
		return filled(x, c.Type), err
	case rel.InPartition:
		return e.fileConstant(c.Type, files, func(f rel.File) (types.Value, error) {
			if c.Part < 0 || c.Part >= len(f.Partition) {
				return nil, fmt.Errorf("%s has %d partition values", f.Path, len(f.Partition))
			}
			return filledValue(f.Partition[c.Part], c.Type), nil
		})
	case rel.FileName:
		return e.fileConstant(types.String, files, func(f rel.File) (types.Value, error) { return f.Path, nil })
	case rel.RowID:
		file, err := e.fileNumber(files)
		return "struct_pack(" + ident("file") + " := " + file + ", " + ident("pos") + " := file_row_number)", err
	}
	return "", unsupported("a column of origin %d", c.From)
}

// fileNumber emits the number of the file in row ids.
func (e *emitter) fileNumber(files []rel.File) (string, error) {
	for i, f := range files {
		if f.ID != files[0].ID+int64(i) {
			return e.fileConstant(types.Long, files, func(f rel.File) (types.Value, error) { return f.ID, nil })
		}
	}
	return fmt.Sprintf("(CAST(file_index AS BIGINT) + CAST(%d AS BIGINT))", files[0].ID), nil
}

// storedValue emits a column as it was read. DuckDB compares a column that a file holds as a narrower type after it has
// rounded the constant to that type, so that 3.4 equals what a FLOAT made of it: an expression over two columns keeps
// comparisons away from the files.
func storedValue(f types.Field, raw string) string {
	if _, ok := f.Metadata[rel.RetypedKey]; ok {
		return "CASE WHEN file_row_number < 0 THEN NULL ELSE " + ident(raw) + " END"
	}
	return ident(raw)
}

// filled emits a stored value of a char(n) column with blanks up to n characters, which files leave out.
func filled(x string, t types.Type) string {
	if c, ok := t.(types.Char); ok {
		return fmt.Sprintf("CASE WHEN length(%[1]s) < %[2]d THEN rpad(%[1]s, %[2]d, ' ') ELSE %[1]s END", x, c.N)
	}
	return x
}

func filledValue(v types.Value, t types.Type) types.Value {
	c, char := t.(types.Char)
	text, ok := v.(string)
	if !char || !ok {
		return v
	}
	return text + strings.Repeat(" ", max(0, c.N-utf8.RuneCountInString(text)))
}
