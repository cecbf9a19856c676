package config

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strconv"
	"time"

	"github.com/tarn-lake/tarn/storage"
)

// maxSize bounds the bytes of a properties file; real ones have a few thousand.
const maxSize = 16 << 20

// Load reads the properties of the table whose folder is b, from the backup where the file itself is missing or damaged. It is
// fs.ErrNotExist when there is neither.
func Load(ctx context.Context, b storage.Bucket) (*Table, error) {
	// Between its reads another process may finish a change: remove the file, and then the backup when the new file is there.
	const attempts = 3
	var t *Table
	var err error
	for range attempts {
		if t, err = load(ctx, b); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return t, err
}

// LoadToMend is [Load] of a table whose checksum may be wrong: the properties that it gives have the right one.
func LoadToMend(ctx context.Context, b storage.Bucket) (*Table, error) {
	t, err := Load(ctx, b)
	if !errors.Is(err, ErrChecksum) {
		return t, err
	}
	p, err := readFile(ctx, b, File)
	if err != nil {
		return nil, err
	}
	p[keyChecksum] = Checksum(p[keyDatabase], p[keyName])
	return tableAt(File, p)
}

func load(ctx context.Context, b storage.Bucket) (*Table, error) {
	p, err := readFile(ctx, b, File)
	if err == nil && whole(p) {
		return tableAt(File, p)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !damaged(err) {
		return nil, err
	}
	backup, err2 := readFile(ctx, b, Backup)
	switch {
	case err2 == nil && whole(backup):
		return tableAt(Backup, backup)
	case damaged(err):
		return nil, &DamagedError{File, "is no file of properties"}
	case err != nil:
		return nil, err
	case len(p) == 0:
		return nil, &DamagedError{File, "is empty"}
	case cut(p):
		return nil, &DamagedError{File, "is cut off"}
	}
	return tableAt(File, p)
}

// cut says whether p lacks what stands in every file of its version: of 4 (Hudi 0.11) and later the checksum, in all the version.
func cut(p Properties) bool {
	version, err := strconv.Atoi(p[keyVersion])
	_, summed := p[keyChecksum]
	return p[keyVersion] == "" || err == nil && version >= 4 && !summed
}

func tableAt(path string, p Properties) (*Table, error) {
	t, err := NewTable(p)
	var bad *Error
	if errors.As(err, &bad) {
		bad.Path = path
	}
	return t, err
}

// whole says whether p is a finished file: it has a checksum, which is right. Files of Hudi before 0.11 have none and are read when
// there is no backup.
func whole(p Properties) bool {
	sum, ok := p[keyChecksum]
	return ok && sum == Checksum(p[keyDatabase], p[keyName])
}

// syntaxError is a file that is no properties file.
type syntaxError struct {
	path string
	err  error
}

func (e *syntaxError) Error() string { return "read " + e.path + ": " + e.err.Error() }
func (e *syntaxError) Unwrap() error { return e.err }

func damaged(err error) bool {
	var e *syntaxError
	return errors.As(err, &e)
}

func readFile(ctx context.Context, b storage.Bucket, name string) (Properties, error) {
	text, err := storage.ReadFile(ctx, b, name, maxSize)
	if err != nil {
		return nil, err
	}
	p, err := Parse(text)
	if err != nil {
		return nil, &syntaxError{name, err}
	}
	return p, nil
}

// Update changes the properties of a table: change gets a copy of them and may set and delete keys. The checksum follows the name. Whoever
// calls it holds the table's lock. After a crash at any moment the table has the properties from before or after.
func Update(ctx context.Context, b storage.Bucket, change func(Properties)) (*Table, error) {
	old, err := recovered(ctx, b)
	if err != nil {
		return nil, err
	}
	t, err := changed(old, change)
	if err != nil || maps.Equal(t.Properties, old) {
		return t, err
	}
	return t, exchange(ctx, b, old, t.Properties)
}

// Mend is [Update] of a table whose checksum may be wrong. It writes the file in any case.
func Mend(ctx context.Context, b storage.Bucket, change func(Properties)) (*Table, error) {
	old, err := LoadToMend(ctx, b)
	if err != nil {
		return nil, err
	}
	t, err := changed(old.Properties, change)
	if err != nil {
		return nil, err
	}
	return t, exchange(ctx, b, old.Properties, t.Properties)
}

// changed are properties after a change, with the checksum of their names.
func changed(old Properties, change func(Properties)) (*Table, error) {
	p := maps.Clone(old)
	change(p)
	p[keyChecksum] = Checksum(p[keyDatabase], p[keyName])
	return tableAt(File, p)
}

// exchange writes p in the place of old, which is the backup meanwhile.
func exchange(ctx context.Context, b storage.Bucket, old, p Properties) error {
	if err := write(ctx, b, Backup, storage.Replace, savedOn, old); err != nil {
		return err
	}
	if err := write(ctx, b, File, storage.Replace, updatedAt, p); err != nil {
		return err
	}
	found, err := readFile(ctx, b, File)
	if err != nil {
		return err
	}
	if !maps.Equal(found, p) {
		return fmt.Errorf("%s has other values than were written to it; the former ones are in %s", File, Backup)
	}
	return b.Remove(ctx, Backup)
}

// recovered are the properties of the table after what a crash left is mended.
func recovered(ctx context.Context, b storage.Bucket) (Properties, error) {
	t, err := Load(ctx, b)
	if err != nil {
		return nil, err
	}
	backup, err := b.Open(ctx, Backup)
	if errors.Is(err, fs.ErrNotExist) {
		return t.Properties, nil
	}
	if err != nil {
		return nil, err
	}
	backup.Close()
	if p, err := readFile(ctx, b, File); err != nil || !whole(p) {
		if err := write(ctx, b, File, storage.Replace, savedOn, t.Properties); err != nil {
			return nil, err
		}
	}
	return t.Properties, b.Remove(ctx, Backup)
}

const (
	savedOn   = "Properties saved on "
	updatedAt = "Updated at "
)

func write(ctx context.Context, b storage.Bucket, name string, m storage.Mode, comment string, p Properties) error {
	now := time.Now()
	return storage.WriteFile(ctx, b, name, m, p.Format(comment+now.UTC().Format(time.RFC3339Nano), now))
}
