package hudi

import (
	"errors"
	"strconv"
	"strings"
)

// Names of data files have three parts that say to which file group a file belongs and which write made it.
//
//	base  <file id>_<write token>_<instant>.<extension>
//	log   .<file id>_<instant>.log.<version>[_<write token>][.cdc]
//
// A write token is three whole numbers joined by '-'. File ids hold no '_' (FSUtils of apache/hudi).

var errFileName = errors.New("is no name of a Hudi data file")

// baseName is what the name of a base file says.
type baseName struct {
	FileID    string
	Token     string
	Instant   string // of the write that made the file
	Extension string // "parquet", "orc", "hfile"
}

// parseBaseName reads the last part of a base file's path.
func parseBaseName(name string) (baseName, error) {
	stem, ext, ok := strings.Cut(name, ".")
	parts := strings.Split(stem, "_")
	if !ok || len(parts) != 3 || parts[0] == "" || !validInstant(parts[2]) {
		return baseName{}, errFileName
	}
	switch ext {
	case "parquet", "orc", "hfile", "lance":
	default:
		return baseName{}, errFileName
	}
	return baseName{parts[0], parts[1], parts[2], ext}, nil
}

func (n baseName) String() string {
	return n.FileID + "_" + n.Token + "_" + n.Instant + "." + n.Extension
}

// logName is what the name of a log file says.
type logName struct {
	FileID  string
	Instant string // up to table version 6 of the base file that the log belongs to, from 8 on of the write that made the log
	Version int64  // counts the log files of one file id and instant, from 1
	Token   string // "" in tables of old writers
	CDC     bool   // holds change records for CDC queries, no rows
}

// parseLogName reads the last part of a log file's path.
func parseLogName(name string) (logName, error) {
	rest, dot := strings.CutPrefix(name, ".")
	head, tail, ok := strings.Cut(rest, ".log.")
	id, instant, ok2 := strings.Cut(head, "_")
	if !dot || !ok || !ok2 || id == "" || !validInstant(instant) {
		return logName{}, errFileName
	}
	n := logName{FileID: id, Instant: instant}
	tail, n.CDC = strings.CutSuffix(tail, ".cdc")
	version, token, hasToken := strings.Cut(tail, "_")
	v, err := strconv.ParseInt(version, 10, 64)
	if err != nil || v < 0 || strconv.FormatInt(v, 10) != version || hasToken && token == "" || strings.ContainsAny(token, "_./") {
		return logName{}, errFileName
	}
	n.Version, n.Token = v, token
	return n, nil
}

func (n logName) String() string {
	s := "." + n.FileID + "_" + n.Instant + ".log." + strconv.FormatInt(n.Version, 10)
	if n.Token != "" {
		s += "_" + n.Token
	}
	if n.CDC {
		s += ".cdc"
	}
	return s
}

// validInstant reports whether s may be an instant: digits, 14 in old tables, 17 since, and up to 20 in metadata tables.
func validInstant(s string) bool {
	if len(s) < 14 || len(s) > 20 {
		return false
	}
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
