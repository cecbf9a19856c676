package config

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/storage"
)

func sample(t *testing.T) (*storage.Mem, Properties) {
	t.Helper()
	m := storage.NewMem()
	p, err := New{Name: "t", Type: MergeOnRead, Version: 6, RecordKey: []string{"id"}, Extra: map[string]string{"some.other": "kept"}}.Properties()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Create(t.Context(), m, p); err != nil {
		t.Fatal(err)
	}
	return m, p
}

func TestCreate(t *testing.T) {
	m, p := sample(t)
	if _, err := Create(t.Context(), m, p); !errors.Is(err, fs.ErrExist) {
		t.Errorf("second Create: %v", err)
	}
	got, err := Load(t.Context(), m)
	if err != nil || !maps.Equal(got.Properties, p) {
		t.Errorf("%v, %v; want %v", got, err, p)
	}
}

func TestLoadRecovers(t *testing.T) {
	put := func(t *testing.T, m storage.Bucket, name, text string) {
		if err := storage.WriteFile(t.Context(), m, name, storage.Replace, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	for _, torn := range []string{"", "#Properties saved on", "hoodie.table.name=t\n", "hoodie.table.name=x\nhoodie.table.checksum=17\n", `a=\u1`} {
		m, p := sample(t)
		text, _ := storage.ReadFile(t.Context(), m, File, maxSize)
		put(t, m, Backup, string(text))
		put(t, m, File, torn)
		got, err := Load(t.Context(), m)
		if err != nil || !maps.Equal(got.Properties, p) {
			t.Errorf("%q: %v, %v", torn, got, err)
		}
		if _, err := Update(t.Context(), m, func(p Properties) { p["new"] = "1" }); err != nil {
			t.Errorf("%q: %v", torn, err)
		}
		if _, err := m.Open(t.Context(), Backup); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: the backup is still there: %v", torn, err)
		}
	}
	m := storage.NewMem()
	if _, err := Load(t.Context(), m); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no table: %v", err)
	}
	put(t, m, File, "")
	if _, err := Load(t.Context(), m); err == nil || !strings.Contains(err.Error(), "is empty") {
		t.Errorf("empty file without backup: %v", err)
	}
}

// TestMend writes the checksum anew, which Load and Update refuse when it is wrong. Nothing else is forgiven.
func TestMend(t *testing.T) {
	m, p := sample(t)
	set := func(key, value string) {
		text, err := storage.ReadFile(t.Context(), m, File, maxSize)
		if err != nil {
			t.Fatal(err)
		}
		now := strings.Replace(string(text), key+"="+p[key], key+"="+value, 1)
		if err := storage.WriteFile(t.Context(), m, File, storage.Replace, []byte(now)); err != nil {
			t.Fatal(err)
		}
	}
	none := func(Properties) {}
	set(keyChecksum, "1")
	if _, err := Load(t.Context(), m); !errors.Is(err, ErrChecksum) {
		t.Fatalf("Load: %v", err)
	}
	if _, err := Update(t.Context(), m, none); !errors.Is(err, ErrChecksum) {
		t.Fatalf("Update: %v", err)
	}
	if _, err := Mend(t.Context(), m, none); err != nil {
		t.Fatal(err)
	}
	if got, err := Load(t.Context(), m); err != nil || !maps.Equal(got.Properties, p) {
		t.Errorf("%v, %v; want %v", got, err, p)
	}
	set(keyVersion, "17")
	if _, err := Mend(t.Context(), m, none); err == nil {
		t.Error("a version that is not known was mended")
	}
}

func TestUpdateCrashes(t *testing.T) {
	for _, mend := range []bool{false, true} {
		for step := 1; ; step++ {
			m, before := sample(t)
			if mend { // the update also has a former crash to mend
				text := before.Format("x", time0)
				if err := errors.Join(storage.WriteFile(t.Context(), m, Backup, storage.Replace, text), m.Remove(t.Context(), File)); err != nil {
					t.Fatal(err)
				}
			}
			m.Steps().Fail(step, storage.Stop, nil)
			_, err := Update(context.Background(), m, rename)
			if !m.Steps().Hit() {
				if err != nil {
					t.Fatal(err)
				}
				break
			}
			for seed := range uint64(4) {
				crashed := m.Crash(float64(seed)/3, seed)
				got, err := Load(t.Context(), crashed)
				if err != nil {
					t.Fatalf("step %d: %v\n%s", step, err, m.Steps().Log())
				}
				if got.Name != "u" && !maps.Equal(got.Properties, before) {
					t.Fatalf("step %d: %v", step, got.Properties)
				}
				if next, err := Update(t.Context(), crashed, rename); err != nil || next.Name != "u" || next.Properties["some.other"] != "kept" {
					t.Fatalf("step %d: update after it: %v", step, err)
				}
			}
		}
	}
}

func rename(p Properties) { p[keyName] = "u" }
