package hudi

import (
	"fmt"
	"strings"

	"github.com/tarn-lake/tarn/lake/hudi/keygen"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// baseRows is the rows of the base files of slices, but for the hidden ones: columns, by their names, and the row id when wanted, without
// the record key when its type is rel.RowIDType. Files that store the columns under other names, as after a rename, are read apart from the others.
func (s *Snapshot) baseRows(slices []*fileSlice, columns []rel.Column, rowID *rel.Column, hidden map[*fileSlice]rel.RowSet) (rel.Node, error) {
	if s.history == nil {
		return s.baseScan(slices, columns, rowID, hidden, nil)
	}
	var order []*internalSchema
	by := map[*internalSchema][]*fileSlice{}
	for _, slice := range slices {
		past := s.schemaOf(slice.Base)
		if by[past] == nil {
			order = append(order, past)
		}
		by[past] = append(by[past], slice)
	}
	var parts []rel.Node
	for _, past := range order {
		id := rowID
		if id != nil {
			again := *id
			again.ID = rel.NewID()
			id = &again
		}
		n, err := s.baseScan(by[past], fresh(columns), id, hidden, past)
		if err != nil {
			return nil, err
		}
		parts = append(parts, n)
	}
	return union(withRowID(columns, rowID), parts), nil
}

// schemaOf is the schema with ids whose columns a base file has; nil for the current one.
func (s *Snapshot) schemaOf(b *baseFile) *internalSchema {
	if s.history == nil {
		return nil
	}
	past, _ := s.history.at(b.Instant)
	return past
}

// baseScan is baseRows for files that have the columns of the schema past, nil for the current one.
func (s *Snapshot) baseScan(slices []*fileSlice, columns []rel.Column, rowID *rel.Column, hidden map[*fileSlice]rel.RowSet, past *internalSchema) (rel.Node, error) {
	scan := &rel.Scan{Format: "parquet"}
	for _, c := range columns {
		col, err := s.scanColumn(c, past)
		if err != nil {
			return nil, err
		}
		scan.Cols = append(scan.Cols, col)
	}
	for _, slice := range slices {
		f, err := s.baseFile(slice)
		if err != nil {
			return nil, err
		}
		f.Hidden = hidden[slice]
		scan.Files = append(scan.Files, f)
	}
	if rowID == nil {
		return scan, nil
	}
	if id, ok := rowID.Type.(types.Struct); ok && len(id.Fields) == len(rel.RowIDType.Fields) {
		scan.Cols = append(scan.Cols, rel.ScanColumn{Column: *rowID, From: rel.RowID})
		return scan, nil
	}
	return s.withKeys(scan, columns, *rowID, past)
}

// scanColumn says where files have the column named c.Name.
func (s *Snapshot) scanColumn(c rel.Column, past *internalSchema) (rel.ScanColumn, error) {
	i := s.schema.Index(c.Name)
	if i < 0 {
		return rel.ScanColumn{}, fmt.Errorf("there is no column %s", c.Name)
	}
	col := rel.ScanColumn{Column: c, From: rel.InFile, File: types.Field{Name: s.schema.Fields[i].Name, Type: c.Type}}
	if past != nil {
		col.File = s.history.stored(col.File, past)
	}
	if v, ok := c.Metadata[rel.RetypedKey]; ok {
		col.File.Metadata = col.File.Metadata.With(rel.RetypedKey, v)
	}
	if s.config.DropPartitionColumns {
		for part, p := range s.config.Partition {
			if strings.EqualFold(p.Name, c.Name) {
				col.From, col.Part = rel.InPartition, part
			}
		}
	}
	return col, nil
}

// baseFile is the base file of a slice as the engine reads it.
func (s *Snapshot) baseFile(slice *fileSlice) (rel.File, error) {
	b := slice.Base
	if b.Extension != "parquet" {
		return rel.File{}, fmt.Errorf("%s: base files of the format %s are not supported", b.Path, b.Extension)
	}
	f := rel.File{Bucket: s.table.bucket, Path: b.Path, ID: slice.Number, Size: b.Size, Rows: -1}
	if !b.ModTime.IsZero() {
		f.ModTime = b.ModTime.UnixMilli()
	}
	if !s.config.DropPartitionColumns {
		return f, nil
	}
	values, err := s.storedPartition(slice.Partition)
	if err != nil {
		return rel.File{}, err
	}
	f.Partition = values
	return f, nil
}

// storedPartition is the values of the partition columns that data files do not hold.
func (s *Snapshot) storedPartition(path string) ([]types.Value, error) {
	parts, ok := pathValues(s.config, path)
	if !ok {
		return nil, fmt.Errorf("the partition path %q does not tell the partition columns, which the data files do not hold", path)
	}
	out := make([]types.Value, len(parts))
	for i, p := range parts {
		at := s.schema.Index(s.config.Partition[i].Name)
		if at < 0 {
			continue
		}
		v, err := p.stored(s.schema.Fields[at].Type)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", s.schema.Fields[at].Name, err)
		}
		out[i] = v
	}
	return out, nil
}

// withKeys adds to a scan of base files row ids, which hold the record key.
func (s *Snapshot) withKeys(scan *rel.Scan, columns []rel.Column, rowID rel.Column, past *internalSchema) (rel.Node, error) {
	place := rel.Column{ID: rel.NewID(), Name: "place", Type: rel.RowIDType}
	scan.Cols = append(scan.Cols, rel.ScanColumn{Column: place, From: rel.RowID})
	all, keys := columns, []rel.Column(nil)
	for _, name := range s.keyColumns() {
		i := s.schema.Index(name)
		if i < 0 {
			return nil, fmt.Errorf("there is no column %s, which record keys are made of", name)
		}
		more, c := withColumn(all, s.schema.Fields[i].Name, s.schema.Fields[i].Type)
		if len(more) > len(all) {
			col, err := s.scanColumn(c, past)
			if err != nil {
				return nil, err
			}
			scan.Cols = append(scan.Cols, col)
		}
		all = more
		keys = append(keys, c)
	}
	key, err := s.recordKey(keys)
	if err != nil {
		return nil, err
	}
	p := &rel.Project{In: scan}
	for _, c := range columns {
		p.Cols = append(p.Cols, rel.Computed{Column: c, Expr: c.Ref()})
	}
	id := &rel.Call{Name: "struct", T: rowIDType, Args: []rel.Expr{
		&rel.Field{X: place.Ref(), Index: 0}, &rel.Field{X: place.Ref(), Index: 1}, key}}
	p.Cols = append(p.Cols, rel.Computed{Column: rowID, Expr: id})
	return p, nil
}

// keyColumns are the columns that a record key is made of: the stored key itself, except where keys are not stored.
func (s *Snapshot) keyColumns() []string {
	if s.config.MetaFields {
		return []string{recordKeyColumn}
	}
	return s.config.RecordKey
}

// recordKey is the record key of a row whose keyColumns are given.
func (s *Snapshot) recordKey(keys []rel.Column) (rel.Expr, error) {
	switch {
	case s.config.MetaFields:
		return keys[0].Ref(), nil
	case len(keys) == 0:
		return &rel.Lit{T: types.String}, nil
	}
	g, err := s.table.keys()
	if err != nil {
		return nil, err
	}
	return g.Key(keys)
}

// keys is the key generator of the table.
func (t *Table) keys() (*keygen.Generator, error) {
	c := t.config
	k := keygen.Config{Type: string(c.KeyGenerator), Keys: c.RecordKey, HiveStyle: c.HiveStyle, Encode: c.URLEncode,
		Prefixed: keygen.PrefixedBy(c.Version), Properties: c.Properties}
	for _, f := range c.Partition {
		name := f.Name
		if f.Kind != "" {
			name += ":" + f.Kind
		}
		k.Partition = append(k.Partition, name)
	}
	return keygen.New(k)
}
