package conform

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/tarn-lake/tarn"
	"github.com/tarn-lake/tarn/catalog"
	"github.com/tarn-lake/tarn/engine/duckdb"
)

// Runner runs cases. One engine serves all; each file has its own warehouse and session.
type Runner struct {
	Match   *regexp.Regexp // of file names; nil is all
	Timeout time.Duration  // per query; 0 is 20 s
	Memory  int64          // bytes for the engine; 0 is its own choice
	Dir     string         // of the suite; its folder test-data holds what the tables are made from
	Report  func(Result)   // called for each case, in order

	engine *duckdb.Engine
}

// Open starts the engine. Close ends it.
func (r *Runner) Open() error {
	if r.Timeout == 0 {
		r.Timeout = 20 * time.Second
	}
	var err error
	r.engine, err = duckdb.Open(duckdb.Options{Memory: r.Memory, Threads: 1}) // one thread: rows that tie come in one order
	return err
}

// Close ends the engine.
func (r *Runner) Close() error { return r.engine.Close() }

func (r *Runner) wants(name string) bool { return r.Match == nil || r.Match.MatchString(name) }

// session is a fresh session in a fresh warehouse. done gives both back.
func (r *Runner) session(ctx context.Context, conf map[string]string) (s *tarn.Session, done func(), err error) {
	dir, err := os.MkdirTemp("", "tarn-conform-*")
	if err != nil {
		return nil, nil, err
	}
	db, err := tarn.Open(ctx, tarn.Options{Warehouse: dir, Engine: r.engine, Conf: conf,
		Catalogs: map[string]catalog.Catalog{tarn.DefaultCatalog: catalog.NewMemory(dir)}})
	if err != nil {
		os.RemoveAll(dir)
		return nil, nil, err
	}
	return db.Session(), func() { db.Close(); os.RemoveAll(dir) }, nil
}

// Spark runs the golden files.
func (r *Runner) Spark(ctx context.Context, files []File) error {
	for _, f := range files {
		if !r.wants(f.Name) {
			continue
		}
		if err := r.file(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

func (r *Runner) file(ctx context.Context, f File) error {
	s, done, err := r.session(ctx, f.Conf)
	if err != nil {
		return err
	}
	defer done()
	r.tables(ctx, s, f)
	form := Text{zone: zone(f.Conf["spark.sql.session.timeZone"]), binary: f.Conf["spark.sql.binaryOutputStyle"]}
	for _, c := range f.Cases {
		form.zone = r.zoneOf(ctx, s, form.zone)
		r.Report(c.result(r.one(ctx, s, c.SQL, form)))
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// one runs one query within its time.
func (r *Runner) one(ctx context.Context, s *tarn.Session, sql string, f Text) answer {
	ctx, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	return ask(ctx, s, sql, f)
}

// zoneOf is the session's time zone, which statements may have changed.
func (r *Runner) zoneOf(ctx context.Context, s *tarn.Session, old *time.Location) *time.Location {
	a := ask(ctx, s, "SET spark.sql.session.timeZone", Text{zone: time.UTC})
	if len(a.rows) == 1 {
		if _, name, ok := strings.Cut(a.rows[0], "\t"); ok {
			return zone(name)
		}
	}
	return old
}

// tables makes the tables that Spark's runner has before each file. Only those that the file speaks of are made.
func (r *Runner) tables(ctx context.Context, s *tarn.Session, f File) {
	var all strings.Builder
	for _, c := range f.Cases {
		all.WriteString(strings.ToLower(c.SQL) + "\n")
	}
	data := filepath.Join(r.Dir, "test-data")
	const tenk = "(unique1 int, unique2 int, two int, four int, ten int, twenty int, hundred int, thousand int, " +
		"twothousand int, fivethous int, tenthous int, odd int, even int, stringu1 string, stringu2 string, string4 string)"
	loaded := func(name, columns, file string) string {
		return "CREATE TABLE " + name + columns + " USING csv OPTIONS (path '" + filepath.Join(data, file) + "', sep '\t', header 'false')"
	}
	for _, t := range []struct{ name, sql string }{
		{"testdata", "CREATE TABLE testdata USING parquet AS SELECT CAST(id AS INT) AS key, CAST(id AS STRING) AS value FROM range(1, 101)"},
		{"arraydata", "CREATE TABLE arraydata USING parquet AS SELECT * FROM VALUES (array(1, 2, 3), array(array(1, 2, 3))), " +
			"(array(2, 3, 4), array(array(2, 3, 4))) AS t(arraycol, nestedarraycol)"},
		{"mapdata", "CREATE TABLE mapdata USING parquet AS SELECT * FROM VALUES (map(1, 'a1', 2, 'b1', 3, 'c1', 4, 'd1', 5, 'e1')), " +
			"(map(1, 'a2', 2, 'b2', 3, 'c2', 4, 'd2')), (map(1, 'a3', 2, 'b3', 3, 'c3')), (map(1, 'a4', 2, 'b4')), (map(1, 'a5')) AS t(mapcol)"},
		{"aggtest", loaded("aggtest", "(a int, b float)", "agg.data")},
		{"onek", loaded("onek", tenk, "onek.data")},
		{"tenk1", loaded("tenk1", tenk, "tenk.data")},
	} {
		if strings.Contains(all.String(), t.name) || strings.Contains(all.String(), "show tables") || strings.Contains(all.String(), "show table ") {
			r.one(ctx, s, t.sql, Text{zone: time.UTC})
		}
	}
}
