package bucket

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestHashes compares with what BucketIdentifier of Hudi 0.12.2, 0.15.0 and 1.0.2 gives for a number of buckets of 2^31-1. Hudi fails for
// keys without a hash.
func TestHashes(t *testing.T) {
	f, err := os.Open("testdata/hashes.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var c struct {
			Version     int
			Key, Fields string
			Hash        *int
		}
		if err := json.Unmarshal(s.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		x := Index{Count: 1<<31 - 1, Fields: strings.Split(c.Fields, ","), Reading: ReadingOf(c.Version)}
		got, err := x.Of(c.Key)
		if c.Hash == nil != (err != nil) || c.Hash != nil && got != *c.Hash {
			t.Errorf("%s: %d, %v", s.Text(), got, err)
		}
	}
}

func TestFileID(t *testing.T) {
	for _, n := range []int{0, 3, 255, MaxCount} {
		if got, ok := OfFileID(FileID(n)); !ok || got != n {
			t.Errorf("bucket %d: file id %s, back %d, %v", n, FileID(n), got, ok)
		}
	}
	for _, id := range []string{"", "0000000x-1", "2cdc45c8-200a-4ba2-96c6-b97ff352ab85-0", "00000001"} {
		if n, ok := OfFileID(id); ok {
			t.Errorf("%q is of bucket %d", id, n)
		}
	}
}
