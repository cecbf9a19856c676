package storage

import (
	"context"
	"io"
	"iter"
	"time"
)

// A Bucket holds files by name. All methods may be called from several
// goroutines at once. Names are checked by [CheckName]; errors are [*Error] and
// wrap fs.ErrNotExist, fs.ErrExist, fs.ErrPermission or a context's error where
// one of them is the cause.
type Bucket interface {
	// Open opens the file for reading. A name that no file has, also one that
	// is a directory of a local bucket, is fs.ErrNotExist.
	Open(ctx context.Context, name string) (File, error)

	// Create returns a writer for a file that becomes visible, whole and
	// durable, when Close returns nil. Until then no reader sees anything of
	// it. Exclusive fails with fs.ErrExist if the name is taken, at Create or at
	// Close, and of several writers exactly one wins.
	//
	// Cancelling ctx before Close abandons the file: Close then returns the
	// context's error and nothing is left behind. A failed Write does the same.
	// The writer itself serves one goroutine.
	Create(ctx context.Context, name string, m Mode) (io.WriteCloser, error)

	// List yields the files whose names start with dir and a slash (all files
	// if dir is ""), at any depth, in byte order of their full names, and of
	// those only the ones greater than after. Names are relative to the bucket,
	// not to dir, and after is compared with them as a plain string. A dir
	// without files yields nothing, which is no error. Files still being
	// written are not listed.
	//
	// Directories are read when the listing reaches them: stopping early, or an
	// after that lies beyond them, costs nothing for what is left out. An entry
	// that could not be opened, such as a symbolic link out of the bucket, is
	// yielded with an error; the listing goes on if the consumer does.
	List(ctx context.Context, dir, after string) iter.Seq2[Info, error]

	// Remove removes the named files; names that no file has are passed over.
	// At an error some names may be removed and others not. A removed file may
	// come back after a power loss.
	Remove(ctx context.Context, names ...string) error
}

// A File is a file open for reading. ReadAt may be called from several
// goroutines at once. What it reads does not change when the name is replaced
// or removed meanwhile.
type File interface {
	io.ReaderAt
	io.Closer

	// Stat describes the file as it was when it was opened.
	Stat() (Info, error)
}

// Info describes a file.
type Info struct {
	Name    string    // relative to the bucket it came from
	Size    int64     // in bytes
	ModTime time.Time // when it was last written, by the store's clock
}

// Mode says what Create does with a name that is taken.
type Mode uint8

const (
	Replace   Mode = iota // the new file takes the name, in one step
	Exclusive             // Create or Close fails with fs.ErrExist
)

func (m Mode) String() string {
	switch m {
	case Replace:
		return "replace"
	case Exclusive:
		return "exclusive"
	}
	return "invalid mode"
}

// Local is the ability of a bucket whose files an engine of this process can
// read and write by their paths. Files written that way are in no protocol: give
// them names no one else uses, Sync them, and only then commit their names.
type Local interface {
	// Path returns the absolute path of the named file, which need not exist
	// yet, and no directory is made for it. It fails if the name, or a symbolic
	// link on the way, leaves the bucket.
	Path(name string) (string, error)

	// Sync makes the named files and the directories that lead to them durable.
	// After an error the files must not be relied upon, nor synced once more: a
	// second fsync may succeed for data that the first one lost.
	Sync(ctx context.Context, names ...string) error
}
