package delta

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarn-lake/tarn/types"
)

// seeds are lines of real logs.
var seeds = []string{
	`{"commitInfo":{"timestamp":1796058560006,"operation":"DELETE","operationParameters":{"predicate":"[\"id = 3\"]","auto":true},"isBlindAppend":true,"operationMetrics":{"n":"1"}}}`,
	`{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors"]}}`,
	`{"metaData":{"id":"8d","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[]}","partitionColumns":[],"configuration":{},"createdTime":1}}`,
	`{"add":{"path":"p=a%253Ab/f.parquet","partitionValues":{"p":"a:b","q":null},"size":10,"modificationTime":2,"dataChange":true,"stats":"{\"numRecords\":10}","deletionVector":{"storageType":"u","pathOrInlineDv":"67zq+uc(eSK9jy+XNVoB","offset":1,"sizeInBytes":34,"cardinality":1}}}`,
	`{"remove":{"path":"f.parquet","deletionTimestamp":3,"dataChange":true,"extendedFileMetadata":true,"partitionValues":{},"size":5}}`,
	`{"txn":{"appId":"a","version":1}}`, `{"domainMetadata":{"domain":"d","configuration":"{}","removed":false}}`,
	`{"sidecar":{"path":"x.parquet","sizeInBytes":1,"modificationTime":1}}`, `{"checkpointMetadata":{"version":1}}`, `{"cdc":{"path":"c","partitionValues":{},"size":1,"dataChange":false}}`,
	`{"what":{"ever":[1,{"a":null}]}}`,
}

// FuzzDeltaCommit decodes commits. What is read must survive being written.
func FuzzDeltaCommit(f *testing.F) {
	f.Add([]byte(strings.Join(seeds, "\n")))
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		actions, err := decodeAll(text)
		if err != nil {
			var line *LineError
			if !errors.As(err, &line) || line.Line < 1 {
				t.Fatalf("the error names no line: %v", err)
			}
			return
		}
		written, err := EncodeActions(actions)
		if err != nil {
			t.Fatal(err)
		}
		again, err := decodeAll(written)
		if err != nil {
			t.Fatalf("%v in\n%s", err, written)
		}
		twice, err := EncodeActions(again)
		if err != nil || !bytes.Equal(written, twice) {
			t.Fatalf("%v\n%s\n%s", err, written, twice)
		}
	})
}

func decodeAll(text []byte) (out []Action, err error) {
	err = DecodeActions(text, func(a Action) error {
		out = append(out, a)
		return nil
	})
	return out, err
}

// FuzzLastCheckpoint reads hints.
func FuzzLastCheckpoint(f *testing.F) {
	f.Add([]byte(`{"version":4,"size":16,"v2Checkpoint":{"path":"x"},"checksum":"7dde"}`))
	f.Add([]byte(`{"version":-4}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if v := parseHint(text); v < -1 {
			t.Fatalf("version %d", v)
		}
	})
}

// FuzzSnapshotReplay applies sequences of actions. However they are cut into commits, the state is the same; a state that was
// continued from a clone leaves the clone's origin alone; and no file is both live and removed.
func FuzzSnapshotReplay(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 16, 33, 34, 35}, uint8(3))
	f.Add([]byte{255, 254, 7, 7, 7, 23}, uint8(1))
	f.Fuzz(func(t *testing.T, program []byte, cut uint8) {
		whole, parts, frozen := new(State), new(State), new(State)
		for i, op := range program {
			a := actionOf(op)
			if err := whole.Apply(a); err != nil {
				t.Fatal(err)
			}
			if cut > 0 && i%int(cut) == 0 {
				frozen, parts = parts, parts.Clone()
			}
			before := len(frozen.Files)
			if err := parts.Apply(a); err != nil {
				t.Fatal(err)
			}
			if frozen != parts && len(frozen.Files) != before {
				t.Fatal("a clone shares its files")
			}
		}
		if d := cmp.Diff(slices.Sorted(keyTexts(whole)), slices.Sorted(keyTexts(parts))); d != "" {
			t.Fatal(d)
		}
		for key := range whole.Files {
			if whole.Tombstones[key] != nil {
				t.Fatalf("%v is live and removed", key)
			}
		}
	})
}

func keyTexts(s *State) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range maps.Keys(s.Files) {
			if !yield(k.Path + " " + k.VectorID) {
				return
			}
		}
	}
}

// actionOf makes an action of a byte: few files and vectors, so that they meet.
func actionOf(op byte) Action {
	path := string('a' + rune(op>>2&3))
	var v *DeletionVector
	if op>>4&3 > 0 {
		v = &DeletionVector{StorageType: "u", PathOrInlineDV: string('p' + rune(op>>4&3))}
	}
	switch {
	case op >= 0xf0:
		return &Txn{AppID: path, Version: int64(op)}
	case op >= 0xe0:
		return &DomainMetadata{Domain: path, Removed: op&1 == 1}
	case op&1 == 0:
		return &Add{Path: path, Size: int64(op), DeletionVector: v}
	}
	return &Remove{Path: path, DeletionVector: v}
}

// FuzzPartitionPath sends partition values through folder names and URIs, and paths of the log through the rules for them.
func FuzzPartitionPath(f *testing.F) {
	for _, s := range []string{"a:b", "100%25", "x y", "é", "", "../..", "a/b", `\`, "\x00", "file:///x", "%2e%2e/x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		folder := EscapePartition(s)
		if strings.ContainsAny(folder, "/\\:") {
			t.Fatalf("folder %q", folder)
		}
		if back, err := DecodePath(EncodePath(folder)); err != nil || back != folder {
			t.Fatalf("%q came back as %q: %v", folder, back, err)
		}
		if back, err := DecodePath(folder); err != nil || back != s {
			t.Fatalf("%q came back as %q: %v", s, back, err)
		}
		if v, err := parsePartition(&s, types.String, nil); err != nil || s != "" && v != s {
			t.Fatalf("%q was read as %q: %v", s, v, err)
		}
		key, err := PathKey(s)
		if err != nil {
			return
		}
		root, name, err := CheckDataPath(key, []string{"/safe"})
		if err != nil {
			return
		}
		if root != "" && root != "/safe" || strings.HasPrefix(name, "/") || slices.Contains(strings.Split(name, "/"), "..") {
			t.Fatalf("%q leads to %q in %q", s, name, root)
		}
	})
}
