package duckdb

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	duck "github.com/duckdb/duckdb-go-bindings"
)

// limits are what an instance is opened with; none can change afterwards.
type limits struct {
	threads int      // worker threads
	memory  int64    // bytes DuckDB may hold
	spill   string   // directory for spilled rows, which must exist
	quota   int64    // bytes that may lie in spill
	roots   []string // directories whose files may be read and written, beside spill
}

// pooled is how many connections of an instance are kept. More are opened when they are all in use.
const pooled = 4

// instance is one in-memory DuckDB and its connections. Reporting progress is a setting of a connection, and
// none can be set after the lock: so some connections are opened before it and lent out.
type instance struct {
	h     duck.Database
	conns []*conn
	idle  chan *conn

	mu      sync.Mutex
	sources map[int64]*source // by the number that go_rows is given
	scalars map[string]bool   // Go functions registered so far
}

// openInstance starts an instance, applies the limits, locks it and proves the lock by trying what must
// fail. An instance that fails the proof is closed and an error returned.
func openInstance(l limits) (*instance, error) {
	d := &instance{sources: map[int64]*source{}, scalars: map[string]bool{}}
	var msg string
	if duck.OpenExt(":memory:", &d.h, duck.Config{}, &msg) == duck.StateError {
		return nil, fmt.Errorf("duckdb: open: %w", newError(msg))
	}
	if err := d.setup(l); err != nil {
		d.close()
		return nil, fmt.Errorf("duckdb: open: %w", err)
	}
	return d, nil
}

func (d *instance) setup(l limits) error {
	d.idle = make(chan *conn, pooled)
	for range pooled {
		c := &conn{db: d}
		if duck.Connect(d.h, &c.h) == duck.StateError {
			return errors.New("cannot connect")
		}
		d.conns = append(d.conns, c)
		d.idle <- c
	}
	if err := d.configure(l); err != nil {
		return err
	}
	if err := d.conns[0].registerSource(); err != nil {
		return err
	}
	return d.conns[0].checkLock(l.spill, append([]string{l.spill}, l.roots...))
}

// configure applies the settings and then locks them.
func (d *instance) configure(l limits) error {
	ctx := context.Background()
	for _, c := range d.conns { // these exist per connection only
		for _, s := range []string{"enable_progress_bar=true", "enable_progress_bar_print=false"} {
			if err := c.set(ctx, "SET "+s); err != nil {
				return err
			}
		}
	}
	dirs := []string{literal(l.spill)}
	for _, r := range l.roots {
		dirs = append(dirs, literal(r))
	}
	for _, s := range []string{
		"errors_as_json=true",
		"TimeZone='UTC'",
		"Calendar='gregorian'",
		"default_null_order='nulls_first_on_asc_last_on_desc'",
		"autoinstall_known_extensions=false",
		"autoload_known_extensions=false",
		"allow_community_extensions=false",
		"partitioned_write_max_open_files=10000", // past it DuckDB splits partitions into many files
		fmt.Sprintf("threads=%d", max(1, l.threads)),
		fmt.Sprintf("memory_limit='%dB'", l.memory),
		"temp_directory=" + literal(filepath.Join(l.spill, "duckdb")),
		fmt.Sprintf("max_temp_directory_size='%dB'", l.quota),
		"home_directory=" + literal(l.spill),
		"allowed_directories=[" + strings.Join(dirs, ",") + "]",
		"enable_external_access=false",
		"lock_configuration=true",
	} {
		// Without GLOBAL some of these would hold for one connection only.
		if err := d.conns[0].set(ctx, "SET GLOBAL "+s); err != nil {
			return fmt.Errorf("SET %s: %w", s, err)
		}
	}
	return nil
}

// close destroys the instance; no statement may run.
func (d *instance) close() {
	for _, c := range d.conns {
		duck.Disconnect(&c.h)
	}
	duck.Close(&d.h)
}

// conn is one connection, used for one statement at a time: a second one would end a running stream.
// Only progress and interrupt may come from other goroutines.
type conn struct {
	db    *instance
	h     duck.Connection
	extra bool // opened after the lock, and so without progress
}

// acquire lends a connection until release. It never waits: a statement may read another one's rows.
func (d *instance) acquire() (*conn, error) {
	select {
	case c := <-d.idle:
		return c, nil
	default:
	}
	c := &conn{db: d, extra: true}
	if duck.Connect(d.h, &c.h) == duck.StateError {
		return nil, errors.New("duckdb: cannot connect")
	}
	return c, nil
}

func (d *instance) release(c *conn) {
	if c.extra {
		duck.Disconnect(&c.h)
		return
	}
	d.idle <- c
}

// set runs one setting; only configure may.
func (c *conn) set(ctx context.Context, sql string) error {
	return c.drain(c.start(ctx, statement{sql: sql, kinds: []duck.StatementType{duck.StatementTypeSet}}))
}

// exec runs one statement and drops its rows. Cancelling ctx interrupts it.
func (c *conn) exec(ctx context.Context, sql string) error {
	return c.drain(c.start(ctx, statement{sql: sql}))
}

func (c *conn) drain(s *stream, err error) error {
	if err != nil {
		return err
	}
	defer s.close()
	return s.drain()
}

// watch interrupts the statement of c once ctx is cancelled, until stop is called. It repeats, because
// DuckDB clears the mark when a statement starts and would lose an interrupt that came just before. stop
// waits, so that no interrupt reaches a later statement or a closed connection.
func (c *conn) watch(ctx context.Context) (stop func()) {
	quit, gone := make(chan struct{}), make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		defer close(gone)
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			duck.Interrupt(c.h)
			select {
			case <-quit:
				return
			case <-tick.C:
			}
		}
	})
	return sync.OnceFunc(func() {
		if !cancel() {
			close(quit)
			<-gone
		}
	})
}
