package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"time"

	"github.com/tarn-lake/tarn"
	"github.com/tarn-lake/tarn/cmd/tarn/render"
	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/types"
)

// ErrStatement says that a statement failed. The console has shown why.
var ErrStatement = errors.New("a statement failed")

// Console shows what statements of one session give.
type Console struct {
	Session func(context.Context) (*tarn.Session, error) // opened when first needed, the same every time
	Out     Stream                                       // rows
	Err     Stream                                       // receipts, errors, progress
	Format  string                                       // of rows, one of render.Formats
	Receipt string                                       // "line", "json" or "none"
	KeepOn  bool                                         // go on behind a statement that failed
	Timer   bool                                         // tell how long each statement took
}

// Script is a text with statements.
type Script struct {
	Name string // shown with errors: a file; "" for what was typed
	Text string
}

// Run runs the statements of a script in order, and stops at the first that fails unless c.KeepOn is set. The error
// is ErrStatement when one failed, and a syntax error anywhere then means that none was run.
func (c *Console) Run(ctx context.Context, s Script) error {
	pieces := syntax.Split(s.Text)
	if len(pieces) == 0 {
		return nil
	}
	session, err := c.Session(ctx)
	if err != nil {
		return c.fail(err, place{})
	}
	if c.KeepOn {
		return c.runAll(ctx, session, s, pieces)
	}
	watch, stop := c.watch(ctx)
	defer stop()
	start, n := time.Now(), 0
	for st, err := range session.Run(watch.ctx, s.Text) {
		n++
		if err == nil {
			err = c.show(ctx, session, st.Rows, watch, start)
		}
		if err != nil {
			watch.clear()
			at := place{script: s, pos: st.Pos}
			if len(pieces) > 1 && st.SQL != s.Text {
				at.number = n
			}
			return c.fail(err, at)
		}
		start = time.Now()
	}
	return nil
}

// runAll runs each piece for itself.
func (c *Console) runAll(ctx context.Context, session *tarn.Session, s Script, pieces []syntax.Piece) error {
	var failed error
	for i, p := range pieces {
		if ctx.Err() != nil {
			return ErrStatement
		}
		watch, stop := c.watch(ctx)
		start := time.Now()
		rows, err := session.Query(watch.ctx, p.Text)
		if err == nil {
			err = c.show(ctx, session, rows, watch, start)
		}
		stop()
		if err != nil {
			failed = c.fail(err, place{s, int(p.From), i + 1})
		}
	}
	return failed
}

// show writes what one statement gave.
func (c *Console) show(ctx context.Context, session *tarn.Session, rows *tarn.Rows, watch *watch, start time.Time) error {
	defer rows.Close()
	if cols := rows.Columns(); len(cols) > 0 {
		zone, err := zoneOf(ctx, session, cols)
		if err != nil {
			return err
		}
		o := render.Options{Zone: zone, Terminal: c.Out.Terminal, Width: c.Out.width(), Color: c.Out.Color}
		if err := render.Write(watch.before(c.Out), render.Table{Columns: cols, Rows: rows.All()}, c.Format, o); err != nil {
			return err
		}
	}
	if err := rows.Close(); err != nil {
		return err
	}
	watch.clear()
	if r := rows.Receipt(); r != nil {
		c.receipt(r)
	}
	if c.Timer {
		fmt.Fprintf(c.Err, "%.3f s\n", time.Since(start).Seconds())
	}
	return nil
}

func (c *Console) receipt(r *tarn.Receipt) {
	switch c.Receipt {
	case "line":
		fmt.Fprintln(c.Err, c.Err.safe(r.String()))
		for _, w := range r.Warnings {
			fmt.Fprintln(c.Err, c.Err.safe("warning: "+w))
		}
	case "json":
		fmt.Fprintln(c.Err, r.JSON())
	}
}

// fail shows why a statement failed. Output that nobody reads any more is no reason to speak.
func (c *Console) fail(err error, at place) error {
	if errors.Is(err, syscall.EPIPE) {
		return ErrStatement
	}
	text, line := err.Error(), 1
	if e := (*tarn.Error)(nil); errors.As(err, &e) {
		text, line = e.Detail(), max(1, e.Line)
	}
	first, rest, more := strings.Cut(c.Err.safe(text), "\n")
	fmt.Fprintln(c.Err, c.Err.safe(at.name(line))+render.Alarm(first, c.Err.Color))
	if more {
		fmt.Fprintln(c.Err, rest)
	}
	return ErrStatement
}

// place is where a statement is.
type place struct {
	script Script
	pos    int // of the statement, in bytes
	number int // of the statement, from 1; 0 where it is the only one
}

// name is the place for an error in a line of the statement: "load.sql:12: " in a file, "statement 3: " in what was
// typed, nothing for a lone statement.
func (p place) name(line int) string {
	switch {
	case p.script.Name != "":
		first, _ := syntax.LineColumn(p.script.Text, syntax.Pos(p.pos))
		return fmt.Sprintf("%s:%d: ", p.script.Name, first+line-1)
	case p.number > 0:
		return fmt.Sprintf("statement %d: ", p.number)
	}
	return ""
}

// zoneOf is the session's time zone, looked up only for columns that need it.
func zoneOf(ctx context.Context, session *tarn.Session, cols []tarn.Column) (*time.Location, error) {
	needed := false
	for _, c := range cols {
		needed = needed || hasInstant(c.Type)
	}
	if !needed {
		return time.UTC, nil
	}
	rows, err := session.Query(ctx, "SET spark.sql.session.timeZone")
	if err != nil {
		return nil, err
	}
	name := "UTC"
	for row, err := range rows.All() {
		if err != nil {
			return nil, err
		}
		name, _ = row[1].(string)
	}
	return location(name), nil
}

// location is the zone of a name or of an offset such as +02:00.
func location(name string) *time.Location {
	if zone, err := time.LoadLocation(name); err == nil {
		return zone
	}
	for _, layout := range []string{"-07:00", "GMT-07:00", "UTC-07:00", "-07", "GMT-7"} {
		if t, err := time.Parse(layout, name); err == nil {
			_, offset := t.Zone()
			return time.FixedZone(name, offset)
		}
	}
	return time.UTC
}

func hasInstant(t types.Type) bool {
	switch t := t.(type) {
	case types.Array:
		return hasInstant(t.Elem)
	case types.Map:
		return hasInstant(t.Key) || hasInstant(t.Value)
	case types.Struct:
		for _, f := range t.Fields {
			if hasInstant(f.Type) {
				return true
			}
		}
	}
	return t == types.Timestamp
}

// Stream is a place that text goes to.
type Stream struct {
	io.Writer
	Terminal bool
	Color    bool
	Width    func() int // cells of a line; nil or 0 where there is none
}

func (s Stream) width() int {
	if s.Width == nil {
		return 0
	}
	return s.Width()
}

// safe is text that does not steer a terminal.
func (s Stream) safe(text string) string {
	if s.Terminal {
		return render.Printable(text)
	}
	return text
}
