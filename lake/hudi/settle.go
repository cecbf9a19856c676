package hudi

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/storage"
)

// partitionMetadata is the file that every folder of data files has.
const partitionMetadata = ".hoodie_partition_metadata"

// settle makes removals last. A removed file may come back after a power loss, and data files are found by listing: one of a write
// that was rolled back would be taken for one of the table as soon as its instant is older than the timeline. Writing a file of a
// folder makes the folder durable as it is, so each partition's metadata file is written once more, as it is; where there is none, as
// the writer of instant would have.
func (t *Table) settle(ctx context.Context, instant string, partitions []string) error {
	for _, p := range partitions {
		name := path.Join(p, partitionMetadata)
		text, err := storage.ReadFile(ctx, t.bucket, name, 1<<16)
		if errors.Is(err, fs.ErrNotExist) {
			text, err = partitionText(instant, p), nil
		}
		if err == nil {
			err = storage.WriteFile(ctx, t.bucket, name, storage.Replace, text)
		}
		if err != nil {
			return fmt.Errorf("make removals in %q last: %w", p, err)
		}
	}
	return nil
}

// isDescribed reports whether a partition has its metadata file.
func (t *Table) isDescribed(ctx context.Context, partition string) bool {
	f, err := t.bucket.Open(ctx, path.Join(partition, partitionMetadata))
	if err != nil {
		return false
	}
	f.Close()
	return true
}

// describePartition makes the metadata file of a partition that has none, as the writer of instant would have.
func (t *Table) describePartition(ctx context.Context, instant, partition string) error {
	if t.isDescribed(ctx, partition) {
		return nil
	}
	err := storage.WriteFile(ctx, t.bucket, path.Join(partition, partitionMetadata), storage.Exclusive, partitionText(instant, partition))
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// partitionText is the metadata file of a partition that a commit has made.
func partitionText(instant, partition string) []byte {
	depth := 0
	if partition != "" {
		depth = strings.Count(partition, "/") + 1
	}
	return fmt.Appendf(nil, "#partition metadata\n#%s\ncommitTime=%s\npartitionDepth=%d\n", time.Now().UTC().Format("Mon Jan 02 15:04:05 MST 2006"), instant, depth)
}
