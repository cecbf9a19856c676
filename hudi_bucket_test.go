package tarn_test

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/lake/hudi/bucket"
	"github.com/tarn-lake/tarn/storage"
)

// TestHudiBuckets writes to tables with a bucket index, whose settings they keep themselves. Each key stays in the group of its bucket.
func TestHudiBuckets(t *testing.T) {
	for _, version := range []string{"5", "6", "9"} {
		for _, kind := range []string{"cow", "mor"} {
			t.Run(version+kind, func(t *testing.T) {
				d, m := newServiceDB(t), storage.NewMem()
				d.must(m, fmt.Sprintf("CREATE TABLE t (id string, name string, ts int, part string) USING hudi PARTITIONED BY (part) LOCATION '/t' TBLPROPERTIES "+
					"(type='%s', primaryKey='id', preCombineField='ts', 'hoodie.write.table.version'='%s', 'hoodie.index.type'='BUCKET', 'hoodie.bucket.index.num.buckets'='4')", kind, version),
					"INSERT INTO hudi.`/t` VALUES ('id-1', 'a', 1, 'eu'), ('id-2', 'b', 1, 'us'), ('3', 'c', 1, 'eu'), ('id-1', 'newer', 2, 'eu')",
					"INSERT INTO hudi.`/t` VALUES ('id-1', 'again', 3, 'eu'), ('id-4', 'd', 3, 'eu'), ('id-5', 'e', 3, 'eu'), ('id-6', 'f', 3, 'asia'), ('id-2', 'b2', 3, 'us')",
					"SET hoodie.datasource.write.operation=insert",
					"INSERT INTO hudi.`/t` VALUES ('id-1', 'inserted', 4, 'eu'), ('id-7', 'g', 4, 'eu')",
					"RESET hoodie.datasource.write.operation",
					"UPDATE hudi.`/t` SET name = 'updated', ts = 5 WHERE id = 'id-4'",
					"DELETE FROM hudi.`/t` WHERE id = '3'",
					"INSERT OVERWRITE hudi.`/t` PARTITION (part = 'asia') VALUES ('id-8', 'h', 6), ('id-9', 'i', 6)",
					"INSERT INTO hudi.`/t` VALUES ('id-9', 'j', 7, 'asia')")
				want := "id-1 inserted eu,id-2 b2 us,id-4 updated eu,id-5 e eu,id-7 g eu,id-8 h asia,id-9 j asia"
				if got := strings.Join(d.rows(m), ","); strings.NewReplacer("[", "", "]", "").Replace(got) != want {
					t.Errorf("rows %s, want %s", got, want)
				}
				inBuckets(t, d, m, bucket.Index{Count: 4, Fields: []string{"id"}, Reading: bucket.Since10})
				d.wants(m, "SET hoodie.bucket.index.num.buckets=3", "")
				d.wants(m, "INSERT INTO hudi.`/t` VALUES ('id-1', 'x', 9, 'eu')", "hoodie.bucket.index.num.buckets=3")
				d.wants(m, "RESET hoodie.bucket.index.num.buckets", "")
				d.wants(m, "SET hoodie.index.type=SIMPLE", "")
				d.wants(m, "INSERT INTO hudi.`/t` VALUES ('new', 'x', 9, 'eu')", "are buckets")
				d.wants(m, "SET hoodie.index.type=BUCKET", "")
				d.wants(m, "SET hoodie.index.bucket.engine=CONSISTENT_HASHING", "")
				d.wants(m, "INSERT INTO hudi.`/t` VALUES ('id-1', 'x', 9, 'eu')", "CONSISTENT_HASHING is not supported")
			})
		}
	}
}

// TestHudiAdoptedSettings gives settings of writers with the name of a table that does not keep them: Hudi 0.12's CREATE TABLE takes
// them out of hoodie.properties.
func TestHudiAdoptedSettings(t *testing.T) {
	ctx, d, m := context.Background(), newServiceDB(t), storage.NewMem()
	const buckets = "'hoodie.index.type'='BUCKET', 'hoodie.bucket.index.num.buckets'='4'"
	d.must(m, "CREATE TABLE t (id string, name string, ts int, part string) USING hudi PARTITIONED BY (part) LOCATION '/t' TBLPROPERTIES "+
		"(primaryKey='id', preCombineField='ts', 'hoodie.write.table.version'='5', "+buckets+")",
		"INSERT INTO hudi.`/t` VALUES ('id-1', 'a', 1, 'eu'), ('id-2', 'b', 1, 'us')")
	text, err := storage.ReadFile(ctx, m, ".hoodie/hoodie.properties", 1<<16)
	if err != nil {
		t.Fatal(err)
	}
	text = regexp.MustCompile(`(?m)^tarn\.write\..*\n`).ReplaceAll(text, nil)
	if err := storage.WriteFile(ctx, m, ".hoodie/hoodie.properties", storage.Replace, text); err != nil {
		t.Fatal(err)
	}
	d.must(m, "CREATE TABLE bare USING hudi LOCATION '/t'", "CREATE TABLE told USING hudi LOCATION '/t' TBLPROPERTIES ("+buckets+")")
	d.wants(m, "INSERT INTO bare VALUES ('new', 'x', 2, 'eu')", "no setting says")
	d.must(m, "INSERT INTO told VALUES ('id-1', 'again', 2, 'eu'), ('id-3', 'c', 2, 'eu')")
	if got, want := strings.Join(d.rows(m), ","), "[id-1 again eu],[id-2 b us],[id-3 c eu]"; got != want {
		t.Errorf("rows %s, want %s", got, want)
	}
	inBuckets(t, d, m, bucket.Index{Count: 4, Fields: []string{"id"}, Reading: bucket.Since10})
}

// TestHudiGlobalIndex writes keys with other partitions than those of their rows.
func TestHudiGlobalIndex(t *testing.T) {
	for _, version := range []string{"6", "9"} {
		for _, kind := range []string{"cow", "mor"} {
			t.Run(version+kind, func(t *testing.T) {
				d, m := newServiceDB(t), storage.NewMem()
				d.must(m, fmt.Sprintf("CREATE TABLE t (id int, name string, ts int, part string) USING hudi PARTITIONED BY (part) LOCATION '/t' TBLPROPERTIES "+
					"(type='%s', primaryKey='id', preCombineField='ts', 'hoodie.write.table.version'='%s', 'hoodie.index.type'='GLOBAL_SIMPLE')", kind, version),
					"INSERT INTO hudi.`/t` VALUES (1, 'a', 1, 'eu'), (2, 'b', 1, 'us'), (3, 'c', 1, 'eu')",
					"INSERT INTO hudi.`/t` VALUES (1, 'moved', 2, 'us'), (2, 'same', 2, 'us'), (4, 'd', 1, 'eu'), (4, 'newer', 2, 'asia')")
				want := "[1 moved us],[2 same us],[3 c eu],[4 newer asia]"
				if got := strings.Join(d.rows(m), ","); got != want {
					t.Errorf("rows %s, want %s", got, want)
				}
				d.must(m, "SET hoodie.simple.index.update.partition.path=false", "INSERT INTO hudi.`/t` VALUES (1, 'stays', 3, 'asia')")
				if got := say(d.s, "SELECT id, name, _hoodie_partition_path FROM hudi.`/t` WHERE id = 1"); got != "[1 stays part=us]\n" {
					t.Errorf("row %s", got)
				}
			})
		}
	}
}

// wants runs a statement that fails with a text, or does not fail.
func (d *serviceDB) wants(b storage.Bucket, sql, failure string) {
	d.t.Helper()
	if err := d.do(b, sql); (err == nil) != (failure == "") || err != nil && !strings.Contains(err.Error(), failure) {
		d.t.Errorf("%s: %v, want %q", sql, err, failure)
	}
}

// inBuckets looks whether the rows are in the groups of their buckets, and whether each bucket has one group at most.
func inBuckets(t *testing.T, d *serviceDB, b storage.Bucket, x bucket.Index) {
	t.Helper()
	d.current = b
	for _, line := range strings.Fields(strings.NewReplacer("[", "", "]", "").Replace(say(d.s, "SELECT concat(id, '#', _hoodie_file_name) FROM hudi.`/t`"))) {
		id, file, _ := strings.Cut(line, "#")
		want, err := x.Of(id)
		if got, ok := bucket.OfFileID(file); err != nil || !ok || got != want {
			t.Errorf("%s is in %s, want bucket %d", id, file, want)
		}
	}
	groups := map[string]string{}
	for f, err := range b.List(context.Background(), "part=eu", "") {
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(path.Base(f.Name), ".")
		if _, ok := bucket.OfFileID(name); !ok {
			continue
		}
		if was := groups[name[:8]]; was != "" && was != name[:38] {
			t.Errorf("bucket %s has the groups %s and %s", name[:8], was, name[:38])
		}
		groups[name[:8]] = name[:38]
	}
}
