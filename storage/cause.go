package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// failure describes a failed operation once: what the system said about the path
// is taken out of err, and a hint is added where the user can act.
func failure(op, path string, err error) error {
	err = bare(err)
	return &Error{Op: op, Path: path, Err: err, Hint: hint(err)}
}

// bare takes the cause out of the errors of package os.
func bare(err error) error {
	switch e := err.(type) {
	case *fs.PathError:
		return e.Err
	case *os.LinkError:
		return e.Err
	case *os.SyscallError:
		return e.Err
	}
	return err
}

func hint(err error) string {
	switch {
	case errors.Is(err, ErrUnknown):
		return ""
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "free some space and try again"
	case errors.Is(err, syscall.EROFS):
		return "the file system is mounted read-only"
	case errors.Is(err, fs.ErrPermission):
		return "check the owner and mode of the directory"
	case errors.Is(err, syscall.EMFILE):
		return "raise the limit of open files"
	}
	return ""
}

// missing turns "not a directory", which a system says of "file/name", into what
// a bucket says of it: there is no such name.
func missing(err error) error {
	if errors.Is(err, syscall.ENOTDIR) {
		return fs.ErrNotExist
	}
	return err
}

func isExist(err error) bool { return errors.Is(err, fs.ErrExist) }

// linkRefused says that a failed link certainly did nothing. Of any other error,
// such as an I/O error or a lost answer of a network file system, the outcome is
// unknown.
func linkRefused(err error) bool {
	for _, e := range []error{
		fs.ErrExist, fs.ErrNotExist, fs.ErrPermission, errors.ErrUnsupported,
		syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EMLINK, syscall.EXDEV,
		syscall.ENOTDIR, syscall.EISDIR, syscall.ENAMETOOLONG, syscall.ELOOP,
		syscall.EINVAL, syscall.ENOMEM, syscall.EMFILE,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// noLinks says that the file system has no hard links. Linux answers EPERM.
func noLinks(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EPERM)
}

// ended tells why a context ended: as context.Canceled or DeadlineExceeded, and
// with the cause it was given.
func ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if cause == err {
		return err
	}
	return fmt.Errorf("%w: %w", err, cause)
}
