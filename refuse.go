package tarn

import (
	"context"

	"github.com/tarn-lake/tarn/internal/plan"
	"github.com/tarn-lake/tarn/internal/syntax"
)

// refuse says that a statement is not run. About a Hudi table it says which procedure does what was asked for.
func (r *run) refuse(ctx context.Context, st syntax.Statement) error {
	target, hint := maintained(st)
	if target == nil {
		return unsupported(nameOf(st), st)
	}
	e, full, err := r.targetOf(ctx, target)
	if err != nil || e.Format != "hudi" {
		return unsupported(nameOf(st), st)
	}
	name := e.Location
	if full != nil {
		name = full.String()
	}
	return &plan.Error{Class: "UNSUPPORTED_FEATURE.TABLE_OPERATION", Span: syntax.Span{From: st.Pos(), To: st.End()},
		Params: map[string]string{"tableName": name, "operation": nameOf(st)}, Hint: hint}
}

// maintained is the table that a statement looks after, and what does the same for a Hudi table.
func maintained(st syntax.Statement) (*syntax.Target, string) {
	switch st := st.(type) {
	case *syntax.Optimize:
		return st.Target, "CALL run_clustering(table => '…', order => '…') brings small files together and sorts rows; CALL run_compaction(op => 'run', table => '…') merges logs into base files."
	case *syntax.Vacuum:
		return st.Target, "CALL run_clean(table => '…', retain_commits => …) deletes files that no kept state needs. It also happens by itself after writes."
	case *syntax.Restore:
		return st.Target, "CALL create_savepoint keeps a state, CALL rollback_to_savepoint(table => '…') brings it back; CALL rollback_to_instant(table => '…', instant_time => '…') undoes the last commit."
	case *syntax.Reorg:
		return st.Target, "CALL run_compaction(op => 'run', table => '…') merges logs into base files; CALL run_clustering(table => '…') writes files anew."
	case *syntax.Generate:
		return st.Target, "Manifests are not needed: CALL show_fsview_latest(table => '…') lists the files of the last state."
	case *syntax.CloneTable:
		return &syntax.Target{Span: st.Source.Span, Name: st.Source}, "CREATE TABLE … USING hudi AS SELECT … copies a table; CALL copy_to_table(table => '…', new_table => '…') copies its rows to one of the default format."
	case *syntax.Convert:
		return &syntax.Target{Span: st.Table.Span, Name: st.Table}, "CREATE TABLE … USING delta AS SELECT * FROM … makes a Delta table of the rows."
	}
	return nil, ""
}
