package parquet

import (
	"bytes"
	"fmt"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// Codec packs pages. It may serve several files and goroutines.
type Codec struct {
	id   int // as footers have it
	zstd *zstd.Encoder
	gzip bool
	snap bool
}

// NewCodec gives the codec of a name: "snappy" (also ""), "zstd", "gzip" or "uncompressed".
func NewCodec(name string) (*Codec, error) {
	switch name {
	case "", "snappy":
		return &Codec{id: 1, snap: true}, nil
	case "zstd":
		z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false))
		return &Codec{id: 6, zstd: z}, err
	case "gzip":
		return &Codec{id: 2, gzip: true}, nil
	case "uncompressed":
		return &Codec{id: 0}, nil
	}
	return nil, fmt.Errorf("the codec %q is not known here", name)
}

// pack gives b packed, in memory that free takes back; without compression it is b.
func (c *Codec) pack(b []byte) ([]byte, error) {
	switch {
	case c.snap:
		return s2.EncodeSnappy(nil, b), nil
	case c.zstd != nil:
		return c.zstd.EncodeAll(b, nil), nil
	case c.gzip:
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		if _, err := w.Write(b); err != nil {
			return nil, err
		}
		err := w.Close()
		return out.Bytes(), err
	}
	return b, nil
}

func (c *Codec) free([]byte) {}
