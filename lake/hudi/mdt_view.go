package hudi

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/google/uuid"

	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/hudi/metadata"
	"github.com/tarn-lake/tarn/types"
)

// queryMetadata lists the records of the metadata table, with the columns that they have in Hudi: its unions are structs with one
// member for each branch.
const queryMetadata = "metadata"

func structOf(fields ...types.Field) types.Struct {
	for i := range fields {
		fields[i].Nullable = true
	}
	return types.Struct{Fields: fields}
}

func field(name string, t types.Type) types.Field { return types.Field{Name: name, Type: t} }

// oldDecimal is the type of all decimals that bounds hold in a wrapper of their own.
var oldDecimal = types.Decimal{P: 30, S: 15}

// boundMembers are the types of the wrappers of bounds, in the order of their union, as many as a table version has.
func boundMembers(version int) []types.Type {
	all := []types.Type{types.Boolean, types.Int, types.Long, types.Float, types.Double, types.Binary, types.String, types.Int, oldDecimal, types.Long, types.Long,
		types.Int, types.Void}
	switch {
	case version < 8:
		return all[:11]
	case version < 9:
		return all[:12]
	}
	return all
}

func boundType(version int) types.Struct {
	var fields []types.Field
	for i, t := range boundMembers(version) {
		name := "value"
		if t == types.Type(types.Void) { // of lists, which hold none of the bounds that are read
			name, t = "wrappedValues", types.String
		}
		fields = append(fields, field("member"+strconv.Itoa(i), structOf(field(name, t))))
	}
	return structOf(fields...)
}

// metadataFields are the columns of the records of a metadata table.
func metadataFields(version int) []types.Field {
	stats := []types.Field{textField("fileName"), textField("columnName"), field("minValue", boundType(version)), field("maxValue", boundType(version)),
		longField("valueCount"), longField("nullCount"), longField("totalSize"), longField("totalUncompressedSize"), field("isDeleted", types.Boolean)}
	place := []types.Field{textField("partitionName"), longField("fileIdHighBits"), longField("fileIdLowBits"), field("fileIndex", types.Int),
		textField("fileId"), longField("instantTime"), field("fileIdEncoding", types.Int)}
	if version >= 8 {
		stats = append(stats, field("isTightBound", types.Boolean))
		place = append(place, longField("position"))
	}
	if version >= 9 {
		stats = append(stats, field("valueType", structOf(field("typeOrdinal", types.Int), textField("additionalInfo"))))
	}
	out := []types.Field{textField("key"), field("type", types.Int),
		field("filesystemMetadata", types.Map{Key: types.String, Value: structOf(longField("size"), field("isDeleted", types.Boolean)), Nullable: true}),
		field("BloomFilterMetadata", structOf(textField("type"), textField("timestamp"), field("bloomFilter", types.Binary), field("isDeleted", types.Boolean))),
		field("ColumnStatsMetadata", structOf(stats...))}
	if version >= 6 {
		out = append(out, field("recordIndexMetadata", structOf(place...)))
	}
	if version >= 8 {
		out = append(out, field("SecondaryIndexMetadata", structOf(field("isDeleted", types.Boolean))))
	}
	return out
}

// metadataView is the records of the metadata table.
func (t *Table) metadataView(ctx context.Context) (*listing, error) {
	line, err := t.timeline(ctx)
	if err != nil {
		return nil, err
	}
	m, err := metadata.Open(ctx, t.bucket, t.config, line)
	if errors.Is(err, metadata.ErrNone) {
		return nil, &lake.Error{Op: "read the metadata table of", Path: t.path, Err: err, Hint: "CALL create_metadata_table makes one."}
	}
	var stale *metadata.StaleError
	if errors.As(err, &stale) {
		return nil, &lake.Error{Op: "read the metadata table of", Path: t.path, Err: err, Hint: remakeMetadata + "."}
	}
	if err != nil {
		return nil, t.fail("read the metadata table of", "", err)
	}
	version := m.Version()
	out := newListing(queryMetadata, t, metadataFields(version)...)
	for _, partition := range t.config.MetadataPartitions {
		err := m.Records(ctx, partition, func(r *metadata.Record) error {
			row, err := metadataRow(r, version)
			out.rows = append(out.rows, row[:len(out.meta.Schema.Fields)])
			return err
		})
		if err != nil {
			return nil, t.fail("read the metadata table of", "", err)
		}
	}
	return out, nil
}

func metadataRow(r *metadata.Record, version int) ([]types.Value, error) {
	row := []types.Value{r.Key, int64(r.Kind), nil, nil, nil, nil, nil}
	if r.Files != nil {
		var files []types.Pair
		for _, name := range slices.Sorted(maps.Keys(r.Files)) {
			if f := r.Files[name]; !f.Deleted {
				files = append(files, types.Pair{Key: name, Value: []types.Value{f.Size, f.Deleted}})
			}
		}
		row[2] = files
	}
	if b := r.Bloom; b != nil {
		row[3] = []types.Value{b.Kind, b.Instant, b.Filter, b.Deleted}
	}
	if s := r.Stats; s != nil {
		row[4] = statsRow(s, version)
	}
	if l := r.Location; l != nil {
		place, err := locationRow(l, version)
		if err != nil {
			return row, fmt.Errorf("record %q: %w", r.Key, err)
		}
		row[5] = place
	}
	if r.Secondary != nil {
		row[6] = []types.Value{r.Secondary.Deleted}
	}
	return row, nil
}

func statsRow(s *metadata.Stats, version int) []types.Value {
	row := []types.Value{s.File, s.Column, boundRow(s.Min, version), boundRow(s.Max, version), count(s.Values), count(s.Nulls), count(s.Size),
		count(s.Uncompressed), s.Deleted}
	if version >= 8 {
		row = append(row, s.Tight)
	}
	if version < 9 {
		return row
	}
	if s.Type.Ordinal == 0 {
		return append(row, nil)
	}
	var info types.Value
	if s.Type.Info != "" {
		info = s.Type.Info
	}
	return append(row, []types.Value{int64(s.Type.Ordinal), info})
}

// count is a number that is negative when it is not known.
func count(n int64) types.Value {
	if n < 0 {
		return nil
	}
	return n
}

// boundRow is a bound as the struct of the branches of its union.
func boundRow(v metadata.Value, version int) types.Value {
	members := boundMembers(version)
	at := int(v.Wrapper) - 1
	if at < 0 || at >= len(members) {
		return nil
	}
	row := make([]types.Value, len(members))
	var x types.Value
	switch t := members[at].(type) {
	case types.Decimal:
		n := new(big.Int).SetBytes([]byte(v.Bytes))
		if len(v.Bytes) > 0 && v.Bytes[0]&0x80 != 0 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(v.Bytes))))
		}
		if n.BitLen() > 120 {
			return nil
		}
		x = decimal128.FromBigInt(n)
	case types.Basic:
		switch t {
		case types.Boolean:
			x = v.Int != 0
		case types.Int, types.Long:
			x = v.Int
		case types.Float:
			x = float32(v.Float)
		case types.Double:
			x = v.Float
		case types.Binary:
			x = []byte(v.Bytes)
		case types.String:
			x = v.Bytes
		}
	}
	row[at] = []types.Value{x}
	return row
}

// locationRow is where a row is. File ids that begin with a UUID are kept as its two halves and the number behind it.
func locationRow(l *metadata.Location, version int) ([]types.Value, error) {
	row := []types.Value{l.Partition, nil, nil, nil, l.FileID, l.Instant, int64(1)}
	if len(l.FileID) > 36 {
		if id, err := uuid.Parse(l.FileID[:36]); err == nil {
			n, err := strconv.ParseInt(strings.TrimPrefix(l.FileID[36:], "-"), 10, 32)
			if err != nil {
				return nil, err
			}
			row[1], row[2] = int64(binary.BigEndian.Uint64(id[:8])), int64(binary.BigEndian.Uint64(id[8:]))
			row[3], row[4], row[6] = n, "", int64(0)
		}
	}
	if version >= 8 {
		row = append(row, count(l.Position))
	}
	return row, nil
}
