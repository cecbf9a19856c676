package plan

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/types"
)

// atField gives f the list of fields that the name path speaks of, with the place in it of its last part, -1 when it
// is not there, and puts the list that f makes in its place.
func atField(s types.Struct, path []string, at syntax.Node, f func(fields []types.Field, i int) ([]types.Field, error)) (types.Struct, error) {
	i := s.Index(path[0])
	fields := slices.Clone(s.Fields)
	if len(path) == 1 {
		fields, err := f(fields, i)
		return types.Struct{Fields: fields}, err
	}
	if i < 0 {
		return s, unresolved(path[0], s, at)
	}
	if t, ok, err := atPart(fields[i].Type, path[1:], f); ok || err != nil {
		fields[i].Type = t
		return types.Struct{Fields: fields}, err
	}
	inner, rest := fields[i].Type, path[1:]
	var wrap func(types.Type) types.Type
	switch t := inner.(type) {
	case types.Array:
		if strings.EqualFold(rest[0], "element") && len(rest) > 1 {
			inner, rest = t.Elem, rest[1:]
			wrap = func(e types.Type) types.Type { t.Elem = e; return t }
		}
	case types.Map:
		if strings.EqualFold(rest[0], "value") && len(rest) > 1 {
			inner, rest = t.Value, rest[1:]
			wrap = func(e types.Type) types.Type { t.Value = e; return t }
		}
	}
	in, ok := inner.(types.Struct)
	if !ok {
		return s, unresolved(path[1], types.Struct{}, at)
	}
	out, err := atField(in, rest, at, f)
	if err != nil {
		return s, err
	}
	fields[i].Type = out
	if wrap != nil {
		fields[i].Type = wrap(out)
	}
	return types.Struct{Fields: fields}, nil
}

// atPart is atField for the element of an array or the value of a map itself, which can change but not be taken away or renamed.
func atPart(t types.Type, path []string, f func(fields []types.Field, i int) ([]types.Field, error)) (types.Type, bool, error) {
	part := types.Field{}
	switch t := t.(type) {
	case types.Array:
		part = types.Field{Name: "element", Type: t.Elem, Nullable: t.Nullable}
	case types.Map:
		part = types.Field{Name: "value", Type: t.Value, Nullable: t.Nullable}
	}
	if len(path) != 1 || part.Type == nil || !strings.EqualFold(path[0], part.Name) {
		return t, false, nil
	}
	out, err := f([]types.Field{part}, 0)
	if err != nil {
		return t, false, err
	}
	if len(out) != 1 || out[0].Name != part.Name {
		return t, false, fail("UNSUPPORTED_FEATURE.TARN", nil, "feature", "renaming or dropping the "+part.Name+" of an array or map")
	}
	switch t := t.(type) {
	case types.Array:
		t.Elem, t.Nullable = out[0].Type, out[0].Nullable
		return t, true, nil
	case types.Map:
		t.Value, t.Nullable = out[0].Type, out[0].Nullable
		return t, true, nil
	}
	return t, false, nil
}

func (a *altering) addColumns(act *syntax.AddColumns) error {
	type added struct {
		Column   any    `json:"column"`
		Position string `json:"position,omitempty"`
	}
	var list []added
	for _, c := range act.Columns {
		if c.Default != nil && a.format == "delta" {
			return fail("WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED", c)
		}
		f, err := a.column(c)
		if err != nil {
			return err
		}
		if !f.Nullable && a.format == "hudi" {
			return a.refused("ADD COLUMNS with NOT NULL", c)
		}
		if !f.Nullable {
			return fail("DELTA_OPERATION_NOT_ALLOWED", c, "operation", "NOT NULL in ALTER TABLE ADD COLUMNS")
		}
		path, position := c.Name.Strings(), c.Position
		if a.format == "hudi" && !a.onRead() {
			if len(path) > 1 {
				return a.unsupportedHere("ADD COLUMN with qualified column", c)
			}
			position = nil // Hudi passes over it
		}
		a.m.Schema, err = atField(a.m.Schema, path, c, func(fields []types.Field, i int) ([]types.Field, error) {
			if i >= 0 {
				return nil, fail("FIELD_ALREADY_EXISTS", c, "op", "add", "fieldNames", quoteName(path...), "struct", "")
			}
			return insertField(fields, f, position)
		})
		if err != nil {
			return err
		}
		list = append(list, added{fieldJSON(f), positionText(c.Position)})
	}
	a.partitionsLast()
	a.operation("ADD COLUMNS", "columns", jsonText(list))
	return checkNames(a.m.Schema, a.m, a.format, "DELTA_DUPLICATE_COLUMNS_FOUND.METADATA_UPDATE")
}

func insertField(fields []types.Field, f types.Field, p *syntax.ColumnPosition) ([]types.Field, error) {
	switch {
	case p == nil:
		return append(fields, f), nil
	case p.First:
		return slices.Insert(fields, 0, f), nil
	}
	i := types.Struct{Fields: fields}.Index(p.After.Name)
	if i < 0 {
		return nil, unresolved(p.After.Name, types.Struct{Fields: fields}, p)
	}
	return slices.Insert(fields, i+1, f), nil
}

func positionText(p *syntax.ColumnPosition) string {
	switch {
	case p == nil:
		return ""
	case p.First:
		return "FIRST"
	}
	return "AFTER " + p.After.Name
}

// fieldJSON is a field as histories show it.
func fieldJSON(f types.Field) any {
	return struct {
		Name     string         `json:"name"`
		Type     any            `json:"type"`
		Nullable bool           `json:"nullable"`
		Metadata types.Metadata `json:"metadata"`
	}{f.Name, typeJSON(f.Type), f.Nullable, orEmpty(f.Metadata)}
}

func orEmpty(m types.Metadata) types.Metadata {
	if m == nil {
		return types.Metadata{}
	}
	return m
}

// mapped reports whether the table has column mapping, without which columns can be neither renamed nor dropped.
func (a *altering) mapped() bool {
	mode := a.m.Properties["delta.columnMapping.mode"]
	return a.format == "delta" && mode != "" && mode != "none"
}

// onRead reports whether columns of a Hudi table may be renamed, dropped, moved and retyped: its setting schema-on-read.
func (a *altering) onRead() bool {
	return a.format == "hudi" && isTrue(a.scope.Setting("hoodie.schema.on.read.enable"))
}

// unsupportedHere refuses a change that only Delta tables, and Hudi tables with schema-on-read, can make.
func (a *altering) unsupportedHere(what string, at syntax.Node) error {
	if a.format != "hudi" {
		return unsupported(what+" of a table of the format "+a.format, at)
	}
	e := a.refused(what, at)
	e.Hint = "SET hoodie.schema.on.read.enable = true lets columns be renamed, dropped, moved and retyped."
	return e
}

// refused is the error of a change that no table of the format can make.
func (a *altering) refused(what string, at syntax.Node) *Error {
	return &Error{Class: "UNSUPPORTED_FEATURE.TABLE_OPERATION", Span: syntax.Span{From: at.Pos(), To: at.End()},
		Params: map[string]string{"tableName": a.t.text(), "operation": what}}
}

// partitionsLast puts the partition columns of a Hudi table behind the others, where they always are.
func (a *altering) partitionsLast() {
	if a.format != "hudi" {
		return
	}
	last := func(f types.Field) int {
		if slices.ContainsFunc(a.m.Partition, func(p string) bool { return strings.EqualFold(p, f.Name) }) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(a.m.Schema.Fields, func(f, g types.Field) int { return last(f) - last(g) })
}

func (a *altering) renameColumn(act *syntax.RenameColumn) error {
	path := act.From.Strings()
	if err := a.checkDependents(path, act); err != nil {
		return err
	}
	switch {
	case a.onRead():
	case a.format != "delta":
		return a.unsupportedHere("RENAME COLUMN", act)
	case !a.mapped():
		return fail("DELTA_UNSUPPORTED_RENAME_COLUMN", act)
	}
	var err error
	a.m.Schema, err = atField(a.m.Schema, path, act, func(fields []types.Field, i int) ([]types.Field, error) {
		s := types.Struct{Fields: fields}
		if i < 0 {
			return nil, unresolved(path[len(path)-1], s, act.From)
		}
		if j := s.Index(act.To.Name); j >= 0 && j != i {
			return nil, fail("FIELD_ALREADY_EXISTS", act, "op", "rename", "fieldNames", quoteName(act.To.Name), "struct", "")
		}
		fields[i].Name = act.To.Name
		return fields, nil
	})
	if len(path) == 1 {
		a.m.Partition = renamed(a.m.Partition, path[0], act.To.Name)
		a.m.Cluster = renamed(a.m.Cluster, path[0], act.To.Name)
	}
	to := append(slices.Clone(path[:len(path)-1]), act.To.Name)
	a.operation("RENAME COLUMN", "oldColumnPath", strings.Join(path, "."), "newColumnPath", strings.Join(to, "."))
	return err
}

func renamed(names []string, from, to string) []string {
	out := slices.Clone(names)
	for i, n := range out {
		if strings.EqualFold(n, from) {
			out[i] = to
		}
	}
	return out
}

// checkDependents refuses to touch a column that a constraint or a generated column reads.
func (a *altering) checkDependents(path []string, at syntax.Node) error {
	reads := func(text string) bool {
		e, err := syntax.ParseExpr(text)
		if err != nil {
			return true
		}
		found := false
		syntax.Walk(e, func(n syntax.Node) bool {
			if c, ok := n.(*syntax.ColumnRef); ok && strings.EqualFold(c.Parts[0].Name, path[0]) {
				found = true
			}
			return true
		})
		return found
	}
	for k, text := range a.m.Properties {
		if strings.HasPrefix(k, checkPrefix) && reads(text) {
			return fail("DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE", at, "columnName", strings.Join(path, "."), "constraints", k+" -> "+text)
		}
	}
	for _, f := range a.m.Schema.Fields {
		if text, ok := f.Metadata.Text(GeneratedKey); ok && reads(text) {
			return fail("DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE", at, "columnName", strings.Join(path, "."), "generatedColumns", f.Name+" -> "+text)
		}
	}
	return nil
}

func (a *altering) dropColumns(act *syntax.DropColumns) error {
	var names []string
	for _, c := range act.Columns {
		path := c.Strings()
		if err := a.checkDependents(path, c); err != nil {
			return err
		}
		var err error
		dropped := false
		schema, err := atField(a.m.Schema, path, c, func(fields []types.Field, i int) ([]types.Field, error) {
			if i < 0 {
				if act.IfExists {
					return fields, nil
				}
				return nil, unresolved(path[len(path)-1], types.Struct{Fields: fields}, c)
			}
			if len(fields) == 1 {
				return nil, fail("DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA", c, "schema", "")
			}
			dropped = true
			return slices.Delete(fields, i, i+1), nil
		})
		if err != nil {
			return err
		}
		if !dropped {
			continue
		}
		switch {
		case a.onRead():
		case a.format != "delta":
			return a.unsupportedHere("DROP COLUMN", c)
		case !a.mapped():
			return fail("DELTA_UNSUPPORTED_DROP_COLUMN", c)
		case slices.ContainsFunc(a.m.Partition, func(p string) bool { return strings.EqualFold(p, path[0]) }):
			return fail("DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN", c, "columnList", path[0])
		}
		a.m.Schema = schema
		names = append(names, strings.Join(path, "."))
	}
	if names == nil {
		a.out.Operation.Name = "" // nothing to do, nothing to commit
		return nil
	}
	a.operation("DROP COLUMNS", "columns", jsonText(names))
	return nil
}

// hiveChange is CHANGE COLUMN in the words of ALTER COLUMN.
func (a *altering) hiveChange(act *syntax.ChangeColumn) error {
	c := act.Column
	out := &syntax.AlterColumns{Span: act.Span, Columns: []*syntax.ColumnChange{{Span: act.Span, Name: act.Name, Kind: "TYPE", Type: c.Type}}}
	if c.Comment != nil {
		out.Columns = append(out.Columns, &syntax.ColumnChange{Span: act.Span, Name: act.Name, Kind: "COMMENT", Comment: c.Comment})
	}
	if act.Position != nil {
		out.Columns = append(out.Columns, &syntax.ColumnChange{Span: act.Span, Name: act.Name, Kind: "POSITION", Position: act.Position})
	}
	return a.alterColumns(out)
}

func (a *altering) alterColumns(act *syntax.AlterColumns) error {
	for _, c := range act.Columns {
		path := c.Name.Strings()
		var changed types.Field
		var err error
		a.m.Schema, err = atField(a.m.Schema, path, c, func(fields []types.Field, i int) ([]types.Field, error) {
			if i < 0 {
				return nil, unresolved(path[len(path)-1], types.Struct{Fields: fields}, c.Name)
			}
			var err error
			if fields[i], err = a.changed(fields[i], c); err != nil {
				return nil, err
			}
			changed = fields[i]
			if c.Position != nil {
				return insertField(slices.Delete(fields, i, i+1), changed, c.Position)
			}
			return fields, nil
		})
		if err != nil {
			return err
		}
		a.partitionsLast()
		params := []any{"column", jsonText(fieldJSON(changed))}
		if p := positionText(c.Position); p != "" {
			params = append(params, "position", p)
		}
		a.operation("CHANGE COLUMN", params...)
	}
	return nil
}

// changed is f after one change.
func (a *altering) changed(f types.Field, c *syntax.ColumnChange) (types.Field, error) {
	if a.format == "hudi" && !a.onRead() {
		switch {
		case len(c.Name.Parts) > 1:
			return f, a.unsupportedHere("ALTER COLUMN with qualified column", c)
		case c.Kind == "POSITION":
			return f, a.unsupportedHere("ALTER COLUMN ... FIRST | AFTER", c)
		case c.Kind == "DROP NOT NULL":
			return f, a.unsupportedHere("ALTER COLUMN ... DROP NOT NULL", c)
		}
	}
	switch c.Kind {
	case "COMMENT":
		f.Metadata = f.Metadata.With(CommentKey, c.Comment.Value)
	case "DROP NOT NULL":
		f.Nullable = true
	case "SET NOT NULL":
		if f.Nullable {
			return f, fail("_LEGACY_ERROR_TEMP_2330", c, "fieldName", f.Name)
		}
	case "SET DEFAULT":
		if a.format == "delta" && !slices.Contains(a.m.Protocol.WriterFeatures, "allowColumnDefaults") {
			return f, fail("WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED", c, "commandType", "ALTER TABLE")
		}
		if _, err := Expr(a.ctx, c.Default, nil, a.scope); err != nil {
			return f, err
		}
		f.Metadata = f.Metadata.With(DefaultKey, a.text(c.Default))
	case "DROP DEFAULT":
		f.Metadata = f.Metadata.Without(DefaultKey)
	case "TYPE":
		return a.retyped(f, c)
	case "POSITION":
	default:
		return f, unsupported("ALTER COLUMN "+c.Kind, c)
	}
	return f, nil
}

// retyped is f with another type, which must hold all values of the old one.
func (a *altering) retyped(f types.Field, c *syntax.ColumnChange) (types.Field, error) {
	t, err := Type(c.Type, a.scope)
	if err != nil {
		return f, err
	}
	if types.Equal(t, f.Type) {
		return f, nil
	}
	if a.format == "hudi" {
		if !a.onRead() {
			return f, a.unsupportedHere("ALTER COLUMN TYPE", c)
		}
		f.Type = t // the format knows what files can be read as
		return f, nil
	}
	wider, ok := mergeTypes(f.Type, t, widens(a.m))
	if text := textWidens(f.Type, t); text || ok && types.Equal(wider, t) {
		f.Type = t
		return f, nil
	}
	if a.format != "delta" {
		return f, a.unsupportedHere("changing the type of column "+f.Name+" from "+types.SQL(f.Type)+" to "+types.SQL(t), c)
	}
	return f, fail("DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP", c, "fieldPath", f.Name, "oldField", types.SQL(f.Type), "newField", types.SQL(t))
}

// textWidens reports whether text of type a always fits type b.
func textWidens(a, b types.Type) bool {
	n := func(t types.Type) int {
		switch t := t.(type) {
		case types.Varchar:
			return t.N
		}
		return 0
	}
	if _, ok := a.(types.Varchar); !ok {
		return false
	}
	return b == types.String || n(b) >= n(a)
}

// typeJSON is t in Spark's JSON.
func typeJSON(t types.Type) any {
	b, err := types.EncodeJSON(t)
	if err != nil {
		return t.String()
	}
	return jsontext.Value(b)
}
