package delta

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// The folders and fixed names of a log.
const (
	logDir         = "_delta_log"
	sidecarDir     = "_delta_log/_sidecars"
	stagedDir      = "_delta_log/_staged_commits"
	lastCheckpoint = "_delta_log/_last_checkpoint"
)

// fileKind is a kind of file in a log.
type fileKind uint8

const (
	commitFile fileKind = iota + 1
	classicCheckpoint
	partCheckpoint // one of several parts
	uuidCheckpoint // V2, JSON or Parquet
	compactedFile
	checksumFile
	stagedCommit
)

// logName is what the name of a file in the log says.
type logName struct {
	kind        fileKind
	version     int64
	end         int64 // of a compacted file: its last version
	part, parts int   // of a partCheckpoint, from 1
	uuid        string
	json        bool // of a uuidCheckpoint: not Parquet
}

// commitName is the name of version v's commit in the table.
func commitName(v int64) string { return fmt.Sprintf("%s/%020d.json", logDir, v) }

// checkpointName is the name of the classic checkpoint after version v.
func checkpointName(v int64) string { return fmt.Sprintf("%s/%020d.checkpoint.parquet", logDir, v) }

// partName is the name of part part of parts, from 1, of the checkpoint after version v.
func partName(v int64, part, parts int) string {
	return fmt.Sprintf("%s/%020d.checkpoint.%010d.%010d.parquet", logDir, v, part, parts)
}

// versionPrefix is a name that sorts before all files of version v and later and after those of earlier ones.
func versionPrefix(v int64) string { return fmt.Sprintf("%s/%020d", logDir, v) }

// parseLogName reads the name of a file in a table; false for names that are none of the log's.
func parseLogName(name string) (logName, bool) {
	dir, base := path.Split(name)
	fields := strings.Split(base, ".")
	if len(fields) < 2 {
		return logName{}, false
	}
	v, ok := parseDigits(fields[0], 20)
	if !ok {
		return logName{}, false
	}
	n := logName{version: v}
	switch strings.TrimSuffix(dir, "/") {
	case logDir:
		ok = n.parse(fields[1:])
	case stagedDir:
		n.kind = stagedCommit
		ok = len(fields) == 3 && fields[2] == "json"
		if ok {
			n.uuid = fields[1]
		}
	default:
		ok = false
	}
	return n, ok
}

// parse reads what follows the version in a name.
func (n *logName) parse(rest []string) bool {
	last := rest[len(rest)-1]
	switch {
	case len(rest) == 1 && last == "json":
		n.kind = commitFile
	case len(rest) == 1 && last == "crc":
		n.kind = checksumFile
	case len(rest) == 3 && rest[1] == "compacted" && last == "json":
		n.kind = compactedFile
		end, ok := parseDigits(rest[0], 20)
		n.end = end
		return ok && end > n.version
	case rest[0] != "checkpoint":
		return false
	case len(rest) == 2 && last == "parquet":
		n.kind = classicCheckpoint
	case len(rest) == 3 && (last == "parquet" || last == "json"):
		n.kind, n.uuid, n.json = uuidCheckpoint, rest[1], last == "json"
		return n.uuid != ""
	case len(rest) == 4 && last == "parquet":
		n.kind = partCheckpoint
		part, ok1 := parseDigits(rest[1], 10)
		parts, ok2 := parseDigits(rest[2], 10)
		n.part, n.parts = int(part), int(parts)
		return ok1 && ok2 && 1 <= part && part <= parts
	default:
		return false
	}
	return true
}

// parseDigits reads a number written with exactly width digits.
func parseDigits(text string, width int) (int64, bool) {
	if len(text) != width {
		return 0, false
	}
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}
