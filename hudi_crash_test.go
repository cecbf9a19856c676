package tarn_test

import (
	"context"
	"errors"
	"flag"
	"io/fs"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi"
	"github.com/tarn-lake/tarn/storage"
)

// crashStride is a prime, so that the steps which one run leaves out are met by other statements.
var crashStride = flag.Int("hudi.stride", 499, "every which step of the storage the crash tests of Hudi writes stop at")

// hudiWrite is a statement on a table of two commits.
type hudiWrite struct {
	name string
	sql  string
	make bool // it makes the table
	once bool // it fails when it is done already
}

const crashColumns = "(id int, name string, ts int, part string)"

// hudiWrites are the statements of the crash tests; {create} stands for the properties of the table.
var hudiWrites = []hudiWrite{
	{name: "insert", sql: "INSERT INTO hudi.`/t` VALUES (7, 'new', 5, 'eu'), (8, 'new', 5, 'as')"},
	{name: "upsert", sql: "INSERT INTO hudi.`/t` VALUES (1, 'up', 5, 'eu'), (2, 'up', 5, 'us'), (7, 'new', 5, 'eu')"},
	{name: "update", sql: "UPDATE hudi.`/t` SET name = 'u', ts = 6 WHERE id <> 2"},
	{name: "delete", sql: "DELETE FROM hudi.`/t` WHERE id = 1"},
	{name: "merge", sql: "MERGE INTO hudi.`/t` t USING (SELECT * FROM VALUES (1, 'm', 7, 'eu'), (2, 'm', 7, 'us'), (9, 'm', 7, 'as') AS v(id, name, ts, part)) s ON t.id = s.id " +
		"WHEN MATCHED AND s.id = 2 THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED AND s.id = 9 THEN INSERT *"},
	{name: "overwrite", sql: "INSERT OVERWRITE hudi.`/t` VALUES (7, 'new', 5, 'eu')"},
	{name: "drop partition", sql: "CALL drop_partition(path => '/t', partition => 'part=eu')"},
	{name: "add column", sql: "ALTER TABLE hudi.`/t` ADD COLUMNS (extra int)", once: true},
	{name: "create", sql: "CREATE TABLE t " + crashColumns + " USING hudi PARTITIONED BY (part) LOCATION '/t' {create}", make: true, once: true},
	{name: "create as", sql: "CREATE TABLE t USING hudi PARTITIONED BY (part) LOCATION '/t' {create} AS SELECT 1 id, 'a' name, 1 ts, 'eu' part", make: true, once: true},
}

// writeDB is a database of which the writers lock the tables as processes do.
func writeDB(t *testing.T) *serviceDB {
	d := newServiceDB(t)
	d.must(storage.NewMem(), "SET hoodie.write.lock.provider=org.apache.hudi.client.transaction.lock.FileSystemBasedLockProvider",
		"SET hoodie.write.lock.wait_time_ms=3000")
	return d
}

// createOf is the properties of a table. Copy-on-write tables record changes, where they can.
func createOf(kind, version string) string {
	changes := ""
	if kind == "cow" && version != "5" {
		changes = ", 'hoodie.table.cdc.enabled'='true'"
	}
	return "TBLPROPERTIES (type='" + kind + "', primaryKey='id', preCombineField='ts', 'hoodie.write.table.version'='" + version + "'" + changes + ")"
}

// before makes the table as it is before the statement.
func (w hudiWrite) before(d *serviceDB, kind, version string) *storage.Mem {
	m := storage.NewMem()
	d.must(m, "DROP TABLE IF EXISTS t")
	if !w.make {
		d.must(m, "CREATE TABLE t "+crashColumns+" USING hudi PARTITIONED BY (part) LOCATION '/t' "+createOf(kind, version),
			"INSERT INTO hudi.`/t` VALUES (1, 'a', 1, 'eu'), (2, 'b', 1, 'us'), (3, 'c', 1, 'eu')",
			"UPDATE hudi.`/t` SET name = 'd', ts = 2 WHERE id = 1")
	}
	return m
}

// run runs the statement on the table in b.
func (w hudiWrite) run(d *serviceDB, b storage.Bucket, kind, version string) error {
	if w.make {
		d.must(storage.NewMem(), "DROP TABLE IF EXISTS t")
	}
	return d.do(b, strings.ReplaceAll(w.sql, "{create}", createOf(kind, version)))
}

// found are all columns of the table in b that are its own, or why it cannot be read.
func (d *serviceDB) found(b storage.Bucket) []string {
	if _, err := storage.ReadFile(context.Background(), b, ".hoodie/hoodie.properties", 1<<16); errors.Is(err, fs.ErrNotExist) {
		return []string{"no table"}
	}
	d.current = b
	got := say(d.s, "SELECT * EXCEPT (_hoodie_commit_time, _hoodie_commit_seqno, _hoodie_record_key, _hoodie_partition_path, _hoodie_file_name) FROM hudi.`/t` ORDER BY id")
	return strings.Split(strings.TrimSpace(got), "\n")
}

// reasonable fails when the rows are neither those before nor, of a statement that said so, those after.
func reasonable(got, before, after []string, done bool) bool {
	return slices.Equal(got, after) || !done && (slices.Equal(got, before) || got[0] == "no table" || slices.Equal(before, []string{"no table"}) && got[0] == "")
}

var lockOwner = regexp.MustCompile(`"[0-9]+",\s*"[0-9]*"\s*\]`)

// bury makes the lock file in b one of a process that is gone.
func (d *serviceDB) bury(b storage.Bucket, pid int) {
	ctx := context.Background()
	text, err := storage.ReadFile(ctx, b, ".hoodie/lock", 1<<16)
	if err == nil {
		err = storage.WriteFile(ctx, b, ".hoodie/lock", storage.Replace, lockOwner.ReplaceAll(text, []byte(`"`+strconv.Itoa(pid)+`", "1"]`)))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.t.Fatal(err)
	}
}

// deadProcess is the number of a process that is gone.
func deadProcess(t *testing.T) int {
	c := exec.Command("true")
	if err := c.Run(); err != nil {
		t.Skip(err)
	}
	return c.Process.Pid
}

// tidy fails when what a failed write left is still there after the next one: pending actions, files, a lock.
func (d *serviceDB) tidy(t *testing.T, b storage.Bucket) {
	t.Helper()
	findings, err := hudi.Check(context.Background(), b)
	if err != nil {
		t.Fatalf("cannot be checked: %v", err)
	}
	for _, f := range findings {
		if f.Severity != lake.Note && f.Where != ".hoodie/hoodie.properties.backup" {
			t.Fatalf("after the next write: %v", f)
		}
	}
	if _, err := storage.ReadFile(context.Background(), b, ".hoodie/lock", 1<<16); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("the lock is left: %v", err)
	}
}

// hudiKinds are the tables that the tests write to: all statements on versions 6 and 9, some on the others.
var hudiKinds = []struct{ kind, version string }{{"cow", "9"}, {"mor", "9"}, {"cow", "6"}, {"mor", "6"}, {"mor", "8"}, {"cow", "5"}, {"mor", "5"}}

// eachHudiWrite runs a test for every statement and kind of table; the number of a combination makes them meet different steps.
func eachHudiWrite(t *testing.T, test func(t *testing.T, w hudiWrite, kind, version string, number int)) {
	number := 0
	for k, table := range hudiKinds {
		for n, w := range hudiWrites {
			if k >= 4 && (n+k)%3 > 0 || testing.Short() && (number+k)%13 > 0 {
				number++
				continue
			}
			t.Run(table.kind+table.version+" "+w.name, func(t *testing.T) { test(t, w, table.kind, table.version, number) })
			number++
		}
	}
}

// TestHudiWriteCrash stops each statement at steps of the storage and looks at what a power loss leaves: the table as before or after,
// no damage, no lock that blocks; the statement can be run again while the dead writer's heartbeat still counts, and a write after
// that takes out what is left.
func TestHudiWriteCrash(t *testing.T) {
	d, pid, points := writeDB(t), deadProcess(t), 0
	eachHudiWrite(t, func(t *testing.T, w hudiWrite, kind, version string, number int) {
		base := w.before(d, kind, version)
		before, done := d.found(base), base.Clone()
		if err := w.run(d, done, kind, version); err != nil {
			t.Fatal(err)
		}
		after := d.found(done)
		for step := 1 + number%*crashStride; ; step += *crashStride {
			m := base.Clone()
			m.Steps().Fail(step, storage.Stop, nil)
			acknowledged := w.run(d, m, kind, version) == nil
			for seed, keep := range []float64{0, 0.5, 1} {
				if (step+seed)%3 > 0 {
					continue
				}
				points++
				left := m.Crash(keep, uint64(seed))
				d.bury(left, pid)
				fail := func(what string, args ...any) {
					t.Helper()
					t.Log(m.Steps().Log())
					t.Fatalf("step %d, keeping %v: "+what, append([]any{step, keep}, args...)...)
				}
				got := d.found(left)
				if !reasonable(got, before, after, acknowledged) {
					fail("the table holds %q, not %q or %q", got, before, after)
				}
				if got[0] != "no table" {
					d.sound(t, left, step)
				}
				if step%2 > 0 {
					d.expire(left)
				}
				if err := w.run(d, left, kind, version); err != nil && !w.once {
					fail("cannot be run again: %v", err)
				}
				if got = d.found(left); !w.once && !slices.Equal(got, after) {
					fail("run again, the table holds %q, not %q", got, after)
				}
				d.expire(left)
				if got[0] == "no table" {
					continue
				}
				if err := d.do(left, "INSERT INTO hudi.`/t` (id, name, ts, part) VALUES (99, 'z', 9, 'us')"); err != nil {
					fail("cannot be written to: %v", err)
				}
				if last := d.found(left); len(last) != len(got)+1 && got[0] != "" {
					fail("the table holds %q after a write", last)
				}
				d.tidy(t, left)
			}
			if !m.Steps().Hit() {
				break
			}
		}
	})
	t.Logf("%d crash points", points)
}

// TestHudiWriteFaults fails single steps of the storage: what the statement says is so, and it can be run again.
func TestHudiWriteFaults(t *testing.T) {
	d, points, unknowns := writeDB(t), 0, 0
	eachHudiWrite(t, func(t *testing.T, w hudiWrite, kind, version string, number int) {
		base := w.before(d, kind, version)
		before, done := d.found(base), base.Clone()
		if err := w.run(d, done, kind, version); err != nil {
			t.Fatal(err)
		}
		after := d.found(done)
		for step := 1 + number*7%*crashStride; ; step += *crashStride {
			m := base.Clone()
			m.Steps().Fail(step, []storage.When{storage.Before, storage.After}[(step+number)%2], syscall.EIO)
			err := w.run(d, m, kind, version)
			if !m.Steps().Hit() {
				break
			}
			points++
			fail := func(what string, args ...any) {
				t.Helper()
				t.Log(m.Steps().Log())
				t.Fatalf("step %d fails: "+what, append([]any{step}, args...)...)
			}
			got := d.found(m)
			var unknown *lake.UnknownOutcomeError
			switch {
			case errors.As(err, &unknown):
				unknowns++
			case err != nil && !reasonable(got, before, before, false) && !w.make:
				fail("the statement says %v, but the table holds %q", err, got)
			case err == nil && !slices.Equal(got, after):
				fail("the statement says nothing, but the table holds %q", got)
			}
			if got[0] != "no table" {
				d.sound(t, m, step)
			}
			if again := w.run(d, m, kind, version); err != nil && again != nil && !(w.once && (unknown != nil || w.make)) {
				fail("%v; running it again says %v", err, again)
			}
			if got = d.found(m); !w.make && !slices.Equal(got, after) {
				fail("%v; run again, the table holds %q, not %q", err, got, after)
			}
		}
	})
	t.Logf("%d faults, %d of unknown outcome", points, unknowns)
}
