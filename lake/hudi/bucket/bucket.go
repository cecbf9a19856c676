package bucket

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// DefaultCount is the number of buckets of a partition where no setting says it.
const DefaultCount = 256

// MaxCount is the greatest number of buckets: file ids have eight digits for it.
const MaxCount = 99_999_999

// Reading is how a release takes the values of the hash fields from a record key. It matters for keys with colons and commas.
type Reading int

// The readings, named after the first release that has them.
const (
	Since012 Reading = iota // pairs name:value by name
	Since013                // pairs by name, of which values can have colons; parts without colon count as values
	Since10                 // values can have commas too; a key without a comma or a colon is a value
)

// ReadingOf is the reading of the releases that write a table version.
func ReadingOf(version int) Reading {
	switch {
	case version >= 8:
		return Since10
	case version >= 6:
		return Since013
	}
	return Since012
}

// Index is the buckets of a table: Count in each partition, by the hash of Fields.
type Index struct {
	Count   int
	Fields  []string
	Reading Reading
}

// Of is the bucket of a record key.
func (x Index) Of(key string) (int, error) {
	h, err := x.hash(key)
	return int(h&0x7fffffff) % x.Count, err
}

// hash is Java's hash of the list of the values of the hash fields.
func (x Index) hash(key string) (int32, error) {
	values, err := x.values(key)
	if err != nil {
		return 0, err
	}
	h := int32(1)
	for _, v := range values {
		h *= 31
		if v != nil {
			h += textHash(*v)
		}
	}
	return h, nil
}

// textHash is Java's hash of a text, which is one of its UTF-16 units.
func textHash(s string) (h int32) {
	for _, r := range s {
		if r > 0xffff {
			r -= 0x10000
			h = h*31 + (0xd800 + r>>10)
			r = 0xdc00 + r&0x3ff
		}
		h = h*31 + r
	}
	return h
}

// values are those of the hash fields in a key; nil for NULL.
func (x Index) values(key string) ([]*string, error) {
	colon, comma := strings.Contains(key, ":"), strings.Contains(key, ",")
	switch {
	case !colon, x.Reading == Since10 && !comma:
		return []*string{&key}, nil
	case x.Reading == Since012:
		return x.pairs(key)
	case x.Reading == Since013:
		return x.parts(key), nil
	}
	return x.spans(key), nil
}

// pairs looks up the fields in a key of pairs. Markers of NULL and of empty texts are values as others.
func (x Index) pairs(key string) ([]*string, error) {
	found := map[string]*string{}
	for _, part := range split(key) {
		name, value, ok := strings.Cut(part, ":")
		value, _, _ = strings.Cut(value, ":")
		if !ok || value == "" || found[name] != nil {
			return nil, fmt.Errorf("Hudi 0.12 finds no bucket for the key %q", key)
		}
		found[name] = &value
	}
	out := make([]*string, len(x.Fields))
	for i, f := range x.Fields {
		out[i] = found[f]
	}
	return out, nil
}

func (x Index) parts(key string) (out []*string) {
	for _, part := range split(key) {
		name, value, ok := strings.Cut(part, ":")
		switch {
		case !ok:
			out = append(out, &part)
		case slices.Contains(x.Fields, name):
			out = append(out, valueOf(value))
		}
	}
	return out
}

// split splits at commas, and leaves out the empty parts at the end, as Java does.
func split(key string) []string {
	return strings.Split(strings.TrimRight(key, ","), ",")
}

// spans takes the values of a key of pairs: a value ends at the last comma before the colon of the next pair.
func (x Index) spans(key string) (out []*string) {
	for rest := key; rest != ""; {
		name, after, ok := strings.Cut(rest, ":")
		if !ok {
			break
		}
		end := valueEnd(after)
		if slices.Contains(x.Fields, name) {
			out = append(out, valueOf(after[:end]))
		}
		rest = strings.TrimPrefix(after[end:], ",")
	}
	if len(out) == 0 {
		return []*string{&key}
	}
	return out
}

// valueEnd is where a value ends that other pairs may follow.
func valueEnd(s string) int {
	for at := 0; ; {
		i := strings.IndexByte(s[at:], ':')
		if i < 0 {
			return len(s)
		}
		at += i
		if comma := strings.LastIndexByte(s[:at], ','); comma >= 0 {
			return comma
		}
		at++
	}
}

func valueOf(s string) *string {
	switch s {
	case "__null__":
		return nil
	case "__empty__":
		s = ""
	}
	return &s
}

// FileID makes the id of a new file group of a bucket.
func FileID(bucket int) string { return fmt.Sprintf("%08d", bucket) + uuid.NewString()[8:] + "-0" }

// SharedFileID is the id that all writers give a new file group of a bucket, so that several may begin it at a time: that of
// generation 0 is Hudi's for non-blocking concurrency control.
func SharedFileID(bucket, generation int) string {
	return fmt.Sprintf("%08d-0000-0000-0000-%012d-0", bucket, generation)
}

// OfFileID is the bucket that a file id names, if it has the form of those of buckets.
func OfFileID(id string) (bucket int, ok bool) {
	if len(id) < 9 || id[8] != '-' {
		return 0, false
	}
	n, err := strconv.ParseUint(id[:8], 10, 32)
	return int(n), err == nil
}
