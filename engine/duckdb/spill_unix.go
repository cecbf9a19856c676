//go:build unix

package duckdb

import (
	"errors"
	"os"
	"syscall"
)

const canLock = true

// tryLock locks f until it is closed or the process ends. It is false when another holds the lock.
func tryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
