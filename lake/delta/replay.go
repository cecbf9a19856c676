package delta

import (
	"context"
	"fmt"
	"strconv"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/storage"
)

// maxLogFile bounds one JSON file of the log, in bytes.
const maxLogFile = 4 << 30

// replay is the state that the files of s give. In the place of a checkpoint that cannot be read comes an older one, or
// none, if all commits from there to the version of s are left: they say the same. Else the fault is the error.
func (t *Table) replay(ctx context.Context, s *segment) (*State, error) {
	state, err := t.startOf(ctx, s)
	if err == nil {
		return state, t.applyDeltas(ctx, state, s.deltas)
	}
	l, lost := t.list(ctx, 0)
	for lost == nil && ctx.Err() == nil && s.checkpoint != nil {
		l.dropFrom(s.checkpoint[0].version)
		if s, lost = t.choose(l, s.version); lost != nil {
			break
		}
		if state, older := t.startOf(ctx, s); older == nil {
			return state, t.applyDeltas(ctx, state, s.deltas)
		}
	}
	return nil, err
}

// startOf is the state that the checkpoint of s gives, which is empty without one.
func (t *Table) startOf(ctx context.Context, s *segment) (*State, error) {
	state := new(State)
	for _, f := range s.checkpoint {
		if err := t.applyCheckpoint(ctx, state, f); err != nil {
			return nil, err
		}
	}
	return state, nil
}

// applyDeltas applies commits and compacted files in order.
func (t *Table) applyDeltas(ctx context.Context, state *State, files []logFile) error {
	for _, f := range files {
		if err := t.eachAction(ctx, f.Name, state.Apply); err != nil {
			return err
		}
	}
	return nil
}

// eachAction calls f for each action of a JSON file of the log.
func (t *Table) eachAction(ctx context.Context, name string, f func(Action) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	text, err := storage.ReadFile(ctx, t.bucket, name, maxLogFile)
	if err != nil {
		return t.fail("read", name, err)
	}
	if err := DecodeActions(text, f); err != nil {
		return t.corrupt(name, err)
	}
	return nil
}

func (t *Table) corrupt(name string, err error) error {
	return &lake.Error{Op: "read", Path: t.path + "/" + name, Err: err,
		Hint: "the log is damaged here; nothing is skipped, because rows would be lost or come twice"}
}

// recoverable checks that the state of a version has what every reader needs.
func (t *Table) recoverable(s *State, version int64) error {
	missing := ""
	switch {
	case s.Protocol == nil:
		missing = "Protocol"
	case s.Metadata == nil:
		missing = "Metadata"
	default:
		return nil
	}
	return &lake.Error{Op: "read", Path: t.path, Class: "DELTA_STATE_RECOVER_ERROR",
		Params: map[string]string{"operation": missing, "version": strconv.FormatInt(version, 10)},
		Err:    fmt.Errorf("version %d has no %s action before it", version, missing)}
}
