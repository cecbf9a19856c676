package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"

	"github.com/google/uuid"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// staging is a directory for files that have no name in the bucket yet: inside a local bucket, where they
// only need to be renamed, else in the spill directory.
type staging struct {
	to    engine.Dest
	local storage.Local // nil for other buckets
	dir   string
	file  string   // for a write of one file
	roots []string // to be granted
}

// stage makes the directory. In a local bucket it has a name that listings pass over.
func (e *Engine) stage(to engine.Dest) (*staging, error) {
	st := &staging{to: to}
	root, err := localRoot(to.Bucket)
	if err != nil {
		return nil, err
	}
	if root == "" {
		st.dir, err = os.MkdirTemp(e.spill, "write-")
		st.file = filepath.Join(st.dir, "f.parquet")
		return st, err
	}
	st.local, _ = storage.As[storage.Local](to.Bucket)
	inside, err := st.local.Path(path.Join(to.Dir, "x"))
	if err != nil {
		return nil, err
	}
	st.dir = filepath.Join(filepath.Dir(inside), fmt.Sprintf(".tarn-%016x.tmp", rand.Uint64()))
	if err := os.MkdirAll(st.dir, 0o777); err != nil {
		return nil, fmt.Errorf("duckdb: %w", err)
	}
	if st.dir, err = filepath.EvalSymlinks(st.dir); err != nil {
		return nil, fmt.Errorf("duckdb: %w", err)
	}
	if root, err = localRoot(to.Bucket); err != nil { // it exists by now
		return nil, err
	}
	if root == "/" {
		root = filepath.Dir(st.dir)
	}
	st.roots = []string{root}
	st.file = filepath.Join(st.dir, "f.parquet")
	return st, nil
}

// empty removes what a failed try has left.
func (st *staging) empty() error {
	if err := os.RemoveAll(st.dir); err != nil {
		return err
	}
	return os.Mkdir(st.dir, 0o777)
}

func (st *staging) remove() { _ = os.RemoveAll(st.dir) }

// stagedFile is a file that waits for its name in the bucket.
type stagedFile struct {
	rel.File
	from  string // path in the staging directory
	given bool   // somebody else chose the name: it may be taken
}

// publish gives the staged files their names in the bucket and makes them durable. After an error none of
// them is left.
func (st *staging) publish(ctx context.Context, staged []stagedFile) ([]rel.File, error) {
	var names []string
	files := make([]rel.File, 0, len(staged))
	for i := range staged {
		f := &staged[i]
		err := st.move(ctx, f)
		if !errors.Is(err, fs.ErrExist) {
			names = append(names, f.Path)
		}
		if err != nil {
			return nil, st.withdraw(ctx, names, err)
		}
		files = append(files, f.File)
	}
	if st.local != nil && len(names) > 0 {
		if err := st.local.Sync(ctx, names...); err != nil {
			return nil, st.withdraw(ctx, names, err)
		}
	}
	return files, nil
}

// withdraw removes what was published before err.
func (st *staging) withdraw(ctx context.Context, names []string, err error) error {
	return errors.Join(err, st.to.Bucket.Remove(context.WithoutCancel(ctx), names...))
}

// name is a fresh name in the folder of the file's partition values.
func (st *staging) name(f rel.File) string {
	return path.Join(st.folder(f.Partition), st.to.Prefix+uuid.NewString()+st.to.Suffix)
}

// folder is the folder of partition values.
func (st *staging) folder(values []types.Value) string {
	parts := []string{st.to.Dir}
	for i, p := range st.to.Partition {
		d := st.to.Columns[p].Field
		parts = append(parts, partitionFolder(d.Name, d.Type, values[i]))
	}
	return path.Join(parts...)
}

func (st *staging) move(ctx context.Context, f *stagedFile) error {
	info, err := os.Stat(f.from)
	if err != nil {
		return fmt.Errorf("duckdb: %w", err)
	}
	f.Size, f.ModTime = info.Size(), info.ModTime().UnixMilli()
	if st.local == nil {
		return upload(ctx, st.to.Bucket, f.Path, f.from)
	}
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	dest, err := st.local.Path(f.Path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dest), 0o777); err != nil {
		return fmt.Errorf("duckdb: %w", err)
	}
	move := os.Rename
	if f.given {
		move = os.Link // fails when the name is taken; the staging directory is removed anyway
	}
	if err := move(f.from, dest); err != nil {
		return fmt.Errorf("duckdb: %w", err)
	}
	return nil
}

// upload stores a local file under a name that is not taken.
func upload(ctx context.Context, b storage.Bucket, name, from string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	w, err := b.Create(ctx, name, storage.Exclusive)
	if err != nil {
		return err
	}
	if _, err := io.Copy(w, src); err != nil {
		cancel()
		_ = w.Close()
		return err
	}
	return w.Close()
}
