package delta

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// logFile is a file of the log as it was listed.
type logFile struct {
	logName
	storage.Info
}

// segment is the part of a log that gives one version of the table: a checkpoint, unless the log starts at version 0,
// and what came after it.
type segment struct {
	version    int64
	checkpoint []logFile // files of one complete checkpoint, in order of parts; nil when there is none
	deltas     []logFile // commits and compacted files after it, rising and without gaps
	last       *logFile  // the commit of version; nil when only its checkpoint is left
}

// listing is what the log holds from some version on.
type listing struct {
	commits     []logFile // by version
	compacted   []logFile // by version
	checkpoints map[int64][]logFile
}

// list reads the names in the log from version on.
func (t *Table) list(ctx context.Context, from int64) (*listing, error) {
	l := &listing{checkpoints: map[int64][]logFile{}}
	for info, err := range t.bucket.List(ctx, logDir, versionPrefix(from)) {
		if err != nil {
			return nil, t.fail("list", logDir, err)
		}
		if info.Name[len(logDir)+1] > '9' { // versions are over; folders and hints follow
			break
		}
		n, ok := parseLogName(info.Name)
		if !ok {
			continue
		}
		f := logFile{n, info}
		switch n.kind {
		case commitFile:
			l.commits = append(l.commits, f)
		case compactedFile:
			l.compacted = append(l.compacted, f)
		case classicCheckpoint, partCheckpoint, uuidCheckpoint:
			if info.Size > 0 {
				l.checkpoints[n.version] = append(l.checkpoints[n.version], f)
			}
		}
	}
	return l, nil
}

// complete is a whole checkpoint of version v, or nil. Of several it takes the classic one, then the V2 one of the lowest
// id, then the one of the fewest parts.
func (l *listing) complete(v int64) []logFile {
	files := slices.SortedFunc(slices.Values(l.checkpoints[v]), func(a, b logFile) int {
		return cmp.Or(cmp.Compare(rank(a.kind), rank(b.kind)), cmp.Compare(a.parts, b.parts), cmp.Compare(a.part, b.part), cmp.Compare(a.Name, b.Name))
	})
	for i := 0; i < len(files); i++ {
		f := files[i]
		if f.kind != partCheckpoint {
			return files[i : i+1]
		}
		end := i
		for end < len(files) && files[end].parts == f.parts && files[end].part == end-i+1 {
			end++
		}
		if end-i == f.parts {
			return files[i:end]
		}
	}
	return nil
}

func rank(k fileKind) int {
	return slices.Index([]fileKind{classicCheckpoint, uuidCheckpoint, partCheckpoint}, k)
}

// newest is the newest version up to limit with a complete checkpoint, and its files.
func (l *listing) newest(limit int64) (int64, []logFile) {
	versions := make([]int64, 0, len(l.checkpoints))
	for v := range l.checkpoints {
		versions = append(versions, v)
	}
	slices.Sort(versions)
	for _, v := range slices.Backward(versions) {
		if v <= limit {
			if files := l.complete(v); files != nil {
				return v, files
			}
		}
	}
	return -1, nil
}

// dropFrom forgets the checkpoints of version v and later.
func (l *listing) dropFrom(v int64) {
	maps.DeleteFunc(l.checkpoints, func(at int64, _ []logFile) bool { return at >= v })
}

// hint is the version that _last_checkpoint names, or -1. It is only a hint: whatever is wrong with it is ignored.
func (t *Table) hint(ctx context.Context) (int64, error) {
	text, err := storage.ReadFile(ctx, t.bucket, lastCheckpoint, maxLine)
	if ctx.Err() != nil {
		return -1, ctx.Err()
	}
	if err != nil {
		return -1, nil
	}
	return parseHint(text), nil
}

// parseHint reads the version out of the text of _last_checkpoint; -1 when there is none.
func parseHint(text []byte) int64 {
	var h struct {
		Version *int64 `json:"version"`
	}
	if types.JSONDepth(text) > maxDepth || json.Unmarshal(text, &h) != nil || h.Version == nil || *h.Version < 0 {
		return -1
	}
	return *h.Version
}

// latestVersion stands for the newest version in a search.
const latestVersion = int64(1<<63 - 1)

// segment finds the files that give version want, or the latest one.
func (t *Table) segment(ctx context.Context, want int64) (*segment, error) {
	from, err := t.hint(ctx)
	if err != nil {
		return nil, err
	}
	if from > want {
		from = -1
	}
	l, err := t.list(ctx, max(from, 0))
	if err != nil {
		return nil, err
	}
	if _, files := l.newest(want); files == nil && from > 0 { // the hint is stale
		if l, err = t.list(ctx, 0); err != nil {
			return nil, err
		}
	}
	return t.choose(l, want)
}

// choose picks the files for version want out of a listing.
func (t *Table) choose(l *listing, want int64) (*segment, error) {
	start, files := l.newest(want)
	s := &segment{version: start, checkpoint: files}
	for i := range l.commits {
		c := &l.commits[i]
		if c.version == start {
			s.last = c
		}
		if c.version <= start || c.version > want {
			continue
		}
		if c.version != s.version+1 {
			return nil, t.gap(l, s.version, c.version)
		}
		s.version, s.last = c.version, c
		s.deltas = append(s.deltas, *c)
	}
	switch {
	case s.version < 0 && len(l.commits) == 0:
		return nil, t.missing()
	case want != latestVersion && s.version != want:
		return nil, t.notFound(l, want)
	}
	s.deltas = compact(s.deltas, l.compacted)
	return s, nil
}

// compact puts compacted files in the place of the commits that they stand for, longest first, but keeps the last commit,
// which alone tells when and by whom it was made.
func compact(commits, compacted []logFile) []logFile {
	var out []logFile
	for i := 0; i < len(commits); i++ {
		best := -1
		for j, c := range compacted {
			if c.version == commits[i].version && c.end < commits[len(commits)-1].version && (best < 0 || c.end > compacted[best].end) {
				best = j
			}
		}
		if best < 0 {
			out = append(out, commits[i])
			continue
		}
		out = append(out, compacted[best])
		i += int(compacted[best].end - compacted[best].version)
	}
	return out
}

// gap says that no commit leads from version have to version next.
func (t *Table) gap(l *listing, have, next int64) error {
	if have < 0 {
		return &lake.Error{Op: "read log of", Path: t.path, Class: "DELTA_TRUNCATED_TRANSACTION_LOG",
			Params: map[string]string{"path": commitName(0), "version": strconv.FormatInt(l.commits[len(l.commits)-1].version, 10)},
			Hint:   "commits were deleted from the start of the log and there is no complete checkpoint after them",
			Err:    fmt.Errorf("the log starts at version %d, and no checkpoint stands for what came before", next)}
	}
	return &lake.Error{Op: "read log of", Path: t.path, Class: "DELTA_VERSIONS_NOT_CONTIGUOUS",
		Params: map[string]string{"startVersion": strconv.FormatInt(have, 10), "endVersion": strconv.FormatInt(next, 10), "versionToLoad": strconv.FormatInt(next, 10)},
		Hint:   "a commit was deleted or not copied; restore it, or copy the whole _delta_log again",
		Err:    fmt.Errorf("version %d follows version %d: %s is missing", next, have, commitName(have+1))}
}

// notFound says that version want cannot be read.
func (t *Table) notFound(l *listing, want int64) error {
	earliest, latest := l.earliest(), int64(-1)
	if n := len(l.commits); n > 0 {
		latest = l.commits[n-1].version
	}
	if v, _ := l.newest(latestVersion); v > latest {
		latest = v
	}
	return &lake.Error{Op: "read", Path: t.path, Class: "DELTA_VERSION_NOT_FOUND",
		Params: map[string]string{"userVersion": strconv.FormatInt(want, 10), "earliest": strconv.FormatInt(earliest, 10), "latest": strconv.FormatInt(latest, 10)},
		Err:    fmt.Errorf("there is no version %d: versions %d to %d can be read", want, earliest, latest)}
}

// earliest is the first version that can still be read.
func (l *listing) earliest() int64 {
	if len(l.commits) > 0 && l.commits[0].version == 0 {
		return 0
	}
	first := latestVersion
	for v := range l.checkpoints {
		if l.complete(v) != nil {
			first = min(first, v)
		}
	}
	if first == latestVersion {
		return -1
	}
	return first
}

// isMissing reports whether err says that a file is not there.
func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
