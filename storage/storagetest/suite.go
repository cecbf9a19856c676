package storagetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tarn-lake/tarn/storage"
)

// Run checks that the buckets new makes are what [storage.Bucket] promises. Each
// must be empty and of its own.
func Run(t *testing.T, new func(t *testing.T) storage.Bucket) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(t, new(t)) })
	}
	t.Run("Sub", func(t *testing.T) {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) { c.run(t, sub(t, new(t), "outer", "in ner/x=%2F")) })
		}
	})
}

var cases = []struct {
	name string
	run  func(t *testing.T, b storage.Bucket)
}{
	{"RoundTrip", roundTrip},
	{"ReadAt", readAt},
	{"OddNames", oddNames},
	{"RefusedNames", refusedNames},
	{"Missing", missing},
	{"Replace", replace},
	{"Exclusive", exclusive},
	{"ExclusiveRace", exclusiveRace},
	{"ReplaceRace", replaceRace},
	{"VisibleWholeAtClose", visibleWhole},
	{"Abandoned", abandoned},
	{"Closed", closed},
	{"Cancelled", cancelled},
	{"List", list},
	{"ListAfter", listAfter},
	{"ListStops", listStops},
	{"Remove", remove},
	{"Narrowed", narrowed},
	{"ReplaceIf", replaceIf},
	{"ReplaceIfRace", replaceIfRace},
}

func roundTrip(t *testing.T, b storage.Bucket) {
	for _, size := range []int{0, 1, 4096, 1 << 20} {
		name := fmt.Sprintf("dir/size-%d", size)
		data := pattern(size)
		put(t, b, name, storage.Exclusive, data)
		got, err := storage.ReadFile(t.Context(), b, name, int64(size))
		if err != nil || !slices.Equal(got, data) {
			t.Errorf("%s: read %d bytes, error %v", name, len(got), err)
		}
		info := stat(t, b, name)
		if info.Name != name || info.Size != int64(size) || info.ModTime.IsZero() {
			t.Errorf("Stat gives %+v", info)
		}
	}
	if _, err := storage.ReadFile(t.Context(), b, "dir/size-4096", 4095); err == nil {
		t.Error("ReadFile read a file longer than its limit")
	}
	w, err := b.Create(t.Context(), "parts", storage.Replace)
	if err != nil {
		t.Fatal(err)
	}
	for part := range slices.Chunk(pattern(1000), 7) {
		if n, err := w.Write(part); n != len(part) || err != nil {
			t.Fatalf("Write = %d, %v", n, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := get(t, b, "parts"); got != string(pattern(1000)) {
		t.Error("a file written in parts reads back differently")
	}
}

func readAt(t *testing.T, b storage.Bucket) {
	put(t, b, "f", storage.Replace, []byte("0123456789"))
	f, err := b.Open(t.Context(), "f")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, c := range []struct {
		off, len int64
		want     string
		err      error
	}{
		{0, 10, "0123456789", nil},
		{3, 4, "3456", nil},
		{9, 1, "9", nil},
		{8, 5, "89", io.EOF},
		{10, 1, "", io.EOF},
		{99, 1, "", io.EOF},
	} {
		p := make([]byte, c.len)
		n, err := f.ReadAt(p, c.off)
		if string(p[:n]) != c.want || err != c.err && !(err == io.EOF && n == len(p)) {
			t.Errorf("ReadAt(%d bytes, %d) = %q, %v; want %q, %v", c.len, c.off, p[:n], err, c.want, c.err)
		}
	}
	if _, err := f.ReadAt(make([]byte, 1), -1); err == nil {
		t.Error("ReadAt takes a negative offset")
	}
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			p := make([]byte, 1)
			if _, err := f.ReadAt(p, int64(i)); err != nil && err != io.EOF || p[0] != byte('0'+i) {
				t.Errorf("concurrent ReadAt(1 byte, %d) = %q, %v", i, p, err)
			}
		})
	}
	wg.Wait()
}

// These names are legal, and some store or library has mangled each of them.
var odd = []string{
	"a b", "a+b", "a%20b", "a%2Fb", "%25", "x:y", "x=1/y=2", "ü", "u\u0308", "日本", "🦆", "a'b", `a"b`, "a*b?",
	"a[b]", "a#b", "a&b", "a;b", "a$b", "(beta)", "~", "-", "...", "..a", ".hidden", "_x", "a.", "a ", " a",
	"p=__HIVE_DEFAULT_PARTITION__/f", "<script>", strings.Repeat("long", 50),
}

func oddNames(t *testing.T, b storage.Bucket) {
	for i, name := range odd {
		put(t, b, "odd/"+name, storage.Exclusive, []byte(fmt.Sprint(i)))
	}
	var want []string
	for i, name := range odd {
		if got := get(t, b, "odd/"+name); got != fmt.Sprint(i) {
			t.Errorf("%q holds %q, want %d", name, got, i)
		}
		want = append(want, "odd/"+name)
	}
	slices.Sort(want)
	wantNames(t, b, "", "", want...)
}

func refusedNames(t *testing.T, b storage.Bucket) {
	put(t, b, "f", storage.Replace, nil)
	for _, name := range []string{
		"", "/", "/f", "..", "../f", "a/../f", "a/..", ".", "./f", "a/./f", "a//f", "f/", "a\\f", "..\\f",
		"a\x00b", "a\nb", "a\x7fb", "C:/f", "C:f", "\xff", ".tarn-0.tmp", "a/.tarn-0.tmp",
	} {
		_, open := b.Open(t.Context(), name)
		_, create := b.Create(t.Context(), name, storage.Replace)
		remove := b.Remove(t.Context(), "f", name)
		for op, err := range map[string]error{"Open": open, "Create": create, "Remove": remove} {
			if _, ok := errors.AsType[*storage.NameError](err); !ok {
				t.Errorf("%s(%q) gives %v, want a NameError", op, name, err)
			}
		}
		if name == "" {
			continue
		}
		for _, err := range b.List(t.Context(), name, "") {
			if _, ok := errors.AsType[*storage.NameError](err); !ok {
				t.Errorf("List(%q) gives %v, want a NameError", name, err)
			}
		}
	}
	wantNames(t, b, "", "", "f")
}

func missing(t *testing.T, b storage.Bucket) {
	wantMissing(t, b, "a")
	wantMissing(t, b, "a/b/c")
	wantNames(t, b, "", "")
	wantNames(t, b, "a", "")
	if err := b.Remove(t.Context(), "a", "a/b", "c"); err != nil {
		t.Errorf("Remove of missing names: %v", err)
	}
	put(t, b, "d/e/f", storage.Replace, nil)
	wantMissing(t, b, "d")
	wantMissing(t, b, "d/e")
	wantMissing(t, b, "d/e/f/g")
	wantNames(t, b, "d/e/f", "")
	if err := b.Remove(t.Context(), "d", "d/e"); err != nil {
		t.Errorf("Remove of directories: %v", err)
	}
	wantNames(t, b, "", "", "d/e/f")
}

func replace(t *testing.T, b storage.Bucket) {
	put(t, b, "f", storage.Replace, []byte("first"))
	f, err := b.Open(t.Context(), "f")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	put(t, b, "f", storage.Replace, []byte("2nd"))
	if got := get(t, b, "f"); got != "2nd" {
		t.Errorf("replaced file holds %q", got)
	}
	p := make([]byte, 5)
	if n, err := f.ReadAt(p, 0); string(p[:n]) != "first" {
		t.Errorf("a file open since before the replacement reads %q, %v", p[:n], err)
	}
	wantNames(t, b, "", "", "f")
}

func exclusive(t *testing.T, b storage.Bucket) {
	put(t, b, "f", storage.Exclusive, []byte("mine"))
	err := storage.WriteFile(t.Context(), b, "f", storage.Exclusive, []byte("other"))
	if !errors.Is(err, fs.ErrExist) || errors.Is(err, storage.ErrUnknown) {
		t.Errorf("second exclusive create: %v, want fs.ErrExist", err)
	}
	if got := get(t, b, "f"); got != "mine" {
		t.Errorf("the loser wrote: file holds %q", got)
	}
	if err := b.Remove(t.Context(), "f"); err != nil {
		t.Fatal(err)
	}
	put(t, b, "f", storage.Exclusive, []byte("again"))
	wantNames(t, b, "", "", "f")
}

// exclusiveRace has writers that all began before any closed, in a directory
// that all of them must make.
func exclusiveRace(t *testing.T, b storage.Bucket) {
	const writers = 16
	for round := range 4 {
		name := fmt.Sprintf("log%d/deep/00.json", round)
		errs := race(t, b, writers, name, storage.Exclusive)
		won := -1
		for i, err := range errs {
			switch {
			case err == nil && won >= 0:
				t.Fatalf("round %d: writers %d and %d both won", round, won, i)
			case err == nil:
				won = i
			case !errors.Is(err, fs.ErrExist) || errors.Is(err, storage.ErrUnknown):
				t.Errorf("round %d: writer %d: %v, want fs.ErrExist", round, i, err)
			}
		}
		if won < 0 {
			t.Fatalf("round %d: nobody won", round)
		}
		if got := get(t, b, name); got != racer(won) {
			t.Errorf("round %d: writer %d won, but %.20q… is there", round, won, got)
		}
		wantNames(t, b, fmt.Sprintf("log%d", round), "", name)
	}
}

func replaceRace(t *testing.T, b storage.Bucket) {
	for i, err := range race(t, b, 8, "d/f", storage.Replace) {
		if err != nil {
			t.Errorf("writer %d: %v", i, err)
		}
	}
	got := get(t, b, "d/f")
	if !slices.ContainsFunc([]int{0, 1, 2, 3, 4, 5, 6, 7}, func(i int) bool { return got == racer(i) }) {
		t.Errorf("the file holds no writer's content whole: %.20q…, %d bytes", got, len(got))
	}
	wantNames(t, b, "", "", "d/f")
}

func race(t *testing.T, b storage.Bucket, writers int, name string, m storage.Mode) []error {
	errs := make([]error, writers)
	var began, ended sync.WaitGroup
	began.Add(writers)
	for i := range writers {
		ended.Go(func() {
			w, err := b.Create(t.Context(), name, m)
			if err == nil {
				_, err = io.WriteString(w, racer(i))
			}
			began.Done()
			began.Wait()
			if err == nil {
				err = w.Close()
			}
			errs[i] = err
		})
	}
	ended.Wait()
	return errs
}

func racer(i int) string { return strings.Repeat(fmt.Sprintf("writer %d;", i), 500+i) }

func visibleWhole(t *testing.T, b storage.Bucket) {
	for _, m := range []storage.Mode{storage.Replace, storage.Exclusive} {
		name := "d/" + m.String()
		w, err := b.Create(t.Context(), name, m)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, err := w.Write(pattern(100_000)); err != nil {
				t.Fatal(err)
			}
			wantMissing(t, b, name)
			wantNames(t, b, name, "")
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if info := stat(t, b, name); info.Size != 300_000 {
			t.Errorf("%s has %d bytes at Close", name, info.Size)
		}
	}
	wantNames(t, b, "", "", "d/exclusive", "d/replace")
}

func abandoned(t *testing.T, b storage.Bucket) {
	put(t, b, "kept", storage.Replace, []byte("before"))
	for _, m := range []storage.Mode{storage.Replace, storage.Exclusive} {
		for _, name := range []string{"kept", "new/" + m.String()} {
			if m == storage.Exclusive && name == "kept" {
				continue
			}
			reason := errors.New("changed my mind")
			ctx, cancel := context.WithCancelCause(t.Context())
			w, err := b.Create(ctx, name, m)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write([]byte("half")); err != nil {
				t.Fatal(err)
			}
			cancel(reason)
			if _, err := w.Write([]byte("more")); !errors.Is(err, reason) {
				t.Errorf("Write after the end of the context: %v, want %v", err, reason)
			}
			if err := w.Close(); !errors.Is(err, reason) || !errors.Is(err, context.Canceled) || errors.Is(err, storage.ErrUnknown) {
				t.Errorf("Close after the end of the context: %v, want %v", err, reason)
			}
		}
	}
	wantNames(t, b, "", "", "kept")
	if got := get(t, b, "kept"); got != "before" {
		t.Errorf("an abandoned writer left %q", got)
	}
}

func closed(t *testing.T, b storage.Bucket) {
	w, err := b.Create(t.Context(), "f", storage.Exclusive)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("late")); err == nil {
		t.Error("Write after Close succeeds")
	}
	if err := w.Close(); err == nil {
		t.Error("a second Close succeeds")
	}
	if got := get(t, b, "f"); got != "" {
		t.Errorf("a write after Close left %q", got)
	}
}

func cancelled(t *testing.T, b storage.Bucket) {
	put(t, b, "d/f", storage.Replace, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, open := b.Open(ctx, "d/f")
	_, create := b.Create(ctx, "d/g", storage.Replace)
	var list error
	for _, err := range b.List(ctx, "d", "") {
		list = err
	}
	for op, err := range map[string]error{"Open": open, "Create": create, "List": list, "Remove": b.Remove(ctx, "d/f")} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a cancelled context: %v", op, err)
		}
	}
	wantNames(t, b, "", "", "d/f")
}

var tree = []string{ // in byte order
	"a", "a-b", "a.txt", "a/1", "a/2", "a/b-c", "a/b/x", "a/b/y", "a/b0", "a/c", "a0", "b/z", "ba", "日/本",
}

func plant(t *testing.T, b storage.Bucket) {
	t.Helper()
	for i := range tree {
		name := tree[(i*5+3)%len(tree)] // out of order
		if name == "a" {
			continue // no file can have the name of a directory everywhere
		}
		put(t, b, name, storage.Replace, []byte(name))
	}
}

func list(t *testing.T, b storage.Bucket) {
	plant(t, b)
	wantNames(t, b, "", "", tree[1:]...)
	wantNames(t, b, "a", "", "a/1", "a/2", "a/b-c", "a/b/x", "a/b/y", "a/b0", "a/c")
	wantNames(t, b, "a/b", "", "a/b/x", "a/b/y")
	wantNames(t, b, "b", "", "b/z")
	wantNames(t, b, "ba", "")
	wantNames(t, b, "c", "")
	for info, err := range b.List(t.Context(), "", "") {
		if err != nil || info.Size != int64(len(info.Name)) || info.ModTime.IsZero() {
			t.Errorf("List gives %+v, %v", info, err)
		}
	}
}

func listAfter(t *testing.T, b storage.Bucket) {
	plant(t, b)
	afters := append(slices.Clone(tree), "0", "a/", "a/b", "a/b/", "a/b/xx", "a/b/~", "a/b~", "a~", "b", "zz", "~")
	for _, dir := range []string{"", "a", "a/b", "b"} {
		for _, after := range afters {
			var want []string
			for _, name := range tree[1:] {
				if (dir == "" || strings.HasPrefix(name, dir+"/")) && name > after {
					want = append(want, name)
				}
			}
			wantNames(t, b, dir, after, want...)
		}
	}
}

func listStops(t *testing.T, b storage.Bucket) {
	plant(t, b)
	var got []string
	for info, err := range b.List(t.Context(), "a", "a/2") {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, info.Name); len(got) == 2 {
			break
		}
	}
	if !slices.Equal(got, []string{"a/b-c", "a/b/x"}) {
		t.Errorf("the first two names after a/2 are %q", got)
	}
}

func remove(t *testing.T, b storage.Bucket) {
	plant(t, b)
	if err := b.Remove(t.Context()); err != nil {
		t.Errorf("Remove of nothing: %v", err)
	}
	if err := b.Remove(t.Context(), "a/1", "missing", "a/b/x", "a/1"); err != nil {
		t.Error(err)
	}
	wantNames(t, b, "a", "", "a/2", "a/b-c", "a/b/y", "a/b0", "a/c")
	wantMissing(t, b, "a/1")
}

func narrowed(t *testing.T, b storage.Bucket) {
	plant(t, b)
	s := sub(t, b, "a", "b")
	wantNames(t, s, "", "", "x", "y")
	wantNames(t, s, "", "x", "y")
	put(t, s, "n/new", storage.Exclusive, []byte("1"))
	if got := get(t, b, "a/b/n/new"); got != "1" {
		t.Errorf("a file made in the narrowed bucket holds %q", got)
	}
	if info := stat(t, s, "n/new"); info.Name != "n/new" {
		t.Errorf("the narrowed bucket calls it %q", info.Name)
	}
	if err := s.Remove(t.Context(), "x", "n/new"); err != nil {
		t.Error(err)
	}
	wantNames(t, b, "a/b", "", "a/b/y")
	if _, err := storage.Sub(b, "../x"); err == nil {
		t.Error("Sub takes a dir that leads out")
	}
	if all, err := storage.Sub(b, ""); err != nil || all != b {
		t.Errorf("Sub(b, \"\") = %v, %v", all, err)
	}
}

// replacer is the ability of b, without which the test is skipped.
func replacer(t *testing.T, b storage.Bucket) storage.Replacer {
	r, ok := storage.As[storage.Replacer](b)
	if !ok {
		t.Skip("does not write on condition")
	}
	err := r.ReplaceIf(t.Context(), "probe/f", nil, nil)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	return r
}

func replaceIf(t *testing.T, b storage.Bucket) {
	r := replacer(t, b)
	for _, c := range []struct {
		old, data []byte
		done      bool
	}{
		{[]byte("0"), []byte("1"), false}, // there is none
		{nil, []byte("1"), true},
		{nil, []byte("2"), false},
		{[]byte("2"), []byte("3"), false},
		{[]byte("1"), []byte("12"), true},
		{[]byte("1"), []byte("3"), false},
		{[]byte("123"), []byte("3"), false},
		{[]byte("12"), []byte("1"), true},
	} {
		err := r.ReplaceIf(t.Context(), "dir/lock.json", c.old, c.data)
		if (err == nil) != c.done || err != nil && !errors.Is(err, fs.ErrExist) {
			t.Errorf("%q by %q: %v", c.old, c.data, err)
		}
		if err == nil && get(t, b, "dir/lock.json") != string(c.data) {
			t.Errorf("%q by %q: the file is %q", c.old, c.data, get(t, b, "dir/lock.json"))
		}
	}
	if err := r.ReplaceIf(t.Context(), "../f", nil, nil); err == nil {
		t.Error("a name out of the bucket was written")
	}
}

// replaceIfRace counts in a file by several writers: each content is replaced once.
func replaceIfRace(t *testing.T, b storage.Bucket) {
	r := replacer(t, b)
	const writers, times = 4, 5
	put(t, b, "dir/n", storage.Exclusive, []byte("0"))
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for done := 0; done < times; {
				var n int
				text, err := storage.ReadFile(t.Context(), b, "dir/n", 20)
				if err == nil {
					_, err = fmt.Sscan(string(text), &n)
				}
				if err == nil {
					err = r.ReplaceIf(t.Context(), "dir/n", text, fmt.Append(nil, n+1))
				}
				switch {
				case err == nil:
					done++
				case !errors.Is(err, fs.ErrExist):
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if got := get(t, b, "dir/n"); got != fmt.Sprint(writers*times) {
		t.Errorf("counted to %s", got)
	}
}
