package metadata

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/storage"
)

// A slice is the state of a file group of the metadata table: a base file and the logs upon it.
type slice struct {
	id   string
	base *file // nil when there is none
	logs []file
}

// A file is a file of a file group.
type file struct {
	path       string // relative to the metadata table
	size       int64
	instant    string // of a base file and of logs of layout 2 the write that made it, of other logs that of its base file
	version    int    // of a log
	token      string
	completion string // when the write was completed
}

// parseFile reads the name of a file of a file group. Hadoop's checksums beside the files, `.<name>.crc`, are none.
func parseFile(info storage.Info) (id string, f file, isLog, ok bool) {
	name := info.Name[strings.LastIndexByte(info.Name, '/')+1:]
	f = file{path: info.Name, size: info.Size}
	if stem, isBase := strings.CutSuffix(name, ".hfile"); isBase {
		parts := strings.Split(stem, "_")
		if len(parts) != 3 || parts[0] == "" || parts[0][0] == '.' {
			return "", f, false, false
		}
		f.token, f.instant = parts[1], parts[2]
		return parts[0], f, false, true
	}
	rest, dot := strings.CutPrefix(name, ".")
	head, tail, cut := strings.Cut(rest, ".log.")
	id, instant, cut2 := strings.Cut(head, "_")
	version, token, _ := strings.Cut(tail, "_")
	n, err := strconv.Atoi(version)
	if !dot || !cut || !cut2 || err != nil || strings.HasPrefix(id, ".") || strings.Contains(token, ".") {
		return "", f, false, false
	}
	f.instant, f.version, f.token = instant, n, token
	return id, f, true, true
}

// listFiles lists the files of a partition: base files and logs by the id of their file group, and the paths of all files that
// hold something.
func listFiles(ctx context.Context, b storage.Bucket, partition string) (bases, logs map[string][]file, paths map[string]bool, err error) {
	bases, logs, paths = map[string][]file{}, map[string][]file{}, map[string]bool{}
	for info, err := range b.List(ctx, partition, "") {
		if err != nil {
			return nil, nil, nil, err
		}
		id, f, isLog, ok := parseFile(info)
		paths[info.Name] = info.Size > 0
		switch {
		case !ok:
		case isLog:
			logs[id] = append(logs[id], f)
		default:
			bases[id] = append(bases[id], f)
		}
	}
	return bases, logs, paths, nil
}

// listSlices lists the file groups of a partition and puts each in the state that the timeline says.
func (t *Table) listSlices(ctx context.Context, partition string) ([]*slice, error) {
	bases, logs, paths, err := listFiles(ctx, t.bucket, partition)
	if err != nil {
		return nil, err
	}
	var out []*slice
	for id := range union(bases, logs) {
		n, ok := shardOf(partition, id)
		if !ok {
			return nil, &StaleError{Path: partition, Reason: "a file group has the unknown name " + id}
		}
		for len(out) <= n && n < maxShards {
			out = append(out, nil)
		}
		if n >= maxShards {
			return nil, &StaleError{Path: partition, Reason: "a file group has the number " + strconv.Itoa(n)}
		}
		out[n] = t.sliceOf(id, bases[id], logs[id])
	}
	// Keys are spread over all file groups: with one missing, all would be looked for in the wrong place.
	if i := slices.Index(out, nil); i >= 0 {
		return nil, &StaleError{Path: partition, Reason: "the file group " + fileID(partition, i) + " is missing"}
	}
	return out, t.checkLogs(ctx, partition, out, paths)
}

// checkLogs finds logs that writes since the newest base file have made and that are not among paths: a log that is lost or empty would
// take what the write did with it.
func (t *Table) checkLogs(ctx context.Context, partition string, groups []*slice, paths map[string]bool) error {
	bases := map[string]string{}
	oldest, made := "~", ""
	for _, g := range groups {
		at := ""
		if g.base != nil {
			at = g.base.instant
		}
		bases[g.id], oldest = at, min(oldest, at)
		if first := g.start(); strings.HasPrefix(first, initPrefix) {
			i, _ := t.timeline.Find(first)
			made = max(made, i.Completion)
		}
	}
	for _, i := range t.timeline.Completed(timeline.DeltaCommit) {
		if i.Time <= oldest || i.Time < made || strings.HasPrefix(i.Time, initPrefix) { // before the partition was made it may have been dropped
			continue
		}
		m, err := t.timeline.ReadCommit(ctx, i)
		if err != nil {
			return &StaleError{Reason: "the write " + i.Time + " cannot be read", Err: err}
		}
		for _, st := range m.PartitionToWriteStats[partition] {
			if base, ok := bases[st.FileID]; ok && i.Time > base && st.Path != "" && !paths[st.Path] {
				return &StaleError{Path: st.Path, Reason: "a file is missing or empty"}
			}
		}
	}
	return nil
}

// maxShards bounds the file groups of a partition; Hudi makes at most 10,000.
const maxShards = 100_000

func union(a, b map[string][]file) map[string]bool {
	out := map[string]bool{}
	for k := range a {
		out[k] = true
	}
	for k := range b {
		out[k] = true
	}
	return out
}

// sliceOf chooses the newest base file of a completed write and the logs that belong upon it.
func (t *Table) sliceOf(id string, bases, logs []file) *slice {
	s := &slice{id: id}
	for i := range bases {
		b := &bases[i]
		if _, ok := t.timeline.CompletionOf(b.instant); !ok {
			continue
		}
		if s.base == nil || cmp.Or(strings.Compare(b.instant, s.base.instant), strings.Compare(b.token, s.base.token)) > 0 {
			s.base = b
		}
	}
	for _, l := range logs {
		if t.config.Layout < 2 {
			// The logs of layout 1 are of many writes; their blocks are chosen as they are read.
			l.completion = l.instant
		} else if done, ok := t.counts(l.instant); ok {
			l.completion = done
		} else {
			continue
		}
		if s.base == nil || l.completion >= s.base.instant {
			s.logs = append(s.logs, l)
		}
	}
	slices.SortFunc(s.logs, func(a, b file) int {
		return cmp.Or(strings.Compare(a.completion, b.completion), strings.Compare(a.instant, b.instant), cmp.Compare(a.version, b.version),
			strings.Compare(a.token, b.token))
	})
	return s
}

// counts reports whether what a write put into the metadata table is part of it: the write is completed there, and so is the write
// to the table that it belongs to, or a rollback that came after it takes it out. completion is when it was completed there.
func (t *Table) counts(instant string) (completion string, ok bool) {
	done, ok := t.timeline.CompletionOf(instant)
	if !ok || strings.HasPrefix(instant, initPrefix) || t.own[instant] {
		return done, ok
	}
	return done, t.data == nil || t.data.Archived(instant) || t.undone[instant] || t.done[instant]
}

// initPrefix begins the instants by which partitions are made.
const initPrefix = "00000000000000"
