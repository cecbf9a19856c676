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

	mu    sync.Mutex
	start time.Time
	shown bool // the line is on the screen
}

// watch makes a context whose statements show their progress until stop.
func (c *Console) watch(ctx context.Context) (w *watch, stop func()) {
	w = &watch{ctx: ctx, to: c.Err, start: time.Now()}
	if !c.Err.Terminal {
		return w, func() {}
	}
	w.ctx = tarn.WithProgress(ctx, w.draw)
	return w, w.clear
}

func (w *watch) draw(p tarn.Progress) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Since(w.start) < patience {
		return
	}
	w.shown = true
	fmt.Fprintf(w.to, "\r\x1b[K%s", progressLine(p, time.Since(w.start), w.to.width()))
}

// progressLine is such as "[######........]  43 %  1.2M of 2.8M rows  3 s".
func progressLine(p tarn.Progress, since time.Duration, width int) string {
	const cells = 20
	share := min(max(p.Percent, 0), 100)
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
	w.start = time.Now()
}

func (w *watch) erase() {
	if w.shown {
		io.WriteString(w.to, "\r\x1b[K")
		w.shown = false
	}
}

// before is out, with the line erased before each write.
func (w *watch) before(out io.Writer) io.Writer { return clearing{w, out} }

type clearing struct {
	w   *watch
	out io.Writer
}

func (c clearing) Write(b []byte) (int, error) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	c.w.erase()
	return c.out.Write(b)
}
