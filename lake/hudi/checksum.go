package hudi

import (
	"context"
	"io"
	"path"

	"github.com/tarn-lake/tarn/storage"
)

// withChecksums is b for a table that Hadoop may use too. Hadoop's LocalFileSystem keeps the checksum of each file that it writes in
// a file `.<name>.crc` beside it, and refuses a file that differs from it. So whoever replaces or removes a file of a local folder
// must remove its checksum first; a file without one is read unchecked.
func withChecksums(b storage.Bucket) storage.Bucket {
	if _, ok := storage.As[storage.Local](b); !ok {
		return b
	}
	return &checksummed{b}
}

type checksummed struct{ storage.Bucket }

func (c *checksummed) Unwrap() storage.Bucket { return c.Bucket }

func (c *checksummed) Narrow(dir string) storage.Bucket {
	b, _ := storage.Sub(c.Bucket, dir) // dir has been checked
	return &checksummed{b}
}

func (c *checksummed) Create(ctx context.Context, name string, m storage.Mode) (io.WriteCloser, error) {
	if m == storage.Replace {
		if err := c.Bucket.Remove(ctx, checksumOf(name)); err != nil {
			return nil, err
		}
	}
	return c.Bucket.Create(ctx, name, m)
}

func (c *checksummed) Remove(ctx context.Context, names ...string) error {
	all := make([]string, 0, 2*len(names))
	for _, n := range names {
		all = append(all, checksumOf(n), n)
	}
	return c.Bucket.Remove(ctx, all...)
}

func checksumOf(name string) string {
	dir, file := path.Split(name)
	return dir + "." + file + ".crc"
}
