package delta

import (
	"context"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/storage"
)

// TestCheck damages a sound table in one way after the other, and expects each to be found.
func TestCheck(t *testing.T) {
	ctx := context.Background()
	sound := storage.NewMem()
	tt := newTestTable(t, sound)
	if err := tt.create(ctx, map[string]string{"delta.enableDeletionVectors": "true", "delta.checkpointInterval": "3"}); err != nil {
		t.Fatal(err)
	}
	for i := range int64(3) {
		must[lake.Commit](t)(tt.do(ctx, "WRITE", appendRows(r3(2*i, "a", 0), r3(2*i+1, "b", 1))))
	}
	must[lake.Commit](t)(tt.do(ctx, "DELETE", deleteRows(byID(1))))
	named := func(b storage.Bucket, part string) string {
		for info := range b.List(ctx, "", "") {
			if strings.Contains(info.Name, part) {
				return info.Name
			}
		}
		t.Fatalf("no file %s", part)
		return ""
	}
	write := func(b storage.Bucket, name, text string) {
		if err := storage.WriteFile(ctx, b, name, storage.Replace, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	remove := func(b storage.Bucket, name string) {
		if err := b.Remove(ctx, name); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		damage   func(b storage.Bucket)
		severity lake.Severity
		what     string
	}{
		"nothing":                 {func(storage.Bucket) {}, lake.Note, ""},
		"a data file is gone":     {func(b storage.Bucket) { remove(b, named(b, "part-")) }, lake.Damage, "is missing"},
		"a data file is cut":      {func(b storage.Bucket) { write(b, named(b, "part-"), "x") }, lake.Damage, "has 1 bytes"},
		"a vector is gone":        {func(b storage.Bucket) { remove(b, named(b, "deletion_vector")) }, lake.Damage, "vector"},
		"a vector is torn":        {func(b storage.Bucket) { write(b, named(b, "deletion_vector"), "\x01abc") }, lake.Damage, "vector"},
		"a commit is gone":        {func(b storage.Bucket) { remove(b, commitName(2)) }, lake.Damage, "is missing"},
		"a commit is torn":        {func(b storage.Bucket) { write(b, commitName(4), `{"add":`) }, lake.Damage, ""},
		"a file is named twice":   {func(b storage.Bucket) { write(b, commitName(5), twiceNamed) }, lake.Warning, "twice"},
		"a checkpoint lacks rows": {func(b storage.Bucket) { copyOf(t, b, commitName(1), commitName(2)) }, lake.Damage, "lacks the live file"},
		"a checkpoint is torn":    {func(b storage.Bucket) { write(b, checkpointName(3), "PAR1") }, lake.Damage, ""},
		"the hint is wrong":       {func(b storage.Bucket) { write(b, lastCheckpoint, `{"version":77,"size":1}`) }, lake.Warning, "does not point"},
		"a file lies about":       {func(b storage.Bucket) { write(b, "part-x.parquet", "x") }, lake.Note, "not part of"},
	} {
		b := sound.Clone()
		c.damage(b)
		findings, err := Check(ctx, b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		found := name == "nothing" && len(findings) == 0
		for _, f := range findings {
			found = found || name != "nothing" && f.Severity == c.severity && strings.Contains(f.String(), c.what)
		}
		if !found {
			t.Errorf("%s: found %v", name, findings)
		}
	}
}

const twiceNamed = `{"add":{"path":"y","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}
{"add":{"path":"y","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}
`

// copyOf puts the content of one file under the name of another, so that the checkpoint says other than the commits.
func copyOf(t *testing.T, b storage.Bucket, from, to string) {
	text, err := storage.ReadFile(context.Background(), b, from, 1<<20)
	if err == nil {
		text = []byte(strings.ReplaceAll(string(text), `"path":"part-`, `"path":"other-`))
		err = storage.WriteFile(context.Background(), b, to, storage.Replace, text)
	}
	if err != nil {
		t.Fatal(err)
	}
}
