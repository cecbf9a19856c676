package delta

import (
	"path"
	"strings"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/storage"
)

// place is where a file of the log is, by its decoded path: below the table, or, for an absolute path, below the table's own
// folder or one that the format allows.
func (t *Table) place(key string) (storage.Bucket, string, error) {
	if !strings.HasPrefix(key, "/") {
		_, name, err := CheckDataPath(key, nil)
		return t.bucket, name, err
	}
	own := t.root()
	root, name, err := CheckDataPath(key, append([]string{own}, t.format.AllowedRoots...))
	if err != nil {
		return nil, "", &lake.Error{Op: "read", Path: t.path, Err: err,
			Hint: "a shallow clone reads the files of the table it was made of: name that table's folder in Options.AllowedRoots (--allow-root)"}
	}
	if root == own {
		return t.bucket, name, nil
	}
	bucket, err := t.format.outside(root)
	return bucket, name, err
}

// root is the absolute path of the table's folder; "" when it has none.
func (t *Table) root() string {
	if local, ok := storage.As[storage.Local](t.bucket); ok {
		if p, err := local.Path(logDir); err == nil {
			return path.Dir(p)
		}
	}
	if key, err := PathKey(t.entry.Location); err == nil && strings.HasPrefix(key, "/") {
		return strings.TrimRight(key, "/")
	}
	return ""
}

// outside is the bucket of an allowed folder.
func (f *Format) outside(root string) (storage.Bucket, error) {
	f.roots.Lock()
	defer f.roots.Unlock()
	if b, ok := f.roots.open[root]; ok {
		return b, nil
	}
	b, err := storage.OpenLocal(root)
	if err != nil {
		return nil, err
	}
	put(&f.roots.open, root, b)
	return b, nil
}
