package storage

import (
	"context"
	"io"
	"iter"
	"strings"
)

// Sub returns the part of b below dir: its names are those of b without dir and
// the slash after it. A dir of "" is all of b. Abilities of b stay if b is a
// [Narrower]. The error is a *NameError.
func Sub(b Bucket, dir string) (Bucket, error) {
	if dir == "" {
		return b, nil
	}
	if err := CheckName(dir); err != nil {
		return nil, err
	}
	if n, ok := b.(Narrower); ok {
		return n.Narrow(dir), nil
	}
	return &sub{b, dir + "/"}, nil
}

// A Narrower is a bucket that makes its own narrowed form, so that its abilities
// speak the narrowed names. A bucket with abilities, and a wrapper around one,
// should be a Narrower.
type Narrower interface {
	Narrow(dir string) Bucket // dir has been checked
}

// A Wrapper is a bucket around another one of the same names.
type Wrapper interface {
	Unwrap() Bucket
}

// As finds the ability T of a bucket, looking through wrappers.
func As[T any](b Bucket) (T, bool) {
	for b != nil {
		if t, ok := b.(T); ok {
			return t, true
		}
		w, ok := b.(Wrapper)
		if !ok {
			break
		}
		b = w.Unwrap()
	}
	var none T
	return none, false
}

// sub is the narrowed form of a bucket that has none of its own.
type sub struct {
	b      Bucket
	prefix string // ends in a slash
}

func (s *sub) Narrow(dir string) Bucket { return &sub{s.b, s.prefix + dir + "/"} }

func (s *sub) Open(ctx context.Context, name string) (File, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	f, err := s.b.Open(ctx, s.prefix+name)
	if err != nil {
		return nil, err
	}
	return subFile{f, s.prefix}, nil
}

func (s *sub) Create(ctx context.Context, name string, m Mode) (io.WriteCloser, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	return s.b.Create(ctx, s.prefix+name, m)
}

func (s *sub) List(ctx context.Context, dir, after string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		if dir != "" {
			if err := CheckName(dir); err != nil {
				yield(Info{}, err)
				return
			}
		}
		for info, err := range s.b.List(ctx, strings.TrimSuffix(s.prefix+dir, "/"), s.prefix+after) {
			info.Name = strings.TrimPrefix(info.Name, s.prefix)
			if !yield(info, err) {
				return
			}
		}
	}
}

func (s *sub) Remove(ctx context.Context, names ...string) error {
	full := make([]string, len(names))
	for i, name := range names {
		if err := CheckName(name); err != nil {
			return err
		}
		full[i] = s.prefix + name
	}
	return s.b.Remove(ctx, full...)
}

type subFile struct {
	File
	prefix string
}

func (f subFile) Stat() (Info, error) {
	info, err := f.File.Stat()
	info.Name = strings.TrimPrefix(info.Name, f.prefix)
	return info, err
}
