// Package catalogtest holds the tests that every catalog passes.
//
//	func TestCatalog(t *testing.T) {
//		catalogtest.Run(t, func(t *testing.T) catalog.Catalog { return catalog.NewMemory(t.TempDir()) })
//	}
package catalogtest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tarn-lake/tarn/catalog"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// Run checks the catalogs that open makes. Each is used by one test and must be empty.
func Run(t *testing.T, open func(t *testing.T) catalog.Catalog) {
	for name, test := range map[string]func(*testing.T, catalog.Catalog){
		"Empty": testEmpty, "Table": testTable, "View": testView, "Case": testCase, "Taken": testTaken, "Schemas": testSchemas,
		"Rename": testRename, "Drop": testDrop, "Order": testOrder, "Names": testNames, "Goroutines": testGoroutines,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// Table is an entry for a table with every field set but the bucket.
func Table(schema, name string) lake.Entry {
	return lake.Entry{Name: lake.Ident{schema, name}, Format: "delta", Location: "/data/" + name, External: true,
		Created: time.Date(2026, 11, 30, 12, 0, 0, 123456000, time.UTC), Owner: "ada", Options: map[string]string{"Key": "v,=\"ü"}}
}

func testEmpty(t *testing.T, c catalog.Catalog) {
	equal(t, list(t, c), "default")
	equal(t, list(t, c, "DEFAULT"), "")
	s, err := c.Schema(t.Context(), "Default")
	if err != nil || s.Name != "default" || !filepath.IsAbs(s.Location) {
		t.Errorf("default schema: %+v, %v", s, err)
	}
	_, err = c.Lookup(t.Context(), lake.Ident{"default", "t"})
	is(t, err, fs.ErrNotExist)
	_, err = c.Lookup(t.Context(), lake.Ident{"s", "t"})
	is(t, err, fs.ErrNotExist)
	_, err = c.Schema(t.Context(), "s")
	is(t, err, fs.ErrNotExist)
	for _, err := range c.List(t.Context(), lake.Ident{"s"}) {
		is(t, err, fs.ErrNotExist)
	}
	is(t, c.Update(t.Context(), catalog.Drop{Name: lake.Ident{"default", "t"}}), fs.ErrNotExist)
	is(t, c.Update(t.Context(), catalog.Drop{Name: lake.Ident{"s"}}), fs.ErrNotExist)
	is(t, c.Update(t.Context(), catalog.PutTable{Entry: Table("s", "t")}), fs.ErrNotExist)
	is(t, c.Update(t.Context(), catalog.Rename{From: lake.Ident{"default", "t"}, To: lake.Ident{"default", "u"}}), fs.ErrNotExist)
}

func testTable(t *testing.T, c catalog.Catalog) {
	want := Table("default", "trips")
	put(t, c, want)
	same(t, lookup(t, c, "default", "trips"), want)
	if lookup(t, c, "default", "trips").Options["key"] != "" {
		t.Error("the case of an option's name changed")
	}
	bare := lake.Entry{Name: lake.Ident{"default", "bare"}, Format: "hive"}
	put(t, c, bare)
	same(t, lookup(t, c, "default", "bare"), bare)
	managed := Table("default", "managed")
	s, err := c.Schema(t.Context(), "default")
	no(t, err)
	managed.Location = filepath.Join(s.Location, "managed %41#?é")
	managed.External = false
	put(t, c, managed)
	same(t, lookup(t, c, "default", "managed"), managed)
	for _, location := range []string{"s3://bucket/a b/../c", "file:///x/y", "relative/x", "../up"} {
		e := Table("default", "place")
		e.Location = location
		no(t, c.Update(t.Context(), catalog.PutTable{Entry: e, Replace: true}))
		if got := lookup(t, c, "default", "place").Location; got != location && !strings.HasSuffix(got, "/"+location) {
			t.Errorf("location %q became %q", location, got)
		}
	}
}

func testView(t *testing.T, c catalog.Catalog) {
	want := lake.Entry{Name: lake.Ident{"default", "v"}, Format: "view", Meta: &lake.Meta{
		ID: "i", Name: "v", Description: "a view", Created: time.Date(2026, 11, 30, 0, 0, 0, 1000, time.UTC),
		Schema: types.Struct{Fields: []types.Field{
			{Name: "a", Type: types.Decimal{P: 10, S: 2}, Nullable: true, Metadata: types.Metadata{}.With("comment", `"c"`)},
			{Name: "b c", Type: types.Array{Elem: types.Map{Key: types.String, Value: types.Timestamp, Nullable: true}}},
			{Name: "d", Type: types.Varchar{N: 3}, Nullable: true},
		}},
		Partition: []string{"a"}, Cluster: []string{"d"}, Properties: map[string]string{"view.text": "SELECT 'ü' \n;"},
		Protocol: lake.Protocol{Reader: 3, Writer: 7, ReaderFeatures: []string{"x"}},
	}}
	put(t, c, want)
	same(t, lookup(t, c, "default", "v"), want)
	empty := lake.Entry{Name: lake.Ident{"default", "w"}, Format: "view", Meta: &lake.Meta{}}
	put(t, c, empty)
	same(t, lookup(t, c, "default", "w"), empty)
}

func testCase(t *testing.T, c catalog.Catalog) {
	put(t, c, Table("default", "Straße"))
	no(t, c.Update(t.Context(), catalog.PutSchema{Schema: catalog.Schema{Name: "Sales"}}))
	put(t, c, Table("sALES", "Orders"))
	equal(t, list(t, c), "default Sales")
	equal(t, list(t, c, "default"), "Straße")
	equal(t, list(t, c, "sales"), "Orders")
	if got := lookup(t, c, "SALES", "orderS").Name.String(); got != "Sales.Orders" {
		t.Errorf("name %s", got)
	}
	if got := lookup(t, c, "Default", "STRAßE").Name; got[1] != "Straße" || got[0] != "default" {
		t.Errorf("name %s", got)
	}
	no(t, c.Update(t.Context(), catalog.Rename{From: lake.Ident{"sales", "ORDERS"}, To: lake.Ident{"sales", "ORders"}}))
	equal(t, list(t, c, "sales"), "ORders")
}

func testTaken(t *testing.T, c catalog.Catalog) {
	put(t, c, Table("default", "t"))
	other := Table("default", "T")
	other.Location, other.Options = "/elsewhere", nil
	is(t, c.Update(t.Context(), catalog.PutTable{Entry: other}), fs.ErrExist)
	same(t, lookup(t, c, "default", "t"), Table("default", "t"))
	no(t, c.Update(t.Context(), catalog.PutTable{Entry: other, Replace: true}))
	same(t, lookup(t, c, "default", "t"), other)
	equal(t, list(t, c, "default"), "T")
}

func testSchemas(t *testing.T, c catalog.Catalog) {
	want := catalog.Schema{Name: "Sales", Comment: "what's sold", Location: "/data/sales", Owner: "ada", Properties: map[string]string{"a": "b"}}
	no(t, c.Update(t.Context(), catalog.PutSchema{Schema: want}))
	got, err := c.Schema(t.Context(), "sales")
	no(t, err)
	same(t, got, want)
	is(t, c.Update(t.Context(), catalog.PutSchema{Schema: catalog.Schema{Name: "SALES"}}), fs.ErrExist)
	is(t, c.Update(t.Context(), catalog.PutSchema{Schema: catalog.Schema{Name: "default"}}), fs.ErrExist)
	put(t, c, Table("sales", "orders"))
	changed := want
	changed.Properties = nil
	changed.Comment = ""
	changed.Name = "SALES"
	no(t, c.Update(t.Context(), catalog.PutSchema{Schema: changed, Replace: true}))
	got, err = c.Schema(t.Context(), "Sales")
	no(t, err)
	changed.Name = "Sales"
	same(t, got, changed)
	equal(t, list(t, c, "sales"), "orders")
	is(t, c.Update(t.Context(), catalog.PutSchema{}), fs.ErrInvalid)
}

func testRename(t *testing.T, c catalog.Catalog) {
	no(t, c.Update(t.Context(), catalog.PutSchema{Schema: catalog.Schema{Name: "s"}}))
	put(t, c, Table("default", "a"))
	put(t, c, Table("default", "b"))
	is(t, c.Update(t.Context(), catalog.Rename{From: lake.Ident{"default", "a"}, To: lake.Ident{"default", "B"}}), fs.ErrExist)
	is(t, c.Update(t.Context(), catalog.Rename{From: lake.Ident{"default", "a"}, To: lake.Ident{"missing", "a"}}), fs.ErrNotExist)
	is(t, c.Update(t.Context(), catalog.Rename{From: lake.Ident{"s", "a"}, To: lake.Ident{"s", "b"}}), fs.ErrNotExist)
	no(t, c.Update(t.Context(), catalog.Rename{From: lake.Ident{"default", "a"}, To: lake.Ident{"s", "A"}}))
	want := Table("s", "a")
	want.Name[1] = "A"
	same(t, lookup(t, c, "s", "a"), want)
	equal(t, list(t, c, "default"), "b")
}

func testDrop(t *testing.T, c catalog.Catalog) {
	no(t, c.Update(t.Context(), catalog.PutSchema{Schema: catalog.Schema{Name: "s"}}))
	put(t, c, Table("s", "a"))
	put(t, c, Table("s", "b"))
	put(t, c, Table("default", "a"))
	is(t, c.Update(t.Context(), catalog.Drop{Name: lake.Ident{"S"}}), catalog.ErrNotEmpty)
	no(t, c.Update(t.Context(), catalog.Drop{Name: lake.Ident{"S", "A"}}))
	equal(t, list(t, c, "s"), "b")
	no(t, c.Update(t.Context(), catalog.Drop{Name: lake.Ident{"S"}, Cascade: true}))
	equal(t, list(t, c), "default")
	equal(t, list(t, c, "default"), "a")
	no(t, c.Update(t.Context(), catalog.PutSchema{Schema: catalog.Schema{Name: "s"}}))
	equal(t, list(t, c, "s"), "")
	is(t, c.Update(t.Context(), catalog.Drop{Name: lake.Ident{"Default"}, Cascade: true}), catalog.ErrDefault)
	equal(t, list(t, c, "default"), "a")
}

func testOrder(t *testing.T, c catalog.Catalog) {
	for _, n := range []string{"b", "_c", "A", "10", "9", "Z", "é"} {
		put(t, c, Table("default", n))
	}
	equal(t, list(t, c, "default"), "10 9 _c A b Z é")
	n := 0
	for range c.List(t.Context(), lake.Ident{"default"}) {
		if n++; n == 2 {
			break
		}
	}
	put(t, c, Table("default", "after")) // an iteration that was left holds nothing
}

func testNames(t *testing.T, c catalog.Catalog) {
	for _, n := range []lake.Ident{nil, {"a"}, {"a", "b", "c"}, {"", "t"}, {"default", ""}} {
		_, err := c.Lookup(t.Context(), n)
		is(t, err, fs.ErrInvalid)
		is(t, c.Update(t.Context(), catalog.PutTable{Entry: lake.Entry{Name: n}}), fs.ErrInvalid)
	}
	for _, n := range []string{"a.b", "a`b", "a'; DROP TABLE tables; --", " ", "a\x00b", strings.Repeat("n", 10000), "👩‍💻"} {
		put(t, c, Table("default", n))
		same(t, lookup(t, c, "default", n), Table("default", n))
	}
}

func testGoroutines(t *testing.T, c catalog.Catalog) {
	const n = 8
	var won [n]atomic.Int32
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for i := range n {
				name := lake.Ident{"default", fmt.Sprint("t", i)}
				err := c.Update(context.Background(), catalog.PutTable{Entry: Table(name[0], name[1])})
				if err == nil {
					won[i].Add(1)
				} else if !errors.Is(err, fs.ErrExist) {
					t.Error(err)
				}
				if _, err := c.Lookup(context.Background(), name); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for i := range n {
		if got := won[i].Load(); got != 1 {
			t.Errorf("%d goroutines made table %d", got, i)
		}
	}
	equal(t, list(t, c, "default"), "t0 t1 t2 t3 t4 t5 t6 t7")
}

func put(t *testing.T, c catalog.Catalog, e lake.Entry) {
	t.Helper()
	no(t, c.Update(t.Context(), catalog.PutTable{Entry: e}))
}

func lookup(t *testing.T, c catalog.Catalog, schema, name string) lake.Entry {
	t.Helper()
	e, err := c.Lookup(t.Context(), lake.Ident{schema, name})
	no(t, err)
	return e
}

// list is the names in parent, separated by blanks.
func list(t *testing.T, c catalog.Catalog, parent ...string) string {
	t.Helper()
	var out []string
	for n, err := range c.List(t.Context(), parent) {
		no(t, err)
		if len(n) != len(parent)+1 {
			t.Fatalf("name %s in %v", n, parent)
		}
		out = append(out, n[len(n)-1])
	}
	return strings.Join(out, " ")
}

func equal(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func no(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func is(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
}

func same[T any](t *testing.T, got, want T) {
	t.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmp.Comparer(types.Same), cmp.Transformer("Bucket", func(storage.Bucket) bool { return true })); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}
