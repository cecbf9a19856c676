package files

import (
	"context"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// infer finds the schema in the files: the columns in them, then the partition columns of the folder names.
func (s *state) infer(ctx context.Context, meta *lake.Meta) (*lake.Meta, error) {
	if len(s.files) == 0 {
		return nil, &lake.Error{Op: "open", Path: s.folder.entry.Location, Class: "PATH_NOT_FOUND",
			Params: map[string]string{"path": s.folder.entry.Location}, Err: fs.ErrNotExist}
	}
	out := lake.Meta{}
	if meta != nil {
		out = *meta
	}
	inside, err := s.inferStored(ctx)
	if err != nil {
		return nil, err
	}
	names, kinds := s.inferPartition()
	out.Partition = names
	for _, f := range inside.Fields {
		if !slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, f.Name) }) {
			out.Schema.Fields = append(out.Schema.Fields, f)
		}
	}
	for i, n := range names {
		out.Schema.Fields = append(out.Schema.Fields, types.Field{Name: n, Type: kinds[i], Nullable: true})
	}
	return &out, nil
}

func (s *state) inferStored(ctx context.Context) (types.Struct, error) {
	switch s.folder.kind {
	case "parquet":
		return s.inferParquet(ctx)
	case "csv":
		return s.inferCSV(ctx)
	case "json":
		return s.inferJSON(ctx)
	}
	return types.Struct{Fields: []types.Field{{Name: "value", Type: types.String, Nullable: true}}}, nil
}

// inferPartition reads the partition columns from the folder names. A column whose values are all whole numbers is an
// int, or a bigint; dates are dates; others are text.
func (s *state) inferPartition() ([]string, []types.Type) {
	var names []string
	var values [][]string
	for n, f := range s.files {
		pairs := partitionOf(f.Path)
		if n == 0 {
			for _, p := range pairs {
				names = append(names, p[0])
			}
			values = make([][]string, len(names))
		}
		if len(pairs) != len(names) {
			return nil, nil
		}
		for i, p := range pairs {
			if p[1] != nullFolder {
				values[i] = append(values[i], p[1])
			}
		}
	}
	kinds := make([]types.Type, len(names))
	for i := range names {
		kinds[i] = partitionType(values[i])
	}
	return names, kinds
}

// nullFolder is the folder value of NULL in Hive's layout.
const nullFolder = "__HIVE_DEFAULT_PARTITION__"

// partitionOf gives the name and value of each `name=value/` folder of a path.
func partitionOf(p string) [][2]string {
	var out [][2]string
	segments := strings.Split(p, "/")
	for _, s := range segments[:len(segments)-1] {
		if name, value, ok := strings.Cut(s, "="); ok {
			out = append(out, [2]string{unescape(name), unescape(value)})
		}
	}
	return out
}

func unescape(s string) string {
	if u, err := url.PathUnescape(s); err == nil {
		return u
	}
	return s
}

func partitionType(values []string) types.Type {
	all := func(ok func(string) bool) bool {
		return len(values) > 0 && !slices.ContainsFunc(values, func(v string) bool { return !ok(v) })
	}
	fits := func(bits int) func(string) bool {
		return func(v string) bool { _, err := strconv.ParseInt(v, 10, bits); return err == nil }
	}
	switch {
	case all(fits(32)):
		return types.Int
	case all(fits(64)):
		return types.Long
	case all(func(v string) bool { _, err := parseDate(v); return err == nil && len(v) == 10 }):
		return types.Date
	case all(func(v string) bool { _, err := strconv.ParseFloat(v, 64); return err == nil }):
		return types.Double
	}
	return types.String
}

// partitions fills in the partition values of the files.
func (s *state) partitions() error {
	if len(s.meta.Partition) == 0 {
		return nil
	}
	for n := range s.files {
		f := &s.files[n]
		f.Partition = make([]types.Value, len(s.meta.Partition))
		for _, pair := range partitionOf(f.Path) {
			for i, name := range s.meta.Partition {
				if !strings.EqualFold(name, pair[0]) || pair[1] == nullFolder {
					continue
				}
				v, err := partitionValue(pair[1], s.meta.Schema.Fields[s.meta.Schema.Index(name)].Type)
				if err != nil {
					return &lake.Error{Op: "read the partition folder of", Path: f.Path, Err: err}
				}
				f.Partition[i] = v
			}
		}
	}
	return nil
}

func partitionValue(text string, t types.Type) (types.Value, error) {
	switch {
	case types.Text(t):
		return text, nil
	case types.Integral(t):
		return strconv.ParseInt(text, 10, 64)
	case t == types.Double:
		return strconv.ParseFloat(text, 64)
	case t == types.Float:
		v, err := strconv.ParseFloat(text, 32)
		return float32(v), err
	case t == types.Boolean:
		return strconv.ParseBool(text)
	case t == types.Date:
		return parseDate(text)
	}
	return nil, fmt.Errorf("partition values of type %s are not read yet", t)
}

// inferParquet reads the footer of the first file.
func (s *state) inferParquet(ctx context.Context) (types.Struct, error) {
	f, err := s.open(ctx, s.files[0])
	if err != nil {
		return types.Struct{}, err
	}
	defer f.Close()
	schema, err := footer(f, s.files[0].Size)
	if err != nil {
		return types.Struct{}, &lake.Error{Op: "read", Path: s.files[0].Path, Class: "FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER",
			Params: map[string]string{"path": s.files[0].Path}, Err: err}
	}
	return fieldsOf(schema.Fields())
}

// footer reads a file's schema. Damaged footers may make the reader panic.
func footer(r interface {
	ReadAt([]byte, int64) (int, error)
}, size int64) (schema *parquet.Schema, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("not a Parquet file: %v", p)
		}
	}()
	pf, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	return pf.Schema(), nil
}

func fieldsOf(fields []parquet.Field) (types.Struct, error) {
	var out types.Struct
	for _, f := range fields {
		t, err := sparkType(f)
		if err != nil {
			return out, fmt.Errorf("column %s: %w", f.Name(), err)
		}
		out.Fields = append(out.Fields, types.Field{Name: f.Name(), Type: t, Nullable: true})
	}
	return out, nil
}

// sparkType is the type as which Spark reads a Parquet column.
func sparkType(n parquet.Node) (types.Type, error) {
	if n.Leaf() {
		return leafType(n)
	}
	switch logical(n).(type) {
	case *format.ListType:
		return listType(n)
	case *format.MapType:
		return mapType(n)
	}
	return fieldsOf(n.Fields())
}

func listType(n parquet.Node) (types.Type, error) {
	inner := n.Fields()[0]
	elem := parquet.Node(inner)
	if !inner.Leaf() && len(inner.Fields()) == 1 {
		elem = inner.Fields()[0]
	}
	t, err := sparkType(elem)
	return types.Array{Elem: t, Nullable: true}, err
}

func mapType(n parquet.Node) (types.Type, error) {
	kv := n.Fields()[0].Fields()
	if len(kv) != 2 {
		return nil, fmt.Errorf("a map with %d parts", len(kv))
	}
	k, err := sparkType(kv[0])
	if err != nil {
		return nil, err
	}
	v, err := sparkType(kv[1])
	return types.Map{Key: k, Value: v, Nullable: true}, err
}

// logical is the annotation of n, or nil.
func logical(n parquet.Node) format.LogicalTypeValue {
	if lt := n.Type().LogicalType(); lt != nil {
		return lt.Value
	}
	return nil
}

func leafType(n parquet.Node) (types.Type, error) {
	switch lt := logical(n).(type) {
	case *format.StringType, *format.EnumType, *format.JsonType:
		return types.String, nil
	case *format.DateType:
		return types.Date, nil
	case *format.DecimalType:
		return types.Decimal{P: int(lt.Precision), S: int(lt.Scale)}, nil
	case *format.TimestampType:
		if lt.IsAdjustedToUTC {
			return types.Timestamp, nil
		}
		return types.TimestampNTZ, nil
	case *format.IntType:
		return integerType(int(lt.BitWidth), lt.IsSigned), nil
	}
	switch n.Type().Kind() {
	case parquet.Boolean:
		return types.Boolean, nil
	case parquet.Int32:
		return types.Int, nil
	case parquet.Int64:
		return types.Long, nil
	case parquet.Int96:
		return types.Timestamp, nil
	case parquet.Float:
		return types.Float, nil
	case parquet.Double:
		return types.Double, nil
	}
	return types.Binary, nil
}

func integerType(bits int, signed bool) types.Type {
	if !signed {
		bits *= 2
	}
	switch {
	case bits <= 8:
		return types.Byte
	case bits <= 16:
		return types.Short
	case bits <= 32:
		return types.Int
	case bits <= 64:
		return types.Long
	}
	return types.Decimal{P: 20}
}

func (s *state) open(ctx context.Context, f rel.File) (reader, error) {
	return f.Bucket.Open(ctx, f.Path)
}

type reader interface {
	ReadAt([]byte, int64) (int, error)
	Close() error
}
