package delta

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// statsTree is the stats_parsed struct of a checkpoint: a leaf, or members by name.
type statsTree struct {
	name    string
	leaf    column
	members []*statsTree
}

// statsColumns reads stats_parsed where some file has no statistics as text (P §Checkpoint Schema, and
// delta.checkpoint.writeStatsAsJson=false). It is empty where all have.
func (r *groupReader) statsColumns(path, stats column) *statsTree {
	needed := false
	for i := 0; path.v != nil && i < path.v.Len && !needed; i++ {
		needed = path.v.Set(i) && stats.text(i) == ""
	}
	root := &statsTree{}
	if !needed {
		return root
	}
	for _, leaf := range r.file.Leaves() {
		if r.err == nil && leaf.MaxRep == 0 && under(leaf.Path, []string{"add", "stats_parsed"}) {
			root.add(leaf.Path[2:], r.leaf(leaf, 0, leaf.Type.Kind()))
		}
	}
	return root
}

func (t *statsTree) add(path []string, c column) {
	if len(path) == 0 {
		t.leaf = c
		return
	}
	for _, m := range t.members {
		if m.name == path[0] {
			m.add(path[1:], c)
			return
		}
	}
	m := &statsTree{name: path[0]}
	t.members = append(t.members, m)
	m.add(path[1:], c)
}

// text is the statistics of row i in the form that commits have; "" when there are none.
func (t *statsTree) text(i int) string {
	if !t.set(i) {
		return ""
	}
	var b bytes.Buffer
	enc := jsontext.NewEncoder(&b)
	if t.write(enc, i) != nil {
		return "" // text that is no UTF-8: no statistics
	}
	return strings.TrimSpace(b.String())
}

// set reports whether t holds a value in row i.
func (t *statsTree) set(i int) bool {
	if t.leaf.v != nil {
		return t.leaf.v.Set(i)
	}
	for _, m := range t.members {
		if m.set(i) {
			return true
		}
	}
	return false
}

func (t *statsTree) write(enc *jsontext.Encoder, i int) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, m := range t.members {
		text, ok := m.bound(i)
		if !ok && (m.leaf.v != nil || !m.set(i)) {
			continue
		}
		if err := enc.WriteToken(jsontext.String(m.name)); err != nil {
			return err
		}
		err := error(nil)
		if ok {
			err = enc.WriteValue(text)
		} else {
			err = m.write(enc, i)
		}
		if err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

// bound is the value of a leaf as JSON; false when there is none, or none that statistics may have.
func (t *statsTree) bound(i int) (jsontext.Value, bool) {
	if t.leaf.v == nil {
		return nil, false
	}
	switch v := t.leaf.v.Value(i).(type) {
	case nil:
		return nil, false
	case bool:
		return jsontext.Value(strconv.FormatBool(v)), true
	default:
		return boundText(v, t.leaf.v.SparkType())
	}
}
