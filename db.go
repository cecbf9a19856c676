package tarn

import "context"

// DB is an open warehouse: an engine, a catalog and table formats. It may be used by several goroutines.
type DB struct {
	opts Options
}

// Open prepares a database. It reads and writes nothing in the warehouse before a statement asks for it.
func Open(ctx context.Context, opts Options) (*DB, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	return &DB{opts: opts.withDefaults()}, nil
}

// Options are the options of db with their defaults filled in.
func (db *DB) Options() Options { return db.opts }

// Close ends running statements and gives back memory, threads and spill files.
func (db *DB) Close() error { return nil }
