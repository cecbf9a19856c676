package logfile

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/internal/bitmap"
)

// blocks are all blocks of a file.
func blocks(b []byte) (out []*Block, err error) {
	r := NewReader(bytes.NewReader(b), int64(len(b)))
	for {
		block, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out = append(out, block)
	}
}

func build(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	deletions, err := AppendDeletions(nil, []Deletion{{"k1", "p", int32(0)}, {"k2", "", nil}}, 6)
	if err != nil {
		t.Fatal(err)
	}
	positions := PositionsText(bitmap.New(1, 5, 1<<33))
	err = errors.Join(
		Write(&b, AvroData, Header{{InstantTime, "1"}, {Schema, "{}"}, {BaseInstantOfPositions, "0"}, {RecordPositions, positions}, {IsPartial, "true"}},
			AppendRecords(nil, [][]byte{{1, 2}, {}, {3}})),
		Write(&b, DeleteKeys, Header{{InstantTime, "2"}}, deletions),
		WriteRollback(&b, "3", "1"))
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	got, err := blocks(build(t))
	if err != nil || len(got) != 3 {
		t.Fatalf("%v, %v", got, err)
	}
	records, err := got[0].Records()
	if err != nil || !reflect.DeepEqual(records, [][]byte{{1, 2}, {}, {3}}) || !got[0].Partial() || got[0].Instant() != "1" {
		t.Errorf("records %v, %v", records, err)
	}
	set, err := got[0].Positions("0")
	if err != nil || set.Len() != 3 || !set.Contains(1<<33) {
		t.Errorf("positions %v, %v", set, err)
	}
	if set, err := got[0].Positions("1"); set != nil || err != nil {
		t.Errorf("positions of another base file: %v, %v", set, err)
	}
	deletions, err := got[1].Deletions()
	if err != nil || !reflect.DeepEqual(deletions, []Deletion{{"k1", "p", int32(0)}, {"k2", "", nil}}) {
		t.Errorf("deletions %v, %v", deletions, err)
	}
	if target, err := got[2].Rollback(); err != nil || target != "1" {
		t.Errorf("rollback %q, %v", target, err)
	}
}

func TestOrderings(t *testing.T) {
	for _, v := range []Ordering{nil, true, false, int32(-7), int64(1) << 40, float32(1.5), -2.25, []byte{0, 255}, "é", Date(19000), TimeMicros(1), TimestampMicros(-1),
		Decimal{decimal128.FromI64(-5), decimalScale}, Decimal{decimal128.FromI64(1 << 62), decimalScale}, Decimal{decimal128.FromI64(0), decimalScale}, Decimal{decimal128.New(1<<30, 0), decimalScale},
		[]Ordering{int64(1), "x", nil, LocalDate(3)}, []Ordering{}} {
		c, err := AppendDeletions(nil, []Deletion{{"k", "p", v}}, 6)
		if err != nil {
			t.Errorf("%v: %v", v, err)
			continue
		}
		got, err := readDeletions(c[8:])
		if err != nil || len(got) != 1 || !reflect.DeepEqual(got[0].Ordering, v) {
			t.Errorf("%#v came back as %#v, %v", v, got, err)
		}
	}
	for _, v := range []Ordering{int(1), Decimal{decimal128.MaxDecimal128, 0}, Decimal{decimal128.FromI64(1), 16}, []Ordering{[]Ordering{}}} {
		if _, err := AppendDeletions(nil, []Deletion{{"k", "p", v}}, 6); err == nil {
			t.Errorf("%#v could be stored", v)
		}
	}
}

// TestTorn cuts a file anywhere: what was whole before the cut is read, what is behind a damaged block too.
func TestTorn(t *testing.T) {
	whole := build(t)
	all, _ := blocks(whole)
	for cut := range whole {
		got, err := blocks(whole[:cut])
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		n := 0
		for n < len(all) && all[n].Offset+all[n].Size <= int64(cut) {
			n++
		}
		if len(got) < n || len(got) > n+1 || len(got) == n+1 && got[n].Type != Corrupt {
			t.Fatalf("cut at %d: %d blocks, want %d", cut, len(got), n)
		}
	}
	torn := append(append(bytes.Clone(whole[:30]), whole[:all[0].Size-3]...), whole...)
	got, err := blocks(torn)
	if err != nil || len(got) != 5 || got[0].Type != Corrupt || got[1].Type != Corrupt || got[2].Type != AvroData {
		t.Errorf("behind two torn blocks: %v, %v", got, err)
	}
}

func TestRefuses(t *testing.T) {
	var b bytes.Buffer
	Write(&b, Type(9), nil, nil)
	if _, err := blocks(b.Bytes()); err == nil || !strings.Contains(err.Error(), "not known") {
		t.Errorf("unknown type: %v", err)
	}
	for _, content := range []string{"", "\x00\x00\x00\x04\x00\x00\x00\x00", "\x00\x00\x00\x03\xff\x00\x00\x00", "\x00\x00\x00\x03\x00\x00\x00\x01\x00\x00\x00\x09x", "\x00\x00\x00\x03\x00\x00\x00\x00x"} {
		b.Reset()
		Write(&b, AvroData, nil, []byte(content))
		got, err := blocks(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if r, err := got[0].Records(); err == nil {
			t.Errorf("%q gives %v", content, r)
		}
	}
}

// TestCorpus reads every log file of the corpus, with what its blocks hold, and writes it again byte for byte.
func TestCorpus(t *testing.T) {
	census := map[string]int{}
	for name, text := range logFiles(t) {
		got, err := blocks(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var again bytes.Buffer
		for _, b := range got {
			content, err := rewrite(b)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if err := Write(&again, b.Type, b.Header, content); err != nil {
				t.Fatal(err)
			}
			census[b.Type.String()]++
			if p := b.Header.Get(RecordPositions); p != "" {
				set, err := b.Positions(b.Header.Get(BaseInstantOfPositions))
				if err != nil || PositionsText(set) != p {
					t.Errorf("%s: positions %s came back as %v, %v", name, p, set, err)
				}
				census["positions"]++
			}
			if b.Partial() {
				census["partial"]++
			}
		}
		if !bytes.Equal(again.Bytes(), text) {
			t.Errorf("%s: written anew it has other bytes", name)
		}
	}
	for _, kind := range []string{"command", "delete", "Avro", "HFile", "Parquet", "CDC", "positions", "partial"} {
		if census[kind] == 0 {
			t.Errorf("no %s in the corpus", kind)
		}
	}
	t.Log(census)
}

// rewrite is the content of b decoded and encoded, where that gives the same bytes.
func rewrite(b *Block) ([]byte, error) {
	content, err := b.bytes()
	if err != nil {
		return nil, err
	}
	switch b.Type {
	case AvroData, CDCData:
		records, err := b.Records()
		if err != nil || content[3] < recordsVersion {
			return content, err
		}
		return AppendRecords(nil, records), nil
	case DeleteKeys:
		deletions, err := b.Deletions()
		if err != nil || content[3] < deletesVersion {
			return content, err
		}
		return AppendDeletions(nil, deletions, 6)
	case Command:
		_, err := b.Rollback()
		return content, err
	}
	return content, nil
}

// TestKryo compares the deletions of tables of version 5 with what their queries say.
func TestKryo(t *testing.T) {
	var got []string
	for name, text := range logFiles(t) {
		if !strings.Contains(name, "v5_mor_ordering_") && !strings.Contains(name, "v5_mor_part_multi") {
			continue
		}
		all, err := blocks(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range all {
			if b.Type != DeleteKeys {
				continue
			}
			deletions, err := b.Deletions()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for _, d := range deletions {
				got = append(got, fmt.Sprintf("%s %q %T %v", d.Key, d.Partition, d.Ordering, d.Ordering))
			}
		}
	}
	for _, want := range []string{`5 "" int64 5`, `4 "" int64 20`, `6 "" int64 10`, `7 "" int32 0`, `5 "" string a`, `4 "" string z`, `6 "" string m`, `id:2,name:b "region=a%3Db c/day=2024-01-01" int32 0`} {
		found := false
		for _, s := range got {
			found = found || s == want
		}
		if !found {
			t.Errorf("no deletion %s; there are %q", want, got)
		}
	}
}

// logFiles are the log files of all tables of the corpus by table and path.
func logFiles(t testing.TB) map[string][]byte {
	root := corpus(t)
	out := map[string][]byte{}
	for _, name := range []string{"valid_log_avro_data", "valid_log_delete"} {
		entries, err := filepath.Glob(filepath.Join(root, "log_files", name, ".*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if out[e], err = os.ReadFile(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, set := range []string{"tables", "generated"} {
		zips, err := filepath.Glob(filepath.Join(root, set, "*.zip"))
		if err != nil {
			t.Fatal(err)
		}
		for _, z := range zips {
			unpackLogs(t, z, out)
		}
	}
	return out
}

func unpackLogs(t testing.TB, z string, out map[string][]byte) {
	r, err := zip.OpenReader(z)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, f := range r.File {
		base := path.Base(f.Name)
		if !strings.HasPrefix(base, ".") || !strings.Contains(base, ".log.") || strings.HasPrefix(base, "._") || strings.HasSuffix(base, ".crc") {
			continue
		}
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if out[filepath.Base(z)+"/"+f.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
		in.Close()
	}
}

// corpus is the folder of Hudi's part of the corpus.
func corpus(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("TARN_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared")
	}
	dir = filepath.Join(dir, "corpus", "hudi")
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no corpus: %v", err)
		}
		t.Skip("no corpus")
	}
	return dir
}

func FuzzLogFile(f *testing.F) {
	f.Add(build(f))
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := blocks(text)
		if err != nil {
			return
		}
		size := int64(0)
		for _, b := range got {
			size += b.Size
			b.Records()
			b.Deletions()
			b.Positions(b.Header.Get(BaseInstantOfPositions))
		}
		if size != int64(len(text)) {
			t.Fatalf("blocks of %d bytes in a file of %d", size, len(text))
		}
	})
}

func FuzzDeletions(f *testing.F) {
	f.Add([]byte("\x02\x02\x02k\x02\x02p\x04\x00\x00"))
	f.Add([]byte("\x01\x00[Lorg.apache.hudi.common.model.DeleteRecord\xbb\x01\x02\x01\x01org.apache.hudi.common.model.DeleteRecor\xe4\x01\x01\x02org.apache.hudi.common.model.HoodieKe\xf9\x01\x01e\xf5\x011\xb0\x09("))
	f.Fuzz(func(t *testing.T, text []byte) {
		readKryo(text)
		got, err := readDeletions(text)
		if err != nil {
			return
		}
		if c, err := AppendDeletions(nil, got, 6); err == nil {
			if again, err := readDeletions(c[8:]); err != nil || fmt.Sprint(again) != fmt.Sprint(got) {
				t.Fatalf("%v came back as %v, %v", got, again, err)
			}
		}
	})
}

// TestKryoWritten: deletions of version 5 tables are read back as they were written, and those of real tables are written as they are
// but for repeated texts, which Kryo writes once.
func TestKryoWritten(t *testing.T) {
	list := []Deletion{{"", "", nil}, {"a", "p", int32(0)}, {"id:1,name:ä€😀", strings.Repeat("x", 70), int64(-5)}, {"k", "p", int32(math.MinInt32)},
		{"k2", "p", "text"}, {"k3", "p", 1.5}, {"k4", "p", float32(-0.5)}, {"k5", "p", true}, {"k6", "p", Decimal{decimal128.FromI64(-12345), 3}}}
	content, err := AppendDeletions(nil, list, 5)
	if err != nil {
		t.Fatal(err)
	}
	got, err := readKryo(content[8:])
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, list) {
		t.Errorf("got %v, want %v", got, list)
	}
}
