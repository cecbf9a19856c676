package catalog

import (
	"context"
	"iter"

	"github.com/tarn-lake/tarn/lake"
)

// Catalog is a set of named schemas and of tables in them. Names are compared ignoring case. Changes by other
// processes are seen at once.
type Catalog interface {
	// Lookup is the entry of the table schema.table; fs.ErrNotExist when there is none.
	Lookup(ctx context.Context, name lake.Ident) (lake.Entry, error)
	// List gives, in name order, the schemas when parent is empty, else the tables and views of that schema.
	List(ctx context.Context, parent lake.Ident) iter.Seq2[lake.Ident, error]
	// Schema is what is known of a schema; fs.ErrNotExist when there is none.
	Schema(ctx context.Context, name string) (Schema, error)
	// Update makes one change, atomically.
	Update(ctx context.Context, u Update) error
}

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

// PutTable records a table. It fails with fs.ErrExist when the name is taken, unless Replace is set.
type PutTable struct {
	Entry   lake.Entry
	Replace bool
}

// PutSchema records a schema. It fails with fs.ErrExist when the name is taken, unless Replace is set.
type PutSchema struct {
	Schema  Schema
	Replace bool
}

// Rename gives a table another name: fs.ErrNotExist, fs.ErrExist.
type Rename struct{ From, To lake.Ident }

// Drop forgets a table (two parts) or a schema (one part). A schema with tables needs Cascade.
type Drop struct {
	Name    lake.Ident
	Cascade bool
}

func (PutTable) update()  {}
func (PutSchema) update() {}
func (Rename) update()    {}
func (Drop) update()      {}
