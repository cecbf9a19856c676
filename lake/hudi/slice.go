package hudi

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// baseFile is a Parquet file of a file group.
type baseFile struct {
	baseName
	Path    string // relative to the table
	Size    int64
	ModTime time.Time // zero when unknown
}

// logFile holds changes to the rows of a base file.
type logFile struct {
	logName
	Path       string // relative to the table
	Size       int64
	Completion string // from table version 8 on: when the write that made the log was completed; "" when that is archived
}

// fileSlice is a file group as a snapshot sees it.
type fileSlice struct {
	Number    int64  // of the file in row ids
	Partition string // path relative to the table; "" when the table has no partitions
	FileID    string
	Base      *baseFile // nil when there are only logs
	Logs      []logFile // in the order in which they apply; none that hold CDC records
}

// Instant is the instant that the slice starts with: that of its base file, else of its first log.
func (s *fileSlice) Instant() string {
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
	bases         []baseFile
	logs          []logFile
}

// view tells which instants a snapshot sees.
type view interface {
	// committed reports whether the files that the write at instant made count.
	committed(instant string) bool
	// completion is when the write at instant was completed, from table version 8 on; "" when that is no longer known.
	completion(instant string) string
}

// slice is the state of the group that v sees; nil when it sees none.
func (g *fileGroup) slice(v view, byBase bool) *fileSlice {
	all := g.slices(v, byBase)
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}

// slices are the states of the group that v sees, oldest first. A log belongs to the newest base file that is not newer than the log
// (§1.7): by the instant in its name when byBase, else by when the write that made it was completed. The former also puts the logs of a
// compaction that is still pending on top of the slice before it.
func (g *fileGroup) slices(v view, byBase bool) []*fileSlice {
	out := g.baseSlices(v)
	for _, l := range g.logs {
		at := l.Instant
		switch {
		case l.CDC:
			continue
		case byBase:
		case !v.committed(l.Instant):
			continue
		default:
			l.Completion = v.completion(l.Instant)
			at = cmp.Or(l.Completion, l.Instant)
		}
		i := len(out) - 1
		for i >= 0 && out[i].Base != nil && out[i].Base.Instant > at {
			i--
		}
		if i < 0 { // logs that are older than all base files, or without any
			out = slices.Insert(out, 0, &fileSlice{Partition: g.partition, FileID: g.id})
			i = 0
		}
		out[i].Logs = append(out[i].Logs, l)
	}
	for _, s := range out {
		slices.SortFunc(s.Logs, compareLogs)
	}
	return out
}

// baseSlices are slices of the base files that v sees, one an instant, oldest first.
func (g *fileGroup) baseSlices(v view) (out []*fileSlice) {
	for i := range g.bases {
		if b := &g.bases[i]; v.committed(b.Instant) {
			out = append(out, &fileSlice{Partition: g.partition, FileID: g.id, Base: b})
		}
	}
	slices.SortFunc(out, func(a, b *fileSlice) int {
		return cmp.Or(strings.Compare(a.Base.Instant, b.Base.Instant), strings.Compare(b.Base.Token, a.Base.Token))
	})
	return slices.CompactFunc(out, func(a, b *fileSlice) bool { return a.Base.Instant == b.Base.Instant })
}

// compareLogs orders the logs of a slice as they apply.
func compareLogs(a, b logFile) int {
	return cmp.Or(strings.Compare(cmp.Or(a.Completion, a.Instant), cmp.Or(b.Completion, b.Instant)), strings.Compare(a.Instant, b.Instant),
		cmp.Compare(a.Version, b.Version), strings.Compare(a.Token, b.Token))
}
