package duckdb

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// madeFile is what COPY … (RETURN_STATS) says of one file.
type madeFile struct {
	path  string
	rows  int64
	size  int64
	stats map[string]map[string]string // by quoted, dotted leaf path, then by word
	keys  map[string]*string           // partition texts by name; nil is NULL
}

// copyFiles runs a COPY with RETURN_STATS.
func (c *conn) copyFiles(ctx context.Context, sql string) ([]madeFile, error) {
	s, err := c.start(ctx, statement{sql: sql})
	if err != nil {
		return nil, err
	}
	defer s.close()
	var out []madeFile
	for {
		b, err := s.next()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		for i := range int(b.NumRows()) {
			m, err := readMade(b, i)
			if err != nil {
				return nil, err
			}
			out = append(out, m)
		}
		b.Release()
	}
}

// The columns of RETURN_STATS: filename, count, file_size_bytes, footer_size_bytes, column_statistics,
// partition_keys.
func readMade(b arrow.RecordBatch, i int) (madeFile, error) {
	m := madeFile{stats: map[string]map[string]string{}, keys: map[string]*string{}}
	path, ok1 := b.Column(0).(*array.String)
	rows, ok2 := b.Column(1).(*array.Uint64)
	size, ok3 := b.Column(2).(*array.Uint64)
	if !ok1 || !ok2 || !ok3 || b.NumCols() < 6 {
		return m, fmt.Errorf("duckdb: RETURN_STATS has another form: %v", b.Schema())
	}
	m.path, m.rows, m.size = strings.Clone(path.Value(i)), int64(rows.Value(i)), int64(size.Value(i))
	eachEntry(b.Column(4), i, func(key string, values arrow.Array, at int) {
		words := map[string]string{}
		eachEntry(values, at, func(word string, texts arrow.Array, k int) {
			if texts.IsValid(k) {
				words[word] = strings.Clone(texts.(*array.String).Value(k))
			}
		})
		m.stats[key] = words
	})
	eachEntry(b.Column(5), i, func(key string, texts arrow.Array, k int) {
		if m.keys[key] = nil; texts.IsValid(k) {
			s := strings.Clone(texts.(*array.String).Value(k))
			m.keys[key] = &s
		}
	})
	return m, nil
}

// eachEntry calls f for the entries of the map in row i of a, which has text keys.
func eachEntry(a arrow.Array, i int, f func(key string, values arrow.Array, at int)) {
	m, ok := a.(*array.Map)
	if !ok || m.IsNull(i) {
		return
	}
	keys := m.Keys().(*array.String)
	from, to := m.ValueOffsets(i)
	for k := int(from); k < int(to); k++ {
		f(strings.Clone(keys.Value(k)), m.Items(), k)
	}
}

// describe makes a file of the bucket of what COPY says; Path stays the staged path.
func describe(m madeFile, to engine.Dest) (rel.File, error) {
	f := rel.File{Bucket: to.Bucket, Path: m.path, Rows: m.rows, Size: m.size, Stats: map[string]rel.Range{}}
	names := partitionNames(to)
	for i, p := range to.Partition {
		s, ok := m.keys[strings.Trim(names[i], `"`)]
		if !ok {
			return f, fmt.Errorf("duckdb: RETURN_STATS lacks a partition key of %s", m.path)
		}
		if s == nil {
			f.Partition = append(f.Partition, nil)
			continue
		}
		v, err := partitionValue(*s, to.Columns[p].Field.Type)
		if err != nil {
			return f, fmt.Errorf("duckdb: partition value %q: %w", *s, err)
		}
		f.Partition = append(f.Partition, v)
	}
	for i, d := range to.Columns {
		if d.Stats && !slices.Contains(to.Partition, i) {
			leaves(f.Stats, m.stats, []string{d.Field.Name}, d.Field.Type)
		}
	}
	return f, nil
}

// leaves adds the ranges of the leaves of a column. Lists and maps have none.
func leaves(out map[string]rel.Range, stats map[string]map[string]string, path []string, t types.Type) {
	switch t := t.(type) {
	case types.Struct:
		for _, f := range t.Fields {
			leaves(out, stats, append(path[:len(path):len(path)], f.Name), f.Type)
		}
		return
	case types.Array, types.Map:
		return
	}
	quoted := make([]string, len(path))
	for i, p := range path {
		quoted[i] = ident(p)
	}
	if words, ok := stats[strings.Join(quoted, ".")]; ok {
		out[strings.Join(path, ".")] = leafRange(words, t)
	}
}

// cutText is the length at which DuckDB cuts bounds of text, raising the upper one.
const cutText = 256

func leafRange(words map[string]string, t types.Type) rel.Range {
	r := rel.Range{Nulls: -1, NaN: words["has_nan"] == "true", Exact: true}
	if n, err := strconv.ParseInt(words["null_count"], 10, 64); err == nil {
		r.Nulls = n
	}
	lo, ok1 := words["min"]
	hi, ok2 := words["max"]
	if !ok1 || !ok2 {
		r.Exact = false
		return r
	}
	r.Min, r.Max = statValue(lo, t), statValue(hi, t)
	if r.Min == nil || r.Max == nil {
		r.Min, r.Max, r.Exact = nil, nil, false
	}
	if types.Text(t) && (len(lo) >= cutText || len(hi) >= cutText) {
		r.Exact = false
	}
	return r
}

// statValue reads a bound; nil when it cannot be used.
func statValue(s string, t types.Type) types.Value {
	switch t := t.(type) {
	case types.Decimal:
		if d, err := decimal128.FromString(s, int32(t.P), int32(t.S)); err == nil {
			return d
		}
		return nil
	case types.DayTime:
		return whole(s, 64)
	case types.YearMonth:
		if n, ok := whole(s, 32).(int64); ok {
			return int32(n)
		}
		return nil
	}
	switch t {
	case types.Boolean:
		return map[string]types.Value{"0": false, "1": true, "false": false, "true": true}[s]
	case types.Byte, types.Short, types.Int, types.Long:
		return whole(s, 64)
	case types.Float:
		if f, err := strconv.ParseFloat(s, 32); err == nil && !math.IsNaN(f) {
			return float32(f)
		}
	case types.Double:
		if f, err := strconv.ParseFloat(s, 64); err == nil && !math.IsNaN(f) {
			return f
		}
	case types.Date:
		if d, err := time.Parse("2006-01-02", s); err == nil {
			return int32(d.Unix() / 86400)
		}
	case types.Timestamp, types.TimestampNTZ:
		return statTime(s)
	case types.Binary:
		if b, err := hex.DecodeString(s); err == nil && len(b) < cutText {
			return b
		}
	default:
		if types.Text(t) && utf8.ValidString(s) {
			return s
		}
	}
	return nil
}

func whole(s string, bits int) types.Value {
	n, err := strconv.ParseInt(s, 10, bits)
	if err != nil {
		return nil
	}
	return n
}

// statTime reads a timestamp as DuckDB prints it in UTC; years that Go cannot read are unknown.
func statTime(s string) types.Value {
	d, err := time.Parse("2006-01-02 15:04:05.999999", strings.TrimSuffix(s, "+00"))
	if err != nil {
		return nil
	}
	return d.UnixMicro()
}
