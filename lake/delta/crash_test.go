package delta

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/storage"
)

// crashCase is a statement on a table; without change it makes the table.
type crashCase struct {
	name       string
	properties map[string]string
	partition  []string
	commits    int // before it
	op         string
	change     func(lake.Tx) (lake.Change, error)
}

func crashCases() []crashCase {
	vectors := map[string]string{"delta.enableDeletionVectors": "true"}
	every4 := map[string]string{"delta.checkpointInterval": "4"}
	p := []string{"p"}
	return []crashCase{
		{name: "create", properties: vectors},
		{name: "append", commits: 2, op: "WRITE", change: appendRows(r3(100, "x", 0), r3(101, "x", 1))},
		{name: "append to partitions", partition: p, commits: 2, op: "WRITE", change: appendRows(r3(100, "x", 0), r3(101, "x", 1))},
		{name: "overwrite", commits: 2, op: "WRITE", change: overwriteRows(allRows, r3(100, "x", 0))},
		{name: "overwrite where p=1", partition: p, commits: 2, op: "WRITE", change: overwriteRows(byP(1), r3(100, "x", 1))},
		{name: "overwrite where id=1", commits: 2, op: "WRITE", change: overwriteRows(byID(1), r3(1, "x", 1))},
		{name: "overwrite partitions", partition: p, commits: 2, op: "WRITE", change: overwritePartitions(r3(100, "x", 1))},
		{name: "delete, copy on write", commits: 2, op: "DELETE", change: deleteRows(idModulo(2, 0))},
		{name: "delete, vectors", properties: vectors, commits: 2, op: "DELETE", change: deleteRows(idModulo(2, 0))},
		{name: "update, copy on write", commits: 2, op: "UPDATE", change: updateRows(idModulo(2, 0), "u")},
		{name: "update, vectors", properties: vectors, commits: 2, op: "UPDATE", change: updateRows(idModulo(2, 0), "u")},
		{name: "merge, copy on write", commits: 2, op: "MERGE", change: mergeRows(true, true, nil, r3(1, "m", 0), r3(200, "m", 0))},
		{name: "merge, vectors", properties: vectors, partition: p, commits: 2, op: "MERGE", change: mergeRows(true, true, nil, r3(1, "m", 0), r3(200, "m", 1))},
		{name: "define", commits: 2, op: "SET TBLPROPERTIES", change: setProperty("delta.columnMapping.mode", "name")},
		{name: "checkpoint", properties: every4, commits: 3, op: "WRITE", change: appendRows(r3(100, "x", 0))},
	}
}

// prepare makes the table as it is before the statement.
func (c crashCase) prepare(t *testing.T) *storage.Mem {
	m := storage.NewMem()
	if c.change == nil {
		return m
	}
	tt := newTestTable(t, m)
	if err := tt.create(t.Context(), c.properties, c.partition...); err != nil {
		t.Fatal(err)
	}
	for i := range int64(c.commits) {
		must[lake.Commit](t)(tt.do(t.Context(), "WRITE", appendRows(r3(4*i, "a", 0), r3(4*i+1, "b", 1), r3(4*i+2, "c", 0), r3(4*i+3, "d", 1))))
	}
	return m
}

func (c crashCase) run(t *testing.T, b storage.Bucket) error {
	tt := newTestTable(t, b)
	if c.change == nil {
		return tt.create(context.Background(), c.properties, c.partition...)
	}
	_, err := tt.do(context.Background(), c.op, c.change)
	return err
}

// found are the rows of a table, or "no table".
func found(t *testing.T, b storage.Bucket) []string {
	rows, err := readRows(context.Background(), b)
	if errors.Is(err, fs.ErrNotExist) {
		return []string{"no table"}
	}
	if err != nil {
		t.Errorf("the table cannot be read: %v", err)
	}
	return rows
}

// sound reports damage of a table.
func sound(t *testing.T, b storage.Bucket) {
	findings, err := Check(context.Background(), b)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	for _, f := range findings {
		if f.Severity == lake.Damage {
			t.Errorf("after it: %v", f)
		}
	}
}

// orphans reports whether files lie about that the table does not name.
func orphans(t *testing.T, b storage.Bucket) bool {
	findings, err := Check(context.Background(), b)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(findings, func(f lake.Finding) bool { return f.Severity == lake.Note && strings.Contains(f.What, "not part of") })
}

// TestCrash stops each statement at each step of the file system and looks at what power losses leave of it: the table
// as before or after, readable, and ready for the statement to be run again.
func TestCrash(t *testing.T) {
	points := 0
	for _, c := range crashCases() {
		base := c.prepare(t)
		before := found(t, base)
		done := base.Clone()
		if err := c.run(t, done); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		after := found(t, done)
		steps := 0
		for step := 1; ; step++ {
			m := base.Clone()
			m.Steps().Fail(step, storage.Stop, nil)
			acknowledged := c.run(t, m) == nil
			for seed, keep := range []float64{0, 0.5, 0.5, 1} {
				points++
				left := m.Crash(keep, uint64(seed))
				got := found(t, left)
				if !slices.Equal(got, after) && (acknowledged || !slices.Equal(got, before)) {
					t.Errorf("%s: step %d, keeping %v (seed %d): the table holds %q\n%s", c.name, step, keep, seed, got, m.Steps().Log())
				}
				sound(t, left)
				if err := c.run(t, left); err != nil && !(c.change == nil && errors.Is(err, fs.ErrExist)) {
					t.Errorf("%s: step %d, keeping %v (seed %d): cannot be run again: %v", c.name, step, keep, seed, err)
				}
			}
			if t.Failed() {
				return
			}
			if steps++; !m.Steps().Hit() {
				break
			}
		}
		t.Logf("%s: %d steps", c.name, steps)
	}
	t.Logf("%d crash points", points)
}

// TestFaults fails each step of the file system once, and checks that what the statement says is so: nothing was done after an
// error but one of unknown outcome, no file is left behind then, and running it again works.
func TestFaults(t *testing.T) {
	points, unknowns := 0, 0
	for _, c := range crashCases() {
		base := c.prepare(t)
		before := found(t, base)
		for _, when := range []storage.When{storage.Before, storage.After} {
			for step := 1; ; step++ {
				m := base.Clone()
				m.Steps().Fail(step, when, syscall.EIO)
				err := c.run(t, m)
				if !m.Steps().Hit() {
					break
				}
				points++
				got := found(t, m)
				var unknown *lake.UnknownOutcomeError
				switch {
				case errors.As(err, &unknown):
					unknowns++
				case err != nil && !slices.Equal(got, before):
					t.Errorf("%s: step %d fails (%v): the statement says %v, but the table holds %q\n%s", c.name, step, when, err, got, m.Steps().Log())
				case err == nil && slices.Equal(got, before) && c.name != "define" && c.name != "checkpoint":
					t.Errorf("%s: step %d fails: the statement says nothing, but the table is as before\n%s", c.name, step, m.Steps().Log())
				}
				sound(t, m)
				if err != nil && unknown == nil && !strings.Contains(m.Steps().Log(), "remove") && orphans(t, m) {
					t.Errorf("%s: step %d fails: files are left behind\n%s", c.name, step, m.Steps().Log())
				}
				if err != nil && unknown == nil {
					if again := c.run(t, m); again != nil {
						t.Errorf("%s: step %d fails: running it again says %v", c.name, step, again)
					}
				}
				if t.Failed() {
					return
				}
			}
		}
	}
	t.Logf("%d faults, %d of unknown outcome", points, unknowns)
}
