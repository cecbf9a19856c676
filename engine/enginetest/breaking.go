package enginetest

import (
	"errors"

	"github.com/apache/arrow-go/v18/arrow/array"
)

type arrayReader = array.RecordReader

var errBroken = errors.New("the source broke in the middle")

// breaking is a reader that fails after some batches.
type breaking struct {
	arrayReader
	left int
	err  error
}

func (b *breaking) Next() bool {
	if b.left--; b.left < 0 {
		b.err = errBroken
		return false
	}
	return b.arrayReader.Next()
}

func (b *breaking) Err() error { return b.err }
