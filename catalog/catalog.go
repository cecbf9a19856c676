package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/storage"
)

// DefaultSchema is the schema that always exists. It cannot be dropped.
const DefaultSchema = "default"

// ErrNotEmpty is the cause of a Drop without Cascade of a schema that holds tables.
var ErrNotEmpty = errors.New("the schema is not empty")

// ErrDefault is the cause of a Drop of the schema [DefaultSchema].
var ErrDefault = errors.New("the default schema cannot be dropped")

// Catalog is a set of named schemas and of tables in them. Names are compared ignoring case. Changes by other
// processes are seen at once. Its methods may be called from several goroutines.
type Catalog interface {
	// Lookup is the entry of the table schema.table; fs.ErrNotExist when there is none.
	Lookup(ctx context.Context, name lake.Ident) (lake.Entry, error)
	// List gives, in name order, the schemas when parent is empty, else the tables and views of that schema;
	// fs.ErrNotExist when there is no such schema.
	List(ctx context.Context, parent lake.Ident) iter.Seq2[lake.Ident, error]
	// Schema is what is known of a schema; fs.ErrNotExist when there is none.
	Schema(ctx context.Context, name string) (Schema, error)
	// Update makes one change, atomically.
	Update(ctx context.Context, u Update) error
}

// Opener opens the folder that a location names.
type Opener func(ctx context.Context, location string) (storage.Bucket, error)

// Schema is a named collection of tables.
type Schema struct {
	Name       string
	Comment    string
	Location   string // folder for its managed tables
	Properties map[string]string
	Owner      string
}

// Update is one of PutTable, PutSchema, Rename and Drop.
type Update interface{ update() }

// PutTable records a table or a view, which has the format "view" and no location. It fails with fs.ErrExist when
// the name is taken, unless Replace is set, and with fs.ErrNotExist when the schema is missing.
type PutTable struct {
	Entry   lake.Entry
	Replace bool
}

// PutSchema records a schema. It fails with fs.ErrExist when the name is taken, unless Replace is set.
type PutSchema struct {
	Schema  Schema
	Replace bool
}

// Rename gives a table another name, perhaps in another schema: fs.ErrNotExist, fs.ErrExist.
type Rename struct{ From, To lake.Ident }

// Drop forgets a table (two parts) or a schema (one part): fs.ErrNotExist. A schema with tables needs Cascade,
// else it is [ErrNotEmpty].
type Drop struct {
	Name    lake.Ident
	Cascade bool
}

func (PutTable) update()  {}
func (PutSchema) update() {}
func (Rename) update()    {}
func (Drop) update()      {}

// key is what names are compared by.
func key(name string) string { return strings.ToLower(name) }

func tableError(name lake.Ident, cause error) error { return fmt.Errorf("table %s: %w", name, cause) }

func schemaError(name string, cause error) error {
	return fmt.Errorf("schema %s: %w", lake.Ident{name}, cause)
}

// split checks that a name has the parts of a table's: schema and table.
func split(name lake.Ident) (schema, table string, err error) {
	if len(name) != 2 || name[0] == "" || name[1] == "" {
		return "", "", fmt.Errorf("the name %s has not the form schema.table: %w", name, fs.ErrInvalid)
	}
	return name[0], name[1], nil
}
