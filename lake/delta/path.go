package delta

import (
	"fmt"
	"strings"

	"github.com/tarn-lake/tarn/storage"
)

// PathKey is the canonical form of a path in the log: percent-decoded exactly once, and with `file:/x`, `file:///x` and
// `/x` all as `/x`. It does not say whether the path may be read: see [CheckDataPath].
func PathKey(path string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "file:"); ok {
		path = "/" + strings.TrimLeft(rest, "/")
		if strings.HasPrefix(rest, "//") && !strings.HasPrefix(rest, "///") {
			return "", fmt.Errorf("path %q: a file URL with a host", "file:"+rest)
		}
	}
	return DecodePath(path)
}

// DecodePath undoes the URI encoding of a path in the log, once.
func DecodePath(path string) (string, error) {
	if strings.IndexByte(path, '%') < 0 {
		return path, nil
	}
	var b strings.Builder
	b.Grow(len(path))
	for i := 0; i < len(path); i++ {
		if path[i] != '%' {
			b.WriteByte(path[i])
			continue
		}
		if i+2 >= len(path) || unhex(path[i+1]) < 0 || unhex(path[i+2]) < 0 {
			return "", fmt.Errorf("path %q has a %% that starts no escape", path)
		}
		b.WriteByte(byte(unhex(path[i+1])<<4 | unhex(path[i+2])))
		i += 2
	}
	return b.String(), nil
}

func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// uriKept are the ASCII signs beside letters and digits that Java's URI leaves in a path.
const uriKept = "-_.!~*'();/:@&=+$,"

// EncodePath is the URI encoding of a path relative to the table, as Delta Spark writes it into the log: what is not
// ASCII stays (P §Add File, and what Java's URI does).
func EncodePath(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		c := path[i]
		switch {
		case '0' <= c && c <= '9', 'a' <= c|0x20 && c|0x20 <= 'z', c >= 0x80, strings.IndexByte(uriKept, c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// hiveEscaped are the printable signs that Hive and Spark escape in the value of a partition folder.
const hiveEscaped = "\"#%'*/:=?\\{[]^"

// nullPartition is the folder value of NULL and of empty text.
const nullPartition = "__HIVE_DEFAULT_PARTITION__"

// EscapePartition is the Hive form of a partition column's name or value in the name of a folder. Readers never undo it:
// only partitionValues count.
func EscapePartition(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c < ' ' || c == 0x7f || strings.IndexByte(hiveEscaped, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// CheckDataPath says where a decoded path of the log may be read. A relative one must stay below the table: root is then
// "" and name the path. An absolute one is legal only below one of roots, which are absolute folders: root is that one and
// name the rest.
func CheckDataPath(key string, roots []string) (root, name string, err error) {
	if i := strings.IndexByte(key, ':'); i > 0 && isScheme(key[:i]) {
		return "", "", fmt.Errorf("path %q: the scheme %s is not allowed here", key, key[:i])
	}
	if !strings.HasPrefix(key, "/") {
		return "", key, storage.CheckName(key)
	}
	if err := storage.CheckName(key[1:]); err != nil {
		return "", "", err
	}
	for _, root := range roots {
		if rest, ok := strings.CutPrefix(key, strings.TrimRight(root, "/")+"/"); ok && root != "" {
			return root, rest, nil
		}
	}
	return "", "", fmt.Errorf("path %q is outside of the table and of the folders that it may read", key)
}

// isScheme reports whether word has the form of a URI scheme.
func isScheme(word string) bool {
	for i := range len(word) {
		c := word[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || !('0' <= c && c <= '9') && c != '+' && c != '-' && c != '.') {
			return false
		}
	}
	return word != ""
}
