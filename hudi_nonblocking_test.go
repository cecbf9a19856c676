package tarn_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"
	"testing"

	"github.com/tarn-lake/tarn/lake/hudi/bucket"
	"github.com/tarn-lake/tarn/storage"
)

// interrupted is a bucket that tells of each of its operations before it is carried out.
type interrupted struct {
	storage.Bucket
	before func(op, name string)
}

func (b *interrupted) Unwrap() storage.Bucket { return b.Bucket }

func (b *interrupted) Narrow(dir string) storage.Bucket {
	narrowed, _ := storage.Sub(b.Bucket, dir)
	return &interrupted{narrowed, func(op, name string) { b.before(op, dir+"/"+name) }}
}

func (b *interrupted) Open(ctx context.Context, name string) (storage.File, error) {
	b.before("open", name)
	return b.Bucket.Open(ctx, name)
}

func (b *interrupted) List(ctx context.Context, dir, after string) iter.Seq2[storage.Info, error] {
	b.before("list", dir)
	return b.Bucket.List(ctx, dir, after)
}

func (b *interrupted) Remove(ctx context.Context, names ...string) error {
	b.before("remove", strings.Join(names, " "))
	return b.Bucket.Remove(ctx, names...)
}

func (b *interrupted) Create(ctx context.Context, name string, m storage.Mode) (io.WriteCloser, error) {
	w, err := b.Bucket.Create(ctx, name, m)
	if err != nil {
		return nil, err
	}
	return &interruptedWriter{w, func() { b.before("commit", name) }}, nil
}

type interruptedWriter struct {
	io.WriteCloser
	before func()
}

func (w *interruptedWriter) Close() error {
	w.before()
	return w.WriteCloser.Close()
}

// during runs a statement, and others of another process once its first log file is about to be there.
func during(d, other *serviceDB, m *storage.Mem, sql string, others ...string) error {
	var once sync.Once
	b := &interrupted{m, func(op, name string) {
		if op == "commit" && strings.Contains(name, ".log.") && !strings.Contains(name, ".hoodie/") {
			once.Do(func() { other.must(m, others...) })
		}
	}}
	return d.do(b, sql)
}

// TestHudiNonBlocking has writers that log to the same file groups at a time, in the order of their requests and against it, with a
// compaction in between: none is told of a conflict, and the last one to be completed, or the greatest ordering value, wins.
func TestHudiNonBlocking(t *testing.T) {
	for _, version := range []string{"8", "9"} {
		for _, ordering := range []string{"", "preCombineField='ts', "} {
			t.Run(version+" "+ordering, func(t *testing.T) {
				d, other, m := newServiceDB(t), newServiceDB(t), storage.NewMem()
				upsert := "SET hoodie.datasource.write.operation=upsert"
				d.must(m, upsert, "CREATE TABLE t (id int, name string, ts int, part string) USING hudi PARTITIONED BY (part) LOCATION '/t' TBLPROPERTIES "+
					"(type='mor', primaryKey='id', "+ordering+"'hoodie.write.table.version'='"+version+"', 'hoodie.index.type'='BUCKET', "+
					"'hoodie.bucket.index.num.buckets'='2', 'hoodie.compact.inline'='false', 'hoodie.write.concurrency.mode'='non_blocking_concurrency_control')")
				other.must(m, upsert)
				holds := func(after string, want ...string) {
					t.Helper()
					if got := strings.Join(d.rows(m), ","); got != strings.Join(want, ",") {
						t.Errorf("after %s: %s, want %s", after, got, want)
					}
				}
				steps := func(what, sql string, others []string, want ...string) {
					t.Helper()
					if err := during(d, other, m, sql, others...); err != nil {
						t.Fatalf("%s: %v", what, err)
					}
					holds(what, want...)
				}
				steps("two that begin the groups", "INSERT INTO hudi.`/t` VALUES (1, 'a', 2, 'eu'), (2, 'b', 2, 'eu'), (4, 'd', 2, 'us')",
					[]string{"INSERT INTO hudi.`/t` VALUES (1, 'other', 1, 'eu'), (3, 'c', 1, 'eu')"}, "[1 a eu]", "[2 b eu]", "[3 c eu]", "[4 d us]")
				steps("two that change a row", "UPDATE hudi.`/t` SET name = 'last', ts = 4 WHERE id = 1",
					[]string{"UPDATE hudi.`/t` SET name = 'first', ts = 3 WHERE id = 1"}, "[1 last eu]", "[2 b eu]", "[3 c eu]", "[4 d us]")
				steps("a compaction below", "UPDATE hudi.`/t` SET name = 'above', ts = 5 WHERE id <= 2",
					[]string{"UPDATE hudi.`/t` SET name = 'below', ts = 5 WHERE id = 2", "CALL run_compaction(op => 'run', path => '/t')"},
					"[1 above eu]", "[2 above eu]", "[3 c eu]", "[4 d us]")
				steps("a deletion", "DELETE FROM hudi.`/t` WHERE id = 2", []string{"UPDATE hudi.`/t` SET name = 'kept', ts = 6 WHERE id = 1"},
					"[1 kept eu]", "[3 c eu]", "[4 d us]")
				d.must(m, "CALL run_compaction(op => 'run', path => '/t')")
				holds("another compaction", "[1 kept eu]", "[3 c eu]", "[4 d us]")
				steps("one that is archived before it counts", "UPDATE hudi.`/t` SET name = 'late', ts = 8 WHERE id = 1",
					[]string{"UPDATE hudi.`/t` SET name = 'early', ts = 7 WHERE id = 1", "CALL run_compaction(op => 'run', path => '/t')"},
					"[1 late eu]", "[3 c eu]", "[4 d us]")
				for n := range 6 {
					d.must(m, fmt.Sprintf("INSERT INTO hudi.`/t` VALUES (4, 'd', %d, 'us')", 10+n))
				}
				d.must(m, "CALL archive_commits(path => '/t', min_commits => 2, max_commits => 3, retain_commits => 1)")
				holds("an archival", "[1 late eu]", "[3 c eu]", "[4 d us]")
				inBuckets(t, d, m, bucket.Index{Count: 2, Fields: []string{"id"}, Reading: bucket.Since10})
				d.sound(t, m, 0)

				err := during(d, other, m, "UPDATE hudi.`/t` SET name = 'lost', ts = 20 WHERE id = 1", "CALL drop_partition(path => '/t', partition => 'part=eu')")
				if err == nil || !strings.Contains(err.Error(), "file group") {
					t.Errorf("a write to a partition that goes: %v", err)
				}
				steps("two that begin groups again", "INSERT INTO hudi.`/t` VALUES (1, 'a', 2, 'eu')", []string{"INSERT INTO hudi.`/t` VALUES (1, 'b', 1, 'eu'), (3, 'c', 1, 'eu')"},
					"[1 a eu]", "[3 c eu]", "[4 d us]")
				d.wants(m, "INSERT OVERWRITE hudi.`/t` VALUES (1, 'a', 2, 'eu')", "Insert overwrite is not supported with non-blocking concurrency control")
			})
		}
	}
}

// TestHudiNonBlockingRefused asks for non-blocking writers of tables for which Hudi has none.
func TestHudiNonBlockingRefused(t *testing.T) {
	const needs = "Non-blocking concurrency control requires the MOR table with simple bucket index"
	for _, c := range []struct{ properties, mode, want string }{
		{"type='cow', 'hoodie.index.type'='BUCKET'", "NON_BLOCKING_CONCURRENCY_CONTROL", needs},
		{"type='mor'", "NON_BLOCKING_CONCURRENCY_CONTROL", needs},
		{"type='mor', 'hoodie.index.type'='BUCKET', 'hoodie.index.bucket.engine'='CONSISTENT_HASHING'", "NON_BLOCKING_CONCURRENCY_CONTROL", needs},
		{"type='mor', 'hoodie.index.type'='BUCKET', 'hoodie.write.table.version'='6'", "NON_BLOCKING_CONCURRENCY_CONTROL", "not supported for table versions < 8"},
		{"type='mor', 'hoodie.index.type'='BUCKET'", "NO_CONTROL", "NO_CONTROL is not one of"},
		{"type='cow'", "OPTIMISTIC_CONCURRENCY_CONTROL", ""},
	} {
		d, m := newServiceDB(t), storage.NewMem()
		d.must(m, "CREATE TABLE t (id int, name string, ts int, part string) USING hudi LOCATION '/t' TBLPROPERTIES (primaryKey='id', preCombineField='ts', "+c.properties+")",
			"SET hoodie.write.concurrency.mode="+c.mode)
		d.wants(m, "INSERT INTO hudi.`/t` VALUES (1, 'a', 1, 'eu')", c.want)
	}
}
