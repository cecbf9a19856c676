package delta

import (
	"bytes"
	"context"
	"iter"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tarn-lake/tarn/lake"
)

// History is the commits that are still in the log, newest first. Each is read when the consumer comes to it.
func (t *Table) History(ctx context.Context) iter.Seq2[lake.Commit, error] {
	return func(yield func(lake.Commit, error) bool) {
		s, err := t.latest(ctx)
		if err != nil {
			yield(lake.Commit{}, err)
			return
		}
		l, err := t.list(ctx, 0)
		if err != nil {
			yield(lake.Commit{}, err)
			return
		}
		times := t.commitTimes(s.state.Metadata, l.commits)
		for i := range slices.Backward(l.commits) {
			c, err := t.commit(ctx, &l.commits[i])
			if err == nil {
				var ms int64
				ms, err = times(ctx, i)
				c.Time = time.UnixMilli(ms)
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// commit is what one commit says of itself, without its time.
func (t *Table) commit(ctx context.Context, f *logFile) (lake.Commit, error) {
	c := lake.Commit{Version: f.version}
	err := t.eachAction(ctx, f.Name, func(a Action) error {
		switch a := a.(type) {
		case *Add:
			c.FilesAdded++
		case *Remove:
			c.FilesRemoved++
		case *CommitInfo:
			a.describe(&c)
		}
		return nil
	})
	return c, err
}

// describe puts what a says into c.
func (a *CommitInfo) describe(c *lake.Commit) {
	c.Operation = lake.Operation{Name: a.Operation, Parameters: parameters(a.OperationParameters), Metrics: a.OperationMetrics}
	if a.UserMetadata != nil {
		c.Operation.UserMetadata = *a.UserMetadata
	}
	c.Metrics, c.ReadVersion, c.Isolation, c.BlindAppend = a.OperationMetrics, a.ReadVersion, a.IsolationLevel, a.IsBlindAppend
	c.Engine, c.UserID, c.User, c.TxnID = a.EngineInfo, a.UserID, a.UserName, a.TxnID
}

// parameters are the members of an object in order: text as it is, null as nil, what else there is as the text of its JSON.
func parameters(object jsontext.Value) []lake.Parameter {
	if object.Kind() != '{' {
		return nil
	}
	var out []lake.Parameter
	dec := jsontext.NewDecoder(bytes.NewReader(object))
	if _, err := dec.ReadToken(); err != nil {
		return nil
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return out
		}
		p := lake.Parameter{Key: name.String()}
		value, err := dec.ReadValue()
		if err != nil {
			return out
		}
		switch value.Kind() {
		case '"':
			var text string
			if json.Unmarshal(value, &text) != nil {
				return out
			}
			p.Value = text
		case 'n':
		default:
			p.Value = string(value)
		}
		out = append(out, p)
	}
	return out
}
