package hudi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// optOnRead is the setting that lets ALTER TABLE rename, drop, move and retype columns, whose ids are kept from then on.
const optOnRead = "hoodie.schema.on.read.enable"

const onReadHint = "SET " + optOnRead + " = true lets columns be renamed, dropped, moved and retyped"

// Evolving is Meta with the ids of columns.
func (x *tx) Evolving() *lake.Meta {
	m := x.Meta()
	now, err := x.ids()
	if err == nil { // else Define tells of it
		m.Schema = types.Struct{Fields: now.marked(m.Schema.Fields)}
	}
	return m
}

// ids is the schema with ids before this transaction: for a table without one, that which its first change makes of it.
func (x *tx) ids() (internalSchema, error) {
	if h := x.base.history; h != nil {
		return h.current, nil
	}
	return firstSchema(x.base.schema.Fields)
}

// evolve makes now the columns of a table with schema-on-read.
func (x *tx) evolve(old, now types.Struct) error {
	had, err := x.ids()
	if err != nil {
		return err
	}
	if err := x.checkEvolution(old, now, had.numbered); err != nil {
		return err
	}
	plain := types.Struct{Fields: unmarked(now.Fields)}
	x.show(plain)
	x.marked = append(slices.Clone(x.metaColumns()), now.Fields...)
	_, err = had.evolved(x.marked, x.base.schema, "")
	return err
}

// metaColumns are the meta columns of the table's schema.
func (x *tx) metaColumns() (out []types.Field) {
	for _, f := range x.base.schema.Fields {
		if isMeta(f.Name) {
			out = append(out, f)
		}
	}
	return out
}

// checkEvolution refuses to touch columns that tell rows apart and where they are, and types that files cannot be read as.
func (x *tx) checkEvolution(old, now types.Struct, ids numbered) error {
	for _, f := range old.Fields {
		i := now.Index(f.Name)
		kept := i >= 0
		if at := ids.named(f.Name); kept && at != nil {
			id, marked := now.Fields[i].Metadata.Int(columnID)
			kept = !marked || int(id) == at.id
		}
		what := x.roleOf(f.Name)
		if what != "" && !kept {
			return x.unchangeable("the name of the "+what+" "+f.Name, "Hudi refuses it, too: a column that keys, places or orders rows stays")
		}
		if kept && what != "" && what != keyRole && !types.Equal(unmarkedType(now.Fields[i].Type), f.Type) {
			return x.unchangeable("the type of the "+what+" "+f.Name, "make a new table and copy the rows")
		}
	}
	return x.checkFieldsChanged(old, now, ids, "")
}

const keyRole = "record key field"

// roleOf is what a column is for, "" for nothing in particular.
func (x *tx) roleOf(column string) string {
	c := x.config()
	is := func(name string) bool { first, _, _ := strings.Cut(name, "."); return strings.EqualFold(first, column) }
	if slices.ContainsFunc(c.RecordKey, is) {
		return keyRole
	}
	if slices.ContainsFunc(c.Ordering, is) {
		return "ordering field"
	}
	for _, p := range c.Partition {
		if is(p.Name) {
			return "partition field"
		}
	}
	return ""
}

// checkFieldsChanged compares the fields of a struct, at the path in, with what they were.
func (x *tx) checkFieldsChanged(old, now types.Struct, ids numbered, in string) error {
	for _, f := range now.Fields {
		at := ids.named(f.Name)
		if id, ok := f.Metadata.Int(columnID); ok {
			at = ids.numberedBy(int(id))
		}
		i := -1
		if at != nil {
			i = old.Index(at.name)
		}
		var err error
		switch {
		case i >= 0 && old.Fields[i].Nullable && !f.Nullable:
			err = x.unchangeable("NOT NULL for the column "+in+f.Name, "rows that are there may have NULL in it")
		case i >= 0:
			err = x.checkRetyped(old.Fields[i].Type, f.Type, at.numbered, in+f.Name)
		case !f.Nullable:
			err = x.unchangeable("NOT NULL for the new column "+in+f.Name, "rows that are there have NULL in it: add it as nullable")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkRetyped refuses to read a stored type as another, unless Hudi does and no value changes.
func (x *tx) checkRetyped(from, to types.Type, ids numbered, path string) error {
	switch from := from.(type) {
	case types.Struct:
		if to, ok := to.(types.Struct); ok {
			return x.checkFieldsChanged(from, to, ids, path+".")
		}
	case types.Array:
		if to, ok := to.(types.Array); ok && ids.kind == arrayKind {
			return x.checkRetyped(from.Elem, to.Elem, ids.fields[0].numbered, path+".element")
		}
	case types.Map:
		if to, ok := to.(types.Map); ok && ids.kind == mapKind && types.Equal(from.Key, to.Key) {
			return x.checkRetyped(from.Value, to.Value, ids.fields[1].numbered, path+".value")
		}
	}
	if types.Equal(from, to) || readAs(from, to) {
		return nil
	}
	return x.unchangeable("the type of column "+path+" from "+types.SQL(from)+" to "+types.SQL(to), "add a column of the new type and fill it by UPDATE")
}

// readAs reports whether stored values of a type are read as another, wider one.
func readAs(from, to types.Type) bool {
	d, decimal := to.(types.Decimal)
	switch from {
	case types.Byte, types.Short, types.Int:
		return to == types.Long || to == types.Float || to == types.Double || to == types.String || decimal && d.P-d.S >= 10
	case types.Long:
		return to == types.Float || to == types.Double || to == types.String || decimal && d.P-d.S >= 19
	case types.Float:
		return to == types.Double || to == types.String
	case types.Double, types.Date:
		return to == types.String
	}
	was, ok := from.(types.Decimal)
	return ok && (to == types.String || decimal && d.S >= was.S && d.P-d.S >= was.P-was.S)
}

// keepSchema puts the schema with ids into what a commit at instant says, and gives all schemas that there were until then; "" for a table
// without ids.
func (x *tx) keepSchema(extra map[string]string, instant string) (history string, err error) {
	h := x.base.history
	if x.marked == nil {
		if h == nil {
			return "", nil
		}
		extra[internalSchemaKey] = h.text
		return cmp.Or(h.all, historyOf(h.text)), nil
	}
	had, err := x.ids()
	if err != nil {
		return "", err
	}
	now, err := had.evolved(x.marked, x.base.schema, instant)
	if err != nil {
		return "", err
	}
	extra[internalSchemaKey] = now.text()
	past := historyOf(had.text())
	if h != nil {
		past = cmp.Or(h.all, historyOf(h.text))
	}
	older, ok := strings.CutPrefix(past, historyStart)
	if !ok {
		return "", errors.New("the schemas that the table had are not written as Hudi writes them")
	}
	return historyStart + now.text() + "," + older, nil
}

const historyStart = `{"schemas":[`

func historyOf(schema string) string { return historyStart + schema + "]}" }

// writeHistory keeps all schemas that there were with a commit, whose instant is not completed yet. Files of commits that are no longer
// on the timeline go: each file has all that the ones before had.
//
//	.hoodie/.schema/<instant>.schemacommit.requested, .inflight    empty
//	.hoodie/.schema/<instant>.schemacommit                          the schemas; from version 8 on <instant>_<completion>.schemacommit
func (t *Table) writeHistory(ctx context.Context, line *timeline.Timeline, instant, history string) error {
	if history == "" {
		return nil
	}
	var old []string
	for info, err := range t.bucket.List(ctx, schemaDir, "") {
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(info.Name, schemaDir+"/")
		name, _, _ = strings.Cut(name, ".")
		of, _, _ := strings.Cut(name, "_")
		if _, there := line.Find(of); validInstant(of) && !there {
			old = append(old, info.Name)
		}
	}
	name := schemaDir + "/" + instant + ".schemacommit"
	done := name
	if t.config.Layout > 1 {
		done = schemaDir + "/" + instant + "_" + timeline.FormatTime(time.Now(), t.zone()) + ".schemacommit"
	}
	for _, f := range []struct{ name, text string }{{name + ".requested", ""}, {name + ".inflight", ""}, {done, history}} {
		if err := storage.WriteFile(ctx, t.bucket, f.name, storage.Replace, []byte(f.text)); err != nil {
			return err
		}
	}
	if len(old) == 0 {
		return nil
	}
	return t.bucket.Remove(ctx, old...)
}

// asPlanned is a snapshot with the columns that the table had at an instant: what a service writes that was planned then must have them,
// since its files are taken for files of that time.
func (s *Snapshot) asPlanned(ctx context.Context, instant string) (*Snapshot, error) {
	if s.history == nil || s.history.current.version <= version(instant) {
		return s, nil
	}
	commits := s.timeline.AsOf(instant)
	then := *s
	then.history, then.instant, then.read = nil, "", nil
	if n := len(commits); n > 0 {
		then.instant = commits[n-1].Time
	}
	err := then.describe(ctx, commits)
	then.read = nil
	return &then, err
}

// numbering gives ids to columns. What a table has already keeps its id; what is new gets the next one.
type numbering struct {
	last int // id that was given
	err  error
}

func (n *numbering) next() int {
	n.last++
	return n.last
}

// firstSchema is the schema of a table that had no ids: those of the columns come before those of their parts.
func firstSchema(fields []types.Field) (internalSchema, error) {
	n := numbering{last: -1}
	out := internalSchema{numbered: n.record(fields)}
	out.maxID = n.last
	return out, n.err
}

// evolved is the schema that holds from an instant on, of columns of which some are those of s, which have the types was: by their ids,
// else by their names.
func (s internalSchema) evolved(fields []types.Field, was types.Struct, instant string) (internalSchema, error) {
	n := numbering{last: s.maxID}
	out := internalSchema{version: version(instant), numbered: n.again(fields, s.numbered, was)}
	out.maxID = n.last
	return out, n.err
}

// record numbers the fields of a struct, all of them before their parts.
func (n *numbering) record(fields []types.Field) numbered {
	out := numbered{kind: recordKind}
	for _, f := range fields {
		out.fields = append(out.fields, numberedField{id: n.next()}.saying(f))
	}
	for i, f := range fields {
		out.fields[i].numbered = n.fresh(f.Type)
	}
	return out
}

// saying is a field with what f says of itself.
func (nf numberedField) saying(f types.Field) numberedField {
	nf.name, nf.optional = f.Name, f.Nullable
	if doc, ok := f.Metadata.Text("comment"); ok {
		nf.doc = &doc
	} else if nf.doc != nil && *nf.doc != "" || isMeta(f.Name) {
		nf.doc = nil
	}
	if isMeta(f.Name) {
		nf.doc = new(string) // as Hudi's own schema has it
	}
	return nf
}

// fresh numbers the parts of a type.
func (n *numbering) fresh(t types.Type) numbered {
	switch t := t.(type) {
	case types.Struct:
		return n.record(t.Fields)
	case types.Array:
		e := numberedField{id: n.next(), name: "element", optional: t.Nullable}
		e.numbered = n.fresh(t.Elem)
		return numbered{kind: arrayKind, fields: []numberedField{e}}
	case types.Map:
		k, v := numberedField{id: n.next(), name: "key"}, numberedField{id: n.next(), name: "value", optional: t.Nullable}
		k.numbered, v.numbered = n.fresh(t.Key), n.fresh(t.Value)
		return numbered{kind: mapKind, fields: []numberedField{k, v}}
	}
	return numbered{kind: n.word(t)}
}

// again numbers fields of which old has some, with the types was.
func (n *numbering) again(fields []types.Field, old numbered, was types.Struct) numbered {
	out := numbered{kind: recordKind}
	for _, f := range fields {
		at := old.named(f.Name)
		if id, ok := f.Metadata.Int(columnID); ok {
			at = old.numberedBy(int(id))
		}
		if at == nil {
			nf := numberedField{id: n.next()}.saying(f)
			nf.numbered = n.fresh(f.Type)
			out.fields = append(out.fields, nf)
			continue
		}
		var former types.Type
		if i := was.Index(at.name); i >= 0 {
			former = was.Fields[i].Type
		}
		nf := at.saying(f)
		nf.numbered = n.changed(f.Type, at.numbered, former)
		out.fields = append(out.fields, nf)
	}
	return out
}

// changed numbers the parts of a type t that was former before, as old says. A leaf that stays is spelled as it was.
func (n *numbering) changed(t types.Type, old numbered, former types.Type) numbered {
	switch t := t.(type) {
	case types.Struct:
		if was, ok := former.(types.Struct); ok && old.kind == recordKind {
			return n.again(t.Fields, old, was)
		}
	case types.Array:
		if was, ok := former.(types.Array); ok && old.kind == arrayKind {
			e := old.fields[0]
			e.numbered = n.changed(t.Elem, e.numbered, was.Elem)
			return numbered{kind: arrayKind, fields: []numberedField{e}}
		}
	case types.Map:
		if was, ok := former.(types.Map); ok && old.kind == mapKind {
			v := old.fields[1]
			v.numbered = n.changed(t.Value, v.numbered, was.Value)
			return numbered{kind: mapKind, fields: []numberedField{old.fields[0], v}}
		}
	default:
		if former == t && old.fields == nil {
			return old
		}
	}
	return n.fresh(t)
}

var leafWords = map[types.Type]string{types.Boolean: "boolean", types.Byte: "int", types.Short: "int", types.Int: "int", types.Long: "long", types.Float: "float",
	types.Double: "double", types.Date: "date", types.Timestamp: "timestamp", types.String: "string", types.Binary: "binary"}

// word is how a schema with ids calls a leaf.
func (n *numbering) word(t types.Type) string {
	if d, ok := t.(types.Decimal); ok {
		return fmt.Sprintf("decimal(%d, %d)", d.P, d.S)
	}
	if types.Text(t) {
		return leafWords[types.String]
	}
	if w, ok := leafWords[t]; ok {
		return w
	}
	if n.err == nil {
		n.err = fmt.Errorf("schemas with ids (schema-on-read) have no type %s", types.SQL(t))
	}
	return ""
}
