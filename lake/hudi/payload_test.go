package hudi

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tarn-lake/tarn/lake/hudi/config"
	"github.com/tarn-lake/tarn/lake/hudi/logfile"
	"github.com/tarn-lake/tarn/types"
)

// payloadRuns is oracle/payloads.json of the corpus: what Hudi made of batches of rows, by payload class or merge mode.
type payloadRuns struct {
	Inputs map[string]struct {
		Columns []string
		Batches []struct {
			Operation string
			Rows      [][]any
		}
	}
	Runs map[string]struct {
		Hudi        string
		Type, Input string
		Config      map[string]string `json:"table_config"`
		Steps       []struct {
			Rows  [][]any
			Error any
		}
	}
}

// TestPayloads folds the batches of every run on a MERGE_ON_READ table as if they were logs, and compares the rows after each batch with
// Hudi's. Keys that one batch has twice are left out: writers merge those.
func TestPayloads(t *testing.T) {
	var p payloadRuns
	text, err := os.ReadFile(filepath.Join(payloadCorpus(t), "oracle", "payloads.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	for name, run := range p.Runs {
		failed := func(i int) bool { return run.Steps[i].Error != nil }
		if run.Type != "MERGE_ON_READ" || failed(0) || failed(1) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			in := p.Inputs[run.Input]
			b := newBatches(t, in.Columns, run.Config)
			if b == nil {
				t.Skip("this payload is not merged")
			}
			for _, batch := range in.Batches {
				b.twice(batch.Rows)
			}
			for i, batch := range in.Batches {
				b.write(t, batch.Rows, batch.Operation == "delete")
				got := b.rows(t)
				for _, row := range run.Steps[i].Rows {
					id := fmt.Sprint(row[0])
					if b.skip[id] {
						continue
					}
					if got[id] != fmt.Sprint(row) {
						t.Errorf("batch %d: %s, want %v", i+1, got[id], row)
					}
					delete(got, id)
				}
				for _, row := range got {
					t.Errorf("batch %d: %s, want none", i+1, row)
				}
			}
		})
	}
}

// batches is a table of one file group.
type batches struct {
	rule   mergeRule
	fold   *fold
	fields []types.Field
	base   map[string][]any
	skip   map[string]bool
}

func newBatches(t *testing.T, columns []string, conf map[string]string) *batches {
	p := config.Properties{"hoodie.table.name": "t", "hoodie.table.type": "MERGE_ON_READ"}
	for k, v := range conf {
		p[k] = v
	}
	c, err := config.NewTable(p)
	if err != nil {
		t.Fatal(err)
	}
	b := &batches{base: map[string][]any{}, skip: map[string]bool{}}
	if b.rule, err = mergeRuleOf(c); err != nil {
		return nil
	}
	kinds := map[string]types.Type{"int": types.Int, "bigint": types.Long, "string": types.String, "boolean": types.Boolean}
	for _, column := range columns {
		name, kind, _ := strings.Cut(column, " ")
		b.fields = append(b.fields, types.Field{Name: name, Type: kinds[kind], Nullable: true})
	}
	s := &Snapshot{config: c, schema: types.Struct{Fields: b.fields}}
	b.fold = s.newFold(&b.rule, b.fields)
	return b
}

func (b *batches) twice(rows [][]any) {
	seen := map[string]bool{}
	for _, row := range rows {
		id := fmt.Sprint(row[0])
		b.skip[id] = b.skip[id] || seen[id]
		seen[id] = true
	}
}

func (b *batches) at(name string) int {
	return slices.IndexFunc(b.fields, func(f types.Field) bool { return f.Name == name })
}

// write writes a batch: keys that are new to the base, others to a log.
func (b *batches) write(t *testing.T, rows [][]any, deletes bool) {
	var updates [][]any
	p := &part{keys: true}
	for _, row := range rows {
		id := fmt.Sprint(row[0])
		if b.skip[id] {
			continue
		}
		gone := b.deletes(row)
		_, known := b.base[id]
		switch {
		case !known && !gone && !deletes:
			b.base[id] = row
		case !known:
		case deletes:
			p.deletions = append(p.deletions, logfile.Deletion{Key: id, Ordering: int32(0)})
		case gone:
			p.deletions = append(p.deletions, logfile.Deletion{Key: id, Ordering: b.deletion(row)})
		default:
			updates = append(updates, row)
		}
	}
	for _, p := range []*part{b.part(updates), p} {
		b.fold.parts = append(b.fold.parts, p)
		if err := b.fold.add(int32(len(b.fold.parts)-1), p); err != nil {
			t.Fatal(err)
		}
	}
}

func (b *batches) deletes(row []any) bool {
	if i := b.at(isDeletedColumn); i >= 0 && row[i] == true {
		return true
	}
	i := b.at(b.rule.deleteField)
	return i >= 0 && b.rule.deletes(fmt.Sprint(row[i]))
}

// deletion is the ordering value that a deletion gets.
func (b *batches) deletion(row []any) logfile.Ordering {
	var out []logfile.Ordering
	for _, name := range b.rule.ordering {
		v := row[b.at(name)]
		if n, ok := v.(float64); ok {
			v = int64(n)
		}
		out = append(out, v)
	}
	switch len(out) {
	case 0:
		return int32(0)
	case 1:
		return out[0]
	}
	return out
}

func (b *batches) part(rows [][]any) *part {
	p := &part{rows: len(rows)}
	for _, f := range b.fold.fields {
		col := array.NewBuilder(memory.DefaultAllocator, types.Arrow(f.Type))
		for _, row := range rows {
			v := any(fmt.Sprint(row[0]))
			if i := b.at(f.Name); i >= 0 {
				v = row[i]
			}
			if n, ok := v.(float64); ok {
				v = int64(n)
			}
			if err := types.AppendValue(col, v); err != nil {
				panic(err)
			}
		}
		p.columns = append(p.columns, col.NewArray())
	}
	return p
}

// rows are the rows of the table by id.
func (b *batches) rows(t *testing.T) map[string]string {
	out := map[string]string{}
	for id, row := range b.base {
		out[id] = fmt.Sprint(row)
	}
	values, has := make([]arrow.Array, len(b.fields)), make([]arrow.Array, len(b.fields))
	for c := range b.fields {
		values[c], has[c] = b.fold.column(c)
	}
	for i := range b.fold.entries {
		e := &b.fold.entries[i]
		base := b.base[e.key]
		stays := b.stays(e, base)
		if stays && (e.deletion || b.rule.keepsNulls != nullsKeepOlder) {
			continue
		}
		delete(out, e.key)
		if e.deletion {
			continue
		}
		row := make([]any, len(b.fields))
		for c, f := range b.fields {
			v, err := types.ValueAt(values[c], i, f.Type)
			if err != nil {
				t.Fatal(err)
			}
			if row[c] = v; !has[c].(*array.Boolean).Value(i) || stays && base[c] != nil {
				row[c] = base[c]
			}
		}
		out[e.key] = fmt.Sprint(row)
	}
	return out
}

// stays reports whether the row of the base file stays, as the condition of the join says.
func (b *batches) stays(e *entry, base []any) bool {
	if b.fold.always(e) || len(b.rule.ordering) == 0 {
		return false
	}
	p := b.part([][]any{base})
	columns := make([]arrow.Array, len(b.fold.ordering))
	for i, c := range b.fold.ordering {
		columns[i] = p.columns[c]
	}
	return compareOrdering(orderingAt(columns, 0), e.ordering) > 0
}

func payloadCorpus(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("TARN_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	dir = filepath.Join(dir, "corpus", "hudi")
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no corpus: %v", err)
		}
		t.Skip("no corpus")
	}
	return dir
}
