package catalog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"strings"

	"github.com/tarn-lake/tarn/lake"
)

// tables makes a new file's tables. Properties, options and meta are JSON; created is in microseconds since 1970,
// 0 when not known. A location that does not start with a slash or a scheme is in the warehouse.
const tables = `
PRAGMA application_id = 0x7461726e;
PRAGMA user_version = 1;
CREATE TABLE schemas (
	key TEXT PRIMARY KEY,
	name TEXT NOT NULL,
	comment TEXT NOT NULL,
	location TEXT NOT NULL,
	owner TEXT NOT NULL,
	properties TEXT NOT NULL
) STRICT;
CREATE TABLE tables (
	schema TEXT NOT NULL REFERENCES schemas (key) ON DELETE CASCADE,
	key TEXT NOT NULL,
	name TEXT NOT NULL,
	format TEXT NOT NULL,
	location TEXT NOT NULL,
	external INTEGER NOT NULL,
	created INTEGER NOT NULL,
	owner TEXT NOT NULL,
	options TEXT NOT NULL,
	meta TEXT,
	PRIMARY KEY (schema, key)
) STRICT, WITHOUT ROWID;
INSERT INTO schemas VALUES ('default', 'default', '', '.', '', '{}');
`

// Lookup is the entry of a table.
func (c *Warehouse) Lookup(ctx context.Context, name lake.Ident) (lake.Entry, error) {
	schema, table, err := split(name)
	if err != nil {
		return lake.Entry{}, err
	}
	e, err := lake.Entry{}, error(tableError(name, fs.ErrNotExist))
	if failed := c.read(ctx, func(tx *sql.Tx) error {
		e, err = c.entry(ctx, tx, schema, table)
		if errors.Is(err, sql.ErrNoRows) {
			err = tableError(name, fs.ErrNotExist)
		}
		return err
	}); failed != nil {
		return lake.Entry{}, failed
	}
	if err == nil && c.open != nil && e.Location != "" {
		e.Bucket, err = c.open(ctx, e.Location)
	}
	return e, err
}

func (c *Warehouse) entry(ctx context.Context, tx *sql.Tx, schema, table string) (lake.Entry, error) {
	const query = `SELECT s.name, t.name, t.format, t.location, t.external, t.created, t.owner, t.options, t.meta
		FROM tables t JOIN schemas s ON t.schema = s.key WHERE t.schema = ? AND t.key = ?`
	var e lake.Entry
	var created int64
	var options string
	var meta sql.NullString
	e.Name = make(lake.Ident, 2)
	err := tx.QueryRowContext(ctx, query, key(schema), key(table)).Scan(&e.Name[0], &e.Name[1], &e.Format, &e.Location,
		&e.External, &created, &e.Owner, &options, &meta)
	if err != nil {
		return lake.Entry{}, err
	}
	e.Location, e.Created = c.shown(e.Location), moment(created)
	if e.Options, err = decodeMap(options); err != nil {
		return lake.Entry{}, err
	}
	if meta.Valid {
		e.Meta, err = decodeMeta(meta.String)
	}
	return e, err
}

// List gives the schemas, or the tables of one. It reads them all before it gives the first.
func (c *Warehouse) List(ctx context.Context, parent lake.Ident) iter.Seq2[lake.Ident, error] {
	return func(yield func(lake.Ident, error) bool) {
		names, err := c.names(ctx, parent)
		if err != nil {
			yield(nil, err)
		}
		for _, n := range names {
			if !yield(n, nil) {
				return
			}
		}
	}
}

func (c *Warehouse) names(ctx context.Context, parent lake.Ident) ([]lake.Ident, error) {
	var out []lake.Ident
	query, args := "SELECT name FROM schemas ORDER BY key", []any(nil)
	var prefix lake.Ident
	switch len(parent) {
	case 0:
		out = []lake.Ident{{DefaultSchema}} // as long as there is no file
	case 1:
		s, err := c.Schema(ctx, parent[0])
		if err != nil {
			return nil, err
		}
		prefix = lake.Ident{s.Name}
		query, args = "SELECT name FROM tables WHERE schema = ? ORDER BY key", []any{key(parent[0])}
	default:
		return nil, schemaError(parent.String(), fs.ErrNotExist)
	}
	err := c.read(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, query, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		out = nil
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				return err
			}
			out = append(out, append(prefix[:len(prefix):len(prefix)], name))
		}
		return rows.Err()
	})
	return out, err
}

// Schema is what is known of a schema.
func (c *Warehouse) Schema(ctx context.Context, name string) (Schema, error) {
	s, err := Schema{Name: DefaultSchema, Location: c.dir}, error(nil)
	if key(name) != DefaultSchema {
		s, err = Schema{}, schemaError(name, fs.ErrNotExist)
	}
	if failed := c.read(ctx, func(tx *sql.Tx) error {
		s, err = c.schema(ctx, tx, name)
		return err
	}); failed != nil {
		return Schema{}, failed
	}
	return s, err
}

func (c *Warehouse) schema(ctx context.Context, tx *sql.Tx, name string) (Schema, error) {
	var s Schema
	var properties string
	row := tx.QueryRowContext(ctx, "SELECT name, comment, location, owner, properties FROM schemas WHERE key = ?", key(name))
	err := row.Scan(&s.Name, &s.Comment, &s.Location, &s.Owner, &properties)
	if errors.Is(err, sql.ErrNoRows) {
		return Schema{}, schemaError(name, fs.ErrNotExist)
	}
	if err != nil {
		return Schema{}, err
	}
	s.Location = c.shown(s.Location)
	s.Properties, err = decodeMap(properties)
	return s, err
}

// Update makes one change.
func (c *Warehouse) Update(ctx context.Context, u Update) error {
	change := func(tx *sql.Tx) error { return fmt.Errorf("catalog update %T: %w", u, fs.ErrInvalid) }
	switch u := u.(type) {
	case PutTable:
		change = func(tx *sql.Tx) error { return c.putTable(ctx, tx, u) }
	case PutSchema:
		change = func(tx *sql.Tx) error { return c.putSchema(ctx, tx, u) }
	case Rename:
		change = func(tx *sql.Tx) error { return c.rename(ctx, tx, u) }
	case Drop:
		change = func(tx *sql.Tx) error { return c.drop(ctx, tx, u) }
	}
	return c.write(ctx, change)
}

func (c *Warehouse) putTable(ctx context.Context, tx *sql.Tx, u PutTable) error {
	e := u.Entry
	schema, table, err := split(e.Name)
	if err != nil {
		return err
	}
	if _, err := c.schema(ctx, tx, schema); err != nil {
		return err
	}
	location := c.stored(e.Location)
	if first, _, _ := strings.Cut(location, "/"); first == Folder {
		return tableError(e.Name, fmt.Errorf("the folder %s belongs to the catalog: %w", filepath.Join(c.dir, Folder), fs.ErrPermission))
	}
	options, err := encodeMap(e.Options)
	if err != nil {
		return err
	}
	meta, err := encodeMeta(e.Meta)
	if err != nil {
		return err
	}
	if u.Replace {
		if _, err := tx.ExecContext(ctx, "DELETE FROM tables WHERE schema = ? AND key = ?", key(schema), key(table)); err != nil {
			return err
		}
	}
	n, err := affected(tx.ExecContext(ctx, "INSERT INTO tables VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
		key(schema), key(table), table, e.Format, location, e.External, micros(e.Created), e.Owner, options, meta))
	if err == nil && n == 0 {
		err = tableError(e.Name, fs.ErrExist)
	}
	return err
}

func (c *Warehouse) putSchema(ctx context.Context, tx *sql.Tx, u PutSchema) error {
	s := u.Schema
	if s.Name == "" {
		return fmt.Errorf("a schema needs a name: %w", fs.ErrInvalid)
	}
	properties, err := encodeMap(s.Properties)
	if err != nil {
		return err
	}
	clash := "NOTHING"
	if u.Replace {
		clash = "UPDATE SET comment = excluded.comment, location = excluded.location, owner = excluded.owner, properties = excluded.properties"
	}
	n, err := affected(tx.ExecContext(ctx, "INSERT INTO schemas VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO "+clash,
		key(s.Name), s.Name, s.Comment, c.stored(s.Location), s.Owner, properties))
	if err == nil && n == 0 {
		err = schemaError(s.Name, fs.ErrExist)
	}
	return err
}

func (c *Warehouse) rename(ctx context.Context, tx *sql.Tx, u Rename) error {
	from, old, err := split(u.From)
	if err != nil {
		return err
	}
	to, fresh, err := split(u.To)
	if err != nil {
		return err
	}
	if _, err := c.entry(ctx, tx, from, old); errors.Is(err, sql.ErrNoRows) {
		return tableError(u.From, fs.ErrNotExist)
	} else if err != nil {
		return err
	}
	if _, err := c.schema(ctx, tx, to); err != nil {
		return err
	}
	n, err := affected(tx.ExecContext(ctx, "UPDATE OR IGNORE tables SET schema = ?, key = ?, name = ? WHERE schema = ? AND key = ?",
		key(to), key(fresh), fresh, key(from), key(old)))
	if err == nil && n == 0 {
		err = tableError(u.To, fs.ErrExist)
	}
	return err
}

func (c *Warehouse) drop(ctx context.Context, tx *sql.Tx, u Drop) error {
	if len(u.Name) == 1 {
		return c.dropSchema(ctx, tx, u.Name[0], u.Cascade)
	}
	schema, table, err := split(u.Name)
	if err != nil {
		return err
	}
	n, err := affected(tx.ExecContext(ctx, "DELETE FROM tables WHERE schema = ? AND key = ?", key(schema), key(table)))
	if err == nil && n == 0 {
		err = tableError(u.Name, fs.ErrNotExist)
	}
	return err
}

func (c *Warehouse) dropSchema(ctx context.Context, tx *sql.Tx, name string, cascade bool) error {
	if key(name) == DefaultSchema {
		return schemaError(name, ErrDefault)
	}
	if _, err := c.schema(ctx, tx, name); err != nil {
		return err
	}
	var tables int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM tables WHERE schema = ?", key(name)).Scan(&tables); err != nil {
		return err
	}
	if tables > 0 && !cascade {
		return schemaError(name, ErrNotEmpty)
	}
	_, err := tx.ExecContext(ctx, "DELETE FROM schemas WHERE key = ?", key(name))
	return err
}

func affected(r sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}
