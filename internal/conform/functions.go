package conform

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/types"
)

// functionFile is a file of function/*.json.
type functionFile struct {
	Tests []struct {
		Input struct {
			Query  string          `json:"query"`
			Result []string        `json:"result"`
			Schema json.RawMessage `json:"schema"`
		} `json:"input"`
	} `json:"tests"`
}

// jsonFiles are the *.json of dir/sub, or of dir itself when it has no such folder.
func jsonFiles(dir, sub string) ([]string, error) {
	root := filepath.Join(dir, sub)
	if _, err := os.Stat(root); err != nil {
		root = dir
	}
	files, err := filepath.Glob(filepath.Join(root, "*.json"))
	slices.Sort(files)
	return files, err
}

// Functions runs the function cases: each query with Spark's rows and schema.
func (r *Runner) Functions(ctx context.Context) error {
	files, err := jsonFiles(r.Dir, "function")
	if err != nil {
		return err
	}
	for _, p := range files {
		name := strings.TrimSuffix(filepath.Base(p), ".json")
		if !r.wants(name) {
			continue
		}
		if err := r.functionFile(ctx, p, name); err != nil {
			return err
		}
	}
	return nil
}

func (r *Runner) functionFile(ctx context.Context, p, name string) error {
	text, err := os.ReadFile(p)
	if err != nil {
		return err
	}
	var in functionFile
	if err := json.Unmarshal(text, &in); err != nil {
		return fmt.Errorf("%s: %w", p, err)
	}
	conf := map[string]string{"spark.sql.session.timeZone": "UTC", "spark.sql.sources.default": "parquet"}
	s, done, err := r.session(ctx, conf)
	if err != nil {
		return err
	}
	defer done()
	for i, t := range in.Tests {
		if t.Input.Query == "" {
			continue
		}
		c := Case{File: name, N: i + 1, SQL: t.Input.Query, Schema: schemaText(t.Input.Schema)}
		c.Rows = strings.Split(strings.Join(t.Input.Result, "\n"), "\n")
		if len(t.Input.Result) == 0 {
			c.Rows = nil
		}
		r.Report(c.result(r.one(ctx, s, c.SQL, Text{zone: zone("UTC")})))
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

var spacedDecimal = regexp.MustCompile(`"decimal\((\d+), (\d+)\)"`)

// schemaText is a schema in Spark's JSON as struct<…>. Decimals are spelled with a blank in some of them.
func schemaText(b json.RawMessage) string {
	s, err := types.DecodeSchemaJSON(spacedDecimal.ReplaceAll(b, []byte(`"decimal($1,$2)"`)))
	if err != nil {
		return "?"
	}
	return s.String()
}
