package hudi

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// BaseFile is a Parquet file of a file group.
type BaseFile struct {
	BaseName
	Path    string // relative to the table
	Size    int64
	ModTime time.Time // zero when unknown
}

// LogFile holds changes to the rows of a base file.
type LogFile struct {
	LogName
	Path       string // relative to the table
	Size       int64
	Completion string // from table version 8 on: when the write that made the log was completed; "" when that is archived
}

// FileSlice is a file group as a snapshot sees it.
type FileSlice struct {
	Number    int64  // of the file in row ids
	Partition string // path relative to the table; "" when the table has no partitions
	FileID    string
	Base      *BaseFile // nil when there are only logs
	Logs      []LogFile // in the order in which they apply; none that hold CDC records
}

// Instant is the instant that the slice starts with: that of its base file, else of its first log.
func (s *FileSlice) Instant() string {
	switch {
	case s.Base != nil:
		return s.Base.Instant
	case len(s.Logs) > 0:
		return s.Logs[0].Instant
	}
	return ""
}

// fileGroup is all files of one file id in one partition.
type fileGroup struct {
	partition, id string
	bases         []BaseFile
	logs          []LogFile
}

// newest is the newest base file of an instant that is kept; nil when there is none.
func (g *fileGroup) newest(keep func(instant string) bool) *BaseFile {
	var out *BaseFile
	for i := range g.bases {
		b := &g.bases[i]
		if keep(b.Instant) && (out == nil || cmp.Or(strings.Compare(b.Instant, out.Instant), strings.Compare(b.Token, out.Token)) > 0) {
			out = b
		}
	}
	return out
}

// view tells which instants a snapshot sees.
type view interface {
	// committed reports whether the files that the write at instant made count.
	committed(instant string) bool
	// completion is when the write at instant was completed, from table version 8 on; "" when that is no longer known.
	completion(instant string) string
}

// slice is the state of the group that v sees; nil when it sees none. Logs are named after the base file that they belong to when
// byBase, else after the write that made them.
func (g *fileGroup) slice(v view, byBase bool) *FileSlice {
	s := &FileSlice{Partition: g.partition, FileID: g.id, Base: g.newest(v.committed)}
	for _, l := range g.logs {
		if l.CDC {
			continue
		}
		if byBase {
			// A log of a compaction that is still pending belongs on top of the slice before it (§1.7).
			if s.Base == nil || l.Instant >= s.Base.Instant {
				s.Logs = append(s.Logs, l)
			}
			continue
		}
		if !v.committed(l.Instant) {
			continue
		}
		l.Completion = v.completion(l.Instant)
		if s.Base == nil || cmp.Or(l.Completion, l.Instant) >= s.Base.Instant {
			s.Logs = append(s.Logs, l)
		}
	}
	if s.Base == nil && len(s.Logs) == 0 {
		return nil
	}
	slices.SortFunc(s.Logs, compareLogs)
	return s
}

// compareLogs orders the logs of a slice as they apply.
func compareLogs(a, b LogFile) int {
	return cmp.Or(strings.Compare(cmp.Or(a.Completion, a.Instant), cmp.Or(b.Completion, b.Instant)), strings.Compare(a.Instant, b.Instant),
		cmp.Compare(a.Version, b.Version), strings.Compare(a.Token, b.Token))
}
