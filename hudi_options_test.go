package tarn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tarn-lake/tarn/engine/duckdb"
)

// writerRuns is oracle/writer_validations.json of the corpus: what Hudi's datasource made of options and save modes.
type writerRuns struct {
	Standard map[string]string `json:"standard_options"`
	Existing struct {
		Columns string
		Rows    []string
	} `json:"existing_rows"`
	Cases map[string]writerCase
}

type writerCase struct {
	Existing       bool
	Mode           SaveMode
	Options, First map[string]*string
	Columns        string
	Rows           []string
	API            struct {
		NoPath      bool `json:"no_path"`
		Path        *string
		PartitionBy []string `json:"partition_by"`
		Where       string
		Foreign     bool
	}
	Answers map[string]writerAnswer
}

type writerAnswer struct {
	Outcome   string
	Columns   []string
	Rows      [][]any
	Error     struct{ Message string }
	ReadError any `json:"read_error"`
}

// TestHudiWriterOptions replays the writes of Hudi's datasource, on tables of the version that each release makes. What tarn does
// otherwise is listed with its reason in testdata/hudi/writes.txt.
func TestHudiWriterOptions(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(shared(t), "corpus", "hudi", "oracle", "writer_validations.json"))
	if err != nil {
		t.Fatal(err)
	}
	var in writerRuns
	if err := json.Unmarshal(text, &in); err != nil {
		t.Fatal(err)
	}
	known := deviations(t, filepath.Join("testdata", "hudi", "writes.txt"))
	e, err := duckdb.Open(duckdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	equal, otherwise := 0, 0
	for name, c := range in.Cases {
		for release, answer := range c.Answers {
			t.Run(name+"/"+release, func(t *testing.T) {
				diff := in.difference(t, e, c, release, answer)
				_, listed := known[release+" | "+name]
				switch {
				case diff == "":
					equal++
				default:
					otherwise++
				}
				if diff != "" && !listed {
					t.Error(diff)
				}
				if diff == "" && listed {
					t.Error("agrees with Hudi now: take it out of testdata/hudi/writes.txt")
				}
			})
		}
	}
	t.Logf("%d equal, %d otherwise", equal, otherwise)
}

// difference runs a case and tells how it ends otherwise than on Hudi.
func (in *writerRuns) difference(t *testing.T, e *duckdb.Engine, c writerCase, release string, want writerAnswer) string {
	db := Opened(t, Options{Warehouse: t.TempDir(), Engine: e})
	path := filepath.Join(t.TempDir(), "t")
	s := db.Session()
	if c.Existing {
		w := in.writer(s, release, in.Existing.Columns, in.Existing.Rows, "", c.First)
		if _, err := w.Mode(Append).Save(t.Context(), path); err != nil {
			return "the first write fails: " + err.Error()
		}
	}
	if c.API.Foreign {
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, "other.txt"), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w := in.writer(s, release, c.Columns, c.Rows, c.API.Where, c.Options).Mode(c.Mode)
	if c.API.PartitionBy != nil {
		w = w.PartitionBy(c.API.PartitionBy...)
	}
	to := path
	if c.API.NoPath {
		to = ""
	}
	if c.API.Path != nil {
		to = *c.API.Path
	}
	before := hudiFolder(t, path)
	if _, err := w.Save(t.Context(), to); err != nil {
		if c.Existing && !reflect.DeepEqual(before, hudiFolder(t, path)) {
			t.Errorf("a write that fails leaves something: %v", err)
		}
		if want.Outcome == "error" {
			t.Logf("fails as Hudi does: %v", err)
			return ""
		}
		return fmt.Sprintf("fails, Hudi does not: %v", err)
	}
	if want.Outcome == "error" {
		return "succeeds where Hudi fails: " + want.Error.Message
	}
	if want.ReadError != nil {
		return fmt.Sprint("succeeds, where Hudi cannot read afterwards: ", want.ReadError)
	}
	got, err := sortedRows(s, want.Columns, path)
	if err != nil {
		return "cannot be read: " + err.Error()
	}
	if rows := sortedJSON(want.Rows); !slices.Equal(got, rows) {
		return fmt.Sprintf("has the rows\n%s\nand Hudi\n%s", strings.Join(got, "\n"), strings.Join(rows, "\n"))
	}
	return ""
}

// writer writes rows with the standard options and others over them; null takes one away.
func (in *writerRuns) writer(s *Session, release, columns string, rows []string, where string, options map[string]*string) Writer {
	sql := fmt.Sprintf("SELECT * FROM VALUES %s AS v(%s)", strings.Join(rows, ", "), columns)
	if where != "" {
		sql += " WHERE " + where
	}
	w := s.Write(sql).Format("hudi").Option("hoodie.write.table.version", hudiVersions[release])
	for k, v := range in.Standard {
		if _, set := options[k]; !set {
			w = w.Option(k, v)
		}
	}
	for k, v := range options {
		if v != nil {
			w = w.Option(k, *v)
		}
	}
	return w
}

// TestHudiDefaults makes a table by a hudi-defaults.conf, which the options of the write go before.
func TestHudiDefaults(t *testing.T) {
	t.Setenv("HUDI_CONF_DIR", filepath.Join(shared(t), "corpus", "hudi", "hudi_conf_dir"))
	s := openTest(t).Session()
	for kind, want := range map[string]string{"": "MERGE_ON_READ", "cow": "COPY_ON_WRITE"} {
		path := filepath.Join(t.TempDir(), "t")
		w := s.Write("SELECT 1 AS id").Format("hudi").Mode(Append).Option("hoodie.table.name", "t").Option("hoodie.datasource.write.recordkey.field", "id")
		if kind != "" {
			w = w.Option("hoodie.datasource.write.table.type", kind)
		}
		for range 2 { // the file says nothing of a table that is there
			if _, err := w.Save(t.Context(), path); err != nil {
				t.Fatal(err)
			}
		}
		text, err := os.ReadFile(filepath.Join(path, ".hoodie", "hoodie.properties"))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{"hoodie.table.type=" + want, "hoodie.database.name=tmpdb"} {
			if !strings.Contains(string(text), line+"\n") {
				t.Errorf("the properties of type %q lack %s:\n%s", kind, line, text)
			}
		}
	}
}

// hudiFolder are the data files and completed instants of a table.
func hudiFolder(t *testing.T, path string) []string {
	var out []string
	err := filepath.WalkDir(path, func(name string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() && !strings.Contains(name, "rollback") {
			out = append(out, name)
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return out
}

func sortedRows(s *Session, columns []string, path string) ([]string, error) {
	rows, err := s.Query(context.Background(), "SELECT "+strings.Join(columns, ", ")+" FROM hudi.`"+path+"`")
	if err != nil {
		return nil, err
	}
	var out [][]any
	for row, err := range rows.All() {
		if err != nil {
			return nil, err
		}
		plain := make([]any, len(row))
		for i, v := range row {
			plain[i] = plainJSON(v, rows.Columns()[i].Type)
		}
		out = append(out, plain)
	}
	return sortedJSON(out), nil
}

var automaticKey = regexp.MustCompile(`"\d{17}_\d+_\d+"`)

// sortedJSON are rows as JSON. Keys that Hudi made, of the instant, are equal.
func sortedJSON(rows [][]any) []string {
	out := []string{}
	for _, row := range rows {
		b, _ := json.Marshal(row)
		out = append(out, automaticKey.ReplaceAllString(string(b), `"automatic"`))
	}
	slices.Sort(out)
	return out
}
