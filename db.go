package tarn

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/tarn-lake/tarn/engine"
)

// DefaultCatalog is the catalog that names without a catalog mean.
const DefaultCatalog = "spark_catalog"

// defaultSchema is the schema that a session starts in. It always exists.
const defaultSchema = "default"

// globalSchema is the schema that global temporary views live in.
const globalSchema = "global_temp"

// DB is an open warehouse: an engine, catalogs and table formats. It may be used by several goroutines.
type DB struct {
	opts    Options
	engine  engine.Engine
	closers []func() error // what Open made and Close ends, last first

	mu     sync.Mutex
	global map[string]*view // global temporary views, by lower-case name
}

// Open prepares a database. It reads and writes nothing in the warehouse before a statement asks for it.
func Open(ctx context.Context, opts Options) (*DB, error) {
	if err := opts.Validate(); err != nil {
		return nil, &Error{Class: "INVALID_CONF_VALUE.DEFAULT", SQLState: "22022", Message: err.Error(), Err: err}
	}
	for _, key := range slices.Sorted(maps.Keys(opts.Conf)) {
		if err := checkSetting(key, opts.Conf[key], nil); err != nil {
			return nil, explain(err, "")
		}
	}
	db := &DB{opts: opts.withDefaults(), global: map[string]*view{}}
	if err := db.wire(ctx); err != nil {
		db.Close()
		return nil, explain(err, "")
	}
	return db, nil
}

// Options are the options of db with their defaults filled in.
func (db *DB) Options() Options { return db.opts }

// Close ends running statements and gives back memory, threads and spill files.
func (db *DB) Close() error {
	var first error
	for i := len(db.closers) - 1; i >= 0; i-- {
		if err := db.closers[i](); err != nil && first == nil {
			first = err
		}
	}
	db.closers = nil
	return first
}
