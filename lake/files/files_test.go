package files

import (
	"context"
	"fmt"
	"testing"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/storage"
)

// TestDiscovery finds the columns of folders whose names say more about the rows than the files do.
func TestDiscovery(t *testing.T) {
	for name, c := range map[string]struct {
		files  []string
		schema string
		values string // of the partition columns, per file
	}{
		"no folders": {[]string{"a.json"}, "struct<n:bigint>", "[[]]"},
		"whole":      {[]string{"p=1/a.json", "p=2/a.json"}, "struct<n:bigint,p:int>", "[[1] [2]]"},
		"long":       {[]string{"p=1/a.json", "p=3000000000/a.json"}, "struct<n:bigint,p:bigint>", "[[1] [3000000000]]"},
		"text":       {[]string{"p=1/a.json", "p=x%3Dy/a.json"}, "struct<n:bigint,p:string>", "[[1] [x=y]]"},
		"date":       {[]string{"p=1970-01-02/a.json"}, "struct<n:bigint,p:date>", "[[1]]"},
		"NULL":       {[]string{"p=1/a.json", "p=__HIVE_DEFAULT_PARTITION__/a.json"}, "struct<n:bigint,p:int>", "[[1] [<nil>]]"},
		"two levels": {[]string{"p=1/q=a/a.json"}, "struct<n:bigint,p:int,q:string>", "[[1 a]]"},
		"hidden":     {[]string{"p=1/a.json", "p=1/_SUCCESS", "p=1/.a.json.crc", "_temporary/p=9/a.json"}, "struct<n:bigint,p:int>", "[[1]]"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, b := context.Background(), storage.NewMem()
			for _, f := range c.files {
				if err := storage.WriteFile(ctx, b, f, storage.Exclusive, []byte(`{"n":1}`)); err != nil {
					t.Fatal(err)
				}
			}
			table, err := Formats()["json"].Open(ctx, lake.Entry{Format: "json", Location: "/t", Bucket: b})
			if err != nil {
				t.Fatal(err)
			}
			s, err := table.Snapshot(ctx, lake.At{})
			if err != nil {
				t.Fatal(err)
			}
			var values []any
			for _, f := range s.(*state).files {
				values = append(values, f.Partition)
			}
			if got := s.Meta().Schema.String(); got != c.schema {
				t.Errorf("schema %s, want %s", got, c.schema)
			}
			if got := fmt.Sprint(values); got != c.values {
				t.Errorf("values %s, want %s", got, c.values)
			}
		})
	}
}
