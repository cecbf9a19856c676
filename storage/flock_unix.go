//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package storage

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

func (d *rootDisk) lock(ctx context.Context, name string) (unlock func(), err error) {
	r, name, err := d.at(name)
	if err != nil {
		return nil, err
	}
	f, err := r.Open(name)
	if err != nil {
		return nil, err
	}
	for {
		err := flock(f)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
			select {
			case <-ctx.Done():
				err = ended(ctx)
			case <-time.After(time.Millisecond):
				continue
			}
		}
		f.Close()
		return nil, err
	}
}

// flock takes the advisory lock of an open directory without waiting. It ends when the last descriptor of the opening is closed.
func flock(f *os.File) error {
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var locked error
	err = c.Control(func(fd uintptr) { locked = syscall.Flock(int(fd), syscall.LOCK_EX|syscall.LOCK_NB) })
	return errors.Join(err, locked)
}
