package hudi

import (
	"context"

	"github.com/tarn-lake/tarn/lake/hudi/metadata"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// An index of an expression holds the bounds of what a function gives for a column of each file, as column_stats does of columns.

// indexedFunctions are the functions of such indexes, with the type of the column, that give the same value in every session: those of
// times depend on the zone of the session that wrote a file.
var indexedFunctions = map[string]types.Type{
	"lower": types.String, "upper": types.String, "trim": types.String, "ltrim": types.String, "rtrim": types.String,
	"length": types.String, "year": types.Date, "month": types.Date, "day": types.Date,
}

// bounds are those of columns in files, by the name of the column, and of expressions, by the column that stands for them.
type bounds struct {
	byName map[string]map[metadata.FileRef]*metadata.Stats
	byID   map[rel.ID]map[metadata.FileRef]*metadata.Stats
}

// bounded is a condition, and what the metadata table has bounds of in it.
type bounded struct {
	cond        rel.Expr // with a column in the place of each expression that has an index
	columns     []string // that have bounds of their own
	expressions []boundedExpr
}

// boundedExpr is an expression that an index has bounds of.
type boundedExpr struct {
	index  string // the partition of the metadata table
	source string // the column that it is of
	in     *rel.Col
}

func (s *Snapshot) bounded(cond rel.Expr, columns map[rel.ID]int) bounded {
	var b bounded
	b.cond = rel.RewriteExpr(cond, func(e rel.Expr) rel.Expr {
		call, ok := e.(*rel.Call)
		if !ok || len(call.Args) != 1 {
			return e
		}
		c, ok := call.Args[0].(*rel.Col)
		if !ok {
			return e
		}
		at, ok := columns[c.ID]
		if !ok || indexedFunctions[call.Name] != s.schema.Fields[at].Type {
			return e
		}
		source := s.schema.Fields[at].Name
		index, ok := s.metadata.ExpressionIndex(call.Name, source)
		if !ok {
			return e
		}
		in := rel.NewColumn(call.Name, call.Type()).Ref()
		b.expressions = append(b.expressions, boundedExpr{index, source, in})
		return in
	})
	if s.metadata.Has(metadata.ColumnStatsPartition) {
		b.columns = s.boundedColumns(b.cond, columns)
	}
	return b
}

// read looks up the bounds in files.
func (b bounded) read(ctx context.Context, m *metadata.Table, files []metadata.FileRef) (out bounds, err error) {
	if len(b.columns) > 0 {
		out.byName, err = m.ColumnStats(ctx, b.columns, files)
	}
	out.byID = map[rel.ID]map[metadata.FileRef]*metadata.Stats{}
	for _, e := range b.expressions {
		if err == nil {
			out.byID[e.in.ID], err = m.ExpressionStats(ctx, e.index, e.source, files)
		}
	}
	return out, err
}
