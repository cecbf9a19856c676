package storage

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
)

// Replacer is the ability of a bucket to write a file on the condition that
// nobody else has written it since it was read. Object stores have it as
// If-Match and If-None-Match.
type Replacer interface {
	// ReplaceIf writes data under name if the file there has the content old, or
	// if there is none and old is nil. Otherwise it fails with fs.ErrExist, and
	// of several callers that give one old content at most one succeeds. Its
	// outcomes are those of the Close of a writer. Only callers of ReplaceIf
	// exclude each other: let nothing else write the name. Contents should be
	// small.
	ReplaceIf(ctx context.Context, name string, old, data []byte) error
}

// ReplaceIf implements [Replacer]. On a local file system callers exclude each
// other by an advisory lock of the directory, which ends with its process.
func (b *files) ReplaceIf(ctx context.Context, name string, old, data []byte) error {
	d, err := b.start(ctx, "replace", name, true)
	if err != nil {
		return err
	}
	defer d.close()
	dir := parent(b.prefix + name)
	if err := makeDirs(d, dir); err != nil {
		return b.fail("replace", name, err)
	}
	unlock, err := d.lock(ctx, dir)
	if err != nil {
		return b.fail("replace", name, err)
	}
	defer unlock()
	if old == nil {
		return WriteFile(ctx, b, name, Exclusive, data)
	}
	found, err := ReadFile(ctx, b, name, int64(len(old)))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errTooLong) || err == nil && !bytes.Equal(found, old) {
		return b.fail("replace", name, fs.ErrExist)
	}
	if err != nil {
		return err
	}
	return WriteFile(ctx, b, name, Replace, data)
}
