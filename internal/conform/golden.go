package conform

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Case is one query with Spark's answer.
type Case struct {
	File   string // without the folder of the suite and the ending
	N      int    // from 1
	SQL    string
	Schema string   // struct<…>
	Rows   []string // lines
	Error  *Failure // instead of rows
}

// Failure is an error as Spark reports it. Class is empty for errors that have none.
type Failure struct {
	Exception string            // Java class
	Class     string            `json:"errorClass"`
	SQLState  string            `json:"sqlState"`
	Params    map[string]string `json:"messageParameters"`
}

// File is one golden file.
type File struct {
	Name  string
	Conf  map[string]string
	Cases []Case
}

// Golden reads the golden files below dir: dir/results/**/*.sql.out with their inputs in dir/inputs, or, without a
// folder results, dir/**/*.sql.out.
func Golden(dir string) ([]File, error) {
	root := filepath.Join(dir, "results")
	if _, err := os.Stat(root); err != nil {
		root = dir
	}
	var out []File
	err := filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".sql.out") {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(filepath.ToSlash(rel), ".sql.out")
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		f := File{Name: name, Conf: conf(name)}
		if in, err := os.ReadFile(filepath.Join(dir, "inputs", filepath.FromSlash(name)+".sql")); err == nil {
			readSettings(string(in), f.Conf)
		}
		f.Cases, err = blocks(name, string(text))
		out = append(out, f)
		return err
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("no *.sql.out below %s", root)
	}
	return out, err
}

// conf are the settings that Spark's own runner gives the files of a folder.
func conf(name string) map[string]string {
	out := map[string]string{
		"spark.sql.session.timeZone": "America/Los_Angeles",
		"spark.sql.sources.default":  "parquet",
		"spark.sql.ansi.enabled":     "true",
	}
	switch {
	case strings.HasPrefix(name, "nonansi/"):
		out["spark.sql.ansi.enabled"] = "false"
	case strings.HasPrefix(name, "timestampNTZ/"):
		out["spark.sql.timestampType"] = "TIMESTAMP_NTZ"
	case strings.HasPrefix(name, "postgreSQL/"):
		out["spark.sql.legacy.interval.enabled"] = "true"
	}
	return out
}

// readSettings reads the lines `--SET key=value, …` of an input file.
func readSettings(text string, into map[string]string) {
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(line, "--SET ")
		if !ok {
			continue
		}
		for part := range strings.SplitSeq(rest, ",") {
			if k, v, ok := strings.Cut(part, "="); ok {
				into[strings.TrimSpace(k)] = strings.TrimSpace(v)
			}
		}
	}
}

const (
	queryMark  = "-- !query\n"
	schemaMark = "-- !query schema\n"
	outputMark = "-- !query output\n"
)

// blocks reads the queries of a golden file.
func blocks(name, text string) ([]Case, error) {
	var out []Case
	for i, block := range strings.Split("\n"+text, "\n"+queryMark)[1:] {
		sql, rest, ok := strings.Cut(block, "\n"+schemaMark)
		schema, output, ok2 := strings.Cut(rest, "\n"+outputMark)
		if !ok || !ok2 {
			if schema, output, ok2 = strings.Cut(rest, "\n"+strings.TrimSpace(outputMark)); !ok || !ok2 {
				return nil, fmt.Errorf("%s: query %d has no schema or output", name, i+1)
			}
		}
		c := Case{File: name, N: i + 1, SQL: sql, Schema: schema}
		output = strings.TrimRight(output, " \t\n\r")
		if f := failure(output); f != nil && schema == "struct<>" {
			c.Error = f
		} else if output != "" {
			c.Rows = strings.Split(output, "\n")
		}
		out = append(out, c)
	}
	return out, nil
}

// failure reads an error: the Java class, then JSON or a message.
func failure(output string) *Failure {
	first, rest, _ := strings.Cut(output, "\n")
	if !strings.Contains(first, ".") || strings.ContainsAny(first, " \t") ||
		!(strings.HasSuffix(first, "Exception") || strings.HasSuffix(first, "Error")) {
		return nil
	}
	f := &Failure{}
	if json.Unmarshal([]byte(rest), f) != nil {
		f = &Failure{}
	}
	f.Exception = first
	return f
}
