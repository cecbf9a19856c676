package delta

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// model is what the rows of a table should be.
type model [][]types.Value

func (m model) lines() []string {
	var out []string
	for _, r := range m {
		out = append(out, fmt.Sprint(r[0], " ", r[1], " ", r[2]))
	}
	slices.Sort(out)
	return out
}

func (m model) without(gone func(id, p int64) bool) model {
	return slices.DeleteFunc(slices.Clone(m), func(r []types.Value) bool { return gone(r[0].(int64), r[2].(int64)) })
}

func (m model) set(which func(id int64) bool, v string) model {
	out := slices.Clone(m)
	for i, r := range out {
		if which(r[0].(int64)) {
			out[i] = []types.Value{r[0], v, r[2]}
		}
	}
	return out
}

// step is one random statement on a table, and what it does to the model.
type step struct {
	name   string
	change func(lake.Tx) (lake.Change, error)
	model  func(model) model
}

func drawStep(t *rapid.T, n int) step {
	a, p := rapid.Int64Range(0, 9).Draw(t, "a"), rapid.Int64Range(0, 2).Draw(t, "p")
	v := fmt.Sprint("v", n)
	fresh := [][]types.Value{r3(a, v, p), r3(a+10, v, (p+1)%3)}
	isA := func(id int64) bool { return id%10 == a }
	steps := []step{
		{"append", appendRows(fresh...), func(m model) model { return append(slices.Clone(m), fresh...) }},
		{"update", updateRows(idModulo(10, a), v), func(m model) model { return m.set(isA, v) }},
		{"delete", deleteRows(idModulo(10, a)), func(m model) model { return m.without(func(id, _ int64) bool { return isA(id) }) }},
		{"delete partition", deleteWhere(byP(p)), func(m model) model { return m.without(func(_, q int64) bool { return q == p }) }},
		{"overwrite where", overwriteRows(byID(a), fresh...), func(m model) model {
			return append(m.without(func(id, _ int64) bool { return id == a }), fresh...)
		}},
		{"overwrite", overwriteRows(allRows, fresh...), func(model) model { return fresh }},
		{"insert select", insertSelect(byP(p)), func(m model) model {
			for _, r := range m.without(func(_, q int64) bool { return q != p }) {
				m = append(slices.Clone(m), r3(r[0].(int64)+1000, r[1].(string), r[2].(int64)))
			}
			return m
		}},
	}
	return steps[rapid.IntRange(0, len(steps)-1).Draw(t, "statement")]
}

// TestHistories runs random statements on tables of several kinds and compares the rows with a model after each; at the end
// also through the checkpoints alone, and for damage.
func TestHistories(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ctx := context.Background()
		tt := newTestTable(t, storage.NewMem())
		properties := map[string]string{
			"delta.enableDeletionVectors": rapid.SampledFrom([]string{"true", "false"}).Draw(rt, "vectors"),
			"delta.columnMapping.mode":    rapid.SampledFrom([]string{"none", "name", "id"}).Draw(rt, "mapping"),
			"delta.checkpointInterval":    rapid.SampledFrom([]string{"2", "5"}).Draw(rt, "interval"),
			"delta.targetFileSize":        rapid.SampledFrom([]string{"1", "1gb"}).Draw(rt, "file size"),
			ictEnabled:                    rapid.SampledFrom([]string{"true", "false"}).Draw(rt, "times"),
		}
		var partition []string
		partitioned := rapid.Bool().Draw(rt, "partitioned")
		if partitioned {
			partition = []string{"p"}
		}
		if err := tt.create(ctx, properties, partition...); err != nil {
			rt.Fatal(err)
		}
		var m model
		for n := range rapid.IntRange(1, 12).Draw(rt, "statements") {
			s := drawStep(rt, n)
			if _, err := tt.do(ctx, "WRITE", s.change); err != nil {
				rt.Fatalf("%s: %v", s.name, err)
			}
			m = s.model(m)
			got, err := tt.rows(ctx)
			if err != nil || !slices.Equal(got, m.lines()) {
				rt.Fatalf("after %s: %v\n got %q\nwant %q", s.name, err, got, m.lines())
			}
		}
		findings, err := Check(ctx, tt.entry.Bucket)
		for _, f := range findings {
			if f.Severity != lake.Note {
				rt.Errorf("%v", f)
			}
		}
		if err != nil {
			rt.Error(err)
		}
	})
}

// TestWriters has several writers count up rows of one table at once, each trying again after a conflict. No update may be lost.
func TestWriters(t *testing.T) {
	const writers, each = 4, 8
	ctx := context.Background()
	b := storage.NewMem()
	if err := newTestTable(t, b).create(ctx, map[string]string{"delta.enableDeletionVectors": "true"}); err != nil {
		t.Fatal(err)
	}
	must[lake.Commit](t)(newTestTable(t, b).do(ctx, "WRITE", appendRows(r3(0, "", 0), r3(1, "", 0))))
	var wg sync.WaitGroup
	var mu sync.Mutex
	conflicts, versions := 0, map[int64]bool{}
	for w := range writers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			tt := newTestTable(t, b)
			for range each {
				for {
					c, err := tt.do(ctx, "UPDATE", increment(int64(w%2)))
					var conflict *lake.ConflictError
					mu.Lock()
					again := errors.As(err, &conflict)
					if again {
						conflicts++
					} else if err != nil {
						t.Error(err)
					} else if versions[c.Version] {
						t.Errorf("version %d was given twice", c.Version)
					}
					versions[c.Version] = err == nil
					mu.Unlock()
					if !again {
						break
					}
				}
				if _, err := tt.do(ctx, "WRITE", appendRows(r3(int64(100+w), "", 0))); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	rows := must[[]string](t)(readRows(ctx, b))
	if n := len(rows); n != 2+writers*each {
		t.Errorf("%d rows, want %d", n, 2+writers*each)
	}
	for id := range 2 {
		if want := fmt.Sprintf("%d  %d", id, writers/2*each); !slices.Contains(rows, want) {
			t.Errorf("the counters are %q, want %q", rows[:4], want)
		}
	}
	t.Logf("%d conflicts", conflicts)
}

// increment adds one to p of the row with an id.
func increment(id int64) func(lake.Tx) (lake.Change, error) {
	return func(tx lake.Tx) (lake.Change, error) {
		t := readTarget(tx)
		cond := t.is("id", id)
		e := project(filtered(t, cond), t, text("U"), t.cols[0].Ref(), t.cols[1].Ref(), plus(t.cols[2].Ref(), 1))
		e.Where, e.Twice = cond, errTwice
		return e, nil
	}
}

// TestCreators has several writers make one table at once: one of them does.
func TestCreators(t *testing.T) {
	b := storage.NewMem()
	errs := make(chan error)
	for range 4 {
		go func() { errs <- newTestTable(t, b).create(context.Background(), nil) }()
	}
	made := 0
	for range 4 {
		err := <-errs
		var conflict *lake.ConflictError
		switch {
		case err == nil:
			made++
		case errors.As(err, &conflict) && conflict.Class == "DELTA_PROTOCOL_CHANGED":
		case errors.Is(err, fs.ErrExist):
		default:
			t.Error(err)
		}
	}
	if made != 1 {
		t.Errorf("%d writers made the table", made)
	}
}

func TestRuns(t *testing.T) {
	sized := func(sizes ...int64) (out []*change) {
		for _, s := range sizes {
			out = append(out, &change{add: &Add{Size: s << 20}})
		}
		return out
	}
	lengths := func(runs [][]*change) (out []int) {
		for _, r := range runs {
			out = append(out, len(r))
		}
		return out
	}
	many := make([]int64, 100)
	for i := range many {
		many[i] = 100
	}
	for _, c := range []struct {
		sizes []int64
		want  []int
	}{
		{nil, nil}, {[]int64{1}, []int{1}}, {[]int64{1, 1, 1}, []int{3}}, {[]int64{100, 100}, []int{1, 1}}, {[]int64{20, 20, 20, 20}, []int{2, 2}},
	} {
		if got := lengths(runs(sized(c.sizes...))); !slices.Equal(got, c.want) {
			t.Errorf("files of %v MiB in runs of %v, want %v", c.sizes, got, c.want)
		}
	}
	if n := len(runs(sized(many...))); n > maxRuns {
		t.Errorf("%d runs", n)
	}
}
