// Stopped runs SQL statements of its input as tarn does, and ends, as a killed process does, right before the first file is
// committed whose name in the table's folder matches a pattern. It exits with 0 when it was ended so, and with 1 otherwise.
//
//	stopped PATTERN < statements
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/tarn-lake/tarn"
	"github.com/tarn-lake/tarn/storage"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: stopped PATTERN < statements")
		os.Exit(2)
	}
	fmt.Fprintln(os.Stderr, run(os.Args[1], os.Stdin))
	os.Exit(1)
}

// run gives the error that statements ended with, or that they were not ended.
func run(pattern string, in io.Reader) error {
	before, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	warehouse, err := os.MkdirTemp("", "tarn-stopped-")
	if err != nil {
		return err
	}
	ctx := context.Background()
	db, err := tarn.Open(ctx, tarn.Options{Warehouse: warehouse, Bucket: func(_ context.Context, location string) (storage.Bucket, error) {
		b, err := storage.OpenLocal(strings.TrimPrefix(location, "file:"))
		return &bucket{b, "", before}, err
	}})
	if err != nil {
		return err
	}
	defer db.Close()
	s := db.Session()
	for _, sql := range strings.Split(string(text), ";\n") {
		if strings.TrimSpace(sql) == "" {
			continue
		}
		rows, err := s.Query(ctx, sql)
		if err == nil {
			err = rows.Close()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return fmt.Errorf("nothing was committed that matches %s", before)
}

// bucket ends the process before a commit of a name that matches.
type bucket struct {
	storage.Bucket
	dir    string
	before *regexp.Regexp
}

func (b *bucket) Unwrap() storage.Bucket { return b.Bucket }

func (b *bucket) Narrow(dir string) storage.Bucket {
	narrowed, _ := storage.Sub(b.Bucket, dir) // the caller has checked dir
	return &bucket{narrowed, b.dir + dir + "/", b.before}
}

func (b *bucket) Create(ctx context.Context, name string, m storage.Mode) (io.WriteCloser, error) {
	w, err := b.Bucket.Create(ctx, name, m)
	if err == nil && b.before.MatchString(b.dir+name) {
		w = ending{w}
	}
	return w, err
}

// ending is the writer of the file before which the process ends.
type ending struct{ io.WriteCloser }

func (ending) Close() error {
	os.Exit(0)
	return nil
}
