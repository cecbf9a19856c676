package delta

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// testSchema is the table of most tests: (id BIGINT, v STRING, p BIGINT).
var testSchema = types.Struct{Fields: []types.Field{
	{Name: "id", Type: types.Long, Nullable: true}, {Name: "v", Type: types.String, Nullable: true}, {Name: "p", Type: types.Long, Nullable: true}}}

// testTable is a table in memory, and the transactions that tests make on it.
type testTable struct {
	t      testing.TB
	format *Format
	entry  lake.Entry
}

func newTestTable(t testing.TB, b storage.Bucket) *testTable {
	return &testTable{t, new(Format), lake.Entry{Name: lake.Ident{"t"}, Format: "delta", Location: "/t", Bucket: b}}
}

// create makes the table with the given properties, partitioned by p if wanted, and returns the commit's error.
func (tt *testTable) create(ctx context.Context, properties map[string]string, partition ...string) error {
	e := tt.entry
	e.Meta = &lake.Meta{Schema: testSchema, Properties: properties, Partition: partition}
	tx, err := tt.format.Create(ctx, e, rowEngine{})
	if err != nil {
		return err
	}
	_, err = tx.Commit(ctx, lake.Operation{Name: "CREATE TABLE"})
	return err
}

func (tt *testTable) open(ctx context.Context) (lake.Table, error) {
	return tt.format.Open(ctx, tt.entry)
}

// begin starts a transaction.
func (tt *testTable) begin(ctx context.Context) (lake.Tx, error) {
	table, err := tt.open(ctx)
	if err != nil {
		return nil, err
	}
	return table.Begin(ctx, rowEngine{})
}

// do runs change in one transaction.
func (tt *testTable) do(ctx context.Context, op string, change func(lake.Tx) (lake.Change, error)) (lake.Commit, error) {
	tx, err := tt.begin(ctx)
	if err != nil {
		return lake.Commit{}, err
	}
	c, err := change(tx)
	if err == nil {
		_, err = tx.Apply(ctx, c)
	}
	if err != nil {
		return lake.Commit{}, errors.Join(err, tx.Rollback())
	}
	return tx.Commit(ctx, lake.Operation{Name: op})
}

// values is a tree of constant rows with the columns of testSchema.
func values(rows ...[]types.Value) (*rel.Values, []rel.ID) {
	n := &rel.Values{}
	var ids []rel.ID
	for _, f := range testSchema.Fields {
		c := rel.NewColumn(f.Name, f.Type)
		n.Cols = append(n.Cols, c)
		ids = append(ids, c.ID)
	}
	for _, r := range rows {
		var lits []rel.Expr
		for i, v := range r {
			lits = append(lits, &rel.Lit{T: n.Cols[i].Type, Value: v})
		}
		n.Rows = append(n.Rows, lits)
	}
	return n, ids
}

func r3(id int64, v string, p int64) []types.Value { return []types.Value{id, v, p} }

func appendRows(rows ...[]types.Value) func(lake.Tx) (lake.Change, error) {
	return func(lake.Tx) (lake.Change, error) {
		n, ids := values(rows...)
		return lake.Append{Rows: n, Columns: ids}, nil
	}
}

// logText is the text of a commit.
func (tt *testTable) logText(ctx context.Context, v int64) string {
	text, err := storage.ReadFile(ctx, tt.entry.Bucket, commitName(v), 1<<20)
	if err != nil {
		tt.t.Fatal(err)
	}
	return string(text)
}

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestCreateAppend(t *testing.T) {
	ctx := context.Background()
	tt := newTestTable(t, storage.NewMem())
	if err := tt.create(ctx, map[string]string{"k": "v"}, "p"); err != nil {
		t.Fatal(err)
	}
	if err := tt.create(ctx, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("creating it again: %v", err)
	}
	c := must[lake.Commit](t)(tt.do(ctx, "WRITE", appendRows(r3(1, "a", 1), r3(2, "b", 2))))
	if c.Version != 1 || c.Attempts != 1 || !*c.BlindAppend || c.Metrics["numOutputRows"] != "2" || c.Metrics["numFiles"] != "2" {
		t.Errorf("commit: %+v", c)
	}
	text := tt.logText(ctx, 1)
	for _, want := range []string{`{"commitInfo":{"timestamp":`, `"isBlindAppend":true`, `"partitionValues":{"p":"1"}`, `"numRecords\":1`, `"path":"p=2/part-`} {
		if !strings.Contains(text, want) {
			t.Errorf("commit lacks %s:\n%s", want, text)
		}
	}
}

func TestCheckpointRoundTrip(t *testing.T) {
	ctx := context.Background()
	tt := newTestTable(t, storage.NewMem())
	if err := tt.create(ctx, map[string]string{"delta.enableDeletionVectors": "true"}, "p"); err != nil {
		t.Fatal(err)
	}
	for i := range int64(12) {
		must[lake.Commit](t)(tt.do(ctx, "WRITE", appendRows(r3(i, "x", i%3), []types.Value{i, nil, nil})))
	}
	replayed := must[*Snapshot](t)(tt.format.table(tt.entry).latest(ctx))
	if _, err := storage.ReadFile(ctx, tt.entry.Bucket, checkpointName(10), 1<<20); err != nil {
		t.Fatal(err)
	}
	for v := range int64(10) {
		if err := tt.entry.Bucket.Remove(ctx, commitName(v)); err != nil {
			t.Fatal(err)
		}
	}
	read := must[*Snapshot](t)(new(Format).table(tt.entry).latest(ctx))
	if diff := diffStates(replayed.state, read.state); diff != "" {
		t.Error(diff)
	}
}

// diffStates compares what two states say, but for dataChange and the last commit, which checkpoints do not keep.
func diffStates(a, b *State) string {
	return cmp.Diff(kept(a), kept(b), cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(Add{}))
}

func kept(s *State) *State {
	c := s.Clone()
	c.CommitInfo = nil
	for k, a := range c.Files {
		still := *a
		still.DataChange = false
		c.Files[k] = &still
	}
	for k, r := range c.Tombstones {
		still := *r
		still.DataChange, still.Tags, still.Stats = false, nil, ""
		c.Tombstones[k] = &still
	}
	return c
}
