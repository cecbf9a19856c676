package hudi

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tarn-lake/tarn/lake/hudi/timeline"
)

// archivedAction is a completed action of the archive and what it says.
type archivedAction struct {
	timeline.Instant
	data []byte
}

// Decode reads what the action says.
func (a archivedAction) Decode(m timeline.Record) error { return timeline.Decode(a.data, m) }

// archive reads the archived actions, oldest first.
func (c *call) archive(context.Context, *timeline.Timeline) ([]archivedAction, error) {
	return nil, fmt.Errorf("archived instants: %w", errors.ErrUnsupported)
}

// archived reads the archived commits between the arguments start_ts and end_ts, newest first.
func (c *call) archived(ctx context.Context) ([]said, error) {
	line, err := c.timeline(ctx)
	if err != nil {
		return nil, err
	}
	actions, err := c.archive(ctx, line)
	if err != nil {
		return nil, err
	}
	var out []said
	for _, a := range slices.Backward(actions) {
		from, to := c.text("start_ts"), c.text("end_ts")
		if !a.Action.Writes() || a.Time < from || to != "" && a.Time > to {
			continue
		}
		m := new(timeline.CommitMetadata)
		if err := a.Decode(m); err != nil {
			return nil, err
		}
		out = append(out, said{a.Instant, m})
	}
	return out, nil
}
