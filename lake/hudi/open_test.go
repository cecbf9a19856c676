package hudi

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/storage"
)

// tableOf is a folder with files of the given contents.
func tableOf(t testing.TB, files map[string]string) *storage.Mem {
	t.Helper()
	b := storage.NewMem()
	for name, content := range files {
		if err := storage.WriteFile(context.Background(), b, name, storage.Exclusive, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// propertiesOf is a hoodie.properties of table version 6 with more lines.
func propertiesOf(more ...string) string {
	return "hoodie.table.name=t\nhoodie.table.version=6\nhoodie.timeline.layout.version=1\nhoodie.table.type=COPY_ON_WRITE\n" +
		"hoodie.table.checksum=" + config.Checksum("", "t") + "\n" + strings.Join(more, "\n") + "\n"
}

// commitOf is a commit of layout 1 of a table of one column.
const commitOf = `{"partitionToWriteStats":{},"compacted":false,"extraMetadata":{"schema":"{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"id\",\"type\":[\"null\",\"long\"]}]}"},"operationType":"INSERT"}`

func read(t testing.TB, b storage.Bucket) (*Snapshot, error) {
	t.Helper()
	ctx := context.Background()
	table, err := new(Format).Open(ctx, lake.Entry{Bucket: b, Location: "/t"})
	if err != nil {
		return nil, err
	}
	s, err := table.Snapshot(ctx, lake.At{})
	if err != nil {
		return nil, err
	}
	return s.(*Snapshot), nil
}

// TestOpenRefuses opens tables that cannot be read rightly.
func TestOpenRefuses(t *testing.T) {
	done := ".hoodie/20240101000000000.commit"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string // in the error
	}{
		{"no table", map[string]string{"x.parquet": "x"}, "hoodie.properties"},
		{"a newer version", map[string]string{config.File: strings.Replace(propertiesOf(), "version=6", "version=10", 1)}, "10"},
		{"bootstrapped", map[string]string{config.File: propertiesOf("hoodie.bootstrap.base.path=/old")}, "bootstrapped"},
		{"ORC", map[string]string{config.File: propertiesOf("hoodie.table.base.file.format=ORC")}, "ORC"},
		{"a wrong checksum", map[string]string{config.File: strings.Replace(propertiesOf(), "name=t", "name=u", 1)}, "checksum"},
		{"no properties in the file", map[string]string{config.File: ""}, "hoodie"},
		{"no schema", map[string]string{config.File: propertiesOf()}, "columns"},
		{"a commit that is no JSON", map[string]string{config.File: propertiesOf(), done: "{"}, "commit"},
		{"a schema that is none", map[string]string{config.File: propertiesOf(), done: strings.Replace(commitOf, "record", "what", 1)}, "schema"},
		{"an action that nobody knows", map[string]string{config.File: propertiesOf(), done: commitOf, ".hoodie/20240101000000001.teleport": "{}"}, "teleport"},
	} {
		_, err := read(t, tableOf(t, c.files))
		if err == nil || !strings.Contains(err.Error(), c.want) && !strings.Contains(fmt.Sprint(hintOf(err)), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		if (c.name == "no table") != errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestStrangers reads a table between whose files others lie.
func TestStrangers(t *testing.T) {
	good := someID + "_0-1-2_20240101000000000.parquet"
	s, err := read(t, tableOf(t, map[string]string{
		config.File: propertiesOf(), ".hoodie/20240101000000000.commit": commitOf,
		"p/" + good: "data", "p/." + good + ".crc": "sum", "p/.hoodie_partition_metadata": "x", "p/._" + good: "mac", "p/readme.txt": "x",
		".hidden/" + good: "x", "p/.tmp/" + good: "x", ".hoodie/metadata/p/" + good: "x", ".hoodie/20240101000000000.commit.crc": "x",
		"p/" + someID + "_0-1-2_20240101000000009.parquet": "not committed",
	}))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.slices) != 1 || s.slices[0].Base.Path != "p/"+good || s.Version() != 20240101000000000 {
		t.Errorf("%d slices, version %d", len(s.slices), s.Version())
	}
}

// TestManyFiles plans a table of 10,000 files. The bound is several times what it takes.
func TestManyFiles(t *testing.T) {
	const n = 10_000
	files := map[string]string{config.File: propertiesOf("hoodie.table.partition.fields=p"), ".hoodie/20240101000000000.commit": commitOf}
	for i := range n {
		files[fmt.Sprintf("%d/%08d-0000-0000-0000-000000000000-0_0-1-2_20240101000000000.parquet", i%100, i)] = "x"
	}
	b := tableOf(t, files)
	start := time.Now()
	s, err := read(t, b)
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	t.Logf("%d slices in %v", len(s.slices), took)
	if len(s.slices) != n || took > 5*time.Second {
		t.Errorf("%d slices in %v", len(s.slices), took)
	}
}
