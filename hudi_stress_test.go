package tarn_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tarn-lake/tarn"
	"github.com/tarn-lake/tarn/lake"
)

var stressFor = flag.Duration("hudi.stress", 4*time.Second, "how long each table of the stress test is written to by processes that are killed")

// TestHudiStress has two processes write to a table, and kills one of them again and again, at any moment. Keys stay unique, and every row
// that was acknowledged is there, as it was acknowledged last.
func TestHudiStress(t *testing.T) {
	if path := os.Getenv("TARN_TEST_STRESS"); path != "" {
		stress(t, path)
		return
	}
	if testing.Short() {
		t.Skip("runs processes")
	}
	for _, table := range []struct{ kind, version, more string }{{"cow", "9", ""}, {"mor", "6", ""}, {"cow", "6", ""}, {"mor", "9", ""},
		{"mor", "9", "'hoodie.index.type'='BUCKET', 'hoodie.bucket.index.num.buckets'='2', 'hoodie.write.concurrency.mode'='NON_BLOCKING_CONCURRENCY_CONTROL'"}} {
		t.Run(table.kind+table.version+" "+table.more, func(t *testing.T) {
			dir, seed := t.TempDir(), rand.Uint64()
			t.Logf("seed %d", seed)
			random := rand.New(rand.NewPCG(seed, 0))
			db := tarn.Opened(t, tarn.Options{Warehouse: dir, Threads: 1})
			path := dir + "/table"
			create := strings.Replace(createOf(table.kind, table.version), "TBLPROPERTIES (", "TBLPROPERTIES ("+table.more+strings.Repeat(", ", min(len(table.more), 1)), 1)
			for _, sql := range []string{"CREATE TABLE c (id string, n int, ts int, part string) USING hudi PARTITIONED BY (part) LOCATION '" + path + "' " + create,
				"INSERT INTO hudi.`" + path + "` VALUES ('first', 0, 0, 'p0')"} {
				if _, err := db.Session().Exec(t.Context(), sql); err != nil {
					t.Fatalf("%s: %v", sql, err)
				}
			}
			said, kills, writers := newSayings(), 0, [2]*stressWriter{}
			for w := range writers {
				writers[w] = startStress(t, path, w, 0, random.Uint64())
			}
			for end := time.Now().Add(*stressFor); time.Now().Before(end); {
				time.Sleep(time.Duration(300+random.IntN(1500)) * time.Millisecond)
				w := random.IntN(2)
				said.take(t, writers[w].kill())
				kills++
				writers[w] = startStress(t, path, w, kills, random.Uint64())
			}
			for _, w := range writers {
				said.take(t, w.kill())
			}
			said.holds(t, db.Session(), path)
			undamagedAfterKills(t, db.Session(), path)
			t.Logf("%d kills, %d rows acknowledged, %d refused", kills, len(said.rows), said.refused)
		})
	}
}

// sayings are what processes have acknowledged: the value of each key, and a later one that may have been written.
type sayings struct {
	rows    map[string]int
	maybe   map[string]int
	refused int
}

func newSayings() *sayings { return &sayings{rows: map[string]int{}, maybe: map[string]int{}} }

// take takes the lines of a process: "try KEY N", "done KEY N", "not KEY".
func (s *sayings) take(t *testing.T, lines []string) {
	t.Helper()
	for _, line := range lines {
		word := strings.Fields(line)
		n := 0
		if len(word) == 3 {
			n, _ = strconv.Atoi(word[2])
		}
		switch {
		case len(word) == 3 && word[0] == "try":
			s.maybe[word[1]] = n
		case len(word) == 3 && word[0] == "done":
			s.rows[word[1]] = n
			delete(s.maybe, word[1])
		case len(word) == 2 && word[0] == "not":
			s.refused++
			delete(s.maybe, word[1])
		case line == "PASS" || strings.HasPrefix(line, "ok"):
		default:
			t.Errorf("a writer says %q", line)
		}
	}
}

// holds compares the table with what was acknowledged.
func (s *sayings) holds(t *testing.T, session *tarn.Session, path string) {
	t.Helper()
	rows, err := session.Query(t.Context(), "SELECT id, n FROM hudi.`"+path+"`")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for row, err := range rows.All() {
		if err != nil {
			t.Fatal(err)
		}
		var key string
		var n int
		fmt.Sscanf(fmt.Sprint(row), "[%s %d]", &key, &n)
		if _, twice := found[key]; twice {
			t.Errorf("key %s comes twice", key)
		}
		found[key] = n
	}
	for key, n := range s.rows {
		got, ok := found[key]
		if may, tried := s.maybe[key]; !ok || got != n && !(tried && got == may) {
			t.Errorf("key %s: %d was acknowledged, the table holds %d (%v)", key, n, got, ok)
		}
	}
	for key := range found {
		_, said := s.rows[key]
		if _, tried := s.maybe[key]; !said && !tried && key != "first" {
			t.Errorf("key %s was refused, and is there", key)
		}
	}
}

// undamagedAfterKills writes once more, which settles what killed writers have left, and looks for damage.
func undamagedAfterKills(t *testing.T, s *tarn.Session, path string) {
	t.Helper()
	if _, err := s.Exec(t.Context(), "INSERT INTO hudi.`"+path+"` VALUES ('last', 0, 0, 'p0')"); err != nil {
		t.Fatal(err)
	}
	undamaged(t, s, path)
}

// stressWriter is a process that writes until it is killed.
type stressWriter struct {
	command *exec.Cmd
	lines   chan []string
}

func startStress(t *testing.T, path string, writer, life int, seed uint64) *stressWriter {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^TestHudiStress$")
	c.Env = append(os.Environ(), "TARN_TEST_STRESS="+path, fmt.Sprintf("TARN_TEST_STRESS_AS=%d-%d", writer, life), fmt.Sprintf("TARN_TEST_STRESS_SEED=%d", seed))
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	w := &stressWriter{c, make(chan []string, 1)}
	go func() {
		var lines []string
		for s := bufio.NewScanner(out); s.Scan(); {
			lines = append(lines, s.Text())
		}
		w.lines <- lines
	}()
	return w
}

// kill ends the process, and tells what it has said.
func (w *stressWriter) kill() []string {
	_ = w.command.Process.Kill()
	lines := <-w.lines
	_ = w.command.Wait()
	return lines
}

// stress is the other process: it adds rows under keys of its own, and changes them, until it is killed.
func stress(t *testing.T, path string) {
	seed, _ := strconv.ParseUint(os.Getenv("TARN_TEST_STRESS_SEED"), 10, 64)
	random := rand.New(rand.NewPCG(seed, 1))
	db := tarn.Opened(t, tarn.Options{Warehouse: t.TempDir(), Threads: 1})
	if _, err := db.Session().Exec(t.Context(), "SET hoodie.datasource.write.operation=upsert"); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for n := 1; ; n++ {
		key := fmt.Sprintf("k%s-%d", os.Getenv("TARN_TEST_STRESS_AS"), len(keys))
		if len(keys) > 2 && random.IntN(2) > 0 {
			key = keys[random.IntN(len(keys))]
		}
		fmt.Println("try", key, n)
		part := "p" + key[len(key)-1:]
		_, err := db.Session().Exec(context.Background(), fmt.Sprintf("INSERT INTO hudi.`%s` VALUES ('%s', %d, %d, '%s')", path, key, n, n, part))
		var c *lake.ConflictError
		switch {
		case err == nil:
			fmt.Println("done", key, n)
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		case errors.As(err, &c):
			fmt.Println("not", key)
		default:
			fmt.Println("failed", key, err)
		}
	}
}
