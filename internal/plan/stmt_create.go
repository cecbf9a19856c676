package plan

import (
	"context"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// Properties reads TBLPROPERTIES, OPTIONS and their like. Keys keep their case.
func Properties(ctx context.Context, list []*syntax.Property, s Scope) (map[string]string, error) {
	out := map[string]string{}
	for _, p := range list {
		v, err := propertyText(ctx, p.Value, s)
		if err != nil {
			return nil, err
		}
		if _, twice := out[p.Key]; twice {
			return nil, fail("DUPLICATE_KEY", p, "keyColumn", quoteName(p.Key))
		}
		out[p.Key] = v
	}
	return out, nil
}

// propertyText is the text of a property's value.
func propertyText(ctx context.Context, e syntax.Expr, s Scope) (string, error) {
	switch e := e.(type) {
	case nil:
		return "", nil
	case *syntax.StringLit:
		return e.Value, nil
	case *syntax.BoolLit:
		if e.Value {
			return "true", nil
		}
		return "false", nil
	case *syntax.NumberLit:
		if e.Neg {
			return "-" + e.Text, nil
		}
		return e.Text, nil
	}
	x, err := Expr(ctx, e, nil, s)
	if err != nil {
		return "", err
	}
	text, err := rel.CastTo(x, types.String, settings(s))
	if err != nil {
		return "", err
	}
	v, err := s.Constant(ctx, text)
	if err != nil {
		return "", err
	}
	out, _ := v.(string)
	return out, nil
}

// TableMeta is what CREATE TABLE asks for. src is the statement's text, rows are the columns of AS, nil without.
func TableMeta(ctx context.Context, st *syntax.CreateTable, src, format string, rows []rel.Column, s Scope) (*lake.Meta, error) {
	props, err := Properties(ctx, st.Clauses.Properties, s)
	if err != nil {
		return nil, err
	}
	m := &lake.Meta{Properties: props}
	if st.Clauses.Comment != nil {
		m.Description = st.Clauses.Comment.Value
	}
	d := definer{ctx, s, src, format, m}
	if err := d.refuse(st.Clauses); err != nil {
		return nil, err
	}
	switch {
	case rows != nil && st.Columns != nil:
		return nil, fail("_LEGACY_ERROR_TEMP_0035", st, "message", "Schema may not be specified in a Create Table As Select (CTAS) statement")
	case rows != nil:
		m.Schema = TableSchema(rows)
	default:
		err = d.columns(st.Columns)
	}
	if err != nil {
		return nil, err
	}
	if err := d.partition(st); err != nil {
		return nil, err
	}
	for _, c := range st.Constraints {
		if err := d.constraint(c); err != nil {
			return nil, err
		}
	}
	class := "COLUMN_ALREADY_EXISTS"
	return m, checkNames(m.Schema, m, format, class)
}

// definer builds a table's description.
type definer struct {
	ctx    context.Context
	scope  Scope
	src    string
	format string
	m      *lake.Meta
}

// refuse names the clauses whose promise about the rows, their text or their files nothing would keep.
func (d definer) refuse(cl syntax.TableClauses) error {
	switch {
	case cl.Bucket != nil && d.format == "delta":
		return fail("DELTA_OPERATION_NOT_ALLOWED", cl.Bucket, "operation", "CLUSTERED BY … INTO … BUCKETS")
	case cl.Bucket != nil:
		return unsupported("CLUSTERED BY … INTO … BUCKETS", cl.Bucket)
	case cl.Row != nil:
		return unsupported("ROW FORMAT; USING csv OPTIONS (sep '…')", cl.Row)
	case cl.ClusterMode == "AUTO":
		return unsupported("CLUSTER BY AUTO", nil)
	case cl.Collation != nil && !strings.EqualFold(cl.Collation.Name, "UTF8_BINARY"):
		return unsupported("DEFAULT COLLATION "+cl.Collation.Name, cl.Collation)
	}
	return nil
}

func (d definer) columns(list []*syntax.ColumnDef) error {
	for _, c := range list {
		f, err := d.column(c)
		if err != nil {
			return err
		}
		d.m.Schema.Fields = append(d.m.Schema.Fields, f)
	}
	if name, ok := duplicate(d.m.Schema); ok {
		return fail("COLUMN_ALREADY_EXISTS", nil, "columnName", quoteName(strings.ToLower(name)))
	}
	for i, c := range list {
		if c.Generated == nil {
			continue
		}
		if err := d.checkGenerated(c, d.m.Schema.Fields[i]); err != nil {
			return err
		}
	}
	return nil
}

// column is a column as its definition says.
func (d definer) column(c *syntax.ColumnDef) (types.Field, error) {
	if computed := c.Default != nil || c.Generated != nil || c.Identity != nil; computed && d.format == "hudi" {
		return types.Field{}, fail("UNSUPPORTED_FEATURE.TABLE_OPERATION", c, "tableName", "of the format hudi", "operation", "columns with DEFAULT or GENERATED, which Hudi's schemas do not keep")
	}
	t, err := Type(c.Type, d.scope)
	if err != nil {
		return types.Field{}, err
	}
	f := types.Field{Name: c.Name.Last(), Type: t, Nullable: !c.NotNull}
	if c.Comment != nil {
		f.Metadata = f.Metadata.With(CommentKey, c.Comment.Value)
	}
	if c.Default != nil {
		if err := d.checkDefault(c); err != nil {
			return f, err
		}
		text := d.text(c.Default)
		f.Metadata = f.Metadata.With(DefaultKey, text).With(ExistsKey, text)
	}
	if c.Generated != nil {
		f.Metadata = f.Metadata.With(GeneratedKey, d.text(c.Generated))
	}
	if c.Identity != nil {
		return d.identity(f, c)
	}
	return f, nil
}

func (d definer) text(e syntax.Expr) string {
	return syntax.Span{From: e.Pos(), To: e.End()}.Text(d.src)
}

// checkDefault checks that a default can be computed and is allowed.
func (d definer) checkDefault(c *syntax.ColumnDef) error {
	if _, ok := d.m.Properties["delta.feature.allowColumnDefaults"]; d.format == "delta" && !ok {
		return fail("WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED", c, "commandType", "CREATE TABLE")
	}
	x, err := Expr(d.ctx, c.Default, nil, d.scope)
	if err != nil {
		return fail("INVALID_DEFAULT_VALUE.UNRESOLVED_EXPRESSION", c, "statement", "CREATE TABLE", "colName", quoteName(c.Name.Last()),
			"defaultValue", d.text(c.Default))
	}
	if len(rel.Subqueries(x)) > 0 {
		return fail("INVALID_DEFAULT_VALUE.SUBQUERY_EXPRESSION", nil, "statement", "CREATE TABLE", "colName", quoteName(c.Name.Last()),
			"defaultValue", d.text(c.Default))
	}
	return nil
}

// checkGenerated checks the expression of a generated column.
func (d definer) checkGenerated(c *syntax.ColumnDef, f types.Field) error {
	in := Input{}
	for _, o := range d.m.Schema.Fields {
		in.Columns = append(in.Columns, rel.NewColumn(o.Name, o.Type))
	}
	x, err := Expr(d.ctx, c.Generated, []Input{in}, d.scope)
	if err != nil {
		return err
	}
	bad := isRandom(x) || len(rel.Subqueries(x)) > 0
	rel.WalkExpr(x, func(e rel.Expr) bool {
		if col, ok := e.(*rel.Col); ok {
			if i := d.m.Schema.Index(col.Name); i >= 0 {
				_, made := d.m.Schema.Fields[i].Metadata.Text(GeneratedKey)
				bad = bad || made
			}
		}
		return true
	})
	if bad {
		return fail("UNSUPPORTED_EXPRESSION_GENERATED_COLUMN", c, "expressionStr", d.text(c.Generated))
	}
	return nil
}

// identity describes a column that numbers the rows.
func (d definer) identity(f types.Field, c *syntax.ColumnDef) (types.Field, error) {
	if f.Type != types.Long {
		return f, fail("DELTA_IDENTITY_COLUMNS_UNSUPPORTED_DATA_TYPE", c, "dataType", f.Type.String())
	}
	start, step := int64(1), int64(1)
	for _, e := range []struct {
		x    syntax.Expr
		into *int64
	}{{c.Identity.Start, &start}, {c.Identity.Step, &step}} {
		if e.x == nil {
			continue
		}
		x, err := Expr(d.ctx, e.x, nil, d.scope)
		if err != nil {
			return f, err
		}
		v, err := d.scope.Constant(d.ctx, x)
		if err != nil {
			return f, err
		}
		*e.into, _ = v.(int64)
	}
	f.Metadata = f.Metadata.With(identityStart, start).With("delta.identity.step", step).
		With("delta.identity.allowExplicitInsert", !c.Identity.Always)
	return f, nil
}

// partition finds the partition columns. Those with a type are new columns, behind the others.
func (d definer) partition(st *syntax.CreateTable) error {
	cl := st.Clauses
	if len(cl.PartitionedBy) > 0 && len(cl.ClusterBy) > 0 {
		return fail("SPECIFY_CLUSTER_BY_WITH_PARTITIONED_BY_IS_NOT_ALLOWED", st)
	}
	for _, p := range cl.PartitionedBy {
		if p.Transform != nil {
			return unsupported("PARTITIONED BY "+p.Transform.Name+"(…)", p)
		}
		if p.Type != nil {
			t, err := Type(p.Type, d.scope)
			if err != nil {
				return err
			}
			f := types.Field{Name: p.Column.Last(), Type: t, Nullable: !p.NotNull}
			if p.Comment != nil {
				f.Metadata = f.Metadata.With(CommentKey, p.Comment.Value)
			}
			d.m.Schema.Fields = append(d.m.Schema.Fields, f)
		}
		i := d.m.Schema.Index(p.Column.Last())
		if i < 0 {
			return fail("_LEGACY_ERROR_TEMP_3060", p, "partitionColumn", p.Column.Last(), "tableSchema", namesOf(d.m.Schema))
		}
		d.m.Partition = append(d.m.Partition, d.m.Schema.Fields[i].Name)
	}
	if len(cl.ClusterBy) > 0 {
		return unsupported("CLUSTER BY (liquid clustering)", cl.ClusterBy[0])
	}
	if n := len(d.m.Schema.Fields); n > 0 && len(d.m.Partition) == n {
		return fail("ALL_PARTITION_COLUMNS_NOT_ALLOWED", st)
	}
	if d.format != "delta" {
		d.partitionLast()
	}
	return nil
}

// partitionLast moves the partition columns behind the others, where tables of plain files have them.
func (d definer) partitionLast() {
	var inside, outside []types.Field
	for _, f := range d.m.Schema.Fields {
		if slices.Contains(d.m.Partition, f.Name) {
			continue
		}
		inside = append(inside, f)
	}
	for _, n := range d.m.Partition {
		outside = append(outside, d.m.Schema.Fields[d.m.Schema.Index(n)])
	}
	d.m.Schema.Fields = append(inside, outside...)
}

// constraint keeps a CHECK of a CREATE TABLE; keys that nobody enforces are refused.
func (d definer) constraint(c *syntax.Constraint) error {
	if c.Kind != "CHECK" || c.Name == nil {
		return unsupported(c.Kind+" constraints in CREATE TABLE", c)
	}
	d.m.Properties[checkPrefix+strings.ToLower(c.Name.Name)] = d.text(c.Check)
	return nil
}

// CreateOperation describes making or replacing a table, for the history.
func CreateOperation(create, replace, as, managed bool, m *lake.Meta) lake.Operation {
	name := "CREATE TABLE"
	switch {
	case create && replace:
		name = "CREATE OR REPLACE TABLE"
	case replace:
		name = "REPLACE TABLE"
	}
	if as {
		name += " AS SELECT"
	}
	var description any
	if m.Description != "" {
		description = m.Description
	}
	isManaged := "false"
	if managed {
		isManaged = "true"
	}
	props := map[string]string{}
	for k, v := range m.Properties {
		if !strings.HasPrefix(k, "delta.feature.") && k != "delta.minReaderVersion" && k != "delta.minWriterVersion" {
			props[k] = v
		}
	}
	return lake.Operation{Name: name, Parameters: []lake.Parameter{
		{Key: "partitionBy", Value: jsonList(m.Partition)}, {Key: "clusterBy", Value: jsonList(m.Cluster)},
		{Key: "description", Value: description}, {Key: "isManaged", Value: isManaged}, {Key: "properties", Value: jsonText(props)}}}
}
