package timeline

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/tarn-lake/tarn/storage"
)

// bucketWith holds empty files of a timeline.
func bucketWith(t testing.TB, dir string, names ...string) storage.Bucket {
	t.Helper()
	m := storage.NewMem()
	for _, name := range names {
		if err := storage.WriteFile(t.Context(), m, dir+"/"+name, storage.Exclusive, nil); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func times(list []Instant) (out []string) {
	for _, i := range list {
		out = append(out, i.Time)
	}
	return out
}

func TestViews(t *testing.T) {
	tl := load(t, bucketWith(t, ".hoodie/timeline",
		"11.commit.requested", "11.inflight", "11_20.commit", "11.savepoint.inflight", "11_21.savepoint",
		"12.deltacommit.requested", "12.deltacommit.inflight", "12_30.deltacommit",
		"13.deltacommit.requested", "13.deltacommit.inflight", "13_25.deltacommit",
		"14.compaction.requested", "14.compaction.inflight", "14_28.commit",
		"15.clustering.requested", "15.clustering.inflight",
		"16.clean.requested", "16.clean.inflight", "16_29.clean",
		"17.deltacommit.requested", "17.deltacommit.inflight",
		"history/10_10_0.parquet"), 8)
	for _, c := range []struct {
		name string
		got  []Instant
		want string
	}{
		{"commits", tl.Commits(), "[11 12 13 14]"},
		{"by completion", tl.ByCompletion(), "[11 13 14 12]"},
		{"pending", tl.Pending(), "[15 17]"},
		{"pending clustering", tl.Pending(Clustering, Compaction), "[15]"},
		{"clean", tl.Completed(Clean, Savepoint), "[11 16]"},
		{"as of 13", tl.AsOf("13"), "[11 12 13]"},
		{"as of 10", tl.AsOf("10"), "[]"},
	} {
		if got := fmt.Sprint(times(c.got)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	last, _ := tl.Last()
	asked, ok := tl.InState(last, Requested)
	if !ok || asked.Action != Compaction {
		t.Errorf("%s was requested as %s", last, asked)
	}
	for time, want := range map[string]string{"11": "20", "12": "30", "14": "28", "15": "", "17": "", "10": "10", "105": "105", "18": "", "16": ""} {
		if got, ok := tl.CompletionOf(time); got != want || ok != (want != "") {
			t.Errorf("completion of %s is %q, %v, want %q", time, got, ok, want)
		}
	}
	if i, ok := tl.Find("11"); !ok || i.Action != Commit {
		t.Errorf("at 11 is %v", i)
	}
	if i, ok := tl.At("11", Savepoint); !ok || i.Completion != "21" {
		t.Errorf("savepoint is %v", i)
	}
	if tl.Start() != "12" || tl.LastTime() != "30" {
		t.Errorf("starts at %q, ends at %q", tl.Start(), tl.LastTime())
	}
}

func TestLoadRefuses(t *testing.T) {
	if _, err := Load(t.Context(), bucketWith(t, ".hoodie", "1_2.commit"), DefaultConfig(6)); err == nil {
		t.Error("loaded a timeline of layout 2 as one of layout 1")
	}
	tl, err := Load(t.Context(), bucketWith(t, ".hoodie", "hoodie.properties", "1.commit", ".1.commit.crc", ".temp/1/x.marker.CREATE", "metadata/.hoodie/2.commit", "1.bak~"), DefaultConfig(6))
	if err != nil || len(tl.Instants()) != 1 {
		t.Errorf("%v, %v", tl, err)
	}
}

// listing is a bucket of which the files can be listed only.
type listing struct {
	storage.Bucket
	names []string
}

func (l listing) List(_ context.Context, _, after string) iter.Seq2[storage.Info, error] {
	return func(yield func(storage.Info, error) bool) {
		for _, name := range l.names {
			if name > after && !yield(storage.Info{Name: name}, nil) {
				return
			}
		}
	}
}

// TestLoadMany: 10,000 actions are loaded in one listing, and looked up fast.
func TestLoadMany(t *testing.T) {
	const n = 10_000
	var m listing
	for i := range n {
		at, done := fmt.Sprintf("%017d", 2*i), fmt.Sprintf("%017d", 2*i+1)
		for _, name := range []string{at + ".commit.requested", at + ".inflight", at + "_" + done + ".commit"} {
			m.names = append(m.names, ".hoodie/timeline/"+name)
		}
	}
	began := time.Now()
	tl := load(t, m, 8)
	loaded := time.Since(began)
	for i := range n {
		_, ok := tl.CompletionOf(fmt.Sprintf("%017d", 2*i))
		_, never := tl.CompletionOf(fmt.Sprintf("%017d", 2*i+1))
		if !ok || never {
			t.Fatalf("wrong at %d", i)
		}
	}
	t.Logf("loaded in %v, looked up in %v", loaded, time.Since(began)-loaded)
	if loaded > 5*time.Second {
		t.Errorf("loaded in %v", loaded)
	}
}

func FuzzCommitJSON(f *testing.F) {
	for _, version := range []int{5, 6} {
		data, err := Encode(metadata("f"), version)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"partitionToWriteStats":{"p":[null,{"fileId":null,"logVersion":1,"logFiles":["a"],"cdcStats":{"x":1}}]},"extraMetadata":{"a":null}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 || data[0] != '{' {
			return
		}
		again(t, data, 6)
	})
}

func FuzzCommitAvro(f *testing.F) {
	replace := metadata("f")
	replace.PartitionToReplaceFileIDs = map[string][]string{"p": {"g"}}
	for _, m := range []*CommitMetadata{metadata("f"), replace, {}} {
		data, err := Encode(m, 8)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.HasPrefix(data, []byte("Obj")) {
			again(t, data, 8)
		}
	})
}

// again checks that what was decoded survives being encoded and decoded.
func again(t *testing.T, data []byte, version int) {
	var first, second CommitMetadata
	if Decode(data, &first) != nil {
		return
	}
	text, err := Encode(&first, version)
	if err != nil {
		t.Fatalf("%v of %+v", err, first)
	}
	if err := Decode(text, &second); err != nil {
		t.Fatalf("%v of %q", err, text)
	}
	third, err := Encode(&second, version)
	if err != nil || version < 8 && !bytes.Equal(text, third) {
		t.Fatalf("%v: %s, then %s", err, text, third)
	}
}
