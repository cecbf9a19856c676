package duckdb

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	duck "github.com/duckdb/duckdb-go-bindings"
)

// emitted are the kinds of statement that this package makes. Everything else is refused after it was
// parsed: the lock alone does not stop INSTALL from dialling the host it names.
var emitted = []duck.StatementType{
	duck.StatementTypeSelect, duck.StatementTypeCopy, duck.StatementTypeExplain,
	duck.StatementTypeCreate, duck.StatementTypeDrop, duck.StatementTypeInsert,
}

var errKind = errors.New("duckdb: this kind of statement is not allowed")

func allowed(kind duck.StatementType, extra []duck.StatementType) bool {
	return slices.Contains(emitted, kind) || slices.Contains(extra, kind)
}

// checkLock tries what must fail and what must work. spill is one of the allowed directories.
func (c *conn) checkLock(spill string, allowedDirs []string) error {
	if err := c.trySettings(); err != nil {
		return err
	}
	if out := outside(allowedDirs); out != "" {
		defer os.RemoveAll(out)
		if err := c.tryOutside(out, spill); err != nil {
			return err
		}
	}
	if err := c.tryNetwork(); err != nil {
		return err
	}
	return c.tryInside(spill)
}

// outside makes a directory in none of the allowed ones. It is empty when there is no such place to write
// to, as when the root directory is allowed.
func outside(allowedDirs []string) string {
	home, _ := os.UserHomeDir()
	cache, _ := os.UserCacheDir()
	for _, place := range []string{os.TempDir(), "/var/tmp", "/dev/shm", cache, home, "."} {
		dir, err := os.MkdirTemp(place, ".tarn-outside-")
		if err != nil {
			continue
		}
		if real, err := filepath.EvalSymlinks(dir); err == nil && !inside(real, allowedDirs) {
			return real
		}
		os.Remove(dir)
	}
	return ""
}

func inside(dir string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		rel, err := filepath.Rel(root, dir)
		return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
	})
}

// lockedKinds are let through while the lock is tried, so that it is the lock that is tried and not the
// list of kinds.
var lockedKinds = []duck.StatementType{duck.StatementTypeAttach, duck.StatementTypeSet, duck.StatementTypeVariableSet}

func (c *conn) mustFail(tries ...string) error {
	for _, q := range tries {
		if err := c.drain(c.start(context.Background(), statement{sql: q, kinds: lockedKinds})); err == nil {
			return fmt.Errorf("lock-down does not hold: %s was accepted", q)
		}
	}
	return nil
}

func (c *conn) trySettings() error {
	return c.mustFail("SET GLOBAL memory_limit='64GB'", "SET GLOBAL threads=64", "SET enable_progress_bar=false",
		"SET GLOBAL allowed_directories=['/']", "RESET GLOBAL enable_external_access", "LOAD httpfs")
}

// tryOutside tries to read, write and attach outside the allowed directories, by links and ".." too.
func (c *conn) tryOutside(out, spill string) error {
	file := filepath.Join(out, "secret.csv")
	if err := os.WriteFile(file, []byte("a\n1\n"), 0o600); err != nil {
		return err
	}
	link := filepath.Join(spill, ".lock-probe")
	defer os.Remove(link)
	if err := os.Symlink(file, link); err != nil {
		return err
	}
	way, err := filepath.Rel(spill, out)
	if err != nil {
		return err
	}
	return c.mustFail(
		"SELECT * FROM read_text("+literal(file)+")",
		"SELECT * FROM read_csv("+literal(file)+")",
		"SELECT * FROM read_text("+literal(link)+")",
		"SELECT * FROM read_text("+literal(spill+"/"+way+"/secret.csv")+")",
		"SELECT * FROM glob("+literal(filepath.Join(out, "*"))+")",
		"COPY (SELECT 1) TO "+literal(filepath.Join(out, "x.parquet")),
		"COPY (SELECT 1) TO "+literal(spill+"/"+way+"/x.parquet"),
		"ATTACH "+literal(filepath.Join(out, "x.db"))+" AS x",
	)
}

// tryNetwork tries to install an extension from a listener of our own, which must hear nothing.
func (c *conn) tryNetwork() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil // no loopback, nothing to dial
	}
	defer l.Close()
	host := "'http://" + l.Addr().String() + "'"
	for _, q := range []string{
		"INSTALL spatial FROM " + host,
		"FORCE INSTALL spatial FROM " + host,
		"SELECT * FROM read_parquet('http://" + l.Addr().String() + "/x.parquet')",
	} {
		if err := c.exec(context.Background(), q); err == nil {
			return fmt.Errorf("lock-down does not hold: %s was accepted", q)
		}
	}
	if err := l.(*net.TCPListener).SetDeadline(time.Now().Add(time.Millisecond)); err != nil {
		return err
	}
	if a, err := l.Accept(); err == nil {
		a.Close()
		return errors.New("lock-down does not hold: the engine dialled out")
	}
	return nil
}

// tryInside writes and reads a file in spill, which must work.
func (c *conn) tryInside(spill string) error {
	in := filepath.Join(spill, ".lock-probe.parquet")
	defer os.Remove(in)
	ctx := context.Background()
	if err := c.exec(ctx, "COPY (SELECT 1 AS a) TO "+literal(in)); err != nil {
		return fmt.Errorf("%s is not writable: %w", spill, err)
	}
	if err := c.exec(ctx, "SELECT a FROM read_parquet("+literal(in)+")"); err != nil {
		return fmt.Errorf("%s is not readable: %w", spill, err)
	}
	return nil
}
