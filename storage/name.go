package storage

import (
	"fmt"
	"path"
	"strings"
	"unicode/utf8"
)

// A NameError says why a name is refused. Names often come from table metadata,
// which anybody may have written.
type NameError struct {
	Name   string
	Reason string
}

func (e *NameError) Error() string { return fmt.Sprintf("name %q %s", e.Name, e.Reason) }

// CheckName returns a *NameError unless name is the plain relative path of a
// file: segments separated by single slashes, none of them empty, "." or "..",
// valid UTF-8 without control bytes or backslashes, no drive letter, and no name
// that a bucket keeps for files still being written. A name that passes cannot
// lead out of a bucket, whatever the platform. It is not decoded: a "%" is a "%".
func CheckName(name string) error {
	if reason := nameFault(name); reason != "" {
		return &NameError{Name: name, Reason: reason}
	}
	return nil
}

func nameFault(name string) string {
	switch {
	case name == "":
		return "is empty"
	case name[0] == '/':
		return "is absolute"
	case len(name) > 1 && name[1] == ':' && isLetter(name[0]):
		return "starts with a drive letter"
	case !utf8.ValidString(name):
		return "is not UTF-8"
	}
	for i := range len(name) {
		switch c := name[i]; {
		case c == '\\':
			return "has a backslash"
		case c < ' ' || c == 0x7f:
			return "has a control byte"
		}
	}
	for segment := range strings.SplitSeq(name, "/") {
		switch segment {
		case "":
			return "has an empty segment"
		case ".", "..":
			return "has a " + segment + " segment"
		}
	}
	if isTemp(path.Base(name)) {
		return "is kept for files still being written"
	}
	return ""
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// A file still being written has a name of this form in the directory it will
// appear in. Spark, Hive and Delta pass over names that start with a dot.
const (
	tempPrefix = ".tarn-"
	tempSuffix = ".tmp"
)

func isTemp(base string) bool {
	return strings.HasPrefix(base, tempPrefix) && strings.HasSuffix(base, tempSuffix)
}
