package console

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tarn-lake/tarn"
)

func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		p     tarn.Progress
		since time.Duration
		width int
		want  string
	}{
		{tarn.Progress{Percent: -1}, 3 * time.Second, 80, "running  3 s"},
		{tarn.Progress{Percent: 43}, 1200 * time.Millisecond, 80, "[########............]  43 %  1 s"},
		{tarn.Progress{Percent: 100, Done: 2_800_000, Total: 2_800_000}, time.Minute, 0, "[####################] 100 %  2800.0k of 2800.0k rows  60 s"},
		{tarn.Progress{Percent: 250, Done: 9_999, Total: 12_345_678_901}, time.Minute, 20, "[##################"},
	} {
		if got := progressLine(c.p, c.since, c.width); got != c.want {
			t.Errorf("%+v is %q, want %q", c.p, got, c.want)
		}
	}
}

// screen is a terminal's output, safe to write from goroutines.
type screen struct {
	mu sync.Mutex
	bytes.Buffer
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Buffer.Write(b)
}

// TestWatch: the line comes after a second, goes before rows, and does not come back behind them.
func TestWatch(t *testing.T) {
	s := &screen{}
	terminal := Stream{Writer: s, Terminal: true}
	w, stop := (&Console{Err: terminal}).watch(t.Context())
	w.draw()
	if s.Len() != 0 {
		t.Errorf("drawn at once: %q", s.String())
	}
	w.mu.Lock()
	w.start = w.start.Add(-2 * time.Second)
	w.mu.Unlock()
	w.draw()
	out := w.before(terminal)
	out.Write([]byte("row"))
	w.draw()
	stop()
	if got := s.String(); !strings.HasPrefix(got, "\r\x1b[Krunning  2 s") || !strings.HasSuffix(got, "\r\x1b[Krow") {
		t.Errorf("%q", got)
	}
}

func TestLocation(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, want := range map[string]int{"UTC": 0, "Asia/Tokyo": 9 * 3600, "+02:00": 7200, "GMT-03:30": -12600, "-08:00": -8 * 3600} {
		if _, got := at.In(location(name)).Zone(); got != want {
			t.Errorf("%s is %d s off, want %d", name, got, want)
		}
	}
}

// TestTerminalErrors: what an error quotes of a table cannot steer the terminal.
func TestTerminalErrors(t *testing.T) {
	var b bytes.Buffer
	db, err := tarn.Open(t.Context(), tarn.Options{Warehouse: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	session := db.Session()
	c := &Console{Session: func(context.Context) (*tarn.Session, error) { return session, nil }, Out: Stream{Writer: &b},
		Err: Stream{Writer: &b, Terminal: true}, Format: "csv", Receipt: "line"}
	if err := c.Run(t.Context(), Script{Text: "SELECT `\x1b]0;x\x07`"}); err != ErrStatement {
		t.Error(err)
	}
	if got := b.String(); strings.ContainsAny(got, "\x1b\x07") || !strings.Contains(got, `\x1b]0;x\x07`) {
		t.Errorf("%q", got)
	}
}
