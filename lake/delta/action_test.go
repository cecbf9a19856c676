package delta

import (
	"strings"
	"testing"
)

// The lines are from tables that Delta Spark 4.4 wrote.
func TestActionRoundTrip(t *testing.T) {
	for _, line := range []string{
		`{"add":{"path":"p=a%253Ab/part-0.parquet","partitionValues":{"p":"a:b","q":null},"size":1020,"modificationTime":1796058774125,"dataChange":true,"stats":"{\"numRecords\":10}","deletionVector":{"storageType":"u","pathOrInlineDv":"67zq+uc(eSK9jy+XNVoB","offset":1,"sizeInBytes":34,"cardinality":1}}}`,
		`{"remove":{"path":"part-0.parquet","deletionTimestamp":1796058776786,"dataChange":true,"extendedFileMetadata":true,"partitionValues":{},"size":1011,"stats":"{\"numRecords\":10}"}}`,
		`{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":[],"writerFeatures":["invariants"]}}`,
		`{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}`,
		`{"txn":{"appId":"app","version":3,"lastUpdated":1}}`,
		`{"domainMetadata":{"domain":"delta.clustering","configuration":"{\"clusteringColumns\":[]}","removed":false}}`,
		`{"commitInfo":{"timestamp":1796058560006,"operation":"CREATE TABLE","operationParameters":{"partitionBy":"[]","description":null,"auto":true},"isolationLevel":"Serializable","isBlindAppend":true,"operationMetrics":{},"engineInfo":"Apache-Spark/4.1.1 Delta-Lake/4.4.0","txnId":"783e1d43-0af5-4d7e-af4a-f86eee0ec971"}}`,
		`{"commitInfo":{"operation":"WRITE","clientVersion":"delta-rs.0.1","readVersion":"odd"}}`,
		`{"sidecar":{"path":"a.parquet","sizeInBytes":9,"modificationTime":1}}`,
		`{"checkpointMetadata":{"version":4}}`,
		`{"metaData":{"id":"8d49","format":{"provider":"parquet","options":{}},"schemaString":"{}","partitionColumns":[],"configuration":{},"createdTime":1}}`,
		`{"cdc":{"path":"_change_data/x.parquet","partitionValues":{},"size":5,"dataChange":false}}`,
	} {
		a, err := DecodeAction([]byte(line))
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		got, err := EncodeAction(a)
		if err != nil || string(got) != line {
			t.Errorf("got  %s (%v)\nwant %s", got, err, line)
		}
	}
}

func TestDecodeActionSkips(t *testing.T) {
	for _, line := range []string{`{}`, `{"new":{"a":[1,2]}}`, `{"add":null}`} {
		if a, err := DecodeAction([]byte(line)); a != nil || err != nil {
			t.Errorf("%s: %v, %v", line, a, err)
		}
	}
}

func TestDecodeActionRefuses(t *testing.T) {
	for _, line := range []string{
		``, `{`, `[]`, `nonsense`, `{"add":{"path":""}}`, `{"add":{"path":"a","path":"b"}}`, `{"add":{"path":1}}`,
		`{"add":{"path":"a","size":-1}}`, `{"add":{"path":"a"},"remove":{"path":"a"}}`, `{"add":{"path":"a"}} {}`,
		`{"protocol":{"minReaderVersion":1}}`, `{"add":{"path":"a","deletionVector":{"storageType":"x"}}}`,
		"{\"txn\":{\"appId\":\"\xff\",\"version\":1}}", `{"x":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`,
	} {
		if a, err := DecodeAction([]byte(line)); err == nil {
			t.Errorf("%.80s: read as %#v", line, a)
		}
	}
}

func TestDecodeActionsNamesTheLine(t *testing.T) {
	err := DecodeActions([]byte("{}\n\n{\"add\":1}\n"), func(Action) error { return nil })
	if err == nil || !strings.HasPrefix(err.Error(), "line 3: ") {
		t.Error(err)
	}
}

func TestStateApply(t *testing.T) {
	vector := &DeletionVector{StorageType: "u", PathOrInlineDV: "ab", Offset: new(int32)}
	var s State
	for _, a := range []Action{
		&Protocol{MinReaderVersion: 1, MinWriterVersion: 2},
		&Add{Path: "a%20b"}, &Add{Path: "file:///x/y"}, &Remove{Path: "a b"}, &Add{Path: "a b", DeletionVector: vector},
		&Remove{Path: "/x/y"}, &Txn{AppID: "q", Version: 9}, &Txn{AppID: "q", Version: 3},
		&DomainMetadata{Domain: "d"}, &DomainMetadata{Domain: "e"}, &DomainMetadata{Domain: "d", Removed: true},
	} {
		if err := s.Apply(a); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.Files) != 1 || s.Files[FileKey{"a b", "uab@0"}] == nil || len(s.Tombstones) != 2 {
		t.Errorf("files %v, tombstones %v", s.Files, s.Tombstones)
	}
	if s.Txns["q"].Version != 3 || len(s.Domains) != 1 {
		t.Errorf("txns %v, domains %v", s.Txns, s.Domains)
	}
	c := s.Clone()
	if err := c.Apply(&Add{Path: "new"}); err != nil || len(s.Files) != 1 || len(c.Files) != 2 {
		t.Errorf("a clone shares files: %v", err)
	}
	if err := c.Apply(&Add{Path: "a b"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Sorted(); err == nil {
		t.Error("a file that is live twice passed")
	}
}

func TestParseLogName(t *testing.T) {
	const v = "_delta_log/00000000000000000012"
	for name, want := range map[string]logName{
		v + ".json":               {kind: commitFile, version: 12},
		v + ".crc":                {kind: checksumFile, version: 12},
		v + ".checkpoint.parquet": {kind: classicCheckpoint, version: 12},
		v + ".checkpoint.0000000002.0000000003.parquet":                 {kind: partCheckpoint, version: 12, part: 2, parts: 3},
		v + ".checkpoint.80a083e8.json":                                 {kind: uuidCheckpoint, version: 12, uuid: "80a083e8", json: true},
		v + ".checkpoint.80a083e8.parquet":                              {kind: uuidCheckpoint, version: 12, uuid: "80a083e8"},
		v + ".00000000000000000015.compacted.json":                      {kind: compactedFile, version: 12, end: 15},
		"_delta_log/_staged_commits/00000000000000000012.80a083e8.json": {kind: stagedCommit, version: 12, uuid: "80a083e8"},
	} {
		if got, ok := parseLogName(name); !ok || got != want {
			t.Errorf("%s: %+v, %v", name, got, ok)
		}
	}
	for _, name := range []string{
		"_delta_log/12.json", v, v + ".txt", v + ".json.tmp", v + ".checkpoint.0000000004.0000000003.parquet", v + ".checkpoint.json",
		v + ".00000000000000000012.compacted.json", "00000000000000000012.json", "_delta_log/99999999999999999999.json",
		"_delta_log/_last_checkpoint",
	} {
		if got, ok := parseLogName(name); ok {
			t.Errorf("%s: read as %+v", name, got)
		}
	}
	if commitName(12) != v+".json" || partName(12, 2, 3) != v+".checkpoint.0000000002.0000000003.parquet" {
		t.Error(commitName(12), partName(12, 2, 3))
	}
}

func TestPaths(t *testing.T) {
	// From delta-kernel's table of partition paths and from Spark: value a:b, folder a%3Ab, path a%253Ab.
	for raw, encoded := range map[string]string{
		"a%3Ab": "a%253Ab", "100%25": "100%2525", "x y": "x%20y", "é": "é", "p=1/f-0.parquet": "p=1/f-0.parquet", "{|}": "%7B%7C%7D",
	} {
		if got := EncodePath(raw); got != encoded {
			t.Errorf("encode %q: %q, want %q", raw, got, encoded)
		}
		if got, err := DecodePath(encoded); got != raw || err != nil {
			t.Errorf("decode %q: %q, %v", encoded, got, err)
		}
	}
	for _, p := range []string{"file:/x/y", "file:///x/y", "/x/y", "file:/x/%79"} {
		if got, err := PathKey(p); got != "/x/y" || err != nil {
			t.Errorf("%s: %q, %v", p, got, err)
		}
	}
	for _, key := range []string{"../x", "a/../b", "a//b", "", `a\b`, "/etc/passwd", "s3://b/k", "/roots/x", "http://h/x", "/root/../x", "a\x00"} {
		if _, name, err := CheckDataPath(key, []string{"/root"}); err == nil {
			t.Errorf("%q passed as %q", key, name)
		}
	}
	if root, name, err := CheckDataPath("/root/x", []string{"/root/"}); root != "/root/" || name != "x" || err != nil {
		t.Error(root, name, err)
	}
	for _, bad := range []string{"a%", "a%2", "a%zz", "file://host/x"} {
		if got, err := PathKey(bad); err == nil {
			t.Errorf("%q passed as %q", bad, got)
		}
	}
}
