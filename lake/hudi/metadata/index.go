package metadata

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/storage"
)

// indexFile is where tables of version 8 on define their indexes, unless hoodie.table.index.defs.path says otherwise.
const indexFile = ".hoodie/.index_defs/index.json"

// Indexes are the definitions of indexes, by the name of their partition in the metadata table.
type Indexes map[string]Index

// Index is the definition of an index.
type Index struct {
	Name     string            `json:"indexName"`
	Type     string            `json:"indexType"`     // "column_stats", "secondary_index", "record_index", …
	Function string            `json:"indexFunction"` // of an expression index, such as from_unixtime; "identity" of secondary ones
	Sources  []string          `json:"sourceFields"`  // columns
	Options  map[string]string `json:"indexOptions"`
	Version  string            `json:"version,omitempty"` // "V1" or "V2"; "" before table version 9
}

const maxIndexFile = 16 << 20

// ReadIndexes are the definitions of the indexes of a table; there may be none.
func ReadIndexes(ctx context.Context, table storage.Bucket, c *config.Table) (Indexes, error) {
	return readIndexes(ctx, table, c.IndexDefs)
}

// readIndexes reads the definitions of a table; there may be none.
func readIndexes(ctx context.Context, table storage.Bucket, path string) (Indexes, error) {
	if path == "" {
		return nil, nil
	}
	b, err := storage.ReadFile(ctx, table, path, maxIndexFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var file struct {
		Definitions Indexes `json:"indexDefinitions"`
	}
	if err != nil {
		return nil, fmt.Errorf("index definitions %s: %w", path, err)
	}
	if len(bytes.TrimSpace(b)) > 0 {
		err = json.Unmarshal(b, &file)
	}
	if err != nil {
		return nil, &StaleError{Reason: "the definitions of its indexes, " + path + ", cannot be read", Err: err}
	}
	return file.Definitions, nil
}

// writeIndexes replaces the definitions of a table.
func writeIndexes(ctx context.Context, table storage.Bucket, path string, x Indexes) error {
	if x == nil {
		x = Indexes{}
	}
	b, err := json.MarshalIndent(map[string]Indexes{"indexDefinitions": x}, "", "  ")
	if err != nil {
		return err
	}
	return storage.WriteFile(ctx, table, path, storage.Replace, b)
}
