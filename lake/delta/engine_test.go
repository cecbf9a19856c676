package delta

import (
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"fmt"
	"path"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/uuid"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// rowEngine is an engine for tests: it computes row by row, in Go, the few nodes and functions that tests need, and its
// data files are gobs. Its values are int64, string, bool and nil.
type rowEngine struct{}

// row maps columns to values.
type row map[rel.ID]types.Value

func (rowEngine) Close() error { return nil }

func (e rowEngine) Hold(ctx context.Context, q rel.Node) (rel.Node, func() error, error) {
	rows, err := e.eval(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	held := &rel.Values{Cols: q.Columns()}
	for _, r := range rows {
		var lits []rel.Expr
		for _, c := range held.Cols {
			lits = append(lits, &rel.Lit{T: c.Type, Value: r[c.ID]})
		}
		held.Rows = append(held.Rows, lits)
	}
	return held, func() error { return nil }, nil
}

func (e rowEngine) Query(ctx context.Context, q rel.Node) (array.RecordReader, error) {
	rows, err := e.eval(ctx, q)
	if err != nil {
		return nil, err
	}
	var fields []arrow.Field
	for _, c := range q.Columns() {
		fields = append(fields, arrow.Field{Name: c.Name, Type: types.Arrow(c.Type), Nullable: true})
	}
	schema := arrow.NewSchema(fields, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for _, r := range rows {
		for i, c := range q.Columns() {
			switch v := r[c.ID].(type) {
			case nil:
				b.Field(i).AppendNull()
			case string:
				b.Field(i).(*array.StringBuilder).Append(v)
			case int64:
				if c.Type == types.Int {
					b.Field(i).(*array.Int32Builder).Append(int32(v))
				} else {
					b.Field(i).(*array.Int64Builder).Append(v)
				}
			}
		}
	}
	return array.NewRecordReader(schema, []arrow.RecordBatch{b.NewRecordBatch()})
}

func (e rowEngine) Write(ctx context.Context, q rel.Node, to engine.Dest) ([]rel.File, error) {
	rows, err := e.eval(ctx, q)
	if err != nil {
		return nil, err
	}
	part := map[int]bool{}
	for _, i := range to.Partition {
		part[i] = true
	}
	var order []string
	groups := map[string][]row{}
	for _, r := range rows {
		dir := to.Dir
		for _, i := range to.Partition {
			c := to.Columns[i]
			value := nullPartition
			if v := r[c.ID]; v != nil && v != "" {
				value = EscapePartition(fmt.Sprint(v))
			}
			dir = path.Join(dir, c.Field.Name+"="+value)
		}
		if groups[dir] == nil {
			order = append(order, dir)
		}
		groups[dir] = append(groups[dir], r)
	}
	var files []rel.File
	for _, dir := range order {
		f, err := writeGob(ctx, to, dir, part, groups[dir])
		if err != nil {
			names := []string{f.Path}
			for _, f := range files {
				names = append(names, f.Path)
			}
			to.Bucket.Remove(context.WithoutCancel(ctx), names...)
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

func writeGob(ctx context.Context, to engine.Dest, dir string, part map[int]bool, rows []row) (rel.File, error) {
	f := rel.File{Bucket: to.Bucket, Path: path.Join(dir, to.Prefix+uuid.NewString()+to.Suffix), Rows: int64(len(rows)), Stats: map[string]rel.Range{}}
	for _, i := range to.Partition {
		f.Partition = append(f.Partition, rows[0][to.Columns[i].ID])
	}
	stored := make([]map[string]types.Value, len(rows))
	for k, r := range rows {
		stored[k] = map[string]types.Value{}
		for i, c := range to.Columns {
			if part[i] {
				continue
			}
			v := r[c.ID]
			if v != nil {
				stored[k][c.Field.Name] = v
			}
			f.Stats[c.Field.Name] = widenRange(f.Stats[c.Field.Name], v)
		}
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(stored); err != nil {
		return f, err
	}
	f.Size = int64(b.Len())
	return f, storage.WriteFile(ctx, to.Bucket, f.Path, storage.Replace, b.Bytes())
}

func widenRange(r rel.Range, v types.Value) rel.Range {
	if v == nil {
		r.Nulls++
		return r
	}
	if r.Min == nil || compareValues(v, r.Min) < 0 {
		r.Min = v
	}
	if r.Max == nil || compareValues(v, r.Max) > 0 {
		r.Max = v
	}
	return r
}

func compareValues(a, b types.Value) int {
	switch a := a.(type) {
	case int64:
		return cmp.Compare(a, b.(int64))
	case string:
		return strings.Compare(a, b.(string))
	case bool:
		if a == b {
			return 0
		}
		return 1
	}
	panic(fmt.Sprintf("test engine: values %T and %T", a, b))
}

func (e rowEngine) eval(ctx context.Context, n rel.Node) ([]row, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch n := n.(type) {
	case *rel.Values:
		var out []row
		for _, lits := range n.Rows {
			r := row{}
			for i, c := range n.Cols {
				r[c.ID] = eval(lits[i], nil)
			}
			out = append(out, r)
		}
		return out, nil
	case *rel.Scan:
		return e.scan(ctx, n)
	case *rel.Filter:
		in, err := e.eval(ctx, n.In)
		var out []row
		for _, r := range in {
			if eval(n.Cond, r) == true {
				out = append(out, r)
			}
		}
		return out, err
	case *rel.Project:
		in, err := e.eval(ctx, n.In)
		out := make([]row, len(in))
		for i, r := range in {
			out[i] = row{}
			for _, c := range n.Cols {
				out[i][c.ID] = eval(c.Expr, r)
			}
		}
		return out, err
	case *rel.SetOp:
		return e.union(ctx, n)
	case *rel.Join:
		return e.join(ctx, n)
	}
	return nil, fmt.Errorf("test engine: a %T", n)
}

func (e rowEngine) union(ctx context.Context, n *rel.SetOp) ([]row, error) {
	var out []row
	for _, in := range n.Inputs() {
		rows, err := e.eval(ctx, in)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			renamed := row{}
			for i, c := range n.Cols {
				renamed[c.ID] = r[in.Columns()[i].ID]
			}
			out = append(out, renamed)
		}
	}
	return out, nil
}

func (e rowEngine) join(ctx context.Context, n *rel.Join) ([]row, error) {
	left, err := e.eval(ctx, n.Left)
	if err != nil {
		return nil, err
	}
	right, err := e.eval(ctx, n.Right)
	var out []row
	for _, l := range left {
		found := false
		for _, r := range right {
			both := row{}
			for k, v := range l {
				both[k] = v
			}
			for k, v := range r {
				both[k] = v
			}
			if eval(n.On, both) == true {
				found = true
				out = append(out, both)
			}
		}
		if !found && n.Kind == rel.LeftOuter {
			out = append(out, l)
		}
	}
	return out, err
}

func (e rowEngine) scan(ctx context.Context, n *rel.Scan) ([]row, error) {
	var out []row
	for _, f := range n.Files {
		text, err := storage.ReadFile(ctx, f.Bucket, f.Path, 1<<20)
		if err != nil {
			return nil, err
		}
		var stored []map[string]types.Value
		if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&stored); err != nil {
			return nil, err
		}
		for pos, s := range stored {
			if f.Hidden != nil && f.Hidden.Contains(uint64(pos)) {
				continue
			}
			r := row{}
			for _, c := range n.Cols {
				switch c.From {
				case rel.InFile:
					r[c.ID] = s[c.File.Name]
				case rel.InPartition:
					r[c.ID] = f.Partition[c.Part]
				case rel.RowID:
					r[c.ID] = []types.Value{f.ID, int64(pos)}
				}
			}
			out = append(out, r)
		}
	}
	return out, nil
}

func eval(x rel.Expr, r row) types.Value {
	switch x := x.(type) {
	case nil:
		return true
	case *rel.Col:
		return r[x.ID]
	case *rel.Lit:
		return x.Value
	case *rel.Field:
		if s, ok := eval(x.X, r).([]types.Value); ok {
			return s[x.Index]
		}
		return nil
	case *rel.Case:
		for _, w := range x.Whens {
			if eval(w.If, r) == true {
				return eval(w.Then, r)
			}
		}
		if x.Else == nil {
			return nil
		}
		return eval(x.Else, r)
	case *rel.Call:
		var args []types.Value
		for _, a := range x.Args {
			args = append(args, eval(a, r))
		}
		return call(x.Name, args)
	}
	panic(fmt.Sprintf("test engine: a %T", x))
}

func call(name string, args []types.Value) types.Value {
	switch name {
	case "isnull":
		return args[0] == nil
	case "and", "or":
		decides := name == "or"
		if args[0] == decides || args[1] == decides {
			return decides
		}
		if args[0] == nil || args[1] == nil {
			return nil
		}
		return !decides
	}
	for _, a := range args {
		if a == nil {
			return nil
		}
	}
	switch name {
	case "not":
		return !args[0].(bool)
	case "%":
		return args[0].(int64) % args[1].(int64)
	case "+":
		return args[0].(int64) + args[1].(int64)
	}
	c := compareValues(args[0], args[1])
	switch name {
	case "=":
		return c == 0
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	case ">=":
		return c >= 0
	}
	panic("test engine: function " + name)
}
