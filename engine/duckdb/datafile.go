package duckdb

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/internal/parquet"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// key is what the rows of a file have in common.
type key struct {
	id        string // text that no other key has; of a destination with a key column its value
	partition []types.Value
}

// dataFile is a file under way.
type dataFile struct {
	set      *fileSet
	key      key
	name     string
	from     string   // staged path
	f        *os.File // nil while it is not open
	w        *parquet.Writer
	watch    engine.Observer // nil: nobody
	sequence string          // what made numbers begin with
	names    arrow.Array     // the longest column of its name so far
	next     int64           // number of the row that comes next
	ahead    int             // rows in the columns that the writer was not told of
	held     int64
}

// column appends rows of a column.
func (f *dataFile) column(i int, a arrow.Array) error {
	if err := f.w.WriteColumn(i, a); err != nil {
		return fmt.Errorf("duckdb: %s: %w", f.name, err)
	}
	return nil
}

// nameColumn is a column of n times the last part of the file's name.
func (f *dataFile) nameColumn(n int) arrow.Array {
	if f.names == nil || f.names.Len() < n {
		f.names = repeated(path.Base(f.name), n)
	}
	return array.NewSlice(f.names, 0, int64(n))
}

// Write is where the Parquet writer's bytes go.
func (f *dataFile) Write(b []byte) (int, error) {
	if f.f == nil {
		var err error
		if f.f, err = os.OpenFile(f.from, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666); err != nil {
			return 0, err
		}
		f.set.opened.Add(1)
	}
	return f.f.Write(b)
}

// rest closes the file until there is more to write.
func (f *dataFile) rest() error {
	if f.f == nil {
		return nil
	}
	err := f.f.Close()
	f.f = nil
	f.set.opened.Add(-1)
	return err
}

// end writes the footer and says what the file holds.
func (f *dataFile) end() (stagedFile, error) {
	var entries map[string]string
	if f.watch != nil {
		var err error
		if entries, err = f.watch.Footer(); err != nil {
			return stagedFile{}, err
		}
	}
	if err := f.w.Close(entries); err != nil {
		return stagedFile{}, err
	}
	if err := f.rest(); err != nil {
		return stagedFile{}, err
	}
	to := f.set.to
	r := rel.File{Bucket: to.Bucket, Path: f.name, Rows: f.w.Rows(), Partition: f.key.partition, Stats: map[string]rel.Range{}}
	if to.Key != 0 {
		r.Key = f.key.id
	}
	for _, b := range f.w.Ranges() {
		i := slices.IndexFunc(to.Columns, func(d engine.DestColumn) bool { return d.Field.Name == b.Path[0] })
		if to.Columns[i].Stats && !b.InList {
			r.Stats[strings.Join(b.Path, ".")] = rel.Range{Min: b.Min, Max: b.Max, Nulls: b.Nulls, NaN: b.NaN, Exact: b.Exact}
		}
	}
	return stagedFile{File: r, from: f.from, given: to.Name != nil}, nil
}
