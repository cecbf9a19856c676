package tarn_test

import (
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/storage"
)

// TestHudiVirtualKeys runs every kind of statement and service on tables that store no keys.
func TestHudiVirtualKeys(t *testing.T) {
	for _, version := range []string{"5", "6", "8", "9"} {
		for _, kind := range []string{"cow", "mor"} {
			t.Run(kind+version, func(t *testing.T) {
				d, b := newServiceDB(t), storage.NewMem()
				d.must(b, "CREATE TABLE t (id INT, name STRING, ts BIGINT, part STRING) USING hudi PARTITIONED BY (part) LOCATION '/t' TBLPROPERTIES (type='"+kind+
					"', primaryKey='id', preCombineField='ts', 'hoodie.populate.meta.fields'='false', 'hoodie.write.table.version'='"+version+"')")
				for _, s := range []struct{ sql, rows string }{
					{"INSERT INTO hudi.`/t` VALUES (1, 'a', 1, 'eu'), (2, 'b', 1, 'us'), (3, 'c', 1, 'eu')", "[1 a eu]\n[2 b us]\n[3 c eu]"},
					{"INSERT INTO hudi.`/t` VALUES (1, 'up', 2, 'eu'), (4, 'd', 2, 'us')", "[1 up eu]\n[2 b us]\n[3 c eu]\n[4 d us]"},
					{"UPDATE hudi.`/t` SET name = 'u', ts = 3 WHERE id = 2", "[1 up eu]\n[2 u us]\n[3 c eu]\n[4 d us]"},
					{"DELETE FROM hudi.`/t` WHERE id = 3", "[1 up eu]\n[2 u us]\n[4 d us]"},
					{"MERGE INTO hudi.`/t` t USING (SELECT * FROM VALUES (1, 'm', 4L, 'eu'), (4, 'm', 4L, 'us'), (5, 'm', 4L, 'as') AS v(id, name, ts, part)) s ON t.id = s.id " +
						"WHEN MATCHED AND s.id = 4 THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *", "[1 m eu]\n[2 u us]\n[5 m as]"},
					{"CALL run_compaction(op => 'run', path => '/t')", "[1 m eu]\n[2 u us]\n[5 m as]"},
					{"CALL run_clustering(path => '/t')", "[1 m eu]\n[2 u us]\n[5 m as]"},
					{"UPDATE hudi.`/t` SET name = 'v', ts = 5 WHERE id = 1", "[1 v eu]\n[2 u us]\n[5 m as]"},
					{"INSERT OVERWRITE hudi.`/t` PARTITION (part = 'as') SELECT 6, 'o', 6L", "[1 v eu]\n[2 u us]\n[6 o as]"},
				} {
					if kind == "cow" && strings.Contains(s.sql, "run_compaction") {
						continue
					}
					d.must(b, s.sql)
					if got := d.ask(b, "SELECT id, name, part FROM hudi.`/t` ORDER BY id"); got != s.rows {
						t.Fatalf("%s: %s\nwant %s", s.sql, got, s.rows)
					}
				}
				d.healthy(t, b)
			})
		}
	}
}

// TestHudiVirtualKeysRefused creates tables whose keys Hudi would have stored.
func TestHudiVirtualKeysRefused(t *testing.T) {
	d, b := newServiceDB(t), storage.NewMem()
	for properties, failure := range map[string]string{
		"type='cow'": "keys that are made must be stored",
		"primaryKey='id', 'hoodie.table.keygenerator.type'='TIMESTAMP', 'hoodie.keygen.timebased.timestamp.type'='EPOCHMILLISECONDS', " +
			"'hoodie.keygen.timebased.output.dateformat'='yyyy'": "keys of the generator TIMESTAMP must be stored",
	} {
		d.wants(b, "CREATE TABLE t (id INT, at BIGINT) USING hudi PARTITIONED BY (at) LOCATION '/t' TBLPROPERTIES ('hoodie.populate.meta.fields'='false', "+properties+")", failure)
	}
}
