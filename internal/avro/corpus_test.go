package avro

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
)

// eachFile calls f for every file of every table that real Hudi wrote.
func eachFile(t testing.TB, f func(name string, data []byte)) {
	dir := os.Getenv("TARN_SHARED")
	if dir == "" {
		dir = "../../../shared"
	}
	zips, _ := filepath.Glob(filepath.Join(dir, "corpus/hudi/*/*.zip"))
	if len(zips) == 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("the corpus is missing")
		}
		t.Skip("no corpus here")
	}
	for _, name := range zips {
		r, err := zip.OpenReader(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range r.File {
			if strings.HasSuffix(file.Name, ".parquet") || strings.HasSuffix(file.Name, "/") {
				continue
			}
			in, err := file.Open()
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(in)
			if err != nil {
				t.Fatal(err)
			}
			f(filepath.Base(name)+"/"+file.Name, data)
		}
		r.Close()
	}
}

var createSchema = regexp.MustCompile(`(?m)^hoodie\.table\.create\.schema=(.*)$`)

// TestTexts reads the schemas of all tables and writes them again, character by character.
func TestTexts(t *testing.T) {
	seen := map[string]bool{}
	check := func(name, text string, spelling Spelling) {
		if text == "" || seen[text] {
			return
		}
		seen[text] = true
		s, err := Parse(text)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		fields, err := s.Struct()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		full := s.Name()
		dot := strings.LastIndexByte(full, '.')
		got, err := Text(full[dot+1:], full[:max(dot, 0)], fields, spelling)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		if strings.Contains(name, "v5_mor_types") || strings.Contains(name, "v5_cow_types") { // 0.12 left the values of maps as Spark spells them
			text = strings.ReplaceAll(text, `["int","null"]`, `["null","int"]`)
		}
		if got != text {
			t.Errorf("%s:\n got %s\nwant %s", name, got, text)
		}
	}
	eachFile(t, func(name string, data []byte) {
		if strings.HasSuffix(name, "hoodie.properties") {
			if m := createSchema.FindSubmatch(data); m != nil {
				check(name, strings.NewReplacer(`\:`, ":", `\=`, "=").Replace(string(m[1])), NullLast)
			}
		}
		if strings.Contains(name, ".hoodie/metadata") { // a union of wrappers is no column
			return
		}
		if bytes.HasPrefix(data, []byte("{")) && strings.HasSuffix(name, "commit") {
			var c struct{ ExtraMetadata map[string]string }
			if json.Unmarshal(data, &c) == nil {
				check(name, c.ExtraMetadata["schema"], NullFirst)
			}
		}
		if bytes.HasPrefix(data, []byte(magic)) && strings.HasSuffix(name, "commit") {
			err := ReadContainer(data, func(s *Schema, record []byte) error {
				var c struct {
					Extra map[string]string `avro:"extraMetadata"`
				}
				err := s.Decode(record, &c)
				check(name, c.Extra["schema"], NullFirst)
				return err
			})
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	t.Logf("%d schemas", len(seen))
}

// TestContainers reads all container files, writes the records again, from bytes and from Go values.
func TestContainers(t *testing.T) {
	files := 0
	eachFile(t, func(name string, data []byte) {
		if !bytes.HasPrefix(data, []byte(magic)) {
			return
		}
		files++
		var schema *Schema
		var records [][]byte
		err := ReadContainer(data, func(s *Schema, record []byte) error {
			var v any
			schema, records = s, append(records, bytes.Clone(record))
			if err := s.Decode(record, &v); err != nil {
				return err
			}
			again, err := s.Encode(nil, v)
			if err != nil {
				return err
			}
			var w any
			if err := s.Decode(again, &w); err != nil {
				return err
			}
			if !reflect.DeepEqual(v, w) || len(again) != len(record) {
				t.Errorf("%s: encoded again it differs", name)
			}
			return nil
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if schema == nil {
			t.Fatalf("%s: no record", name)
		}
		got := WriteContainer(schema, records...)
		if len(got) != len(data) || !bytes.Equal(withoutSync(got), withoutSync(data)) {
			t.Errorf("%s: written again it differs", name)
		}
	})
	t.Logf("%d container files", files)
}

// withoutSync blanks the markers of a container file of one block.
func withoutSync(data []byte) []byte {
	return bytes.ReplaceAll(data, data[len(data)-16:], nil)
}

// avroBlocks calls f for each data block of a log file with its schema and records.
func avroBlocks(data []byte, f func(schema string, records [][]byte)) {
	for len(data) > 26 && string(data[:6]) == "#HUDI#" {
		size := binary.BigEndian.Uint64(data[6:])
		block := data[14 : 14+size-8]
		data = data[14+size:]
		u32 := func() int { v := binary.BigEndian.Uint32(block); block = block[4:]; return int(v) }
		u32()
		kind := u32()
		schema := ""
		for n := u32(); n > 0; n-- {
			key, size := u32(), u32()
			if key == 2 {
				schema = string(block[:size])
			}
			block = block[size:]
		}
		block = block[8:]
		if kind != 3 {
			continue
		}
		u32()
		var records [][]byte
		for n := u32(); n > 0; n-- {
			size := u32()
			records = append(records, block[:size:size])
			block = block[size:]
		}
		f(schema, records)
	}
}

// TestLogs decodes the records of all log files into Arrow and encodes them again, byte by byte.
func TestLogs(t *testing.T) {
	count := 0
	eachFile(t, func(name string, data []byte) {
		if !bytes.HasPrefix(data, []byte("#HUDI#")) || strings.HasSuffix(name, ".cdc") || strings.Contains(name, "archive") {
			return
		}
		avroBlocks(data, func(schema string, records [][]byte) {
			s, err := Parse(schema)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			again(t, name, s, records)
			count += len(records)
		})
	})
	t.Logf("%d records", count)
}

// again decodes and encodes records of which nothing may be lost.
func again(t *testing.T, name string, s *Schema, records [][]byte) arrow.RecordBatch {
	t.Helper()
	fields, err := s.Struct()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	d, err := NewDecoder(s, fields.Fields)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, r := range records {
		if err := d.Append(r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	batch := d.Batch()
	e, err := NewEncoder(s, fields.Fields)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for i, r := range records {
		got, err := e.Append(nil, batch.Columns(), i)
		if err != nil {
			t.Fatalf("%s: record %d: %v", name, i, err)
		}
		if !bytes.Equal(got, r) {
			t.Fatalf("%s: record %d:\n got %x\nwant %x", name, i, got, r)
		}
	}
	return batch
}
