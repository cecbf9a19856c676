package duckdb

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
)

func testLimits(t testing.TB) limits {
	return limits{threads: 2, memory: 256 << 20, quota: 64 << 20, spill: t.TempDir()}
}

// openTest gives a connection of a fresh instance.
func openTest(t testing.TB, l limits) *conn {
	t.Helper()
	d, err := openInstance(l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.close)
	c, err := d.acquire()
	must(t, err)
	return c
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// rows runs a statement and gives its batches.
func (c *conn) rows(ctx context.Context, sql string) ([]arrow.RecordBatch, error) {
	s, err := c.start(ctx, statement{sql: sql})
	if err != nil {
		return nil, err
	}
	defer s.close()
	var bs []arrow.RecordBatch
	for {
		b, err := s.next()
		if err == io.EOF {
			return bs, nil
		}
		if err != nil {
			return nil, err
		}
		bs = append(bs, b)
	}
}

// value is the first column of the first row as text, or the error.
func value(t testing.TB, c *conn, sql string) string {
	t.Helper()
	bs, err := c.rows(t.Context(), sql)
	if err != nil {
		return "ERR " + err.Error()
	}
	if len(bs) == 0 {
		return ""
	}
	return bs[0].Column(0).ValueStr(0)
}

func TestLockRefuses(t *testing.T) {
	c := openTest(t, testLimits(t))
	for q, want := range map[string]string{
		"SELECT 1; SELECT 2": "multiple statements",
		"LOAD httpfs":        "not allowed",
		"INSTALL httpfs FROM 'http://127.0.0.1:9'":        "not allowed",
		"FORCE INSTALL httpfs FROM community":             "not allowed",
		"SET threads=9":                                   "not allowed",
		"ATTACH '/tmp/x.db'":                              "not allowed",
		"FROM read_text('/etc/hostname')":                 "Permission",
		"COPY (SELECT 1) TO '/tmp/tarn-should-not-exist'": "Permission",
	} {
		if v := value(t, c, q); !strings.Contains(v, want) {
			t.Errorf("%s: %s, want %q", q, v, want)
		}
	}
}

func TestLockIsProved(t *testing.T) {
	l := testLimits(t)
	d := &instance{sources: map[int64]*source{}, scalars: map[string]bool{}}
	must(t, d.openForTest())
	t.Cleanup(d.close)
	err := d.conns[0].checkLock(l.spill, []string{l.spill})
	if err == nil || !strings.Contains(err.Error(), "lock-down does not hold") {
		t.Errorf("an instance without a lock passed: %v", err)
	}
}

func TestSettingsReachEveryConnection(t *testing.T) {
	c := openTest(t, testLimits(t))
	second, err := c.db.acquire()
	must(t, err)
	for _, s := range []string{"TimeZone", "default_null_order", "enable_progress_bar", "errors_as_json", "memory_limit"} {
		q := "SELECT current_setting('" + s + "')::VARCHAR"
		if a, b := value(t, c, q), value(t, second, q); a != b {
			t.Errorf("%s: %s and %s", s, a, b)
		}
	}
	_, err = second.rows(t.Context(), "SELECT nocolumn FROM range(3)")
	var e *Error
	if !errors.As(err, &e) || e.Type != "Binder" || e.Subtype != "COLUMN_NOT_FOUND" || e.Position != 7 {
		t.Errorf("%#v", err)
	}
}

func TestSpillQuota(t *testing.T) {
	l := testLimits(t)
	l.quota = 20 << 20
	c := openTest(t, l)
	_, err := c.rows(t.Context(), "SELECT count(*) FROM (SELECT i, hash(i) h FROM range(30000000) t(i) ORDER BY h)")
	var e *Error
	if !errors.As(err, &e) || e.Type != "Out of Memory" {
		t.Fatalf("%v", err)
	}
	left, _ := filepath.Glob(filepath.Join(l.spill, "duckdb", "*"))
	if len(left) > 0 {
		t.Errorf("spilled files are left: %v", left)
	}
}

// Also an instance that may touch the system's temporary files is tried, from elsewhere.
func TestLockOfCommonPlaces(t *testing.T) {
	l := testLimits(t)
	l.roots = []string{os.TempDir()}
	openTest(t, l)
	if !inside("/a/b", []string{"/x", "/a"}) || inside("/ab", []string{"/a"}) || !inside("/a", []string{"/a"}) {
		t.Error("inside is wrong")
	}
}

const forever = "SELECT sum(hash(a.i+b.i)) FROM range(1000000) a(i), range(1000000) b(i)"

func TestCancel(t *testing.T) {
	c := openTest(t, testLimits(t))
	for name, q := range map[string]string{
		"before the first row": forever,
		"between rows":         "SELECT i FROM range(100000000000) t(i)",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var at time.Time
		time.AfterFunc(50*time.Millisecond, func() { at = time.Now(); cancel() })
		s, err := c.start(ctx, statement{sql: q})
		for err == nil {
			_, err = s.next()
		}
		if s != nil {
			s.close()
		}
		if late := time.Since(at); late > time.Second || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v after %v", name, err, late)
		}
		if v := value(t, c, "SELECT 7"); v != "7" {
			t.Errorf("%s: the next statement gives %s", name, v)
		}
	}
}

// A cancel at any moment ends the statement and never hits the next one.
func TestCancelAtAnyMoment(t *testing.T) {
	c := openTest(t, testLimits(t))
	for i := range 150 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*4*time.Microsecond)
		if err := c.exec(ctx, forever); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("%d: %v", i, err)
		}
		cancel()
		if v := value(t, c, "SELECT sum(i)::BIGINT FROM range(10000) t(i)"); v != "49995000" {
			t.Fatalf("%d: %s", i, v)
		}
	}
}

func TestErrorAfterRows(t *testing.T) {
	c := openTest(t, testLimits(t))
	s, err := c.start(t.Context(), statement{sql: "SELECT CASE WHEN i = 900000 THEN error('late') ELSE i END FROM range(1000000) t(i)"})
	must(t, err)
	defer s.close()
	for err == nil {
		_, err = s.next()
	}
	var e *Error
	if !errors.As(err, &e) || !strings.Contains(e.Message, "late") {
		t.Errorf("%v", err)
	}
}

func TestErrorText(t *testing.T) {
	for msg, want := range map[string]Error{
		"Out of Memory Error: no": {Type: "Out of Memory", Message: "no", Position: -1},
		"plain":                   {Message: "plain", Position: -1},
		`{"exception_type":"Binder","exception_message":"m","position":"3","error_subtype":"S"}`: {"Binder", "S", 3, "m"},
		`{"not ours`: {Message: `{"not ours`, Position: -1},
	} {
		if got := *newError(msg); got != want {
			t.Errorf("%s: %+v", msg, got)
		}
	}
}
