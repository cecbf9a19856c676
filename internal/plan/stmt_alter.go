package plan

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// Alter plans the actions of ALTER TABLE that change a table's description. src is the statement's text. A new CHECK
// constraint has Verify set.
func Alter(ctx context.Context, act syntax.AlterAction, src string, t Target, s Scope) (Alteration, error) {
	m := *t.Meta
	m.Properties = maps.Clone(m.Properties)
	if m.Properties == nil {
		m.Properties = map[string]string{}
	}
	m.Schema.Fields = slices.Clone(m.Schema.Fields)
	a := &altering{definer{ctx, s, src, t.Format, &m}, t, Alteration{}}
	var err error
	switch act := act.(type) {
	case *syntax.SetProperties:
		err = a.setProperties(act)
	case *syntax.UnsetProperties:
		err = a.unsetProperties(act)
	case *syntax.AddConstraint:
		err = a.addConstraint(act)
	case *syntax.DropConstraint:
		err = a.dropConstraint(act)
	case *syntax.AddColumns:
		err = a.addColumns(act)
	case *syntax.RenameColumn:
		err = a.renameColumn(act)
	case *syntax.DropColumns:
		err = a.dropColumns(act)
	case *syntax.AlterColumns:
		err = a.alterColumns(act)
	case *syntax.ChangeColumn:
		err = a.hiveChange(act)
	case *syntax.SetClusterBy:
		err = a.clusterBy(act)
	case *syntax.ReplaceColumns:
		if a.format == "hudi" { // where it takes the key columns away
			return a.out, a.refused("REPLACE COLUMNS", act)
		}
		err = fail("DELTA_UNSUPPORTED_ALTER_TABLE_REPLACE_COL_OP", act, "details", "", "oldSchema", "", "newSchema", "")
	case *syntax.AddPartitions, *syntax.DropPartitions, *syntax.RenamePartition, *syntax.RecoverPartitions:
		err = partitionManagement(act, t)
	default:
		err = unsupported("this form of ALTER TABLE", act)
	}
	if a.out.Write.Define == nil {
		a.out.Write.Define = &m
	}
	return a.out, err
}

// partitionManagement refuses to add, drop, rename and look for partitions one by one.
func partitionManagement(act syntax.AlterAction, t Target) error {
	e := &Error{Class: "INVALID_PARTITION_OPERATION.PARTITION_MANAGEMENT_IS_UNSUPPORTED", Span: syntax.Span{From: act.Pos(), To: act.End()},
		Params: map[string]string{"name": t.text()}}
	switch _, drop := act.(*syntax.DropPartitions); {
	case drop:
		e.Hint = "DELETE FROM … WHERE names the rows of a partition."
	case t.Format == "hudi":
		e.Hint = "The partitions of a Hudi table are those of its rows: INSERT makes one."
	}
	return e
}

// Alteration is a change of a table's description.
type Alteration struct {
	Write
	Violations rel.Node // rows of the table that a new constraint does not allow; nil: none to look for
	Violated   error    // the error when there are some
}

type altering struct {
	definer
	t   Target
	out Alteration
}

func (a *altering) operation(name string, params ...any) {
	op := lake.Operation{Name: name}
	for i := 0; i+1 < len(params); i += 2 {
		op.Parameters = append(op.Parameters, lake.Parameter{Key: params[i].(string), Value: params[i+1]})
	}
	a.out.Operation = op
}

func (a *altering) setProperties(act *syntax.SetProperties) error {
	props, err := Properties(a.ctx, act.Properties, a.scope)
	if err != nil {
		return err
	}
	for k, v := range props {
		if k == CommentKey {
			a.m.Description = v
		}
		a.m.Properties[k] = v
	}
	var parts []string
	for _, p := range act.Properties { // in the order of the statement
		parts = append(parts, jsonText(p.Key)+":"+jsonText(props[p.Key]))
	}
	a.operation("SET TBLPROPERTIES", "properties", "{"+strings.Join(parts, ",")+"}")
	return nil
}

func (a *altering) unsetProperties(act *syntax.UnsetProperties) error {
	keys := []string{}
	for _, p := range act.Properties {
		if _, ok := a.m.Properties[p.Key]; !ok && !act.IfExists && a.format != "delta" {
			return fail("UNSET_NONEXISTENT_PROPERTIES", p, "properties", quoteName(p.Key), "table", a.t.text())
		}
		delete(a.m.Properties, p.Key)
		keys = append(keys, p.Key)
	}
	a.operation("UNSET TBLPROPERTIES", "properties", jsonText(keys), "ifExists", true)
	return nil
}

func (a *altering) addConstraint(act *syntax.AddConstraint) error {
	c := act.Constraint
	switch {
	case a.format != "delta":
		return a.refused("constraints", act)
	case c.Kind != "CHECK" || c.Name == nil:
		return unsupported("ADD "+c.Kind+" constraints", act)
	}
	key, text := checkPrefix+strings.ToLower(c.Name.Name), a.text(c.Check)
	for k, old := range a.m.Properties {
		if strings.EqualFold(k, key) {
			return fail("DELTA_CONSTRAINT_ALREADY_EXISTS", act, "constraintName", c.Name.Name, "oldConstraint", old)
		}
	}
	table := a.t.read(false)
	x, err := Expr(a.ctx, c.Check, []Input{{a.t.qualifier(nil), table.Cols}}, a.scope)
	if err != nil {
		return err
	}
	if x.Type() != types.Boolean {
		return fail("DELTA_NON_BOOLEAN_CHECK_CONSTRAINT", act, "name", c.Name.Name, "expr", text)
	}
	ok, err := call(settings(a.scope), "<=>", x, trueLit)
	if err != nil {
		return err
	}
	bad, err := call(settings(a.scope), "not", ok)
	if err != nil {
		return err
	}
	a.m.Properties[key] = text
	a.out.Violations = &rel.Filter{In: table, Cond: bad}
	a.out.Violated = &Error{Class: "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION", Params: map[string]string{
		"tableName": a.t.text(), "checkConstraint": text, "numViolations": "Some"}}
	a.operation("ADD CONSTRAINT", "name", c.Name.Name, "expr", text)
	return nil
}

func (a *altering) dropConstraint(act *syntax.DropConstraint) error {
	if a.format != "delta" {
		return a.refused("constraints", act)
	}
	for k, text := range a.m.Properties {
		if strings.EqualFold(k, checkPrefix+act.Name.Name) {
			delete(a.m.Properties, k)
			a.operation("DROP CONSTRAINT", "name", act.Name.Name, "expr", text, "existed", "true")
			return nil
		}
	}
	if !act.IfExists {
		return fail("DELTA_CONSTRAINT_DOES_NOT_EXIST", act, "constraintName", act.Name.Name, "tableName", a.t.text())
	}
	a.operation("DROP CONSTRAINT", "name", act.Name.Name, "existed", "false")
	return nil
}

// clusterBy only removes clustering that is not there: the clustering columns are not written yet.
func (a *altering) clusterBy(act *syntax.SetClusterBy) error {
	if len(act.Columns) > 0 || len(a.m.Cluster) > 0 {
		return unsupported("CLUSTER BY (liquid clustering)", act)
	}
	a.out.Operation.Name = ""
	return nil
}
