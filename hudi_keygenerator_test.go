package tarn

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestHudiUnknownKeyGenerator refuses to give rows keys and folders that the table's own key generator may not give them.
func TestHudiUnknownKeyGenerator(t *testing.T) {
	db := utcDB(t)
	dir := hudiCorpus(t, filepath.Join(shared(t), "corpus", "hudi", "generated", "v6_cow_part_plain.zip"))
	change(t, []string{filepath.Join(dir, ".hoodie", "hoodie.properties")}, func(b []byte) []byte {
		was, now := "org.apache.hudi.keygen.SimpleKeyGenerator", "com.acme.Keys"
		if !strings.Contains(string(b), was) {
			t.Fatalf("the table has another key generator: %s", b)
		}
		return []byte(strings.Replace(string(b), was, now, 1))
	})
	refused(t, db, "INSERT INTO hudi.`"+dir+"` (id, name, fare, ts, region, day) VALUES (9, 'n', 1.0, 1, 'eu', 1)", `the key generator "com.acme.Keys" is not known`)
}

// TestHudiKeysWithoutTimeSettings does not let an UPDATE change keys of tables that do not keep the settings of their partition paths.
func TestHudiKeysWithoutTimeSettings(t *testing.T) {
	db := utcDB(t)
	for _, name := range []string{"v6_cow_tskeygen_millis", "v6_mor_customkeygen", "v9_cow_customkeygen"} {
		dir := hudiCorpus(t, filepath.Join(shared(t), "corpus", "hudi", "generated", name+".zip"))
		refused(t, db, "UPDATE hudi.`"+dir+"` SET id = 99", "HUDI_RECORD_KEY_CHANGED")
	}
}

// refused runs a statement that must fail with an error that says want.
func refused(t *testing.T, db *DB, sql, want string) {
	t.Helper()
	rows, err := db.Session().Query(t.Context(), sql)
	if err == nil {
		rows.Close()
	}
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, not an error that says %q", sql, err, want)
	}
}
