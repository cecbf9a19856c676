package duckdb

import (
	"context"
	"sync"
	"time"

	duck "github.com/duckdb/duckdb-go-bindings"

	"github.com/tarn-lake/tarn/engine"
)

// watchProgress tells the function of engine.WithProgress how far the statement of c is, until stop is
// called; stop waits for a call under way.
func watchProgress(ctx context.Context, c *conn) (stop func()) {
	tell := engine.ProgressOf(ctx)
	if tell == nil {
		return func() {}
	}
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
				if p := c.progress(); p.Percent >= 0 {
					tell(p)
				}
			}
		}
	}()
	return sync.OnceFunc(func() {
		close(quit)
		<-gone
	})
}

// progress is how far the running statement is; the percentage is negative when that is not known.
func (c *conn) progress() engine.Progress {
	p := duck.QueryProgress(c.h)
	percent, done, total := duck.QueryProgressTypeMembers(&p)
	return engine.Progress{Percent: percent, Done: done, Total: total}
}
