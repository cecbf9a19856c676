package tarn_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/tarn-lake/tarn"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi"
	"github.com/tarn-lake/tarn/storage"
)

// rounds is how often each writer of the concurrency tests adds to a row.
const rounds = 3

// addTo runs statements that count in the row of a key until each has won, and tells how many conflicts there were.
func addTo(s *tarn.Session, table string, key int) (conflicts int, err error) {
	for range rounds {
		for try := 0; ; try++ {
			_, err := s.Exec(context.Background(), fmt.Sprintf("UPDATE hudi.`%s` SET n = n + 1, ts = ts + 1 WHERE id = %d", table, key))
			if err == nil {
				break
			}
			var c *lake.ConflictError
			if !errors.As(err, &c) || try == 200 {
				return conflicts, err
			}
			if c.Version <= 0 || c.Winner == "" || !strings.Contains(c.Error(), strconv.FormatInt(c.Version, 10)) {
				return conflicts, fmt.Errorf("a conflict without a winner: %+v", c)
			}
			conflicts++
		}
	}
	return conflicts, nil
}

// makeCounters makes a table whose rows count; with spread each in a partition of its own.
func makeCounters(t *testing.T, s *tarn.Session, path, kind, version string) {
	t.Helper()
	for _, sql := range []string{
		"CREATE TABLE c" + kind + version + " (id int, n int, ts int, part string) USING hudi PARTITIONED BY (part) LOCATION '" + path + "' " + createOf(kind, version),
		"INSERT INTO hudi.`" + path + "` VALUES (0, 0, 0, 'p0'), (1, 0, 0, 'p1'), (2, 0, 0, 'p2'), (3, 0, 0, 'p3')"} {
		if _, err := s.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// counts are the rows of such a table.
func counts(s *tarn.Session, path string) []string {
	return strings.Fields(strings.NewReplacer("[", "", "]", "").Replace(say(s, "SELECT concat(id, '=', n) FROM hudi.`"+path+"` ORDER BY id")))
}

// undamaged fails when the table is damaged, has a key twice, or a lock is left.
func undamaged(t *testing.T, s *tarn.Session, path string) {
	t.Helper()
	b, err := storage.OpenLocal(path)
	if err != nil {
		t.Fatal(err)
	}
	findings, err := hudi.Check(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if f.Severity != lake.Note {
			t.Error(f)
		}
	}
	if got := say(s, "SELECT count(*) - count(DISTINCT id) FROM hudi.`"+path+"`"); strings.TrimSpace(got) != "[0]" {
		t.Errorf("keys come twice: %s", got)
	}
	if _, err := os.Stat(path + "/.hoodie/lock"); err == nil {
		t.Error("the lock is left")
	}
}

// TestHudiConcurrentWriters has two and four writers count in one row, and in one each: nothing that was acknowledged is lost, conflicts
// name the winner, and writers of different file groups have none. Compactions run beside those of merge-on-read tables.
func TestHudiConcurrentWriters(t *testing.T) {
	for _, c := range []struct {
		kind, version string
		writers       int
		same          bool
	}{{"cow", "9", 2, true}, {"mor", "9", 4, true}, {"cow", "6", 4, false}, {"mor", "6", 2, true}, {"mor", "9", 4, false}} {
		if testing.Short() && (c.writers > 2 || c.kind == "mor") {
			continue
		}
		t.Run(fmt.Sprintf("%s%s writers=%d same=%v", c.kind, c.version, c.writers, c.same), func(t *testing.T) {
			dir := t.TempDir()
			db := tarn.Opened(t, tarn.Options{Warehouse: dir, Threads: 1})
			path := dir + "/table"
			makeCounters(t, db.Session(), path, c.kind, c.version)
			var all sync.WaitGroup
			var mu sync.Mutex
			conflicts := 0
			want := []string{"0=0", "1=0", "2=0", "3=0"}
			for w := range c.writers {
				key := 0
				if !c.same {
					key = w
				}
				want[key] = fmt.Sprintf("%d=%d", key, rounds*map[bool]int{true: c.writers, false: 1}[c.same])
				all.Go(func() {
					n, err := addTo(db.Session(), path, key)
					mu.Lock()
					defer mu.Unlock()
					conflicts += n
					if err != nil {
						t.Error(err)
					}
				})
			}
			if c.kind == "mor" {
				all.Go(func() {
					s := db.Session()
					for range 2 { // a compaction may find nothing to do, or a writer in its way
						_, _ = s.Exec(context.Background(), "CALL run_compaction(op => 'run', path => '"+path+"')")
					}
				})
			}
			all.Wait()
			if got := counts(db.Session(), path); !slices.Equal(got, want) {
				t.Errorf("the table holds %v, not %v", got, want)
			}
			if !c.same && c.kind == "cow" && conflicts > 0 { // of merge-on-read tables, with compactions
				t.Errorf("%d conflicts of writers of different file groups", conflicts)
			}
			undamaged(t, db.Session(), path)
			t.Logf("%d conflicts", conflicts)
		})
	}
}

// TestHudiWriterProcesses has two processes count in one row, of which one is killed while it writes.
func TestHudiWriterProcesses(t *testing.T) {
	if path := os.Getenv("TARN_TEST_COUNTER"); path != "" {
		countFor(t, path)
		return
	}
	if testing.Short() {
		t.Skip("runs processes")
	}
	for _, table := range []struct{ kind, version string }{{"cow", "9"}, {"mor", "6"}} {
		dir := t.TempDir()
		db := tarn.Opened(t, tarn.Options{Warehouse: dir, Threads: 1})
		path := dir + "/table"
		makeCounters(t, db.Session(), path, table.kind, table.version)
		kill, own := counter(t, path)
		n, err := addTo(db.Session(), path, 0)
		if err != nil {
			t.Fatal(err)
		}
		said := kill() // acknowledged by the other, which may have done one more
		got := counts(db.Session(), path)[0]
		low, high := fmt.Sprintf("0=%d", rounds+said), fmt.Sprintf("0=%d", rounds+said+1)
		if got != low && got != high {
			t.Errorf("the table holds %s after %d and %d", got, rounds, said)
		}
		if _, err := db.Session().Exec(t.Context(), "UPDATE hudi.`"+path+"` SET n = 7, ts = 1000 WHERE id = 3"); err != nil {
			t.Errorf("after the other was killed: %v", err)
		}
		if got := counts(db.Session(), path)[3]; got != "3=7" {
			t.Errorf("after the other was killed: %s", got)
		}
		t.Logf("%s%s: %d conflicts here, process %d counted %d", table.kind, table.version, n, own, said)
	}
}

// counter starts a process that counts until it is killed; kill tells what it has counted.
func counter(t *testing.T, path string) (kill func() int, pid int) {
	c := exec.Command(os.Args[0], "-test.run=^TestHudiWriterProcesses$")
	c.Env = append(os.Environ(), "TARN_TEST_COUNTER="+path)
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Scan() // it has begun
	return func() int {
		_ = c.Process.Kill()
		n := 0
		for lines.Scan() {
			if lines.Text() == "counted" {
				n++
			}
		}
		_ = c.Wait()
		return n
	}, c.Process.Pid
}

// countFor is the other process.
func countFor(t *testing.T, path string) {
	db := tarn.Opened(t, tarn.Options{Warehouse: t.TempDir(), Threads: 1})
	fmt.Println("begun")
	for {
		_, err := db.Session().Exec(t.Context(), "UPDATE hudi.`"+path+"` SET n = n + 1, ts = ts + 1 WHERE id = 0")
		var c *lake.ConflictError
		switch {
		case err == nil:
			fmt.Println("counted")
		case !errors.As(err, &c):
			fmt.Println(err)
			return
		}
	}
}
