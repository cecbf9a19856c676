package tarn_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi"
	"github.com/tarn-lake/tarn/storage"
)

// serviceDB is a database whose tables are all in the bucket that is current.
type serviceDB struct {
	t       *testing.T
	s       *tarn.Session
	current storage.Bucket
}

func newServiceDB(t *testing.T) *serviceDB {
	d := &serviceDB{t: t}
	db := tarn.Opened(t, tarn.Options{Warehouse: t.TempDir(), Threads: 1,
		Bucket: func(context.Context, string) (storage.Bucket, error) { return d.current, nil },
		Conf:   map[string]string{"spark.sql.session.timeZone": "UTC", "hoodie.write.lock.provider": "org.apache.hudi.client.transaction.lock.InProcessLockProvider"}})
	d.s = db.Session()
	return d
}

// do runs a statement on the table in b.
func (d *serviceDB) do(b storage.Bucket, sql string) error {
	d.current = b
	rows, err := d.s.Query(context.Background(), sql)
	if err != nil {
		return err
	}
	return rows.Close()
}

func (d *serviceDB) must(b storage.Bucket, statements ...string) {
	d.t.Helper()
	for _, sql := range statements {
		if err := d.do(b, sql); err != nil {
			d.t.Fatalf("%s: %v", sql, err)
		}
	}
}

// rows are the rows of the table in b.
func (d *serviceDB) rows(b storage.Bucket) []string {
	d.t.Helper()
	d.current = b
	got := say(d.s, "SELECT id, name, part FROM hudi.`/t` ORDER BY id")
	return strings.Split(strings.TrimSpace(got), "\n")
}

// table makes a table of a type and version with four commits.
func (d *serviceDB) table(kind, version string) *storage.Mem {
	m := storage.NewMem()
	d.must(m, "DROP TABLE IF EXISTS t",
		"CREATE TABLE t (id int, name string, ts int, part string) USING hudi PARTITIONED BY (part) LOCATION '/t' TBLPROPERTIES (type='"+kind+
			"', primaryKey='id', preCombineField='ts', 'hoodie.write.table.version'='"+version+"')",
		"INSERT INTO hudi.`/t` VALUES (1, 'a', 1, 'eu'), (2, 'b', 1, 'us'), (3, 'c', 1, 'eu')",
		"CALL create_savepoint(path => '/t')",
		"UPDATE hudi.`/t` SET name = 'd', ts = 2 WHERE id = 1",
		"CALL delete_savepoint(path => '/t')",
		"UPDATE hudi.`/t` SET name = 'e', ts = 3 WHERE id < 3",
		"CALL create_savepoint(path => '/t')",
		"UPDATE hudi.`/t` SET name = 'f', ts = 4 WHERE id = 3")
	return m
}

// serviceCalls are calls of table services. Those that can be made once only fail when they are made again.
var serviceCalls = []struct {
	sql  string
	mor  bool // of merge-on-read tables only
	once bool
}{
	{sql: "CALL run_compaction(op => 'run', path => '/t')", mor: true},
	{sql: "CALL run_clustering(path => '/t', order => 'id')"},
	{sql: "CALL run_clean(path => '/t', retain_commits => 1)"},
	{sql: "CALL archive_commits(path => '/t', min_commits => 2, max_commits => 3, retain_commits => 1)"},
	{sql: "CALL delete_savepoint(path => '/t')", once: true},
	{sql: "CALL create_savepoint(path => '/t')", once: true},
	{sql: "CALL rollback_to_savepoint(path => '/t')"},
	{sql: "CALL drop_partition(path => '/t', partition => 'part=eu')"},
	{sql: "CREATE INDEX IF NOT EXISTS record_index ON hudi.`/t` (id)"},
	{sql: "DROP INDEX IF EXISTS column_stats ON hudi.`/t`"},
	{sql: "CALL upgrade_table(path => '/t', to_version => '9')"},
	{sql: "CALL downgrade_table(path => '/t', to_version => '6')"},
}

// serviceStride is odd, so that each kind of step is met.
var serviceStride = flag.Int("hudi.servicestride", 5, "every which step of the storage the crash test of Hudi's table services stops at")

// TestHudiServiceCrash stops each table service at steps of the storage, and looks at what is left: rows as before or after, no
// damage, and a service and a write that can be done again.
func TestHudiServiceCrash(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	d := newServiceDB(t)
	for _, table := range []struct{ kind, version string }{{"cow", "9"}, {"mor", "6"}} {
		base := d.table(table.kind, table.version)
		before := d.rows(base)
		for _, c := range serviceCalls {
			if c.mor && table.kind != "mor" || strings.Contains(c.sql, "'"+table.version+"'") ||
				strings.Contains(c.sql, "downgrade") && table.version == "6" || strings.Contains(c.sql, "upgrade_table") && table.version == "9" {
				continue
			}
			t.Run(table.kind+table.version+" "+c.sql, func(t *testing.T) {
				finished := base.Clone()
				if err := d.do(finished, c.sql); err != nil {
					t.Fatal(err)
				}
				after := d.rows(finished)
				steps := 0
				for step := 1; ; step += *serviceStride {
					m := base.Clone()
					m.Steps().Fail(step, storage.Stop, nil)
					acknowledged := d.do(m, c.sql) == nil
					hit := m.Steps().Hit()
					for seed, keep := range []float64{0, 1} {
						if seed != step%2 && hit {
							continue
						}
						left := m.Crash(keep, uint64(seed))
						d.expire(left)
						if got := d.rows(left); !slices.Equal(got, after) && (acknowledged || !slices.Equal(got, before)) {
							t.Fatalf("step %d, keeping %v: the table holds %q\n%s", step, keep, got, m.Steps().Log())
						}
						d.sound(t, left, step)
						if err := d.do(left, c.sql); err != nil && !c.once {
							t.Fatalf("step %d, keeping %v: cannot be called again: %v\n%s", step, keep, err, m.Steps().Log())
						}
						if got := d.rows(left); !slices.Equal(got, after) {
							t.Fatalf("step %d, keeping %v: the table holds %q after the second call, not %q\n%s", step, keep, got, after, m.Steps().Log())
						}
						if step%4 > 0 && hit {
							continue
						}
						if err := d.do(left, "INSERT INTO hudi.`/t` VALUES (9, 'z', 9, 'us')"); err != nil {
							t.Fatalf("step %d, keeping %v: cannot be written to: %v", step, keep, err)
						}
						if got := d.rows(left); len(got) != len(after)+1 {
							t.Fatalf("step %d, keeping %v: the table holds %q after a write\n%s", step, keep, got, m.Steps().Log())
						}
					}
					if steps++; !hit {
						break
					}
				}
				t.Logf("%d steps", steps)
			})
		}
	}
}

// expire takes away the signs of life of writers, as time does.
func (d *serviceDB) expire(b storage.Bucket) {
	if err := storage.RemoveAll(context.Background(), b, ".hoodie/.heartbeat"); err != nil {
		d.t.Fatal(err)
	}
}

// sound fails when the table is damaged.
func (d *serviceDB) sound(t *testing.T, b storage.Bucket, step int) {
	t.Helper()
	findings, err := hudi.Check(context.Background(), b)
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatalf("step %d: cannot be checked: %v", step, err)
	}
	for _, f := range findings {
		if f.Severity == lake.Damage {
			t.Fatalf("step %d: %v", step, f)
		}
	}
}

// TestHudiAbandonedClustering stops a clustering at steps of the storage, as a process that ends does, and then writes to the file groups that
// it was to replace: the write carries it out first. One that was planned for later waits, and says so.
func TestHudiAbandonedClustering(t *testing.T) {
	d := newServiceDB(t)
	const update = "UPDATE hudi.`/t` SET name = 'z', ts = 9 WHERE id = 1"
	for _, table := range []struct{ kind, version string }{{"mor", "6"}, {"cow", "9"}} {
		base := d.table(table.kind, table.version)
		before := d.rows(base)
		for step := 1; ; step += *serviceStride {
			m := base.Clone()
			m.Steps().Fail(step, storage.Stop, nil)
			d.do(m, "CALL run_clustering(path => '/t', order => 'id')")
			if !m.Steps().Hit() {
				break
			}
			left := m.Crash(1, uint64(step))
			d.end(left)
			if err := d.do(left, update); err != nil {
				t.Fatalf("%s%s step %d: cannot be written to: %v\n%s", table.kind, table.version, step, err, m.Steps().Log())
			}
			if got := d.rows(left); len(got) != len(before) || got[0] != "[1 z eu]" {
				t.Fatalf("%s%s step %d: the table holds %q", table.kind, table.version, step, got)
			}
			d.sound(t, left, step)
		}
		m := base.Clone()
		d.must(m, "CALL run_clustering(path => '/t', order => 'id', op => 'schedule')")
		d.end(m)
		var e *tarn.Error
		if err := d.do(m, update); !errors.As(err, &e) || e.Class != "HUDI_CLUSTERING_PENDING" {
			t.Errorf("%s%s: a write to what is to be clustered later: %v", table.kind, table.version, err)
		}
		d.must(m, "CALL run_clustering(path => '/t', op => 'execute')", update)
	}
}

// TestHudiServicesBehindStoppedWriters stops a write and a clustering at steps of the storage, and then runs a service that does not go together
// with what is pending: it ends that first.
func TestHudiServicesBehindStoppedWriters(t *testing.T) {
	d := newServiceDB(t)
	for _, c := range []struct{ kind, version, stopped, service string }{
		{"mor", "6", "UPDATE hudi.`/t` SET ts = 9 WHERE id = 1", "CALL run_compaction(path => '/t', op => 'run')"},
		{"cow", "6", "CALL run_clustering(path => '/t', order => 'id')", "CREATE INDEX record_index ON hudi.`/t` (id)"},
		{"cow", "9", "CALL run_clustering(path => '/t', order => 'id')", "CALL downgrade_table(path => '/t', to_version => '8')"},
	} {
		base := d.table(c.kind, c.version)
		before := d.rows(base)
		for step := 1; ; step += *serviceStride {
			m := base.Clone()
			m.Steps().Fail(step, storage.Stop, nil)
			d.do(m, c.stopped)
			if !m.Steps().Hit() {
				break
			}
			left := m.Crash(1, uint64(step))
			d.end(left)
			if err := d.do(left, c.service); err != nil {
				t.Fatalf("%s step %d, then %s: %v\n%s", c.stopped, step, c.service, err, m.Steps().Log())
			}
			if got := d.rows(left); !slices.Equal(got, before) {
				t.Fatalf("%s step %d, then %s: the table holds %q", c.stopped, step, c.service, got)
			}
			d.sound(t, left, step)
		}
	}
}

// end makes this process, where signs of life and plans name it, one that has ended.
func (d *serviceDB) end(b storage.Bucket) {
	d.t.Helper()
	ctx := context.Background()
	pid := strconv.Itoa(os.Getpid())
	living, ended := []byte(`"`+pid+`"`), []byte(`"`+strings.Repeat("9", len(pid))+`"`)
	for _, dir := range []string{".hoodie/.heartbeat", ".hoodie", ".hoodie/timeline"} {
		for info, err := range b.List(ctx, dir, "") {
			if err != nil {
				d.t.Fatal(err)
			}
			if !strings.Contains(info.Name, ".heartbeat/") && !strings.HasSuffix(info.Name, ".requested") {
				continue
			}
			text, err := storage.ReadFile(ctx, b, info.Name, 1<<20)
			if err == nil {
				err = storage.WriteFile(ctx, b, info.Name, storage.Replace, bytes.ReplaceAll(text, living, ended))
			}
			if err != nil {
				d.t.Fatal(err)
			}
		}
	}
}
