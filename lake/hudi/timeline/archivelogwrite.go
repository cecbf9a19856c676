package timeline

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path"
	"strconv"
	"strings"

	"github.com/tarn-lake/tarn/internal/avro"
	"github.com/tarn-lake/tarn/lake/hudi/logfile"
	"github.com/tarn-lake/tarn/storage"
)

// archiveBatch is how many records a block of an archive holds,
// hoodie.commits.archival.batch.
const archiveBatch = 10

// writeArchiveLog adds actions to the archive of layout 1, in a log file of their
// own: every file of every action. What the last file of the archive holds
// already, of an archival that was interrupted, is not written again.
func (t *Timeline) writeArchiveLog(ctx context.Context, old []Instant) error {
	last, number, err := t.lastArchiveLog(ctx)
	if err != nil {
		return err
	}
	known := make(map[action]bool)
	if last != "" {
		err := t.archiveEntries(ctx, last, func(e *archivedEntry) error {
			if e.State == Completed.String() {
				known[Instant{Time: e.Time, Action: Action(e.Action)}.key()] = true
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("%s: %w", last, err)
		}
	}
	var entries []*archivedEntry
	for _, i := range old {
		if known[i.key()] {
			continue
		}
		for _, p := range t.states[i.key()] {
			e, err := t.entry(ctx, p)
			if err != nil {
				return fmt.Errorf("instant %s: %w", p.Instant, err)
			}
			entries = append(entries, e)
		}
	}
	if len(entries) == 0 {
		return nil
	}
	data, err := encodeArchive(entries)
	if err != nil {
		return err
	}
	name := path.Join(t.Archive, archivePrefix+strconv.Itoa(number+1)+"_1-0-1")
	return storage.WriteFile(ctx, t.b, name, storage.Exclusive, data)
}

// lastArchiveLog is the log file of the archive that was written last, "" if there
// is none, and its number.
func (t *Timeline) lastArchiveLog(ctx context.Context) (last string, number int, err error) {
	names, err := list(ctx, t.b, t.Archive)
	for _, name := range names {
		rest, ok := strings.CutPrefix(path.Base(name), archivePrefix)
		digits, _, _ := strings.Cut(rest, "_")
		if n, e := strconv.Atoi(digits); ok && e == nil && n > number {
			last, number = name, n
		}
	}
	return last, number, err
}

// encodeArchive makes a log file of entries.
func encodeArchive(entries []*archivedEntry) ([]byte, error) {
	text, err := headerSchema(schemaOf("archived", 5))
	if err != nil {
		return nil, err
	}
	schema, err := avro.Parse(text)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for len(entries) > 0 {
		n := min(len(entries), archiveBatch)
		var records [][]byte
		for _, e := range entries[:n] {
			r, err := schema.Encode(nil, e)
			if err != nil {
				return nil, fmt.Errorf("instant %s: %w", e.Time, err)
			}
			records = append(records, r)
		}
		header := logfile.Header{{Key: logfile.Schema, Value: text}}
		if err := logfile.Write(&out, logfile.AvroData, header, logfile.AppendRecords(nil, records)); err != nil {
			return nil, err
		}
		entries = entries[n:]
	}
	return out.Bytes(), nil
}

// entry is a file of an action as the archive of layout 1 holds it.
func (t *Timeline) entry(ctx context.Context, p part) (*archivedEntry, error) {
	data, err := t.ReadRaw(ctx, p.Instant)
	if err != nil {
		return nil, err
	}
	one, modified := int32(1), FormatTime(p.modified, t.Zone)
	e := &archivedEntry{Time: p.Time, Action: string(p.Action), State: p.State.String(), Transition: &modified, Version: &one}
	switch p.Action {
	case Commit, DeltaCommit:
		e.Commit, err = archivedCommit(data)
	case ReplaceCommit:
		err = e.replace(p.State, data)
	case Compaction, LogCompaction:
		if p.State == Requested {
			e.CompactionPlan = new(CompactionPlan)
			err = Decode(data, e.CompactionPlan)
		}
	case Clean:
		if p.State == Completed {
			e.Clean = new(CleanMetadata)
			err = Decode(data, e.Clean)
		} else if len(data) > 0 {
			e.CleanPlan = new(CleanPlan)
			err = Decode(data, e.CleanPlan)
		}
	case Rollback:
		if p.State == Completed {
			e.Rollback = new(RollbackMetadata)
			err = Decode(data, e.Rollback)
		}
	}
	return e, err
}

func (e *archivedEntry) replace(s State, data []byte) (err error) {
	switch {
	case s == Completed:
		e.Replace, err = archivedCommit(data)
		if err == nil && e.Replace.PartitionToReplaceFileIDs == nil {
			e.Replace.PartitionToReplaceFileIDs = map[string][]string{}
		}
	case len(data) == 0:
	case s == Inflight:
		e.ReplaceInflight, err = archivedCommit(data)
	default:
		e.ReplacePlan = new(ReplacePlan)
		err = Decode(data, e.ReplacePlan)
	}
	return err
}

// archivedCommit is what a commit says as Hudi archives it.
func archivedCommit(data []byte) (*avroCommit, error) {
	m := CommitMetadata{OperationType: "UNKNOWN"}
	if err := Decode(data, &m); err != nil {
		return nil, err
	}
	a := m.avro()
	a.ExtraMetadata = maps.Clone(a.ExtraMetadata)
	a.ExtraMetadata[rollingStat] = ""
	return a, nil
}
