package delta

import (
	"context"
	"fmt"
	"strings"

	pq "github.com/parquet-go/parquet-go"

	"github.com/tarn-lake/tarn/internal/parquet"
)

// eachCheckpointRow calls f for each action of a Parquet checkpoint or sidecar, whose rows are one action each, in a struct
// column of its name (P §Checkpoint Schema).
func (t *Table) eachCheckpointRow(ctx context.Context, name string, f func(Action) error) error {
	file, err := t.bucket.Open(ctx, name)
	if err != nil {
		return t.fail("read", name, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return t.fail("read", name, err)
	}
	p, err := parquet.Open(file, info.Size, parquet.Limits{})
	if err != nil {
		return t.corrupt(name, err)
	}
	for g := range p.Groups() {
		if err := ctx.Err(); err != nil {
			return err
		}
		r := &groupReader{file: p, group: g}
		if err := r.each(f); err != nil {
			return t.corrupt(name, err)
		}
	}
	return nil
}

// groupReader makes actions of the rows of one row group. After the first fault err stays.
type groupReader struct {
	file  *parquet.File
	group int
	err   error
}

// each calls f for the actions, kind by kind, which the reconciliation of a checkpoint does not mind.
func (r *groupReader) each(f func(Action) error) error {
	for _, read := range []func(func(Action) error){r.adds, r.removes, r.metadata, r.protocol, r.txns, r.domains, r.sidecars} {
		read(func(a Action) error {
			if err := check(a); err != nil {
				return err
			}
			return f(a)
		})
		if r.err != nil {
			return r.err
		}
	}
	return nil
}

// rows calls f for each row in which key holds a value.
func (r *groupReader) rows(key column, f func(i int) error) {
	for i := 0; r.err == nil && key.v != nil && i < key.v.Len; i++ {
		if key.v.Set(i) {
			r.err = f(i)
		}
	}
}

func (r *groupReader) adds(f func(Action) error) {
	path := r.text("add", "path")
	if path.empty() {
		return
	}
	size, modified, change := r.int("add", "size"), r.int("add", "modificationTime"), r.bool("add", "dataChange")
	stats, provider := r.text("add", "stats"), r.text("add", "clusteringProvider")
	values, tags, vector := r.pairs("add", "partitionValues"), r.pairs("add", "tags"), r.vector("add")
	base, since := r.int("add", "baseRowId"), r.int("add", "defaultRowCommitVersion")
	parsed := r.statsColumns(path, stats)
	r.rows(path, func(i int) error {
		a := &Add{
			Path: path.text(i), PartitionValues: values.at(i), Size: size.int(i), ModificationTime: modified.int(i), DataChange: change.bool(i),
			Stats: stats.text(i), Tags: tags.at(i), DeletionVector: vector.at(i), BaseRowID: base.intOrNil(i), DefaultRowCommitVersion: since.intOrNil(i),
			ClusteringProvider: provider.text(i),
		}
		if a.Stats == "" {
			a.Stats = parsed.text(i)
		}
		return f(a)
	})
}

func (r *groupReader) removes(f func(Action) error) {
	path := r.text("remove", "path")
	if path.empty() {
		return
	}
	deleted, size, change, extended := r.int("remove", "deletionTimestamp"), r.int("remove", "size"), r.bool("remove", "dataChange"), r.bool("remove", "extendedFileMetadata")
	values, vector := r.pairs("remove", "partitionValues"), r.vector("remove")
	base, since := r.int("remove", "baseRowId"), r.int("remove", "defaultRowCommitVersion")
	r.rows(path, func(i int) error {
		return f(&Remove{
			Path: path.text(i), DeletionTimestamp: deleted.intOrNil(i), DataChange: change.bool(i), ExtendedFileMetadata: extended.boolOrNil(i),
			PartitionValues: values.at(i), Size: size.intOrNil(i), DeletionVector: vector.at(i), BaseRowID: base.intOrNil(i), DefaultRowCommitVersion: since.intOrNil(i),
		})
	})
}

func (r *groupReader) metadata(f func(Action) error) {
	id := r.text("metaData", "id")
	if id.empty() {
		return
	}
	name, description, created := r.text("metaData", "name"), r.text("metaData", "description"), r.int("metaData", "createdTime")
	provider, options := r.text("metaData", "format", "provider"), r.pairs("metaData", "format", "options")
	schema, partition, configuration := r.text("metaData", "schemaString"), r.list("metaData", "partitionColumns"), r.pairs("metaData", "configuration")
	r.rows(id, func(i int) error {
		return f(&Metadata{
			ID: id.text(i), Name: name.text(i), Description: description.text(i), Format: FileFormat{provider.text(i), plain(options.at(i))},
			SchemaString: schema.text(i), PartitionColumns: partition.texts(i), Configuration: plain(configuration.at(i)), CreatedTime: created.intOrNil(i),
		})
	})
}

// plain is m with NULL as empty text.
func plain(m map[string]*string) map[string]string {
	out := make(map[string]string, len(m))
	for k, v := range m {
		if v != nil {
			out[k] = *v
		} else {
			out[k] = ""
		}
	}
	return out
}

func (r *groupReader) protocol(f func(Action) error) {
	reader, writer := r.int("protocol", "minReaderVersion"), r.int("protocol", "minWriterVersion")
	if reader.empty() {
		return
	}
	readers, writers := r.list("protocol", "readerFeatures"), r.list("protocol", "writerFeatures")
	r.rows(reader, func(i int) error {
		return f(&Protocol{int(reader.int(i)), int(writer.int(i)), readers.texts(i), writers.texts(i)})
	})
}

func (r *groupReader) txns(f func(Action) error) {
	app := r.text("txn", "appId")
	if app.empty() {
		return
	}
	version, updated := r.int("txn", "version"), r.int("txn", "lastUpdated")
	r.rows(app, func(i int) error { return f(&Txn{app.text(i), version.int(i), updated.intOrNil(i)}) })
}

func (r *groupReader) domains(f func(Action) error) {
	domain := r.text("domainMetadata", "domain")
	if domain.empty() {
		return
	}
	configuration, removed := r.text("domainMetadata", "configuration"), r.bool("domainMetadata", "removed")
	r.rows(domain, func(i int) error {
		return f(&DomainMetadata{domain.text(i), configuration.text(i), removed.bool(i)})
	})
}

func (r *groupReader) sidecars(f func(Action) error) {
	path := r.text("sidecar", "path")
	if path.empty() {
		return
	}
	size, modified := r.int("sidecar", "sizeInBytes"), r.int("sidecar", "modificationTime")
	r.rows(path, func(i int) error {
		return f(&SidecarRef{Path: path.text(i), SizeInBytes: size.int(i), ModificationTime: modified.int(i)})
	})
}

// vectorColumns are the columns of a deletionVector struct.
type vectorColumns struct{ storage, path, offset, size, cardinality, maxRow column }

func (r *groupReader) vector(action string) vectorColumns {
	at := func(name string) []string { return []string{action, "deletionVector", name} }
	c := vectorColumns{storage: r.text(at("storageType")...)}
	if !c.storage.empty() {
		c.path, c.offset, c.size = r.text(at("pathOrInlineDv")...), r.int(at("offset")...), r.int(at("sizeInBytes")...)
		c.cardinality, c.maxRow = r.int(at("cardinality")...), r.int(at("maxRowIndex")...)
	}
	return c
}

func (c vectorColumns) at(i int) *DeletionVector {
	if c.storage.v == nil || !c.storage.v.Set(i) {
		return nil
	}
	d := &DeletionVector{StorageType: c.storage.text(i), PathOrInlineDV: c.path.text(i), SizeInBytes: int32(c.size.int(i)), Cardinality: c.cardinality.int(i),
		MaxRowIndex: c.maxRow.intOrNil(i)}
	if n := c.offset.intOrNil(i); n != nil {
		at := int32(*n)
		d.Offset = &at
	}
	return d
}

// column is a leaf without lists above it, one cell a row. Without a leaf all its cells are NULL.
type column struct{ v *parquet.Vector }

// empty reports whether c has no value in any row.
func (c column) empty() bool {
	if c.v == nil {
		return true
	}
	for i := range c.v.Len {
		if c.v.Set(i) {
			return false
		}
	}
	return true
}

func (c column) text(i int) string {
	if c.v == nil || !c.v.Set(i) {
		return ""
	}
	return c.v.Texts[i]
}

func (c column) int(i int) int64 {
	if c.v == nil || !c.v.Set(i) {
		return 0
	}
	return c.v.Ints[i]
}

func (c column) intOrNil(i int) *int64 {
	if c.v == nil || !c.v.Set(i) {
		return nil
	}
	n := c.v.Ints[i]
	return &n
}

func (c column) bool(i int) bool { return c.v != nil && c.v.Set(i) && c.v.Bools[i] }

func (c column) boolOrNil(i int) *bool {
	if c.v == nil || !c.v.Set(i) {
		return nil
	}
	b := c.v.Bools[i]
	return &b
}

func (r *groupReader) text(path ...string) column { return r.column(path, 0, pq.ByteArray) }
func (r *groupReader) int(path ...string) column  { return r.column(path, 0, pq.Int32, pq.Int64) }
func (r *groupReader) bool(path ...string) column { return r.column(path, 0, pq.Boolean) }

// column reads the leaf at path, which must be of one of kinds and below as many lists as lists says; a missing one is
// all NULL.
func (r *groupReader) column(path []string, lists int, kinds ...pq.Kind) column {
	leaf, ok := r.file.Leaf(path...)
	if !ok || r.err != nil {
		return column{}
	}
	return r.leaf(leaf, lists, kinds...)
}

func (r *groupReader) leaf(leaf parquet.Leaf, lists int, kinds ...pq.Kind) column {
	if leaf.MaxRep != lists || !oneOf(leaf.Type.Kind(), kinds) {
		r.err = fmt.Errorf("column %s has the type %s, which does not belong there", strings.Join(leaf.Path, "."), leaf.Type)
		return column{}
	}
	v, err := r.file.Read(r.group, leaf)
	if err != nil {
		r.err = err
		return column{}
	}
	return column{v}
}

func oneOf(k pq.Kind, kinds []pq.Kind) bool {
	for _, x := range kinds {
		if k == x {
			return true
		}
	}
	return false
}

// listColumn is a list of text, or one side of a map.
type listColumn struct {
	column
	start []int // of each row's cells
}

// list reads the only leaf below path, whatever names the levels of the list have.
func (r *groupReader) list(path ...string) listColumn {
	for _, leaf := range r.file.Leaves() {
		if under(leaf.Path, path) && r.err == nil {
			return newList(r.leaf(leaf, 1, pq.ByteArray))
		}
	}
	return listColumn{}
}

func under(path, folder []string) bool {
	if len(path) <= len(folder) {
		return false
	}
	for i := range folder {
		if path[i] != folder[i] {
			return false
		}
	}
	return true
}

func newList(c column) listColumn {
	l := listColumn{column: c}
	if c.v != nil {
		for i, rep := range c.v.Rep {
			if rep == 0 {
				l.start = append(l.start, i)
			}
		}
		l.start = append(l.start, c.v.Len)
	}
	return l
}

// cells is the range of row i's elements, and whether the list is there at all.
func (l listColumn) cells(i int) (from, to int, ok bool) {
	if l.v == nil || i+1 >= len(l.start) {
		return 0, 0, false
	}
	from, to = l.start[i], l.start[i+1]
	def := int(l.v.Def[from])
	if def < l.v.RepDef {
		return from, from, def == l.v.RepDef-1
	}
	return from, to, true
}

// texts is the list of row i; nil when there is none.
func (l listColumn) texts(i int) []string {
	from, to, ok := l.cells(i)
	if !ok {
		return nil
	}
	out := make([]string, 0, to-from)
	for j := from; j < to; j++ {
		out = append(out, l.v.Texts[j])
	}
	return out
}

// pairColumns is a map of text to text.
type pairColumns struct{ key, value listColumn }

// pairs reads the map at path: the first leaf below it is the key, the second the value.
func (r *groupReader) pairs(path ...string) pairColumns {
	var c []listColumn
	for _, leaf := range r.file.Leaves() {
		if under(leaf.Path, path) && r.err == nil && len(c) < 2 {
			c = append(c, newList(r.leaf(leaf, 1, pq.ByteArray)))
		}
	}
	if len(c) < 2 || r.err != nil {
		return pairColumns{}
	}
	if c[0].v.Len != c[1].v.Len {
		r.err = fmt.Errorf("column %s has %d keys and %d values", strings.Join(path, "."), c[0].v.Len, c[1].v.Len)
		return pairColumns{}
	}
	return pairColumns{c[0], c[1]}
}

// at is the map of row i; nil when it is empty or there is none.
func (p pairColumns) at(i int) map[string]*string {
	from, to, _ := p.key.cells(i)
	if from == to {
		return nil
	}
	out := make(map[string]*string, to-from)
	for j := from; j < to; j++ {
		if p.value.v.Set(j) {
			text := p.value.v.Texts[j]
			out[p.key.v.Texts[j]] = &text
		} else {
			out[p.key.v.Texts[j]] = nil
		}
	}
	return out
}
