package delta

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/storage"
)

const (
	protocolLine = `{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}`
	metadataLine = `{"metaData":{"id":"t1","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":[],"configuration":{}}}`
)

func addLine(path string) string {
	return fmt.Sprintf(`{"add":{"path":%q,"partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}`, path)
}

// logOf is a bucket with the given files of a log, by their names in it; lines are joined.
func logOf(t *testing.T, files map[string][]string) storage.Bucket {
	t.Helper()
	b := storage.NewMem()
	for name, lines := range files {
		writeLog(t, b, name, lines...)
	}
	return b
}

func writeLog(t *testing.T, b storage.Bucket, name string, lines ...string) {
	t.Helper()
	if err := storage.WriteFile(context.Background(), b, logDir+"/"+name, storage.Replace, []byte(strings.Join(lines, "\n"))); err != nil {
		t.Fatal(err)
	}
}

func v(n int) string { return fmt.Sprintf("%020d", n) }

// twoCommits is a log with two files, added by version 0 and 1.
func twoCommits() map[string][]string {
	return map[string][]string{v(0) + ".json": {protocolLine, metadataLine, addLine("a")}, v(1) + ".json": {addLine("b")}}
}

func latestOf(b storage.Bucket) (*Snapshot, error) {
	return latestIn(new(Format), b)
}

func latestIn(f *Format, b storage.Bucket) (*Snapshot, error) {
	return f.table(lake.Entry{Location: "/t", Bucket: b}).latest(context.Background())
}

func TestLogFaults(t *testing.T) {
	json := func(n int) string { return v(n) + ".checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json" }
	checkpoint := json(1)
	for name, c := range map[string]struct {
		change map[string][]string // nil: the file is not there
		class  string
		says   string
	}{
		"no log":             {map[string][]string{v(0) + ".json": nil, v(1) + ".json": nil}, "DELTA_TABLE_NOT_FOUND", ""},
		"gap":                {map[string][]string{v(3) + ".json": {addLine("c")}}, "DELTA_VERSIONS_NOT_CONTIGUOUS", v(2) + ".json is missing"},
		"start missing":      {map[string][]string{v(0) + ".json": nil}, "DELTA_TRUNCATED_TRANSACTION_LOG", "starts at version 1"},
		"no protocol":        {map[string][]string{v(0) + ".json": {metadataLine}}, "DELTA_STATE_RECOVER_ERROR", "Protocol"},
		"no metadata":        {map[string][]string{v(0) + ".json": {protocolLine}}, "DELTA_STATE_RECOVER_ERROR", "Metadata"},
		"corrupt line":       {map[string][]string{v(1) + ".json": {addLine("b"), `{"add":{"path":`}}, "", v(1) + ".json: line 2"},
		"unknown feature":    {map[string][]string{v(1) + ".json": {`{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["timeMachine","deletionVectors"],"writerFeatures":["timeMachine","deletionVectors"]}}`}}, "DELTA_UNSUPPORTED_FEATURES_FOR_READ", ": timeMachine"},
		"new reader":         {map[string][]string{v(1) + ".json": {`{"protocol":{"minReaderVersion":4,"minWriterVersion":7}}`}}, "DELTA_INVALID_PROTOCOL_VERSION", "version 4"},
		"bad schema":         {map[string][]string{v(1) + ".json": {strings.Replace(metadataLine, `long`, `int128`, 1)}}, "", `unknown type "int128"`},
		"twice in a case":    {map[string][]string{v(1) + ".json": {strings.Replace(metadataLine, `[{`, `[{\"name\":\"ID\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}},{`, 1)}}, "", "twice"},
		"missing sidecar":    {map[string][]string{v(0) + ".json": nil, checkpoint: {`{"checkpointMetadata":{"version":1}}`, protocolLine, metadataLine, `{"sidecar":{"path":"gone.parquet","sizeInBytes":1,"modificationTime":1}}`}}, "", "_sidecars/gone.parquet"},
		"broken checkpoint":  {map[string][]string{v(0) + ".json": nil, v(1) + ".checkpoint.parquet": {"this is not Parquet at all"}}, "", "no Parquet file"},
		"checkpoint alone":   {map[string][]string{v(2) + ".checkpoint.parquet": {"this is not Parquet at all"}}, "", "no Parquet file"},
		"lost in between":    {map[string][]string{v(0) + ".json": nil, json(0): {protocolLine, metadataLine, addLine("a")}, v(1) + ".json": nil, v(2) + ".json": {}, json(2): {"{"}}, "", json(2)},
		"path escape":        {map[string][]string{v(1) + ".json": {`{"add":{"path":"a%zz","size":1}}`}}, "", "starts no escape"},
		"unknown vector":     {map[string][]string{v(1) + ".json": {`{"add":{"path":"a","size":1,"deletionVector":{"storageType":"z"}}}`}}, "", "storage type"},
		"mapping mode":       {map[string][]string{v(1) + ".json": {strings.Replace(metadataLine, `"configuration":{}`, `"configuration":{"delta.columnMapping.mode":"odd"}`, 1)}}, "", "column mapping mode"},
		"partition column":   {map[string][]string{v(1) + ".json": {strings.Replace(metadataLine, `"partitionColumns":[]`, `"partitionColumns":["gone"]`, 1)}}, "", "partition column gone"},
		"no physical name":   {map[string][]string{v(1) + ".json": {strings.Replace(metadataLine, `"configuration":{}`, `"configuration":{"delta.columnMapping.mode":"name"}`, 1)}}, "", "physical name"},
		"other data format":  {map[string][]string{v(1) + ".json": {strings.Replace(metadataLine, `"provider":"parquet"`, `"provider":"orc"`, 1)}}, "", "orc"},
		"empty commit works": {map[string][]string{v(2) + ".json": {}}, "none", ""},
	} {
		t.Run(name, func(t *testing.T) {
			files := twoCommits()
			for name, lines := range c.change {
				delete(files, name)
				if lines != nil {
					files[name] = lines
				}
			}
			_, err := latestOf(logOf(t, files))
			if c.class == "none" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var e *lake.Error
			if err == nil || c.class != "" && (!errors.As(err, &e) || e.Class != c.class) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want class %q and %q", err, c.class, c.says)
			}
			if c.class == "DELTA_TABLE_NOT_FOUND" && !errors.Is(err, fs.ErrNotExist) {
				t.Error("it is not fs.ErrNotExist")
			}
		})
	}
}

// TestLogSources has the same state come from commits, checkpoints of several kinds, compacted files and hints of all sorts.
func TestLogSources(t *testing.T) {
	json := func(n int) string { return v(n) + ".checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json" }
	whole := []string{protocolLine, metadataLine, addLine("a"), addLine("b")}
	for name, change := range map[string]map[string][]string{
		"commits":            {},
		"V2 checkpoint":      {json(1): whole, v(0) + ".json": nil},
		"checkpoint alone":   {json(1): whole, v(0) + ".json": nil, v(1) + ".json": nil},
		"hint":               {json(1): whole, v(0) + ".json": nil, "_last_checkpoint": {`{"version":1,"size":4}`}},
		"broken hint":        {"_last_checkpoint": {`{"version":`}},
		"hint to the future": {"_last_checkpoint": {`{"version":99,"size":4}`}},
		"hint to nothing":    {"_last_checkpoint": {`{"version":1,"size":4}`}},
		"incomplete parts":   {v(1) + ".checkpoint.0000000001.0000000002.parquet": {"half"}},
		"empty checkpoint":   {v(1) + ".checkpoint.parquet": {}},
		"compacted":          {v(2) + ".json": {`{"txn":{"appId":"x","version":1}}`}, v(0) + "." + v(1) + ".compacted.json": whole},
		"torn checkpoint":    {v(1) + ".checkpoint.parquet": {"torn"}, "_last_checkpoint": {`{"version":1,"size":4}`}},
		"lost sidecar":       {json(1): {protocolLine, metadataLine, `{"sidecar":{"path":"gone.parquet","sizeInBytes":1,"modificationTime":1}}`}},
		"older checkpoint":   {v(0) + ".json": nil, json(0): {protocolLine, metadataLine, addLine("a")}, v(1) + ".checkpoint.parquet": {"torn"}},
		"two torn":           {v(0) + ".checkpoint.parquet": {"torn"}, v(1) + ".checkpoint.parquet": {"torn"}},
		"strangers":          {"what.txt": {"?"}, v(9) + ".crc": {"{}"}, "_sidecars/x.parquet": {"?"}, "_staged_commits/" + v(7) + ".a.json": {"?"}, "9.json": {"?"}},
	} {
		t.Run(name, func(t *testing.T) {
			files := twoCommits()
			for name, lines := range change {
				delete(files, name)
				if lines != nil {
					files[name] = lines
				}
			}
			s, err := latestOf(logOf(t, files))
			if err != nil {
				t.Fatal(err)
			}
			if len(s.state.Files) != 2 || s.meta.ID != "t1" {
				t.Errorf("%d files, table %s", len(s.state.Files), s.meta.ID)
			}
		})
	}
}

// TestCache follows a log with one Format, through new commits and through another table in its place.
func TestCache(t *testing.T) {
	f, b := new(Format), logOf(t, twoCommits())
	first := must[*Snapshot](t)(latestIn(f, b))
	if again := must[*Snapshot](t)(latestIn(f, b)); again != first {
		t.Error("an unchanged log was read again")
	}
	writeLog(t, b, v(2)+".json", addLine("c"), `{"remove":{"path":"a","dataChange":true}}`)
	third := must[*Snapshot](t)(latestIn(f, b))
	if third.version != 2 || len(third.state.Files) != 2 || len(first.state.Files) != 2 || len(third.state.Tombstones) != 1 || len(first.state.Tombstones) != 0 {
		t.Errorf("version %d has %d files", third.version, len(third.state.Files))
	}
	other := storage.NewMem()
	for n := range 3 {
		lines := []string{addLine(fmt.Sprint("other", n))}
		if n == 0 {
			lines = []string{protocolLine, strings.Replace(metadataLine, "t1", "t2", 1)}
		}
		writeLog(t, other, v(n)+".json", lines...)
	}
	if s := must[*Snapshot](t)(latestIn(f, other)); s.meta.ID != "t2" || len(s.state.Files) != 2 {
		t.Errorf("the table that took the place of another is %s with %d files", s.meta.ID, len(s.state.Files))
	}
}

func TestTimeTravel(t *testing.T) {
	at := func(ms int64) string {
		return fmt.Sprintf(`{"commitInfo":{"timestamp":1,"inCommitTimestamp":%d}}`, ms)
	}
	on := strings.Replace(metadataLine, `"configuration":{}`, `"configuration":{"delta.enableInCommitTimestamps":"true"}`, 1)
	b := logOf(t, map[string][]string{v(0) + ".json": {at(1000), protocolLine, on}, v(1) + ".json": {at(2000), addLine("a")}, v(2) + ".json": {at(3000), addLine("b")}})
	table := new(Format).table(lake.Entry{Location: "/t", Bucket: b})
	for ms, want := range map[int64]int64{1000: 0, 1999: 0, 2000: 1, 2500: 1, 3000: 2} {
		when := time.UnixMilli(ms)
		if s, err := table.snapshot(context.Background(), lake.At{Time: &when}); err != nil || s.version != want || s.time.UnixMilli() > ms {
			t.Errorf("at %d: %v, want version %d", ms, err, want)
		}
	}
	for ms, class := range map[int64]string{999: "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION", 3001: "DELTA_TIMESTAMP_GREATER_THAN_COMMIT"} {
		when := time.UnixMilli(ms)
		var e *lake.Error
		if _, err := table.snapshot(context.Background(), lake.At{Time: &when}); !errors.As(err, &e) || e.Class != class {
			t.Errorf("at %d: %v, want %s", ms, err, class)
		}
	}
	missing := int64(7)
	var e *lake.Error
	if _, err := table.snapshot(context.Background(), lake.At{Version: &missing}); !errors.As(err, &e) || e.Class != "DELTA_VERSION_NOT_FOUND" || e.Params["latest"] != "2" {
		t.Errorf("version 7: %v", err)
	}
	var versions []int64
	for c, err := range table.History(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		versions = append(versions, c.Version, c.Time.UnixMilli())
	}
	if fmt.Sprint(versions) != "[2 3000 1 2000 0 1000]" {
		t.Errorf("history %v", versions)
	}
}

// TestFileTimes counts times of files as strictly rising.
func TestFileTimes(t *testing.T) {
	old := time.UnixMilli(5000)
	commits := []logFile{{logName{version: 0}, storage.Info{ModTime: old}}, {logName{version: 1}, storage.Info{ModTime: old.Add(-time.Second)}}, {logName{version: 2}, storage.Info{ModTime: old}}}
	times := new(Table).commitTimes(&Metadata{}, commits)
	for i, want := range []int64{5000, 5001, 5002} {
		if ms, err := times(context.Background(), i); ms != want || err != nil {
			t.Errorf("commit %d: %d, %v", i, ms, err)
		}
	}
}
