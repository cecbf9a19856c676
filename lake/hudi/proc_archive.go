package hudi

import (
	"context"
	"slices"
)

// archived reads the archived commits between the arguments start_ts and end_ts, newest first.
func (c *call) archived(ctx context.Context) ([]said, error) {
	line, err := c.timeline(ctx)
	if err != nil {
		return nil, err
	}
	actions, err := line.ReadArchive(ctx, c.text("start_ts"), c.text("end_ts"))
	if err != nil {
		return nil, err
	}
	var out []said
	for _, a := range slices.Backward(actions) {
		if !a.Action.Writes() {
			continue
		}
		m, err := a.Commit()
		if err != nil {
			return nil, err
		}
		out = append(out, said{a.Instant, m})
	}
	return out, nil
}
