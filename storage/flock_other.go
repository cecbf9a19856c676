//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package storage

import (
	"context"
	"errors"
	"fmt"
)

func (d *rootDisk) lock(context.Context, string) (unlock func(), err error) {
	return nil, fmt.Errorf("directories cannot be locked on this system: %w", errors.ErrUnsupported)
}
