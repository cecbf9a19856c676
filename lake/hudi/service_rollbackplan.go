package hudi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/lake/hudi/logfile"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/storage"
)

// requests are the files that an action has made, as far as can be told: by the markers of a write that is not done, by its metadata
// if it is, and by a listing of the table if there is neither. Log files of old tables that hold blocks of other writes too are not
// removed; their blocks become void.
func (u *undo) requests(ctx context.Context, i timeline.Instant) ([]timeline.RollbackRequest, error) {
	p := rollbackPlanner{undo: u, target: i.Time, files: map[string]*timeline.RollbackRequest{}}
	markers, err := timeline.Markers(ctx, u.bucket, i.Time)
	switch {
	case err != nil:
		return nil, err
	case i.State == timeline.Completed:
		err = p.byMetadata(ctx, i)
	case len(markers) > 0:
		err = p.byMarkers(ctx, markers)
	default:
		err = p.byListing(ctx)
	}
	if err != nil {
		return nil, err
	}
	return p.sorted(), nil
}

// rollbackPlanner collects what a rollback has to do, by the names of files.
type rollbackPlanner struct {
	*undo
	target string
	files  map[string]*timeline.RollbackRequest
}

func (p *rollbackPlanner) sorted() []timeline.RollbackRequest {
	out := make([]timeline.RollbackRequest, 0, len(p.files))
	for _, q := range p.files {
		out = append(out, *q)
	}
	slices.SortFunc(out, func(a, b timeline.RollbackRequest) int {
		return cmp.Or(cmp.Compare(a.PartitionPath, b.PartitionPath), cmp.Compare(a.FileID, b.FileID),
			slices.Compare(a.FilesToBeDeleted, b.FilesToBeDeleted))
	})
	return out
}

func (p *rollbackPlanner) byMarkers(ctx context.Context, markers []timeline.Marker) error {
	for _, m := range markers {
		if m.Type != timeline.AppendMarker {
			p.delete(m.Path)
			continue
		}
		if err := p.appended(ctx, m.Path); err != nil {
			return err
		}
	}
	return nil
}

// appended takes the marker of an append: the name of a log file, or, as releases before 0.14 have it, of the base file whose logs
// were appended to.
func (p *rollbackPlanner) appended(ctx context.Context, name string) error {
	dir, base := splitPath(name)
	if _, err := parseLogName(base); err == nil {
		return p.log(ctx, name, true)
	}
	n, err := parseBaseName(base)
	if err != nil {
		return fmt.Errorf("marker of %s: %w", name, err)
	}
	logs, err := p.logsOf(ctx, dir, n.FileID, n.Instant)
	if err != nil {
		return err
	}
	for _, l := range logs {
		if err := p.log(ctx, l.Path, false); err != nil {
			return err
		}
	}
	return nil
}

func (p *rollbackPlanner) byMetadata(ctx context.Context, i timeline.Instant) error {
	m, err := p.line.ReadCommit(ctx, i)
	if err != nil {
		return err
	}
	for _, stats := range m.PartitionToWriteStats {
		for k := range stats {
			if err := p.stat(ctx, &stats[k]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *rollbackPlanner) stat(ctx context.Context, s *timeline.WriteStat) error {
	names := []string{s.Path}
	for name := range s.CDCStats {
		names = append(names, name)
	}
	for _, name := range names {
		if err := storage.CheckName(name); err != nil {
			return err
		}
		if !strings.HasPrefix(path.Base(name), ".") {
			p.delete(name)
			continue
		}
		if err := p.log(ctx, name, true); err != nil {
			return err
		}
	}
	return nil
}

// byListing looks for files of the action in the whole table. Those of old log files are known by their blocks only.
func (p *rollbackPlanner) byListing(ctx context.Context) error {
	found, err := listFiles(ctx, p.bucket)
	if err != nil {
		return err
	}
	for _, g := range found.sorted() {
		for _, b := range g.bases {
			if b.Instant == p.target {
				p.delete(b.Path)
			}
		}
		for _, l := range g.logs {
			if p.config.Version >= 8 && l.Instant != p.target {
				continue
			}
			if err := p.log(ctx, l.Path, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// delete asks for a file to be removed.
func (p *rollbackPlanner) delete(name string) {
	dir, base := splitPath(name)
	q := &timeline.RollbackRequest{PartitionPath: dir, LatestBaseInstant: p.target, FilesToBeDeleted: []string{p.absolute(name)}, LogBlocksToBeDeleted: map[string]int64{}}
	if n, err := parseBaseName(base); err == nil {
		q.FileID = n.FileID
	} else if n, err := parseLogName(base); err == nil {
		q.FileID = n.FileID
	}
	p.files[name] = q
}

// log asks for a log file to be removed if all of it is of the action, and for its blocks to become void if some of them are. Torn
// blocks are of a write that failed, and of this one if the file is named as one that it wrote. From table version 8 on every log file
// is of one write.
func (p *rollbackPlanner) log(ctx context.Context, name string, named bool) error {
	if p.config.Version >= 8 {
		p.delete(name)
		return nil
	}
	size, mine, others, err := p.blocks(ctx, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	case others == 0 && (mine > 0 || named):
		p.delete(name)
		return nil
	case mine == 0:
		return nil
	}
	dir, base := splitPath(name)
	n, err := parseLogName(base)
	if err != nil {
		return err
	}
	key := dir + "/" + n.FileID + "_" + n.Instant
	if p.files[key] == nil {
		p.files[key] = &timeline.RollbackRequest{PartitionPath: dir, FileID: n.FileID, LatestBaseInstant: n.Instant, FilesToBeDeleted: []string{}, LogBlocksToBeDeleted: map[string]int64{}}
	}
	p.files[key].LogBlocksToBeDeleted[p.absolute(name)] = size
	return nil
}

// blocks counts the whole blocks of a log file that are of the action, and those of others.
func (p *rollbackPlanner) blocks(ctx context.Context, name string) (size int64, mine, others int, err error) {
	f, err := p.bucket.Open(ctx, name)
	if err != nil {
		return 0, 0, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, 0, 0, err
	}
	for r := logfile.NewReader(f, info.Size); ; {
		b, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return info.Size, mine, others, nil
		case err != nil:
			return 0, 0, 0, err
		case b.Type == logfile.Corrupt:
		case b.Instant() == p.target:
			mine++
		default:
			others++
		}
	}
}

// logsOf are the log files of a slice, oldest first.
func (t *Table) logsOf(ctx context.Context, partition, id, instant string) (out []logFile, err error) {
	prefix := path.Join(partition, "."+id+"_"+instant+".log.")
	for info, err := range t.bucket.List(ctx, partition, prefix) {
		if err != nil {
			return nil, err
		}
		if !strings.HasPrefix(info.Name, prefix) {
			break
		}
		_, base := splitPath(info.Name)
		if n, err := parseLogName(base); err == nil {
			out = append(out, logFile{logName: n, Path: info.Name, Size: info.Size})
		}
	}
	slices.SortFunc(out, func(a, b logFile) int { return cmp.Compare(a.Version, b.Version) })
	return out, nil
}

// writeVoid writes the log file of a rollback, after all others of its slice, unless an earlier attempt has.
func (u *undo) writeVoid(ctx context.Context, rollback, target string, q *timeline.RollbackRequest, logs []logFile) (name string, size int64, err error) {
	var b bytes.Buffer
	if err := logfile.WriteRollback(&b, rollback, target); err != nil {
		return "", 0, err
	}
	n := logName{FileID: q.FileID, Instant: q.LatestBaseInstant, Version: 1, Token: "1-0-1"}
	if len(logs) > 0 {
		last := logs[len(logs)-1]
		if n.Version = last.Version + 1; last.Size == int64(b.Len()) {
			have, err := storage.ReadFile(ctx, u.bucket, last.Path, last.Size)
			if err != nil {
				return "", 0, err
			}
			if bytes.Equal(have, b.Bytes()) {
				return last.Path, last.Size, nil
			}
		}
	}
	name = path.Join(q.PartitionPath, n.String())
	if err := storage.CheckName(name); err != nil {
		return "", 0, err
	}
	return name, int64(b.Len()), storage.WriteFile(ctx, u.bucket, name, storage.Exclusive, b.Bytes())
}

// splitPath takes the name of a file apart; the folder of a table that is not partitioned is "".
func splitPath(name string) (dir, base string) {
	dir, base = path.Split(name)
	return strings.TrimSuffix(dir, "/"), base
}
