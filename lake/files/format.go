package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// kinds are the names of the formats of this package.
var kinds = map[string]bool{"parquet": true, "csv": true, "json": true, "text": true}

// Is reports whether name is a format of this package.
func Is(name string) bool { return kinds[strings.ToLower(name)] }

// Formats are the formats of this package by name.
func Formats() map[string]lake.Format {
	out := map[string]lake.Format{}
	for k := range kinds {
		out[k] = kind(k)
	}
	return out
}

// Pattern is the option that narrows a folder to the files whose paths match it, segment by segment, as
// [path.Match] does. A pattern that matches a folder takes all files in it.
const Pattern = "tarn.pattern"

// SplitPattern splits a path before its first segment with one of *?[{.
func SplitPattern(p string) (dir, pattern string) {
	segments := strings.Split(p, "/")
	for i, s := range segments {
		if strings.ContainsAny(s, "*?[") {
			return strings.Join(segments[:i], "/") + "/", strings.Join(segments[i:], "/")
		}
	}
	return p, ""
}

// kind is one of kinds.
type kind string

// Open gives the folder as a table. It is fs.ErrNotExist when nothing says that there is one: no schema in e and
// no file in the folder.
func (f kind) Open(ctx context.Context, e lake.Entry) (lake.Table, error) {
	return &folder{string(f), e}, nil
}

// Create gives a transaction that fills the folder. The catalog entry is all that creates the table.
func (f kind) Create(ctx context.Context, e lake.Entry, x engine.Engine) (lake.Tx, error) {
	return (&folder{string(f), e}).begin(ctx, x, e.Meta)
}

// folder is a table.
type folder struct {
	kind  string
	entry lake.Entry
}

// Snapshot lists the folder. A folder has one state.
func (t *folder) Snapshot(ctx context.Context, at lake.At) (lake.Snapshot, error) {
	if at != (lake.At{}) {
		return nil, &lake.Error{Op: "read", Path: t.entry.Location, Class: "UNSUPPORTED_FEATURE.TIME_TRAVEL",
			Params: map[string]string{"relationId": t.entry.Name.String()}, Err: errors.ErrUnsupported}
	}
	return t.state(ctx, t.entry.Meta)
}

// History is not kept.
func (t *folder) History(ctx context.Context) iter.Seq2[lake.Commit, error] {
	return func(yield func(lake.Commit, error) bool) {
		yield(lake.Commit{}, t.refuse("DESCRIBE HISTORY"))
	}
}

// Begin starts a write.
func (t *folder) Begin(ctx context.Context, x engine.Engine) (lake.Tx, error) {
	return t.begin(ctx, x, t.entry.Meta)
}

func (t *folder) refuse(what string) error {
	name := t.entry.Location
	if len(t.entry.Name) > 0 {
		name = t.entry.Name.String()
	}
	return &lake.Error{Op: strings.ToLower(what), Path: t.entry.Location, Class: "UNSUPPORTED_FEATURE.TABLE_OPERATION",
		Params: map[string]string{"tableName": name, "operation": what}, Err: errors.ErrUnsupported,
		Hint: "Tables of plain files can only be added to and overwritten. CREATE TABLE … USING delta AS SELECT makes one that can be changed."}
}

// state is a listing of a folder.
type state struct {
	folder *folder
	meta   *lake.Meta
	files  []rel.File
	bytes  int64
	stored types.Struct // columns inside the files
}

// state lists the folder and finds the schema.
func (t *folder) state(ctx context.Context, meta *lake.Meta) (*state, error) {
	s := &state{folder: t}
	if err := s.list(ctx); err != nil {
		return nil, err
	}
	if meta == nil || len(meta.Schema.Fields) == 0 {
		found, err := s.infer(ctx, meta)
		if err != nil {
			return nil, err
		}
		meta = found
	}
	s.meta = meta
	for _, f := range meta.Schema.Fields {
		if !slices.ContainsFunc(meta.Partition, func(p string) bool { return strings.EqualFold(p, f.Name) }) {
			s.stored.Fields = append(s.stored.Fields, f)
		}
	}
	return s, s.partitions()
}

func (s *state) list(ctx context.Context) error {
	pattern := s.folder.entry.Options[Pattern]
	if pattern != "" && !strings.ContainsAny(pattern, "*?[") {
		return s.single(ctx, pattern)
	}
	for info, err := range s.folder.entry.Bucket.List(ctx, "", "") {
		if info.Name != "" && (!visible(info.Name) || !matches(pattern, info.Name)) {
			continue
		}
		if err != nil {
			return err
		}
		s.add(info)
	}
	return nil
}

func (s *state) add(info storage.Info) {
	s.files = append(s.files, rel.File{Bucket: s.folder.entry.Bucket, Path: info.Name, ID: int64(len(s.files)),
		Size: info.Size, Rows: -1, ModTime: info.ModTime.UnixMilli()})
	s.bytes += info.Size
}

// single is list for a table of one file.
func (s *state) single(ctx context.Context, name string) error {
	f, err := s.folder.entry.Bucket.Open(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	info.Name = name
	s.add(info)
	return nil
}

func visible(name string) bool {
	for segment := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(segment, ".") || strings.HasPrefix(segment, "_") && !strings.Contains(segment, "=") {
			return false
		}
	}
	return true
}

func matches(pattern, name string) bool {
	if pattern == "" {
		return true
	}
	want, have := strings.Split(strings.TrimSuffix(pattern, "/"), "/"), strings.Split(name, "/")
	if len(have) < len(want) {
		return false
	}
	for i, w := range want {
		if ok, err := path.Match(w, have[i]); err != nil || !ok {
			return false
		}
	}
	return true
}

// Meta describes the table.
func (s *state) Meta() *lake.Meta { return s.meta }

// Version is always 0: a folder has no versions.
func (s *state) Version() int64 { return 0 }

// Detail counts the files.
func (s *state) Detail() lake.Detail {
	return lake.Detail{Files: int64(len(s.files)), Bytes: s.bytes}
}

// Scan reads the files whose partition values can fit w.
func (s *state) Scan(ctx context.Context, w rel.Want) (rel.Node, error) {
	if w.RowID != nil {
		return nil, s.folder.refuse("UPDATE, DELETE or MERGE")
	}
	out := &rel.Scan{Format: s.folder.kind, Files: s.files, Options: s.folder.options()}
	if s.folder.kind == "csv" {
		return s.scanAll(out, w)
	}
	for _, c := range w.Columns {
		sc, err := s.column(c)
		if err != nil {
			return nil, err
		}
		out.Cols = append(out.Cols, sc)
	}
	return out, nil
}

// scanAll reads all columns in the order of the file, because the fields of CSV are known by position alone.
func (s *state) scanAll(scan *rel.Scan, w rel.Want) (rel.Node, error) {
	out := &rel.Project{In: scan}
	for _, f := range s.stored.Fields {
		scan.Cols = append(scan.Cols, rel.ScanColumn{Column: rel.NewColumn(f.Name, f.Type), From: rel.InFile, File: f})
	}
	for i, p := range s.meta.Partition {
		t := s.meta.Schema.Fields[s.meta.Schema.Index(p)].Type
		scan.Cols = append(scan.Cols, rel.ScanColumn{Column: rel.NewColumn(p, t), From: rel.InPartition, Part: i})
	}
	for _, c := range w.Columns {
		i := slices.IndexFunc(scan.Cols, func(sc rel.ScanColumn) bool { return strings.EqualFold(sc.Name, c.Name) })
		if i < 0 {
			return nil, fmt.Errorf("column %s: %w", c.Name, fs.ErrNotExist)
		}
		out.Cols = append(out.Cols, rel.Computed{Column: c, Expr: scan.Cols[i].Ref()})
	}
	return out, nil
}

func (s *state) column(c rel.Column) (rel.ScanColumn, error) {
	for i, p := range s.meta.Partition {
		if strings.EqualFold(p, c.Name) {
			return rel.ScanColumn{Column: c, From: rel.InPartition, Part: i}, nil
		}
	}
	i := s.stored.Index(c.Name)
	if i < 0 {
		return rel.ScanColumn{}, fmt.Errorf("column %s: %w", c.Name, fs.ErrNotExist)
	}
	f := s.stored.Fields[i]
	f.Nullable = true
	return rel.ScanColumn{Column: c, From: rel.InFile, File: f}, nil
}

// options are those of the entry with keys in lower case.
func (t *folder) options() map[string]string {
	out := map[string]string{}
	for k, v := range t.entry.Options {
		if k != Pattern {
			out[strings.ToLower(k)] = v
		}
	}
	return out
}
