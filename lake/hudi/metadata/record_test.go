package metadata

import (
	"reflect"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/types"
)

var sampleRecords = []*Record{
	{Key: allPartitions, Kind: AllPartitions, Files: map[string]FileState{"a=1": {}, "a=2": {Deleted: true}}},
	{Key: ".", Kind: Files, Files: map[string]FileState{"x.parquet": {Size: 1 << 40}, "y.parquet": {Deleted: true}}},
	{Key: "none", Kind: Files, Files: map[string]FileState{}},
	{Key: "b", Kind: BloomFilters, Bloom: &Bloom{Kind: "DYNAMIC_V0", Instant: "20260101000000000", Filter: []byte("abc=")}},
	{Key: "c", Kind: ColumnStats, Stats: &Stats{File: "f", Column: "c", Min: Value{Wrapper: DoubleWrapper, Float: -1.5}, Max: Value{Wrapper: DoubleWrapper, Float: 2},
		Values: 7, Nulls: 1, Size: 100, Uncompressed: 200}},
	{Key: "d", Kind: ColumnStats, Stats: &Stats{File: "f", Column: "d", Min: Value{Wrapper: StringWrapper, Bytes: "a"}, Max: Value{Wrapper: StringWrapper, Bytes: "é"}, Deleted: true, Values: -1}},
	{Key: "e", Kind: ColumnStats, Stats: &Stats{Min: Value{Wrapper: BooleanWrapper}, Max: Value{Wrapper: BooleanWrapper, Int: 1}}},
	{Key: "f", Kind: ColumnStats, Stats: &Stats{Min: Value{Wrapper: FloatWrapper, Float: 0.5}, Max: Value{Wrapper: IntWrapper, Int: -3}}},
}

var laterRecords = []*Record{
	{Key: "k", Kind: RecordIndex, Location: &Location{Partition: "p=1", FileID: "3ecbbdad-de0a-4a3a-9f25-e41e44fe96ff-0", Instant: 1796061511347, Position: -1}},
	{Key: "l", Kind: RecordIndex, Location: &Location{FileID: "00000003-de0a-4a3a-9f25-e41e44fe96FF-12", Position: -1}},
	{Key: "m", Kind: RecordIndex, Location: &Location{FileID: "anything", Position: -1}},
}

var latestRecords = []*Record{
	{Key: "v$k", Kind: SecondaryIndex, Secondary: &Secondary{}},
	{Key: "g", Kind: PartitionStats, Stats: &Stats{Tight: true, Min: Value{Wrapper: LocalDateWrapper, Int: 9}}},
	{Key: "n", Kind: RecordIndex, Location: &Location{FileID: "x", Position: 12}},
}

func TestRecordsKeepTheirContent(t *testing.T) {
	for _, version := range []int{5, 6, 8, 9} {
		list := sampleRecords
		if version >= 6 {
			list = append(list[:len(list):len(list)], laterRecords...)
		}
		if version >= 8 {
			list = append(list, latestRecords...)
		}
		d, err := newDecoder(schemaText(version))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list {
			got, err := d.decode(r.Key, r.encode(nil, version))
			if err != nil {
				t.Errorf("version %d: %v", version, err)
			} else if !reflect.DeepEqual(got, r) {
				t.Errorf("version %d: %+v came back as %+v", version, r, got)
			}
		}
	}
	d, err := newDecoder(schemaText(9))
	if err != nil {
		t.Fatal(err)
	}
	want := &Record{Kind: ColumnStats, Stats: &Stats{Type: ValueType{typeDecimal, "10,2"}}}
	if got, err := d.decode("", want.encode(nil, 9)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v came back as %+v, %v", want, got, err)
	}
	if got, err := d.decode("gone", nil); err != nil || !got.empty() {
		t.Errorf("a tombstone is %+v, %v", got, err)
	}
}

func TestValues(t *testing.T) {
	d := types.Decimal{P: 10, S: 2}
	for _, c := range []struct {
		t types.Type
		v types.Value
	}{
		{types.Boolean, true}, {types.Boolean, false}, {types.Byte, int64(-3)}, {types.Int, int64(7)}, {types.Long, int64(1) << 60}, {types.Float, float32(0.25)},
		{types.Double, -1e300}, {types.String, "a"}, {types.Varchar{N: 3}, "abc"}, {types.Date, int32(-5)}, {types.Timestamp, int64(123456789)},
		{types.TimestampNTZ, int64(-1)}, {d, types.DecimalValue(12345)}, {d, types.DecimalValue(-1)}, {d, types.DecimalValue(-128)},
	} {
		for _, version := range []int{6, 8, 9} {
			v, kind, ok := newValue(c.v, c.t, version)
			got, ok2 := v.As(c.t, kind)
			if !ok || !ok2 || got != c.v {
				t.Errorf("version %d: %v %v is stored as %+v %+v (%v) and read as %v (%v)", version, c.t, c.v, v, kind, ok, got, ok2)
			}
		}
	}
	for _, bad := range []types.Type{types.Binary, types.Array{Elem: types.Int}, types.Struct{}, types.Map{Key: types.String, Value: types.Int}} {
		if _, _, ok := newValue(nil, bad, 9); ok {
			t.Errorf("bounds of %v are kept", bad)
		}
	}
	if _, _, ok := newValue(types.DecimalValue(1), types.Decimal{P: 38, S: 10}, 8); ok {
		t.Error("a decimal that does not fit is stored")
	}
	if _, ok := (Value{Wrapper: LongWrapper, Int: 3}).As(types.Timestamp, ValueType{}); ok {
		t.Error("a long is read as a timestamp")
	}
}

func TestMerge(t *testing.T) {
	num := func(n int64) Value { return Value{Wrapper: LongWrapper, Int: n} }
	stats := func(low, high, values, nulls int64) *Record {
		return &Record{Kind: ColumnStats, Stats: &Stats{Min: num(low), Max: num(high), Values: values, Nulls: nulls}}
	}
	got := merge(stats(3, 5, 10, 1), stats(1, 4, 2, 2)).Stats
	if got.Min != num(1) || got.Max != num(5) || got.Values != 12 || got.Nulls != 3 {
		t.Errorf("merged bounds %+v", got)
	}
	tight := stats(4, 4, 1, 0)
	tight.Stats.Tight = true
	if got := merge(stats(3, 5, 10, 1), tight); got.Stats != tight.Stats {
		t.Errorf("tight bounds are merged: %+v", got.Stats)
	}
	empty := &Record{Kind: ColumnStats, Stats: &Stats{}}
	if got := merge(stats(3, 5, 10, 1), empty).Stats; got.Min != num(3) || got.Max != num(5) {
		t.Errorf("bounds merged with those of no values: %+v", got)
	}
	unknown := &Record{Kind: ColumnStats, Stats: &Stats{Values: 4}}
	if got := merge(stats(3, 5, 10, 1), unknown).Stats; got.Min != (Value{}) || got.Max != (Value{}) {
		t.Errorf("bounds merged with unknown ones: %+v", got)
	}
	files := func(m map[string]FileState) *Record { return &Record{Kind: Files, Files: m} }
	merged := merge(files(map[string]FileState{"a": {Size: 5}, "b": {Size: 1}}), files(map[string]FileState{"a": {Size: 3}, "b": {Deleted: true}, "c": {Size: 2}})).Files
	if want := (map[string]FileState{"a": {Size: 5}, "b": {Deleted: true}, "c": {Size: 2}}); !reflect.DeepEqual(merged, want) {
		t.Errorf("merged files %v", merged)
	}
}

func TestSchemaRefuses(t *testing.T) {
	for _, bad := range []string{"", "{", `"string"`, `{"type":"record","fields":[{"name":"a","type":"b"}]}`, `{"type":"record","fields":[{"name":"a"}]}`,
		`{"type":{"type":{"type":3}}}`, strings.Repeat("[", 100) + strings.Repeat("]", 100), `{"type":"fixed","size":-1,"name":"a"}`, `{"type":"array"}`} {
		if _, err := newDecoder(bad); err == nil {
			t.Errorf("schema %.30s: no error", bad)
		}
	}
}

func FuzzRecord(f *testing.F) {
	for _, version := range []int{5, 9} {
		for _, r := range append(append(sampleRecords[:len(sampleRecords):len(sampleRecords)], laterRecords...), latestRecords...) {
			f.Add(schemaText(version), r.encode(nil, version))
		}
	}
	f.Add(`{"type":"record","name":"r","fields":[{"name":"x","type":{"type":"array","items":["null","r"]}}]}`, []byte{2, 2, 2, 2})
	f.Add(`{"type":"record","name":"r","fields":[{"name":"x","type":"r"}]}`, []byte{2})
	f.Add(`{"type":"record","name":"r","fields":[{"name":"x","type":{"type":"array","items":"null"}}]}`, []byte{0xfe, 0xff, 0xff, 0xff, 0xff, 1, 0})
	f.Fuzz(func(t *testing.T, schema string, b []byte) {
		d, err := newDecoder(schema)
		if err != nil {
			return
		}
		if r, err := d.decode("key", b); err == nil {
			r.empty()
			merge(r, r)
		}
	})
}
