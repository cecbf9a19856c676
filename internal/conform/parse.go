package conform

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tarn-lake/tarn/internal/syntax"
)

// Parse checks that the parser accepts what Spark's accepts and refuses the rest: the queries of the golden files, and
// the parser cases of plan/, expression/, data_type.json and table_schema.json. Any of the two suites may be dir.
func (r *Runner) Parse() error {
	if files, err := Golden(r.Dir); err == nil {
		for _, f := range files {
			if r.wants(f.Name) {
				r.parseGolden(f)
			}
		}
		return nil
	}
	sets := map[string]func(string) error{
		"plan/*.json":       func(s string) error { _, err := syntax.Parse(s); return err },
		"expression/*.json": func(s string) error { _, err := syntax.ParseExpr(s); return err },
		"data_type.json":    func(s string) error { _, err := syntax.ParseType(s); return err },
		"table_schema.json": func(s string) error { _, err := syntax.ParseTableSchema(s); return err },
	}
	for _, glob := range []string{"data_type.json", "expression/*.json", "plan/*.json", "table_schema.json"} {
		paths, err := filepath.Glob(filepath.Join(r.Dir, glob))
		if err != nil {
			return err
		}
		for _, p := range paths {
			if err := r.parseFile(p, sets[glob]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *Runner) parseGolden(f File) {
	d := syntax.Dialect{LegacyInterval: f.Conf["spark.sql.legacy.interval.enabled"] == "true",
		DoubleQuotedIdentifiers: f.Conf["spark.sql.ansi.doubleQuotedIdentifiers"] == "true",
		ReservedKeywords:        f.Conf["spark.sql.ansi.enforceReservedKeywords"] == "true",
		LegacyIdentifierClause:  f.Conf["spark.sql.legacy.identifierClause"] == "true"}
	for _, c := range f.Cases {
		refused := c.Error != nil && strings.HasSuffix(c.Error.Exception, "ParseException")
		_, err := d.ParseStatement(c.SQL)
		r.Report(c.parsed(refused, err))
	}
}

func (c Case) parsed(refused bool, err error) Result {
	out := Result{File: c.File, N: c.N, SQL: c.SQL, Grade: Exact, Want: fmt.Sprint("refused: ", refused), Got: fmt.Sprint(err)}
	if refused != (err != nil) {
		out.Grade = Failed
	}
	return out
}

func (r *Runner) parseFile(p string, parse func(string) error) error {
	name := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(p), filepath.ToSlash(r.Dir)+"/"), ".json")
	if !r.wants(name) {
		return nil
	}
	text, err := os.ReadFile(p)
	if err != nil {
		return err
	}
	var in struct {
		Tests []struct {
			Input     string `json:"input"`
			Exception string `json:"exception"`
		} `json:"tests"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return fmt.Errorf("%s: %w", p, err)
	}
	for i, t := range in.Tests {
		c := Case{File: name, N: i + 1, SQL: t.Input}
		r.Report(c.parsed(t.Exception != "", parse(t.Input)))
	}
	return nil
}
