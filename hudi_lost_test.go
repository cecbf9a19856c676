package tarn_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/storage"
)

// lostStride is a prime: see crashStride.
var lostStride = flag.Int("hudi.lost-stride", 31, "before every which operation of the storage a writer of the tests loses its lock or is late")

// lossOf are the ways in which a writer that stood still for long is taken for dead.
var lossOf = []struct {
	name        string
	lock, heart bool
}{{"lock expired", true, false}, {"late", false, true}, {"lock expired and late", true, true}}

// TestHudiLostWriter lets a writer stand still before operations of the storage, for so long that its lock has expired or its signs of life
// are late, or both, and another process writes to the same row group meanwhile. Whatever the first one says is so: what it acknowledges
// is there, what it does not is not, and what the other has acknowledged is never lost.
func TestHudiLostWriter(t *testing.T) {
	d, other, points, refused := writeDB(t), writeDB(t), 0, 0
	for _, c := range []*serviceDB{d, other} {
		c.must(storage.NewMem(), "SET hoodie.write.lock.wait_time_ms=20", "SET hoodie.datasource.write.operation=upsert")
	}
	const mine, theirs = "UPDATE hudi.`/t` SET name = 'mine', ts = 5 WHERE id = 1", "UPDATE hudi.`/t` SET name = 'theirs', ts = 6 WHERE id = 3"
	for number, table := range hudiKinds {
		if number >= 4 || testing.Short() && number > 1 {
			break
		}
		base := storage.NewMem()
		d.must(base, "DROP TABLE IF EXISTS t", "CREATE TABLE t "+crashColumns+" USING hudi PARTITIONED BY (part) LOCATION '/t' "+createOf(table.kind, table.version),
			"INSERT INTO hudi.`/t` VALUES (1, 'a', 1, 'eu'), (2, 'b', 1, 'us'), (3, 'c', 1, 'eu')")
		operations, completes := 0, 0
		if err := d.do(&interrupted{base.Clone(), func(op, name string) {
			if operations++; completing(op, name) {
				completes = operations
			}
		}}, mine); err != nil {
			t.Fatal(err)
		}
		steps := []int{completes, completes + 1}
		for step := 1 + number*7; step <= operations; step += *lostStride {
			steps = append(steps, step)
		}
		for _, step := range steps {
			for _, loss := range lossOf {
				t.Run(fmt.Sprintf("%s%s %s at %d", table.kind, table.version, loss.name, step), func(t *testing.T) {
					m, n, met := base.Clone(), 0, false
					var wrote error
					b := &interrupted{m, func(op, name string) {
						if n++; n != step {
							return
						}
						met = true
						if loss.lock {
							lose(t, m, ".hoodie/lock")
						}
						if loss.heart {
							other.expire(m)
						}
						wrote = other.do(m, theirs)
					}}
					err := d.do(b, mine)
					if !met {
						return // it takes a step less now and then
					}
					points++
					var unknown *lake.UnknownOutcomeError
					got := other.found(m)
					has := func(row string) bool {
						return slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, row) })
					}
					if err != nil {
						refused++
					}
					if !errors.As(err, &unknown) && has("[1 mine") != (err == nil) {
						t.Errorf("the writer says %v, and the table holds %q", err, got)
					}
					if has("[3 theirs") != (wrote == nil) {
						t.Errorf("the other says %v, and the table holds %q (the writer: %v)", wrote, got, err)
					}
					if len(got) != 3 {
						t.Errorf("the table holds %q", got)
					}
					other.expire(m)
					lose(t, m, ".hoodie/lock")
					if err := other.do(m, "INSERT INTO hudi.`/t` (id, name, ts, part) VALUES (99, 'z', 9, 'us')"); err != nil {
						t.Errorf("cannot be written to: %v", err)
					}
					if again := other.found(m); len(again) != 4 || !slices.Equal(again[:3], got) {
						t.Errorf("after a write the table holds %q, not %q and one more", again, got)
					}
					other.tidy(t, m)
				})
			}
		}
	}
	t.Logf("%d points, at %d the writer was told", points, refused)
}

// completing reports whether an operation completes a write: the guard of the writer was asked right before.
func completing(op, name string) bool {
	dir := path.Dir(name)
	return op == "commit" && (dir == ".hoodie" || dir == ".hoodie/timeline") && (strings.HasSuffix(name, ".commit") || strings.HasSuffix(name, ".deltacommit"))
}

// lose removes a file of a writer that has lost it.
func lose(t *testing.T, b storage.Bucket, name string) {
	t.Helper()
	if err := b.Remove(context.Background(), name); err != nil {
		t.Fatal(err)
	}
}

// TestHudiHeartbeats has a writer that takes its time give signs of life as often as it is told, once else.
func TestHudiHeartbeats(t *testing.T) {
	d := writeDB(t)
	for _, c := range []struct {
		settings string
		least    int
		most     int
	}{{"RESET hoodie.client.heartbeat.interval_in_ms", 1, 1}, {"SET hoodie.client.heartbeat.interval_in_ms=20", 2, 1000}} {
		m := storage.NewMem()
		d.must(m, "DROP TABLE IF EXISTS t", "CREATE TABLE t "+crashColumns+" USING hudi PARTITIONED BY (part) LOCATION '/t' "+createOf("mor", "6"), c.settings)
		var beats atomic.Int32
		var once sync.Once
		b := &interrupted{m, func(op, name string) {
			switch {
			case strings.Contains(name, ".hoodie/.heartbeat/") && op == "commit":
				beats.Add(1)
			case strings.HasSuffix(name, ".parquet") && op == "commit":
				once.Do(func() { time.Sleep(300 * time.Millisecond) })
			}
		}}
		if err := d.do(b, "INSERT INTO hudi.`/t` VALUES (1, 'a', 1, 'eu')"); err != nil {
			t.Fatal(err)
		}
		if n := int(beats.Load()); n < c.least || n > c.most {
			t.Errorf("%s: %d signs of life", c.settings, n)
		}
	}
}
