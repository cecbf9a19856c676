package plan

import (
	"context"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
)

// DropPartitions plans ALTER TABLE … DROP PARTITION of a Hudi table: an Append of one row per partition, of which only the partition
// columns count, to be carried out as a deletion of partitions. As in Hudi a partition need not be there, whether IF EXISTS says so or
// not, and PURGE changes nothing: the files stay for older snapshots until they are cleaned.
func DropPartitions(ctx context.Context, act *syntax.DropPartitions, t Target, s Scope) (Write, error) {
	if len(t.Meta.Partition) == 0 {
		return Write{}, fail("NOT_A_PARTITIONED_TABLE", act, "tableIdentWithDB", t.text(), "operation", "ALTER TABLE DROP PARTITION")
	}
	values := &rel.Values{}
	for _, f := range t.Meta.Schema.Fields {
		values.Cols = append(values.Cols, rel.NewColumn(f.Name, f.Type))
	}
	var texts []string
	for _, p := range act.Partitions {
		row, err := partitionRow(ctx, p, t, s)
		if err != nil {
			return Write{}, err
		}
		values.Rows = append(values.Rows, row)
		texts = append(texts, partitionText(p))
	}
	op := lake.Operation{Name: "DROP PARTITION", Parameters: []lake.Parameter{{Key: "partitions", Value: jsonText(texts)}}}
	return Write{Change: lake.Append{Rows: values, Columns: ids(values.Cols)}, Operation: op}, nil
}

// partitionRow is a row of the table in which the columns of a partition have the values that p gives, and the others are NULL.
func partitionRow(ctx context.Context, p *syntax.PartitionSpec, t Target, s Scope) ([]rel.Expr, error) {
	row := make([]rel.Expr, len(t.Meta.Schema.Fields))
	for i, f := range t.Meta.Schema.Fields {
		row[i] = &rel.Lit{T: f.Type}
	}
	given := map[string]bool{}
	for _, it := range p.Items {
		if it.Op != "=" {
			return nil, unsupported("DROP PARTITION with "+it.Op+" instead of = for a table of the format "+t.Format, it)
		}
		i, err := partitionColumn(it, t.Meta)
		if err != nil {
			return nil, err
		}
		x, err := Expr(ctx, it.Value, nil, s)
		if err != nil {
			return nil, err
		}
		if row[i], err = rel.CastTo(x, t.Meta.Schema.Fields[i].Type, settings(s)); err != nil {
			return nil, err
		}
		given[strings.ToLower(it.Column.Name)] = true
	}
	if len(given) < len(t.Meta.Partition) {
		return nil, &Error{Class: "INVALID_PARTITION_OPERATION.PARTITION_MANAGEMENT_IS_UNSUPPORTED", Span: p.Span, Params: map[string]string{"name": t.text()},
			Hint: "Give values for all partition columns: " + strings.Join(t.Meta.Partition, ", ") + ". DELETE FROM … WHERE names the rows of several partitions."}
	}
	return row, nil
}

func partitionText(p *syntax.PartitionSpec) string {
	var parts []string
	for _, it := range p.Items {
		parts = append(parts, it.Column.Name+"="+syntax.Print(it.Value))
	}
	return strings.Join(parts, "/")
}

// partitionColumn is the place in the schema of the partition column that it names.
func partitionColumn(it *syntax.PartitionItem, m *lake.Meta) (int, error) {
	if !slices.ContainsFunc(m.Partition, func(n string) bool { return strings.EqualFold(n, it.Column.Name) }) {
		return 0, fail("NON_PARTITION_COLUMN", it, "columnName", quoteName(it.Column.Name))
	}
	return m.Schema.Index(it.Column.Name), nil
}

// InPartition is the condition that the columns cols of a table, which are named as in its schema, have the values that p gives.
func InPartition(ctx context.Context, p *syntax.PartitionSpec, m *lake.Meta, cols []rel.Column, s Scope) (rel.Expr, error) {
	var all rel.Expr
	for _, it := range p.Items {
		at, err := partitionColumn(it, m)
		if err != nil {
			return nil, err
		}
		if it.Op != "=" {
			return nil, unsupported("PARTITION with "+it.Op+" instead of =", it)
		}
		x, err := Expr(ctx, it.Value, nil, s)
		if err != nil {
			return nil, err
		}
		f := m.Schema.Fields[at]
		if x, err = rel.CastTo(x, f.Type, settings(s)); err != nil {
			return nil, err
		}
		c := slices.IndexFunc(cols, func(c rel.Column) bool { return c.Name == f.Name })
		is, err := call(settings(s), "<=>", cols[c].Ref(), x)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = is
		} else if all, err = call(settings(s), "and", all, is); err != nil {
			return nil, err
		}
	}
	return all, nil
}
