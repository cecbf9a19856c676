package storage

import (
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

func FuzzCheckName(f *testing.F) {
	for _, name := range []string{"a/b.json", "_delta_log/00000000000000000000.json", "x=1/%2F", "../a", "a//b", "/", "C:", "a\\b", ".tarn-1.tmp", "日本"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if CheckName(name) != nil {
			return
		}
		if !fs.ValidPath(name) || !filepath.IsLocal(name) || path.Clean(name) != name || path.IsAbs(name) {
			t.Errorf("%q passes, but is no plain relative path", name)
		}
		if !strings.HasPrefix(path.Join("/root", name), "/root/") {
			t.Errorf("%q leads out", name)
		}
		if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' }) {
			t.Errorf("%q has a byte that must not pass", name)
		}
		for sub := name; strings.Contains(sub, "/"); {
			sub = path.Dir(sub)
			if CheckName(sub) != nil && !isTemp(path.Base(sub)) {
				t.Errorf("%q passes, but its directory %q does not", name, sub)
			}
		}
	})
}

func TestAs(t *testing.T) {
	m := NewMem()
	wrapped := Faulty(Faulty(m, new(Faults)), new(Faults))
	if got, ok := As[*Mem](wrapped); !ok || got != m {
		t.Errorf("As through two wrappers = %v, %v", got, ok)
	}
	narrowed, err := Sub(wrapped, "a/b")
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := As[*Mem](narrowed); !ok || got.prefix != "a/b/" {
		t.Errorf("As through a narrowed wrapper = %v, %v", got, ok)
	}
	if _, ok := As[Local](wrapped); ok {
		t.Error("As finds an ability that is not there")
	}
	b, err := OpenLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	narrowed, err = Sub(Faulty(b, new(Faults)), "t")
	if err != nil {
		t.Fatal(err)
	}
	l, ok := As[Local](narrowed)
	if !ok {
		t.Fatal("the narrowed bucket is not Local any more")
	}
	if p, err := l.Path("f"); err != nil || !strings.HasSuffix(p, filepath.Join("t", "f")) {
		t.Errorf("Path = %q, %v", p, err)
	}
}
