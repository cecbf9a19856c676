package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/storage"
)

// survey is what a tree reads: which directories, and which relations held before.
type survey struct {
	dir   string // for copies of files that DuckDB cannot reach
	roots []string
	held  []*held
	local map[storage.Bucket]string // the directory of a local bucket; "" for others
	paths map[remote]string         // copies made
}

// remote names a file of a bucket that is no local directory.
type remote struct {
	bucket storage.Bucket
	name   string
}

// look collects what q reads and copies the files that DuckDB cannot reach. done must be called.
func (e *Engine) look(ctx context.Context, q rel.Node, dirs []string) (*survey, error) {
	s := &survey{roots: slices.Clone(dirs), local: map[storage.Bucket]string{}, paths: map[remote]string{}}
	if err := s.node(ctx, e, q, map[rel.Node]bool{}); err != nil {
		s.done()
		return nil, err
	}
	return s, nil
}

// done removes the copies.
func (s *survey) done() {
	if s.dir != "" {
		_ = os.RemoveAll(s.dir)
	}
}

func (s *survey) node(ctx context.Context, e *Engine, n rel.Node, seen map[rel.Node]bool) error {
	if seen[n] {
		return nil
	}
	seen[n] = true
	switch n := n.(type) {
	case *rel.Scan:
		for _, f := range n.Files {
			if err := s.file(ctx, e, f); err != nil {
				return err
			}
		}
	case *rel.Stream:
		if h := e.heldBy(n); h != nil {
			s.held = append(s.held, h)
		}
	}
	for _, x := range rel.Exprs(n) {
		for _, q := range rel.Subqueries(x) {
			if err := s.node(ctx, e, q, seen); err != nil {
				return err
			}
		}
	}
	for _, in := range n.Inputs() {
		if err := s.node(ctx, e, in, seen); err != nil {
			return err
		}
	}
	return nil
}

// file notes where f is, and copies it when it is in no local directory.
func (s *survey) file(ctx context.Context, e *Engine, f rel.File) error {
	root, known := s.local[f.Bucket]
	if !known {
		var err error
		if root, err = localRoot(f.Bucket); err != nil {
			return err
		}
		s.local[f.Bucket] = root
	}
	switch {
	case root == "":
		return s.copy(ctx, e, f)
	case special(filepath.Join(root, f.Path)):
		return &engine.Error{Class: unreadable, Params: map[string]string{"path": f.Path}, Reason: "The file " + f.Path + " is no regular file.", Hint: doctor}
	case root == "/": // granting it would grant everything
		s.grant(filepath.Dir("/" + f.Path))
	default:
		s.grant(root)
	}
	return nil
}

// special reports whether there is a pipe, a device or a socket at path: opening one could wait forever.
func special(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

func (s *survey) grant(root string) {
	if !slices.Contains(s.roots, root) {
		s.roots = append(s.roots, root)
	}
}

// path is where DuckDB finds f.
func (s *survey) path(f rel.File) (string, error) {
	if err := storage.CheckName(f.Path); err != nil {
		return "", err
	}
	if root := s.local[f.Bucket]; root != "" {
		return filepath.Join(root, f.Path), nil
	}
	p, ok := s.paths[remote{f.Bucket, f.Path}]
	if !ok {
		return "", fmt.Errorf("duckdb: %s was not made ready", f.Path)
	}
	return p, nil
}

// localRoot is the directory of a local bucket, without symbolic links, and "" for other buckets.
func localRoot(b storage.Bucket) (string, error) {
	l, ok := storage.As[storage.Local](b)
	if !ok {
		return "", nil
	}
	p, err := l.Path("x")
	if err != nil {
		return "", err
	}
	root := filepath.Dir(p)
	if real, err := filepath.EvalSymlinks(root); err == nil {
		return real, nil
	}
	return root, nil // it does not exist: reading from it says so
}

// copy fetches a file into the spill directory.
func (s *survey) copy(ctx context.Context, e *Engine, f rel.File) error {
	key := remote{f.Bucket, f.Path}
	if s.paths[key] != "" {
		return nil
	}
	if s.dir == "" {
		dir, err := os.MkdirTemp(e.spill, "copy-")
		if err != nil {
			return err
		}
		s.dir = dir
	}
	to := filepath.Join(s.dir, fmt.Sprintf("%d.data", len(s.paths)))
	if err := fetch(ctx, f.Bucket, f.Path, to); err != nil {
		return err
	}
	s.paths[key] = to
	return nil
}

// fetch copies a file of a bucket to a local path.
func fetch(ctx context.Context, b storage.Bucket, name, to string) (err error) {
	src, err := b.Open(ctx, name)
	if err != nil {
		return err
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil {
		return err
	}
	dst, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dst.Close()) }()
	_, err = io.Copy(dst, watched{ctx, io.NewSectionReader(src, 0, info.Size)})
	return err
}

// watched is a reader that ends with its context.
type watched struct {
	ctx context.Context
	r   io.Reader
}

func (w watched) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.r.Read(p)
}
