package conform

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tarn-lake/tarn/types"
)

// corpus is a folder of the shared corpus. Tests are skipped without it, and fail there when CI is set.
func corpus(t *testing.T, name string) string {
	shared := os.Getenv("TARN_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	dir := filepath.Join(shared, "corpus", name)
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("the corpus is missing: %v", err)
		}
		t.Skipf("no corpus: %v", err)
	}
	return dir
}

// TestLedger checks that no case of the ledgers was lost. The suites that execute statements take a minute or more: -short
// leaves them out.
func TestLedger(t *testing.T) {
	for _, suite := range []struct {
		ledger, dir string
		slow        bool
		run         func(*Runner) error
	}{
		{"parse", "spark-sql", false, (*Runner).Parse},
		{"parser_cases", "spark-functions", false, (*Runner).Parse},
		{"functions", "spark-functions", true, func(r *Runner) error { return r.Functions(context.Background()) }},
		{"spark", "spark-sql", true, func(r *Runner) error {
			files, err := Golden(r.Dir)
			if err != nil {
				return err
			}
			return r.Spark(context.Background(), files)
		}},
	} {
		t.Run(suite.ledger, func(t *testing.T) {
			if suite.slow && testing.Short() {
				t.Skip("takes a minute or more")
			}
			old, err := ReadLedger(filepath.Join("..", "..", "testdata", "conform", suite.ledger+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			now, total := Ledger{}, 0
			r := &Runner{Dir: corpus(t, suite.dir), Timeout: time.Minute, Memory: 1 << 30, Report: func(r Result) {
				total++
				if r.Grade == Exact {
					now.Add(r.File, r.N)
				}
			}}
			if suite.slow {
				if err := r.Open(); err != nil {
					t.Fatal(err)
				}
				defer r.Close()
			}
			if err := suite.run(r); err != nil {
				t.Fatal(err)
			}
			if lost := now.Losses(old, func(string) bool { return true }); len(lost) > 0 {
				t.Errorf("%d of %d cases are not exact any more: %v", len(lost), total, lost[:min(20, len(lost))])
			}
		})
	}
}

func TestRanges(t *testing.T) {
	l := Ledger{}
	for _, part := range []string{"1-3", "5", "7-8"} {
		if err := l.addRange("f", part); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "ledger.txt")
	if err := l.Write(path); err != nil {
		t.Fatal(err)
	}
	back, err := ReadLedger(path)
	if err != nil {
		t.Fatal(err)
	}
	if lost := back.Losses(l, func(string) bool { return true }); lost != nil || len(back["f"]) != 6 {
		t.Errorf("read back %v, want %v", back, l)
	}
	delete(back["f"], 5)
	if lost := back.Losses(l, func(string) bool { return true }); len(lost) != 1 || lost[0] != "f#5" {
		t.Errorf("lost %v", lost)
	}
}

func TestBlocks(t *testing.T) {
	cases, err := blocks("f", "-- head\n-- !query\nSELECT 1\n-- !query schema\nstruct<1:int>\n-- !query output\n1\n\n\n"+
		"-- !query\nSELECT x\n-- !query schema\nstruct<>\n-- !query output\norg.apache.spark.sql.AnalysisException\n"+
		"{\n  \"errorClass\" : \"A.B\",\n  \"sqlState\" : \"42703\",\n  \"messageParameters\" : { \"k\" : \"v\" }\n}\n")
	if err != nil || len(cases) != 2 {
		t.Fatal(cases, err)
	}
	if c := cases[0]; c.SQL != "SELECT 1" || len(c.Rows) != 1 || c.Rows[0] != "1" || c.Error != nil {
		t.Errorf("%+v", c)
	}
	if e := cases[1].Error; e == nil || e.Class != "A.B" || e.SQLState != "42703" || e.Params["k"] != "v" {
		t.Errorf("%+v", e)
	}
}

func TestText(t *testing.T) {
	text := NewText(time.UTC)
	s := types.Struct{Fields: []types.Field{{Name: "a", Type: types.Int}, {Name: "b", Type: types.Array{Elem: types.String}}}}
	row := []types.Value{nil, []types.Value{int64(1), []types.Value{"x", nil}}, int64(0), int32(-1), int64(3723_000_001)}
	kinds := []types.Type{types.String, s, types.Timestamp, types.Date, types.DayTime{From: types.Day, To: types.Second}}
	want := "NULL\t{\"a\":1,\"b\":[\"x\",null]}\t1970-01-01 00:00:00\t1969-12-31\t0 01:02:03.000001000"
	if got := text.Line(row, kinds); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
