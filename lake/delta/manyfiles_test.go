package delta

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/storage"
)

// TestOpenManyFiles opens a table of 100,000 files from JSON, writes a checkpoint of it, and opens it from that. The bound is
// many times what it takes, and far below what work that grows with the square of the files takes.
func TestOpenManyFiles(t *testing.T) {
	const n, bound = 100_000, 20 * time.Second
	ctx, bucket := context.Background(), storage.NewMem()
	var log strings.Builder
	log.WriteString(`{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}` + "\n")
	log.WriteString(`{"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":[],"configuration":{}}}` + "\n")
	for i := range n {
		fmt.Fprintf(&log, `{"add":{"path":"part-%d.parquet","partitionValues":{},"size":%d,"modificationTime":1,"dataChange":true,"stats":"{\"numRecords\":10,\"minValues\":{\"id\":%d}}"}}`+"\n", i, i+1, i)
	}
	if err := storage.WriteFile(ctx, bucket, commitName(0), storage.Exclusive, []byte(log.String())); err != nil {
		t.Fatal(err)
	}
	open := func(from string) *Snapshot {
		t.Helper()
		var f Format
		start := time.Now()
		table, err := f.Open(ctx, lake.Entry{Bucket: bucket, Location: "/many"})
		if err != nil {
			t.Fatal(err)
		}
		s, err := table.Snapshot(ctx, lake.At{})
		if err != nil {
			t.Fatal(err)
		}
		if d := s.Detail(); d.Files != n {
			t.Errorf("%s: %d files", from, d.Files)
		}
		if took := time.Since(start); took > bound {
			t.Errorf("opening from %s took %v", from, took)
		}
		return s.(*Snapshot)
	}
	s := open("JSON")
	if _, err := s.table.writeCheckpoint(ctx, s, time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := storage.WriteFile(ctx, bucket, lastCheckpoint, storage.Replace, []byte(`{"version":0,"size":100002}`)); err != nil {
		t.Fatal(err)
	}
	open("a checkpoint")
}
