package catalog

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/tarn-lake/tarn/lake"
)

// Memory is a catalog that lives as long as the process. Entries keep the buckets that they were put with.
type Memory struct {
	mu      sync.Mutex
	schemas map[string]*memorySchema // by key
}

type memorySchema struct {
	Schema
	tables map[string]lake.Entry // by key
}

var _ Catalog = (*Memory)(nil)

// NewMemory is an empty catalog. The folder warehouse is the location of the default schema.
func NewMemory(warehouse string) *Memory {
	return &Memory{schemas: map[string]*memorySchema{
		DefaultSchema: {Schema{Name: DefaultSchema, Location: warehouse}, map[string]lake.Entry{}},
	}}
}

// Lookup is the entry of a table.
func (c *Memory) Lookup(_ context.Context, name lake.Ident) (lake.Entry, error) {
	schema, table, err := split(name)
	if err != nil {
		return lake.Entry{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.schemas[key(schema)]; s != nil {
		if e, ok := s.tables[key(table)]; ok {
			return cloneEntry(e), nil
		}
	}
	return lake.Entry{}, tableError(name, fs.ErrNotExist)
}

// List gives the schemas, or the tables of one.
func (c *Memory) List(_ context.Context, parent lake.Ident) iter.Seq2[lake.Ident, error] {
	return func(yield func(lake.Ident, error) bool) {
		names, err := c.names(parent)
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

func (c *Memory) names(parent lake.Ident) ([]lake.Ident, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []lake.Ident
	if len(parent) == 0 {
		for _, k := range slices.Sorted(maps.Keys(c.schemas)) {
			out = append(out, lake.Ident{c.schemas[k].Name})
		}
		return out, nil
	}
	s := c.schemas[key(parent[0])]
	if s == nil || len(parent) > 1 {
		return nil, schemaError(parent[0], fs.ErrNotExist)
	}
	for _, k := range slices.Sorted(maps.Keys(s.tables)) {
		out = append(out, s.tables[k].Name)
	}
	return out, nil
}

// Schema is what is known of a schema.
func (c *Memory) Schema(_ context.Context, name string) (Schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.schemas[key(name)]
	if s == nil {
		return Schema{}, schemaError(name, fs.ErrNotExist)
	}
	out := s.Schema
	out.Properties = maps.Clone(out.Properties)
	return out, nil
}

// Update makes one change.
func (c *Memory) Update(_ context.Context, u Update) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch u := u.(type) {
	case PutTable:
		return c.putTable(u)
	case PutSchema:
		return c.putSchema(u)
	case Rename:
		return c.rename(u)
	case Drop:
		return c.drop(u)
	}
	return fmt.Errorf("catalog update %T: %w", u, fs.ErrInvalid)
}

func (c *Memory) putTable(u PutTable) error {
	schema, table, err := split(u.Entry.Name)
	if err != nil {
		return err
	}
	s := c.schemas[key(schema)]
	if s == nil {
		return schemaError(schema, fs.ErrNotExist)
	}
	if _, taken := s.tables[key(table)]; taken && !u.Replace {
		return tableError(u.Entry.Name, fs.ErrExist)
	}
	e := cloneEntry(u.Entry)
	e.Name = lake.Ident{s.Name, table}
	s.tables[key(table)] = e
	return nil
}

func (c *Memory) putSchema(u PutSchema) error {
	s := c.schemas[key(u.Schema.Name)]
	switch {
	case u.Schema.Name == "":
		return fmt.Errorf("a schema needs a name: %w", fs.ErrInvalid)
	case s == nil:
		s = &memorySchema{tables: map[string]lake.Entry{}}
		c.schemas[key(u.Schema.Name)] = s
	case !u.Replace:
		return schemaError(u.Schema.Name, fs.ErrExist)
	default:
		u.Schema.Name = s.Name
	}
	s.Schema = u.Schema
	s.Properties = maps.Clone(u.Schema.Properties)
	return nil
}

func (c *Memory) rename(u Rename) error {
	from, old, err := split(u.From)
	if err != nil {
		return err
	}
	to, fresh, err := split(u.To)
	if err != nil {
		return err
	}
	source, target := c.schemas[key(from)], c.schemas[key(to)]
	if source == nil {
		return tableError(u.From, fs.ErrNotExist)
	}
	e, ok := source.tables[key(old)]
	if !ok {
		return tableError(u.From, fs.ErrNotExist)
	}
	if target == nil {
		return schemaError(to, fs.ErrNotExist)
	}
	if _, taken := target.tables[key(fresh)]; taken && (source != target || key(old) != key(fresh)) {
		return tableError(u.To, fs.ErrExist)
	}
	delete(source.tables, key(old))
	e.Name = lake.Ident{target.Name, fresh}
	target.tables[key(fresh)] = e
	return nil
}

func (c *Memory) drop(u Drop) error {
	if len(u.Name) == 1 {
		s := c.schemas[key(u.Name[0])]
		switch {
		case key(u.Name[0]) == DefaultSchema:
			return schemaError(u.Name[0], ErrDefault)
		case s == nil:
			return schemaError(u.Name[0], fs.ErrNotExist)
		case len(s.tables) > 0 && !u.Cascade:
			return schemaError(u.Name[0], ErrNotEmpty)
		}
		delete(c.schemas, key(u.Name[0]))
		return nil
	}
	schema, table, err := split(u.Name)
	if err != nil {
		return err
	}
	if s := c.schemas[key(schema)]; s != nil {
		if _, ok := s.tables[key(table)]; ok {
			delete(s.tables, key(table))
			return nil
		}
	}
	return tableError(u.Name, fs.ErrNotExist)
}

// cloneEntry copies what a caller could change.
func cloneEntry(e lake.Entry) lake.Entry {
	e.Name = slices.Clone(e.Name)
	e.Options = maps.Clone(e.Options)
	if e.Meta != nil {
		m := *e.Meta
		m.Properties = maps.Clone(m.Properties)
		e.Meta = &m
	}
	return e
}
