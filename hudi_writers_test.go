package tarn_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn"
)

// TestHudiLogOfAnotherWriter updates a row whose log file has the number that another write, which is under way, has taken: the file of
// the other stays as it is.
func TestHudiLogOfAnotherWriter(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	db := tarn.Opened(t, tarn.Options{Warehouse: dir, Memory: 512 << 20})
	s := db.Session()
	for _, q := range []string{
		"CREATE TABLE t (id INT, n INT, ts INT) USING hudi TBLPROPERTIES (type='mor', primaryKey='id', preCombineField='ts', 'hoodie.write.table.version'='6')",
		"INSERT INTO t VALUES (1, 1, 1)", "UPDATE t SET n = 2, ts = 2",
	} {
		if _, err := s.Exec(ctx, q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	hoodie := filepath.Join(dir, "t", ".hoodie")
	commits, _ := filepath.Glob(filepath.Join(hoodie, "*.deltacommit"))
	if len(commits) != 2 {
		t.Fatalf("commits %q", commits)
	}
	slices.Sort(commits)
	instant := strings.TrimSuffix(filepath.Base(commits[1]), ".deltacommit")
	if err := os.Remove(commits[1]); err != nil { // the update is under way again
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(hoodie, ".heartbeat", instant), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	logs := func() []string {
		list, _ := filepath.Glob(filepath.Join(dir, "t", ".*.log.*"))
		return slices.DeleteFunc(list, func(name string) bool { return strings.HasSuffix(name, ".crc") })
	}
	other := logs()
	before, err := os.ReadFile(other[0])
	if err != nil || len(other) != 1 {
		t.Fatalf("logs %q: %v", other, err)
	}
	for _, q := range []string{"UPDATE t SET n = 3, ts = 3", "UPDATE t SET n = raise_error('no') WHERE id = 1"} {
		if _, err := s.Exec(ctx, q); (err != nil) != strings.Contains(q, "raise_error") {
			t.Fatalf("%s: %v", q, err)
		}
	}
	if after, err := os.ReadFile(other[0]); err != nil || string(after) != string(before) {
		t.Errorf("the log file of the other write changed: %v", err)
	}
	if list := logs(); len(list) != 2 {
		t.Errorf("logs %q", list)
	}
	if got := texts(t, s, "SELECT n FROM t"); !slices.Equal(got, []string{"[3]"}) {
		t.Errorf("rows %q", got)
	}
}

// TestHudiDamagedLogs reads tables whose log files lost their ends, which must not give old rows, or have other bytes behind.
func TestHudiDamagedLogs(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	db := tarn.Opened(t, tarn.Options{Warehouse: dir, Memory: 512 << 20})
	s := db.Session()
	for _, version := range []string{"6", "8", "9"} {
		name := "d" + version
		for _, q := range []string{
			"CREATE TABLE " + name + " (id INT, n INT, ts INT) USING hudi TBLPROPERTIES (type='mor', primaryKey='id', preCombineField='ts', 'hoodie.write.table.version'='" + version + "')",
			"INSERT INTO " + name + " VALUES (1, 1, 1)", "UPDATE " + name + " SET n = 2, ts = 2",
		} {
			if _, err := s.Exec(ctx, q); err != nil {
				t.Fatalf("%s: %v", q, err)
			}
		}
		logs, _ := filepath.Glob(filepath.Join(dir, name, ".*.log.*"))
		if len(logs) != 1 {
			t.Fatalf("logs %q", logs)
		}
		whole, err := os.ReadFile(logs[0])
		if err != nil {
			t.Fatal(err)
		}
		damaged := func(content []byte) {
			if err := os.WriteFile(logs[0], content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for _, size := range []int{0, 10, len(whole) - 1} {
			damaged(whole[:size])
			if _, err := s.Exec(ctx, "SELECT * FROM "+name); err == nil || !strings.Contains(err.Error(), filepath.Base(logs[0])) {
				t.Errorf("version %s, %d of %d bytes: %v", version, size, len(whole), err)
			}
		}
		damaged(append(slices.Clone(whole), "more bytes"...))
		if version != "6" {
			if got := texts(t, s, "SELECT n FROM "+name); !slices.Equal(got, []string{"[2]"}) {
				t.Errorf("version %s: rows %q", version, got)
			}
		}
	}
}
