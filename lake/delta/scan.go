package delta

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// Scan reads the live files that may hold rows for which w.Where is true. The number of a file in row ids is
// its index among all live files by path.
func (s *Snapshot) Scan(ctx context.Context, w rel.Want) (rel.Node, error) {
	cols, err := s.scanColumns(w)
	if err != nil {
		return nil, s.fail(err)
	}
	adds, err := s.files()
	if err != nil {
		return nil, err
	}
	p := &partitions{s: s, seen: make([]map[string]types.Value, len(s.partition))}
	scan := &rel.Scan{Format: "parquet", Cols: cols}
	for i, a := range adds {
		f, keep, err := s.scanFile(ctx, int64(i), a, p, w)
		if err != nil {
			return nil, s.fail(err)
		}
		if keep {
			scan.Files = append(scan.Files, f)
		}
	}
	return scan, nil
}

func (s *Snapshot) fail(err error) error { return s.table.fail("read", "", err) }

// scanColumns says where each wanted column comes from.
func (s *Snapshot) scanColumns(w rel.Want) ([]rel.ScanColumn, error) {
	var out []rel.ScanColumn
	for _, c := range w.Columns {
		i := s.schema.Index(c.Name)
		if i < 0 {
			return nil, fmt.Errorf("there is no column %s", c.Name)
		}
		col := rel.ScanColumn{Column: c, From: rel.InFile, File: s.physical.Fields[i]}
		if retyped(s.schema.Fields[i]) {
			col.File.Metadata = col.File.Metadata.With(rel.RetypedKey, true)
		}
		for part, at := range s.partition {
			if at == i {
				col.From, col.Part = rel.InPartition, part
			}
		}
		out = append(out, col)
	}
	if w.RowID != nil {
		out = append(out, rel.ScanColumn{Column: *w.RowID, From: rel.RowID})
	}
	return out, nil
}

// scanFile is live file number id as the engine reads it, and whether its rows may be wanted.
func (s *Snapshot) scanFile(ctx context.Context, id int64, a *Add, p *partitions, w rel.Want) (f rel.File, keep bool, err error) {
	values, err := p.of(a)
	if err != nil {
		return f, false, err
	}
	if w.Where != nil && !rel.MayHold(w.Where, s.facts(w.Columns, a, values)) {
		return f, false, nil
	}
	f, err = s.file(ctx, id, a, values)
	return f, true, err
}

// file is a live file with its deleted rows.
func (s *Snapshot) file(ctx context.Context, id int64, a *Add, partition []types.Value) (rel.File, error) {
	key, err := PathKey(a.Path)
	if err != nil {
		return rel.File{}, err
	}
	bucket, name, err := s.table.place(key)
	if err != nil {
		return rel.File{}, err
	}
	f := rel.File{Bucket: bucket, Path: name, ID: id, Size: a.Size, Rows: s.rows(a), ModTime: a.ModificationTime, Partition: partition}
	hidden, err := s.vector(ctx, a)
	if err != nil {
		return rel.File{}, err
	}
	if hidden != nil && hidden.Len() > 0 {
		f.Hidden = hidden
	}
	return f, nil
}

// scanFiles is a scan of the files with the given numbers, where other rows are deleted than the snapshot says.
func (s *Snapshot) scanFiles(ctx context.Context, w rel.Want, of map[int64]*change) (rel.Node, error) {
	cols, err := s.scanColumns(w)
	if err != nil {
		return nil, s.fail(err)
	}
	scan := &rel.Scan{Format: "parquet", Cols: cols}
	for _, number := range slices.Sorted(maps.Keys(of)) {
		c := of[number]
		values, err := s.partitionValues(c.add)
		if err != nil {
			return nil, s.fail(err)
		}
		f, err := s.file(ctx, number, c.add, values)
		if err != nil {
			return nil, s.fail(err)
		}
		if f.Hidden = nil; c.hidden.Len() > 0 {
			f.Hidden = c.hidden
		}
		scan.Files = append(scan.Files, f)
	}
	return scan, nil
}

// rows is the number of rows in a's file, deleted ones included; negative when unknown.
func (s *Snapshot) rows(a *Add) int64 {
	if n, ok := numRecords(a.Stats); ok {
		return n
	}
	return -1
}

// matcher tells which files may hold rows for which where, over cols, is true. Where the log is damaged, all may.
func (s *Snapshot) matcher(where rel.Expr, cols []rel.Column) func(*Add) bool {
	return func(a *Add) bool {
		values, err := s.partitionValues(a)
		return err != nil || rel.MayHold(where, s.facts(cols, a, values))
	}
}

// partitionValues is the values of a's partition columns, in their order.
func (s *Snapshot) partitionValues(a *Add) ([]types.Value, error) {
	p := partitions{s: s, seen: make([]map[string]types.Value, len(s.partition))}
	return p.of(a)
}

// partitions decodes partition values, each text once.
type partitions struct {
	s    *Snapshot
	seen []map[string]types.Value
}

// of is the partition values of a in the order of the partition columns. They are found by the physical names of the
// columns, exactly; one that the log lacks is an error.
func (p *partitions) of(a *Add) ([]types.Value, error) {
	if len(p.s.partition) == 0 {
		return nil, nil
	}
	out := make([]types.Value, len(p.s.partition))
	for i, at := range p.s.partition {
		text, ok := a.PartitionValues[p.s.physical.Fields[at].Name]
		if !ok {
			return nil, fmt.Errorf("file %s has no value of the partition column %s", a.Path, p.s.schema.Fields[at].Name)
		}
		if text == nil {
			continue
		}
		v, ok := p.seen[i][*text]
		if !ok {
			var err error
			if v, err = parsePartition(text, p.s.schema.Fields[at].Type, p.s.table.format.Zone); err != nil {
				return nil, fmt.Errorf("file %s: column %s: %w", a.Path, p.s.schema.Fields[at].Name, err)
			}
			put(&p.seen[i], *text, v)
		}
		out[i] = v
	}
	return out, nil
}

// facts are what the log tells of a's columns. Statistics are decoded when a condition first asks for them.
func (s *Snapshot) facts(cols []rel.Column, a *Add, partition []types.Value) rel.Facts {
	var stats *fileStats
	return func(c *rel.Col, path []int) (rel.Known, bool) {
		i := -1
		for _, w := range cols {
			if w.ID == c.ID {
				i = s.schema.Index(w.Name)
			}
		}
		if i < 0 {
			return rel.Known{}, false
		}
		for part, at := range s.partition {
			if at == i && len(path) == 0 {
				return rel.KnownValue(partition[part], s.schema.Fields[i].Type), true
			}
		}
		if stats == nil {
			parsed := parseStats(a.Stats)
			stats = &parsed
		}
		names, t, ok := s.leaf(i, path)
		if !ok {
			return rel.Known{}, false
		}
		r := stats.bounds(names, t)
		if t == types.Type(types.Double) && retyped(s.schema.Fields[i]) {
			r.Min, r.Max = asFloat(r.Min, -1), asFloat(r.Max, 1)
		}
		return rel.Known{Range: r, Type: t, Rows: stats.rows}, true
	}
}

// asFloat moves a bound of a column that was FLOAT once to hold what its text meant then: 3.4 stood for a number that is not
// the double 3.4.
func asFloat(v types.Value, side int) types.Value {
	f, ok := v.(float64)
	if !ok {
		return v
	}
	if side < 0 {
		return min(f, float64(float32(f)))
	}
	return max(f, float64(float32(f)))
}

// leaf is the path of stored names, and the type, of a field inside column i.
func (s *Snapshot) leaf(i int, path []int) (names []string, t types.Type, ok bool) {
	names, t = []string{s.physical.Fields[i].Name}, s.schema.Fields[i].Type
	stored := s.physical.Fields[i].Type
	for _, at := range path {
		st, ok := t.(types.Struct)
		if !ok || at >= len(st.Fields) {
			return nil, nil, false
		}
		f := stored.(types.Struct).Fields[at]
		names, t, stored = append(names, f.Name), st.Fields[at].Type, f.Type
	}
	return names, t, types.Atomic(t)
}

var _ lake.Snapshot = (*Snapshot)(nil)
