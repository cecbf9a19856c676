package tarn_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn"
	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// echo stands for the format of Hudi: its tables answer every procedure with its arguments.
type echo struct{}

func (echo) Open(context.Context, lake.Entry) (lake.Table, error) { return echoTable{}, nil }
func (echo) Create(context.Context, lake.Entry, engine.Engine) (lake.Tx, error) {
	return nil, errors.ErrUnsupported
}

func (echo) Procedures() []lake.Procedure {
	return []lake.Procedure{
		{Name: "run_compaction", About: "Compacts.", Params: []lake.Param{{Name: "op", Type: types.String, Required: true},
			{Name: "table", Type: types.String}, {Name: "path", Type: types.String}, {Name: "timestamp", Type: types.String}}},
		{Name: "show_commits", About: "Shows commits.", Params: []lake.Param{{Name: "table", Type: types.String},
			{Name: "path", Type: types.String}, {Name: "limit", Type: types.Int, Default: int64(10)}},
			Columns: []rel.Column{rel.NewColumn("commit_time", types.String)}},
	}
}

type echoTable struct{}

func (echoTable) Snapshot(context.Context, lake.At) (lake.Snapshot, error) {
	return nil, errors.ErrUnsupported
}
func (echoTable) History(context.Context) iter.Seq2[lake.Commit, error] { return nil }
func (echoTable) Begin(context.Context, engine.Engine) (lake.Tx, error) {
	return nil, errors.ErrUnsupported
}

func (echoTable) Call(_ context.Context, _ engine.Engine, name string, args map[string]types.Value) (lake.Answer, error) {
	delete(args, "table")
	return lake.Answer{Columns: []rel.Column{rel.NewColumn("said", types.String)},
		Rows: [][]types.Value{{fmt.Sprint(name, " ", args)}}}, nil
}

func TestCall(t *testing.T) {
	db, err := tarn.Open(context.Background(), tarn.Options{Warehouse: t.TempDir(), Formats: map[string]lake.Format{"hudi": echo{}}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, tc := range []struct{ sql, want string }{
		{"call show_commits(table => 'hudi.`/t`')", "show_commits map[limit:10 path:<nil>]"},
		{"CALL System.Show_Commits('hudi.`/t`', LIMIT => 2 + 1)", "show_commits map[limit:3 path:<nil>]"},
		{"call spark_catalog.system.show_commits(path => '/t')", "show_commits map[limit:10 path:/t]"},
		{"call show_commits(path => '/t', limit => '7')", "show_commits map[limit:7 path:/t]"},
		{"schedule compaction on '/t'", "run_compaction map[op:schedule path:/t timestamp:<nil>]"},
		{"run compaction on hudi.`/t` at 20240101", "run_compaction map[op:run path:<nil> timestamp:20240101]"},
		{"call show_commits()", "REQUIRED_PARAMETER_NOT_FOUND"},
		{"call show_comits(table => 't')", "the nearest names are show_commits"},
		{"call other.show_commits(path => '/t')", "ROUTINE_NOT_FOUND"},
		{"call show_commits(path => '/t', limits => 1)", "the nearest names are limit"},
		{"call show_commits(path => '/t', 1)", "UNEXPECTED_POSITIONAL_ARGUMENT"},
		{"call show_commits('/t', '/t', 1, 2)", "WRONG_NUM_ARGS"},
		{"call show_commits(path => '/t', path => '/t')", "DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT"},
		{"call show_commits(path => '/t', limit => 'x')", "CAST_INVALID_INPUT"},
		{"call run_compaction(path => '/t')", "needs the argument op"},
		{"call help()", "show_commits: Shows commits."},
		{"call help('SHOW_COMMITS')", "  limit INT, default 10"},
		{"call help(cmd => 'shw_commits')", "ROUTINE_NOT_FOUND"},
	} {
		if got := say(db.Session(), tc.sql); !strings.Contains(got, tc.want) {
			t.Errorf("%s\ngave %s\nnot  %s", tc.sql, got, tc.want)
		}
	}
}

// say is what a statement answers, in a line for each row, or its error.
func say(s *tarn.Session, sql string) string {
	rows, err := s.Query(context.Background(), sql)
	if err != nil {
		return err.Error()
	}
	var out strings.Builder
	for row, err := range rows.All() {
		if err != nil {
			return err.Error()
		}
		out.WriteString(fmt.Sprint(row) + "\n")
	}
	return out.String()
}
