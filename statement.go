package tarn

import (
	"context"
	"strings"

	"github.com/tarn-lake/tarn/internal/syntax"
)

// statement runs one statement.
func (r *run) statement(ctx context.Context, st syntax.Statement) (*Rows, error) {
	switch st := st.(type) {
	case *syntax.Query:
		return r.query(ctx, st)
	case *syntax.Explain:
		return r.explain(ctx, st)

	case *syntax.Insert:
		return r.insert(ctx, st)
	case *syntax.MultiInsert:
		return r.multiInsert(ctx, st)
	case *syntax.Update:
		return r.update(ctx, st)
	case *syntax.Delete:
		return r.delete(ctx, st)
	case *syntax.Merge:
		return r.merge(ctx, st)
	case *syntax.Truncate:
		return r.truncate(ctx, st)

	case *syntax.CreateTable:
		return r.createTable(ctx, st)
	case *syntax.CreateTableLike:
		return r.createTableLike(ctx, st)
	case *syntax.DropTable:
		return r.dropTable(ctx, st)
	case *syntax.AlterTable:
		return r.alter(ctx, st)
	case *syntax.CommentOn:
		return r.commentOn(ctx, st)
	case *syntax.CreateView:
		return r.createView(ctx, st)
	case *syntax.CreateTempViewUsing:
		return r.createViewUsing(ctx, st)
	case *syntax.DropView:
		return r.dropView(ctx, st)
	case *syntax.CreateNamespace:
		return r.createSchema(ctx, st)
	case *syntax.AlterNamespace:
		return r.alterSchema(ctx, st)
	case *syntax.DropNamespace:
		return r.dropSchema(ctx, st)

	case *syntax.CallProcedure:
		return r.call(ctx, st)
	case *syntax.Compaction:
		return r.compaction(ctx, st)
	case *syntax.ShowCompaction:
		return r.showCompaction(ctx, st)
	case *syntax.CreateIndex:
		return r.createIndex(ctx, st)
	case *syntax.DropIndex:
		return r.dropIndex(ctx, st)
	case *syntax.RefreshIndex:
		return r.refreshIndex(ctx, st)
	case *syntax.ShowIndexes:
		return r.showIndexes(ctx, st)
	}
	return r.sessionStatement(ctx, st)
}

// sessionStatement runs a statement that changes no table.
func (r *run) sessionStatement(ctx context.Context, st syntax.Statement) (*Rows, error) {
	switch st := st.(type) {
	case *syntax.Use:
		return r.use(ctx, st)
	case *syntax.SetCatalog:
		return r.setCatalog(ctx, st)
	case *syntax.Set:
		return r.set(st)
	case *syntax.Reset:
		return r.reset(st)
	case *syntax.SetTimeZone:
		return r.setTimeZone(ctx, st)
	case *syntax.DeclareVariable:
		return r.declare(ctx, st)
	case *syntax.SetVariable:
		return r.setVariable(ctx, st)
	case *syntax.DropVariable:
		return r.dropVariable(st)
	case *syntax.ExecuteImmediate:
		return r.executeImmediate(ctx, st)
	case *syntax.Cache:
		return r.cache(ctx, st)
	case *syntax.Uncache:
		if st.IfExists {
			return nothing(), nil
		}
		return r.mustExist(ctx, st.Table)
	case *syntax.ClearCache:
		return nothing(), nil
	case *syntax.Refresh:
		if st.Kind == "TABLE" {
			return r.mustExist(ctx, st.Name)
		}
		return nothing(), nil
	case *syntax.RepairTable:
		return r.repair(ctx, st.Name, st)
	case *syntax.Analyze:
		return r.mustExist(ctx, st.Table)
	case *syntax.AnalyzeTables:
		return nothing(), nil
	}
	return r.show(ctx, st)
}

// show runs a statement that tells what is there.
func (r *run) show(ctx context.Context, st syntax.Statement) (*Rows, error) {
	switch st := st.(type) {
	case *syntax.ShowNamespaces:
		return r.showSchemas(ctx, st)
	case *syntax.ShowTables:
		return r.showTables(ctx, st)
	case *syntax.ShowTableExtended:
		return r.showTableExtended(ctx, st)
	case *syntax.ShowViews:
		return r.showViews(ctx, st)
	case *syntax.ShowColumns:
		return r.showColumns(ctx, st)
	case *syntax.ShowPartitions:
		return r.showPartitions(ctx, st)
	case *syntax.ShowProperties:
		return r.showProperties(ctx, st)
	case *syntax.ShowCreateTable:
		return r.showCreate(ctx, st)
	case *syntax.ShowCurrent:
		return texts([]Column{text("catalog"), text("namespace")}, [][]string{{r.catalog, r.schema}})
	case *syntax.ShowCatalogs:
		return r.showCatalogs(st)
	case *syntax.ShowFunctions:
		return r.showFunctions(st)
	case *syntax.DescribeTable:
		return r.describeTable(ctx, st)
	case *syntax.DescribeNamespace:
		return r.describeSchema(ctx, st)
	case *syntax.DescribeFunction:
		return r.describeFunction(st)
	case *syntax.DescribeQuery:
		return r.describeQuery(ctx, st)
	case *syntax.DescribeHistory:
		return r.history(ctx, st)
	case *syntax.DescribeDetail:
		return r.detail(ctx, st)
	}
	return nil, r.refuse(ctx, st)
}

// nameOf names a statement that is not run, by its first words.
func nameOf(st syntax.Statement) string {
	switch st := st.(type) {
	case *syntax.Native:
		return st.Words
	case *syntax.Resource:
		return st.Verb + " " + st.Kind.Name
	case *syntax.CreateFunction:
		return "CREATE FUNCTION"
	case *syntax.DropFunction:
		return "DROP FUNCTION"
	case *syntax.CloneTable:
		return "CREATE TABLE … CLONE"
	case *syntax.Optimize:
		return "OPTIMIZE"
	case *syntax.Vacuum:
		return "VACUUM"
	case *syntax.Restore:
		return "RESTORE"
	case *syntax.Convert:
		return "CONVERT TO DELTA"
	case *syntax.Reorg:
		return "REORG TABLE"
	case *syntax.Generate:
		return "GENERATE"
	case *syntax.InsertDirectory:
		return "INSERT OVERWRITE DIRECTORY"
	case *syntax.LoadData:
		return "LOAD DATA"
	case *syntax.CopyInto:
		return "COPY INTO"
	case *syntax.CreateDataset:
		return "CREATE " + st.Kind
	case *syntax.Block, *syntax.If, *syntax.CaseStmt, *syntax.Loop, *syntax.For:
		return "SQL scripts (BEGIN … END)"
	case *syntax.SetCollation:
		return "SET COLLATION"
	}
	return "this statement"
}

// like compares a name with a pattern of SHOW: '*' is any text, '|' separates alternatives, case does not matter.
func like(pattern *syntax.StringLit, name string) bool {
	if pattern == nil {
		return true
	}
	for alt := range strings.SplitSeq(pattern.Value, "|") {
		if globMatch(strings.ToLower(strings.TrimSpace(alt)), strings.ToLower(name)) {
			return true
		}
	}
	return false
}

func globMatch(pattern, name string) bool {
	first, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == name
	}
	if !strings.HasPrefix(name, first) {
		return false
	}
	name = name[len(first):]
	for i := 0; i <= len(name); i++ {
		if globMatch(rest, name[i:]) {
			return true
		}
	}
	return false
}
