package console

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/tarn-lake/tarn"
)

// patience is how long a statement may take before a progress line appears.
const patience = time.Second

// watch shows on a terminal how far the running statement is, on one line that it erases again.
type watch struct {
	ctx context.Context
	to  Stream

	mu     sync.Mutex
	start  time.Time
	far    tarn.Progress // what the engine told last
	shown  bool          // the line is on the screen
	silent bool          // rows are on the same screen, until the next statement
}

// watch makes a context whose statements show their progress until stop.
func (c *Console) watch(ctx context.Context) (w *watch, stop func()) {
	w = &watch{ctx: ctx, to: c.Err, start: time.Now(), far: tarn.Progress{Percent: -1}}
	if !c.Err.Terminal {
		return w, func() {}
	}
	w.ctx = tarn.WithProgress(ctx, w.told)
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(patience / 5)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
				w.draw()
			}
		}
	}()
	return w, func() {
		close(quit)
		<-gone
		w.clear()
	}
}

func (w *watch) told(p tarn.Progress) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.far = p
}

func (w *watch) draw() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.silent || time.Since(w.start) < patience {
		return
	}
	w.shown = true
	fmt.Fprintf(w.to, "\r\x1b[K%s", progressLine(w.far, time.Since(w.start), w.to.width()))
}

// progressLine is such as "[######........]  43 %  1.2M of 2.8M rows  3 s", or "running  3 s" where the engine does not
// know how far it is.
func progressLine(p tarn.Progress, since time.Duration, width int) string {
	if p.Percent < 0 {
		return fmt.Sprintf("running  %.0f s", since.Seconds())
	}
	const cells = 20
	share := min(p.Percent, 100)
	full := int(share / 100 * cells)
	line := fmt.Sprintf("[%s%s] %3.0f %%", strings.Repeat("#", full), strings.Repeat(".", cells-full), share)
	if p.Total > 0 {
		line += fmt.Sprintf("  %s of %s rows", short(p.Done), short(p.Total))
	}
	line += fmt.Sprintf("  %.0f s", since.Seconds())
	if width > 1 && len(line) >= width {
		line = line[:width-1]
	}
	return line
}

func short(n uint64) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 10_000_000:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	case n < 10_000_000_000:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1fG", float64(n)/1e9)
}

// clear takes the line away and starts the clock of the next statement.
func (w *watch) clear() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.erase()
	w.start, w.far, w.silent = time.Now(), tarn.Progress{Percent: -1}, false
}

func (w *watch) erase() {
	if w.shown {
		io.WriteString(w.to, "\r\x1b[K")
		w.shown = false
	}
}

// before is out, with the line erased before each write, and not drawn again behind rows on the same screen: it would
// erase the end of them.
func (w *watch) before(out Stream) io.Writer { return clearing{w, out} }

type clearing struct {
	w   *watch
	out Stream
}

func (c clearing) Write(b []byte) (int, error) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	c.w.erase()
	c.w.silent = c.out.Terminal
	return c.out.Write(b)
}
