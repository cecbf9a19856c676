package delta

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// The rows of a classic checkpoint, as Delta Spark lays them out.
type checkpointRow struct {
	Add      *addRow      `parquet:"add,optional"`
	MetaData *metaDataRow `parquet:"metaData,optional"`
	Protocol *protocolRow `parquet:"protocol,optional"`
}

type addRow struct {
	Path             string            `parquet:"path"`
	PartitionValues  map[string]string `parquet:"partitionValues"`
	Size             int64             `parquet:"size"`
	ModificationTime int64             `parquet:"modificationTime"`
	DataChange       bool              `parquet:"dataChange"`
	Stats            string            `parquet:"stats,optional"`
}

type metaDataRow struct {
	ID               string            `parquet:"id"`
	SchemaString     string            `parquet:"schemaString"`
	PartitionColumns []string          `parquet:"partitionColumns,list"`
	Configuration    map[string]string `parquet:"configuration"`
}

type protocolRow struct {
	MinReaderVersion int32 `parquet:"minReaderVersion"`
	MinWriterVersion int32 `parquet:"minWriterVersion"`
}

// largeTable is a bucket with a table of n files, known by a checkpoint at version 10 and one commit after it.
func largeTable(tb testing.TB, n int) storage.Bucket {
	tb.Helper()
	rows := []checkpointRow{
		{Protocol: &protocolRow{1, 2}},
		{MetaData: &metaDataRow{ID: "t", SchemaString: `{"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}},{"name":"p","type":"integer","nullable":true,"metadata":{}}]}`,
			PartitionColumns: []string{"p"}, Configuration: map[string]string{"k": "v"}}},
	}
	for i := range n {
		rows = append(rows, checkpointRow{Add: &addRow{
			Path:            fmt.Sprintf("p=%d/part-%05d-c9a6db47-4b14-4ddd-b702-%012x-c000.snappy.parquet", i%100, i, i),
			PartitionValues: map[string]string{"p": fmt.Sprint(i % 100)}, Size: 1 << 20, ModificationTime: 1796058774125,
			Stats: fmt.Sprintf(`{"numRecords":1000,"minValues":{"id":%d},"maxValues":{"id":%d},"nullCount":{"id":0}}`, i*1000, i*1000+999),
		}})
	}
	var b bytes.Buffer
	w := pq.NewGenericWriter[checkpointRow](&b, pq.Compression(&pq.Snappy))
	if _, err := w.Write(rows); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	ctx, bucket := context.Background(), storage.NewMem()
	write := func(name string, data []byte) {
		if err := storage.WriteFile(ctx, bucket, name, storage.Exclusive, data); err != nil {
			tb.Fatal(err)
		}
	}
	write(checkpointName(10), b.Bytes())
	write(commitName(10), []byte(`{"commitInfo":{"operation":"WRITE"}}`))
	write(commitName(11), []byte(`{"add":{"path":"last","partitionValues":{"p":null},"size":1,"modificationTime":1,"dataChange":true}}`))
	write(lastCheckpoint, []byte(`{"version":10,"size":100}`))
	return bucket
}

func TestOpenLarge(t *testing.T) {
	const n = 5000
	ctx := context.Background()
	var f Format
	table, err := f.Open(ctx, lake.Entry{Bucket: largeTable(t, n), Location: "/large"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := table.Snapshot(ctx, lake.At{})
	if err != nil {
		t.Fatal(err)
	}
	if d := s.Detail(); s.Version() != 11 || d.Files != n+1 || d.Bytes != n<<20+1 {
		t.Errorf("version %d, %+v", s.Version(), d)
	}
	if m := s.Meta(); m.Properties["k"] != "v" || len(m.Partition) != 1 {
		t.Errorf("%+v", m)
	}
	adds, err := s.(*Snapshot).files()
	if err != nil {
		t.Fatal(err)
	}
	if a := adds[1]; *a.PartitionValues["p"] != "0" || a.ModificationTime != 1796058774125 || len(a.Stats) < 60 {
		t.Errorf("%+v", a)
	}
}

func BenchmarkOpen100000(b *testing.B) {
	ctx, bucket := context.Background(), largeTable(b, 100_000)
	b.ReportAllocs()
	for b.Loop() {
		var f Format
		table, err := f.Open(ctx, lake.Entry{Bucket: bucket})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := table.Snapshot(ctx, lake.At{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScan100000(b *testing.B) {
	ctx := context.Background()
	var f Format
	table, err := f.Open(ctx, lake.Entry{Bucket: largeTable(b, 100_000)})
	if err != nil {
		b.Fatal(err)
	}
	s, err := table.Snapshot(ctx, lake.At{})
	if err != nil {
		b.Fatal(err)
	}
	id, p := rel.NewColumn("id", types.Long), rel.NewColumn("p", types.Int)
	is := func(op string, c rel.Column, n int64) rel.Expr {
		return &rel.Call{Name: op, Args: []rel.Expr{c.Ref(), &rel.Lit{T: c.Type, Value: n}}, T: types.Boolean, Null: true}
	}
	for name, where := range map[string]rel.Expr{"all": nil, "partition": is("=", p, 7), "statistics": is("=", id, 77_000_000)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Scan(ctx, rel.Want{Columns: []rel.Column{id, p}, Where: where}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
