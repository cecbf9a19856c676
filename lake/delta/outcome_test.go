package delta

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// answer is a bucket whose next commit gets an answer of the test's choice.
type answer struct {
	storage.Bucket
	apply bool   // the commit is stored
	rival string // text of another commit that is stored instead
	err   error  // what the writer is told
	done  bool   // the answer was given
}

func (b *answer) Create(ctx context.Context, name string, m storage.Mode) (io.WriteCloser, error) {
	if b.done || b.err == nil || !strings.HasSuffix(name, ".json") {
		return b.Bucket.Create(ctx, name, m)
	}
	b.done = true
	return &answerWriter{b: b, ctx: ctx, name: name}, nil
}

type answerWriter struct {
	b    *answer
	ctx  context.Context
	name string
	text []byte
}

func (w *answerWriter) Write(p []byte) (int, error) {
	w.text = append(w.text, p...)
	return len(p), nil
}

func (w *answerWriter) Close() error {
	if w.b.rival != "" {
		w.text = []byte(w.b.rival)
	}
	if w.b.apply || w.b.rival != "" {
		if err := storage.WriteFile(w.ctx, w.b.Bucket, w.name, storage.Exclusive, w.text); err != nil {
			return err
		}
	}
	return w.b.err
}

// TestOutcomes checks that a commit is told as it is, whatever a store answers, and that it is never made twice.
func TestOutcomes(t *testing.T) {
	const rival = `{"commitInfo":{"operation":"WRITE","isBlindAppend":true,"txnId":"other"}}` + "\n"
	for _, c := range []struct {
		name    string
		answer  answer
		version int64 // of the commit; -1 when the outcome is unknown
	}{
		{"a lost answer", answer{apply: true, err: storage.ErrUnknown}, 1},
		{"a lost answer, then told that the name is taken", answer{apply: true, err: fs.ErrExist}, 1},
		{"a lost answer, and another was faster", answer{rival: rival, err: storage.ErrUnknown}, 2},
		{"another was faster", answer{rival: rival, err: fs.ErrExist}, 2},
		{"a lost request", answer{err: storage.ErrUnknown}, -1},
		{"not confirmed by the disk", answer{apply: true, err: storage.ErrNotDurable}, -1},
	} {
		ctx := context.Background()
		m := storage.NewMem()
		if err := newTestTable(t, m).create(ctx, nil); err != nil {
			t.Fatal(err)
		}
		b := c.answer
		b.Bucket = m
		made, err := newTestTable(t, &b).do(ctx, "WRITE", appendRows(r3(1, "a", 1)))
		var unknown *lake.UnknownOutcomeError
		switch {
		case c.version >= 0 && (err != nil || made.Version != c.version):
			t.Errorf("%s: version %d, %v; want version %d", c.name, made.Version, err, c.version)
		case c.version < 0 && (!errors.As(err, &unknown) || unknown.Version != 1 || unknown.TxnID == ""):
			t.Errorf("%s: %v", c.name, err)
		}
		files := 0
		for info := range m.List(ctx, "", "") {
			if strings.HasPrefix(info.Name, dataPrefix) {
				files++
			}
		}
		if files != 1 {
			t.Errorf("%s: %d data files are there, want 1", c.name, files)
		}
		if rows := must[[]string](t)(readRows(ctx, m)); c.version >= 0 && len(rows) != 1 {
			t.Errorf("%s: the table holds %q", c.name, rows)
		}
	}
}

// TestTxnOnce checks that a write of an application happens at most once.
func TestTxnOnce(t *testing.T) {
	ctx := context.Background()
	tt := newTestTable(t, storage.NewMem())
	if err := tt.create(ctx, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ txn, version int64 }{{5, 1}, {5, 1}, {4, 1}, {6, 2}} {
		tx := must[lake.Tx](t)(tt.begin(ctx))
		change := must[lake.Change](t)(appendRows(r3(c.txn, "a", 1))(tx))
		must[lake.Metrics](t)(tx.Apply(ctx, change))
		made := must[lake.Commit](t)(tx.Commit(ctx, lake.Operation{Name: "WRITE", Txn: &lake.TxnID{App: "app", Version: c.txn}}))
		if made.Version != c.version {
			t.Errorf("transaction %d: version %d, want %d", c.txn, made.Version, c.version)
		}
	}
	if rows := must[[]string](t)(tt.rows(ctx)); len(rows) != 2 {
		t.Errorf("the table holds %q", rows)
	}
	if orphans(t, tt.entry.Bucket) {
		t.Error("files of writes that were left out lie about")
	}
}

// TestTwice checks that a row matched twice is the error of the planner, and that a row deleted twice counts once.
func TestTwice(t *testing.T) {
	ctx := context.Background()
	tt := newTestTable(t, storage.NewMem())
	if err := tt.create(ctx, nil); err != nil {
		t.Fatal(err)
	}
	must[lake.Commit](t)(tt.do(ctx, "WRITE", appendRows(r3(1, "a", 1), r3(2, "b", 1))))
	twice := mergeRows(true, false, nil, r3(1, "x", 1), r3(1, "y", 1))
	if _, err := tt.do(ctx, "MERGE", twice); !errors.Is(err, errTwice) {
		t.Errorf("a row matched twice: %v", err)
	}
	tx := must[lake.Tx](t)(tt.begin(ctx))
	if _, err := tx.Apply(ctx, must[lake.Change](t)(twice(tx))); !errors.Is(err, errTwice) {
		t.Errorf("a row matched twice: %v", err)
	}
	if _, err := tx.Commit(ctx, lake.Operation{Name: "MERGE"}); !errors.Is(err, errTwice) {
		t.Errorf("a commit after it: %v", err)
	}
	idle := mergeRows(false, false, nil, r3(1, "x", 1), r3(1, "y", 1))
	if _, err := tt.do(ctx, "MERGE", idle); !errors.Is(err, errTwice) {
		t.Errorf("a row matched twice without effect: %v", err)
	}
	c := must[lake.Commit](t)(tt.do(ctx, "DELETE", func(tx lake.Tx) (lake.Change, error) {
		change, err := mergeRows(true, false, nil, r3(1, "x", 1), r3(1, "y", 1))(tx)
		e := change.(lake.Edit)
		e.Rows.(*rel.Project).Cols[0].Expr = text("D")
		e.Twice = nil
		return e, err
	}))
	if c.Metrics["numDeletedRows"] != "1" {
		t.Errorf("metrics %v", c.Metrics)
	}
}

// TestVoid checks that a column without a type of its own is kept out of data files.
func TestVoid(t *testing.T) {
	l := &layout{fields: []types.Field{{Name: "a", Type: types.Void}, {Name: "b", Type: types.Int}, {Name: "p", Type: types.Int}},
		partition: []int{2}, required: make([]string, 3)}
	d, err := l.dest(new(Table), []rel.ID{1, 2, 3}, 0)
	if err != nil || len(d.Columns) != 2 || d.Columns[0].ID != 2 || len(d.Partition) != 1 || d.Partition[0] != 1 {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestCluster checks that clustering columns are kept, with statistics, and that the protocol says so.
func TestCluster(t *testing.T) {
	ctx := context.Background()
	tt := newTestTable(t, storage.NewMem())
	if err := tt.create(ctx, map[string]string{"delta.dataSkippingNumIndexedCols": "0", "delta.columnMapping.mode": "name"}); err != nil {
		t.Fatal(err)
	}
	must[lake.Commit](t)(tt.do(ctx, "CLUSTER BY", define(func(m *lake.Meta) { m.Cluster = []string{"P"} })))
	must[lake.Commit](t)(tt.do(ctx, "WRITE", appendRows(r3(1, "a", 7))))
	s := must[*Snapshot](t)(tt.format.table(tt.entry).latest(ctx))
	if got := s.Meta().Cluster; len(got) != 1 || got[0] != "p" || !s.state.Protocol.supports("clustering") || !s.state.Protocol.supports("domainMetadata") {
		t.Errorf("clustered by %q, protocol %+v", got, s.state.Protocol)
	}
	if text := tt.logText(ctx, 2); !strings.Contains(text, `"minValues\":{\"`+s.physical.Fields[2].Name+`\":7}`) {
		t.Errorf("the clustering column has no statistics:\n%s", text)
	}
}

// TestDefine checks what a description may not ask for.
func TestDefine(t *testing.T) {
	ctx := context.Background()
	tt := newTestTable(t, storage.NewMem())
	if err := tt.create(ctx, nil); err != nil {
		t.Fatal(err)
	}
	must[lake.Commit](t)(tt.do(ctx, "WRITE", appendRows(r3(1, "a", 1))))
	for name, c := range map[string]struct {
		change func(*lake.Meta)
		class  string
	}{
		"drop a column":    {func(m *lake.Meta) { m.Schema.Fields = m.Schema.Fields[:2] }, "DELTA_SCHEMA_CHANGE_SINCE_ANALYSIS"},
		"retype a column":  {func(m *lake.Meta) { m.Schema.Fields[0].Type = m.Schema.Fields[1].Type }, "DELTA_SCHEMA_CHANGE_SINCE_ANALYSIS"},
		"partition":        {func(m *lake.Meta) { m.Partition = []string{"p"} }, "DELTA_SCHEMA_CHANGE_SINCE_ANALYSIS"},
		"odd name":         {func(m *lake.Meta) { m.Schema.Fields[0].Name = "a b" }, "DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES"},
		"unknown feature":  {func(m *lake.Meta) { m.Properties["delta.feature.nope"] = "supported" }, "DELTA_UNSUPPORTED_FEATURES_IN_CONFIG"},
		"row tracking":     {func(m *lake.Meta) { m.Properties["delta.enableRowTracking"] = "true" }, "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE"},
		"mapping by id":    {func(m *lake.Meta) { m.Properties["delta.columnMapping.mode"] = "id" }, "DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE"},
		"the same name":    {func(m *lake.Meta) { m.Schema.Fields[0].Name = "V" }, "COLUMN_ALREADY_EXISTS"},
		"unknown property": {func(m *lake.Meta) { m.Properties["delta.nope"] = "1" }, "DELTA_UNKNOWN_CONFIGURATION"},
	} {
		_, err := tt.do(ctx, "ALTER", define(c.change))
		var known *lake.Error
		if !errors.As(err, &known) || known.Class != c.class {
			t.Errorf("%s: %v, want class %s", name, err, c.class)
		}
	}
}
