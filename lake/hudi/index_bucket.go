package hudi

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/bucket"
	"github.com/tarn-lake/tarn/lake/hudi/metadata"
	"github.com/tarn-lake/tarn/lake/hudi/timeline"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// A table with a bucket index has one file group for each bucket of a partition, and a row is in the bucket of its key:
//
//	keys ─▶ (path, bucket) ─┬─ slice of that bucket: known rows are looked for there alone; new ones join it
//	                        └─ none: a new group with the bucket in its file id

// bucketIndex is the simple bucket index that the write keeps; nil for tables without.
func (x *tx) bucketIndex() (*bucket.Index, error) {
	if x.indexType() != "BUCKET" || x.buckets != nil {
		return x.buckets, nil
	}
	c, o := x.config(), x.options
	if e := o.text("SIMPLE", "hoodie.index.bucket.engine"); !strings.EqualFold(e, "SIMPLE") {
		return nil, x.unbucketed("hoodie.index.bucket.engine=%s is not supported: only SIMPLE buckets are written", e)
	}
	if e := o.text("", "hoodie.bucket.index.partition.expressions"); e != "" {
		return nil, x.unbucketed("hoodie.bucket.index.partition.expressions=%s is not supported: partitions have equal numbers of buckets", e)
	}
	if len(c.RecordKey) == 0 {
		return nil, x.unbucketed("a bucket index needs a record key")
	}
	if x.merges() && slices.Contains(c.MetadataPartitions, metadata.RecordIndexPartition) {
		return nil, x.unbucketed("a bucket index and a record index on one merge-on-read table are not supported")
	}
	n := o.number("hoodie.bucket.index.num.buckets", bucket.DefaultCount)
	if n < 1 || n > bucket.MaxCount {
		return nil, x.unbucketed("hoodie.bucket.index.num.buckets=%d: a number from 1 to %d is expected", n, bucket.MaxCount)
	}
	b := &bucket.Index{Count: int(n), Fields: splitNames(o.text("", "hoodie.bucket.index.hash.field")), Reading: bucket.ReadingOf(c.Version)}
	if len(b.Fields) == 0 {
		b.Fields = c.RecordKey
	}
	for _, f := range b.Fields {
		if !slices.Contains(c.RecordKey, f) {
			return nil, x.unbucketed("hoodie.bucket.index.hash.field: %s is not a field of the record key", f)
		}
	}
	if err := x.checkBuckets(b); err != nil {
		return nil, err
	}
	x.buckets = b
	return b, o.err()
}

func (x *tx) unbucketed(format string, args ...any) error {
	return &lake.Error{Op: "write to", Path: x.table.path, Err: fmt.Errorf(format, args...)}
}

// sampledFiles is how many base files are looked into to check the settings of a bucket index.
const sampledFiles = 8

// checkBuckets refuses settings that do not fit the file groups that are there.
func (x *tx) checkBuckets(b *bucket.Index) error {
	type place struct {
		partition string
		bucket    int
	}
	seen := map[place]bool{}
	sampled := 0
	for _, s := range x.base.slices {
		n, ok := bucket.OfFileID(s.FileID)
		at := place{s.Partition, n}
		switch {
		case !ok:
			return x.unbucketed("hoodie.index.type=BUCKET, but file group %s was written without buckets", s.FileID)
		case n >= b.Count:
			return x.unbucketed("file group %s is of bucket %d: hoodie.bucket.index.num.buckets=%d is not the table's number", s.FileID, n, b.Count)
		case seen[at]:
			return x.unbucketed("bucket %d of partition %q has two file groups", n, s.Partition)
		}
		seen[at] = true
		if s.Base == nil || sampled == sampledFiles {
			continue
		}
		sampled++
		f, err := x.table.footer(context.Background(), s.Base.Path)
		if err != nil {
			return err
		}
		for _, name := range []string{"hoodie_min_record_key", "hoodie_max_record_key"} {
			key, ok := f[name]
			if !ok {
				continue
			}
			if got, err := b.Of(key); err != nil || got != n {
				return x.unbucketed("key %q is in bucket %d, where hoodie.bucket.index.num.buckets=%d and hash field %s put it into %d: the settings are not the table's",
					key, n, b.Count, strings.Join(b.Fields, ","), got)
			}
		}
	}
	return nil
}

// plausibleBuckets bounds the numbers by which file ids are taken for those of buckets: few ids of other tables begin so.
const plausibleBuckets = 1 << 16

// looksBucketed reports whether all file groups have ids of buckets.
func (s *Snapshot) looksBucketed() bool {
	for _, slice := range s.slices {
		if n, ok := bucket.OfFileID(slice.FileID); !ok || n >= plausibleBuckets {
			return false
		}
	}
	return len(s.slices) > 0
}

// mayGrow refuses new rows for a table with buckets of which no settings tell: in ordinary file groups its writers would not find them.
func (x *tx) mayGrow() error {
	if x.indexType() == "BUCKET" || !x.base.looksBucketed() {
		return nil
	}
	return &lake.Error{Op: "write to", Path: x.table.path,
		Err:  fmt.Errorf("the file groups of the table are buckets (%s), and no setting says of how many", x.base.slices[0].FileID),
		Hint: "set hoodie.index.type=BUCKET and hoodie.bucket.index.num.buckets as the table's other writers have them, best by ALTER TABLE … SET TBLPROPERTIES"}
}

// bucketOf is the bucket of a row.
func bucketOf(b *bucket.Index, f *freshRows) rel.Expr {
	return &rel.Apply{Name: fmt.Sprintf("hudi bucket %d %d %q", b.Count, b.Reading, b.Fields), X: f.key.Ref(),
		Of: func(key []byte) (int64, error) {
			n, err := b.Of(string(key))
			return int64(n), err
		}}
}

// bucketPlace is a bucket of a partition.
type bucketPlace struct {
	path   string
	number int64
}

// placesOf are the buckets of rows.
func (x *tx) placesOf(ctx context.Context, b *bucket.Index, f *freshRows) (map[bucketPlace]bool, error) {
	path, number := rel.NewColumn("path", types.String), rel.NewColumn("bucket", types.Long)
	r, err := x.engine.Query(ctx, &rel.Aggregate{In: f.rows, Keys: []rel.Computed{{Column: path, Expr: f.path.Ref()}, {Column: number, Expr: bucketOf(b, f)}}})
	if err != nil {
		return nil, err
	}
	defer r.Release()
	out := map[bucketPlace]bool{}
	for r.Next() {
		paths, ok1 := r.RecordBatch().Column(0).(*array.String)
		numbers, ok2 := r.RecordBatch().Column(1).(*array.Int64)
		if !ok1 || !ok2 {
			return nil, fmt.Errorf("the engine gave buckets of another type")
		}
		for i := range paths.Len() {
			out[bucketPlace{strings.Clone(paths.Value(i)), numbers.Value(i)}] = true
		}
	}
	return out, r.Err()
}

// slicesOf are the slices of the buckets of f.
func (x *tx) slicesOf(ctx context.Context, b *bucket.Index, f *freshRows) ([]*fileSlice, error) {
	places, err := x.placesOf(ctx, b, f)
	if err != nil {
		return nil, err
	}
	var out []*fileSlice
	for _, s := range x.base.slices {
		if n, ok := bucket.OfFileID(s.FileID); ok && places[bucketPlace{s.Partition, int64(n)}] {
			out = append(out, s)
		}
	}
	return out, nil
}

// bucketed gives new rows the number of the slice of their bucket, where there is one, and the column of their bucket.
func (x *tx) bucketed(b *bucket.Index, f *freshRows) *freshRows {
	out := *f
	out.file, out.bucket = rel.NewColumn("file", types.Long), rel.NewColumn("bucket", types.Long)
	number := rel.NewColumn("bucket", types.Long)
	with := &rel.Project{In: f.rows}
	for _, c := range f.rows.Columns() {
		with.Cols = append(with.Cols, rel.Computed{Column: c, Expr: c.Ref()})
	}
	with.Cols = append(with.Cols, rel.Computed{Column: number, Expr: bucketOf(b, f)})
	file, path, home := rel.NewColumn("home", types.Long), rel.NewColumn("home path", types.String), rel.NewColumn("home bucket", types.Long)
	table := &rel.Values{Cols: []rel.Column{file, path, home}}
	for _, s := range x.slices() {
		if n, ok := bucket.OfFileID(s.FileID); ok {
			table.Rows = append(table.Rows, []rel.Expr{long(s.Number), text(s.Partition), long(int64(n))})
		}
	}
	p := &rel.Project{In: with}
	was := rel.Expr(f.file.Ref())
	if len(table.Rows) > 0 {
		p.In = &rel.Join{Kind: rel.LeftOuter, Left: with, Right: table, On: rel.And(equals(f.path.Ref(), path.Ref()), equals(number.Ref(), home.Ref()))}
		was = firstOf(types.Long, was, rel.When{If: equals(f.code.Ref(), code(insertOp)), Then: nullableRef(file)})
	}
	for _, c := range f.rows.Columns() {
		if c.ID != f.file.ID {
			p.Cols = append(p.Cols, rel.Computed{Column: c, Expr: c.Ref()})
		}
	}
	p.Cols = append(p.Cols, rel.Computed{Column: out.file, Expr: was}, rel.Computed{Column: out.bucket, Expr: number.Ref()})
	out.rows = p
	return &out
}

// groupOf is the group of new rows among the files that are written: the partition path, in front of it their bucket.
func groupOf(f *freshRows) rel.Expr {
	if f.bucket.ID == 0 {
		return f.path.Ref()
	}
	return concat(cast(f.bucket.Ref(), types.String), text("/"), f.path.Ref())
}

// pathOfGroup takes a group of groupOf apart; fileID is "" for rows without bucket.
func pathOfGroup(group string, bucketed bool) (path, fileID string) {
	if !bucketed {
		return group, ""
	}
	number, path, _ := strings.Cut(group, "/")
	n, _ := strconv.Atoi(number)
	return path, bucket.FileID(n)
}

// claimed are file groups as conflicts are looked for: with buckets, the bucket stands for its group, so that two writers cannot both
// make it.
func (x *tx) claimed(groups []timeline.FileGroup) []timeline.FileGroup {
	if x.buckets == nil {
		return groups
	}
	out := slices.Clone(groups)
	for i, g := range out {
		if _, ok := bucket.OfFileID(g.FileID); ok {
			out[i].FileID = g.FileID[:8]
		}
	}
	return out
}

func (x *tx) claims(rivals []timeline.Rival) []timeline.Rival {
	out := slices.Clone(rivals)
	for i, r := range out {
		out[i].Groups = x.claimed(r.Groups)
	}
	return out
}
