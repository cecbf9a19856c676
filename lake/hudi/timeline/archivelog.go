package timeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/tarn-lake/tarn/internal/avro"
	"github.com/tarn-lake/tarn/lake/hudi/logfile"
)

// The archive of layout 1 are log files with blocks of Avro records, one for each
// file of an action: archived/.commits_.archive.<n>_<token>.
const archivePrefix = ".commits_.archive."

// archivedEntry is a file of an action as an archive of layout 1 holds it. Which
// of the records is set depends on action and state.
type archivedEntry struct {
	Time       string  `avro:"commitTime"`
	Action     string  `avro:"actionType"`
	State      string  `avro:"actionState,omitzero"`
	Transition *string `avro:"stateTransitionTime"` // when the file was written
	Version    *int32  `avro:"version"`

	Commit          *avroCommit        `avro:"hoodieCommitMetadata"`
	Clean           *CleanMetadata     `avro:"hoodieCleanMetadata"`
	Compaction      any                `avro:"hoodieCompactionMetadata"` // of releases of old
	Rollback        *RollbackMetadata  `avro:"hoodieRollbackMetadata"`
	Savepoint       *SavepointMetadata `avro:"hoodieSavePointMetadata"`
	CompactionPlan  *CompactionPlan    `avro:"hoodieCompactionPlan"`
	CleanPlan       *CleanPlan         `avro:"hoodieCleanerPlan"`
	Replace         *avroCommit        `avro:"hoodieReplaceCommitMetadata"`
	ReplacePlan     *ReplacePlan       `avro:"hoodieRequestedReplaceMetadata"`
	ReplaceInflight *avroCommit        `avro:"HoodieInflightReplaceMetadata"`
	Index           *IndexMetadata     `avro:"hoodieIndexCommitMetadata"`
}

// rollingStat is a key that Hudi adds to the extra metadata of archived commits.
const rollingStat = "ROLLING_STAT"

// readArchiveLog reads the archived actions of layout 1. A block that a crash has
// left torn is passed over: its actions are on the active timeline still.
func (t *Timeline) readArchiveLog(ctx context.Context, from, to string) (out []Archived, err error) {
	names, err := list(ctx, t.b, t.Archive)
	if err != nil {
		return nil, err
	}
	plans := make(map[action][]byte)
	for _, name := range names {
		if !strings.HasPrefix(path.Base(name), archivePrefix) {
			continue
		}
		err := t.archiveEntries(ctx, name, func(e *archivedEntry) error {
			if !inRange(e.Time, from, to) {
				return nil
			}
			a, err := e.archived(t.Version)
			if err != nil {
				return err
			}
			if a.State == Completed {
				out = append(out, a)
			} else if a.Plan != nil {
				plans[a.key()] = a.Plan
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for i := range out {
		out[i].Plan = plans[out[i].key()]
	}
	return out, nil
}

// archiveEntries calls f with the records of a log file.
func (t *Timeline) archiveEntries(ctx context.Context, name string, f func(*archivedEntry) error) error {
	file, err := t.b.Open(ctx, name)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	var (
		text   string
		schema *avro.Schema
	)
	for blocks := logfile.NewReader(file, info.Size); ; {
		b, err := blocks.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if b.Type != logfile.AvroData {
			continue
		}
		if s := b.Header.Get(logfile.Schema); schema == nil || s != text {
			if schema, err = avro.Parse(s); err != nil {
				return fmt.Errorf("block at %d: schema: %w", b.Offset, err)
			}
			text = s
		}
		records, err := b.Records()
		if err != nil {
			return err
		}
		for _, r := range records {
			var e archivedEntry
			if err := schema.Decode(r, &e); err != nil {
				return fmt.Errorf("block at %d: %w", b.Offset, err)
			}
			if err := f(&e); err != nil {
				return err
			}
		}
	}
}

// archived returns the action of an entry. Of one that is not completed, only the
// plan is of use.
func (e *archivedEntry) archived(version int) (a Archived, err error) {
	a.Instant = Instant{Time: e.Time, Action: Action(e.Action)}
	if !digits(e.Time) {
		return a, fmt.Errorf("an archived action is of instant %q", e.Time)
	}
	switch e.State {
	case Completed.String(), "":
		a.State = Completed
	case Inflight.String():
		a.State = Inflight
	}
	if e.Transition != nil {
		a.Completion = *e.Transition
	}
	if m := e.record(a.State); m != nil && a.State == Completed {
		a.Metadata, err = Encode(m, version)
	} else if m != nil && a.State == Requested {
		a.Plan, err = Encode(m, version)
	}
	return a, err
}

// record is what the file of the entry said, nil if nothing.
func (e *archivedEntry) record(s State) Record {
	switch {
	case e.Commit != nil:
		return e.Commit.metadata()
	case e.Replace != nil:
		m := e.Replace.metadata()
		if m.PartitionToReplaceFileIDs == nil {
			m.PartitionToReplaceFileIDs = map[string][]string{}
		}
		return m
	case e.CompactionPlan != nil:
		return e.CompactionPlan
	case e.ReplacePlan != nil:
		return e.ReplacePlan
	case e.Clean != nil:
		return e.Clean
	case e.CleanPlan != nil && s == Requested:
		return e.CleanPlan
	case e.Rollback != nil:
		return e.Rollback
	case e.Savepoint != nil:
		return e.Savepoint
	case e.Index != nil:
		return e.Index
	}
	return nil
}
