package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tarn-lake/tarn"
	"github.com/tarn-lake/tarn/internal/syntax"
)

const root = "../.."

// documents are the pages for people, by their path from the root.
func documents(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "bench/*.md", "interop/*.md"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			name, err := filepath.Rel(root, f)
			if err != nil {
				t.Fatal(err)
			}
			out[filepath.ToSlash(name)] = read(t, f)
		}
	}
	return out
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var (
	link     = regexp.MustCompile(`\]\(([^)#]+)\)`)
	pathLike = regexp.MustCompile("`((?:cmd|docs|internal|interop|bench|engine|lake|storage|catalog|rel|types|\\.ci)(?:/[A-Za-z0-9_.-]+)*/?)`")
)

// TestDocsPaths: a page names no file that is not there.
func TestDocsPaths(t *testing.T) {
	for name, text := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", name, m[1], err)
			}
		}
		for _, m := range pathLike.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(root, m[1])); err != nil {
				t.Errorf("%s names %s: %v", name, m[1], err)
			}
		}
	}
}

// TestDocsCommands runs the blocks marked sh, each page's in one folder.
func TestDocsCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	blocks := regexp.MustCompile("(?s)\n```sh\n(.*?)```")
	for name, text := range documents(t) {
		found := blocks.FindAllStringSubmatch(text, -1)
		if len(found) == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, m := range found {
				cmd := exec.CommandContext(t.Context(), "sh", "-eux", "-c", m[1])
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%v\n%s", err, out)
				}
			}
		})
	}
}

// TestDocsProgram: the Go program of the README is the one that the root package's tests run.
func TestDocsProgram(t *testing.T) {
	_, rest, _ := strings.Cut(read(t, filepath.Join(root, "README.md")), "\n```go\n")
	program, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("the README has no Go program")
	}
	example := strings.ReplaceAll(read(t, filepath.Join(root, "readme_test.go")), "\n\t", "\n")
	if !strings.Contains(example, "\n"+program) {
		t.Errorf("readme_test.go does not run\n%s", program)
	}
}

// TestDocsWorks: the README's table claims nothing that does not work. With -update it is made anew.
func TestDocsWorks(t *testing.T) {
	page, err := filepath.Abs(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	text, script := read(t, page), read(t, "testdata/works.sql")
	before, rest, _ := strings.Cut(text, "<!-- works -->\n")
	claimed, after, ok := strings.Cut(rest, "<!-- /works -->")
	if !ok {
		t.Fatal("the README has no table of what works")
	}
	t.Chdir(t.TempDir())
	table := worksTable(t, script)
	if *update {
		if err := os.WriteFile(page, []byte(before+"<!-- works -->\n"+table+"<!-- /works -->"+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for line := range strings.Lines(claimed) {
		if strings.HasSuffix(line, "| yes |\n") && !strings.Contains(table, line) {
			t.Errorf("the README claims, but it does not work: %s", line)
		}
	}
}

// worksTable runs the sections of works.sql in one session and tells of each whether all its statements work. {now} is
// the time before a section.
func worksTable(t *testing.T, script string) string {
	t.Helper()
	db, err := tarn.Open(t.Context(), tarn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	session := db.Session()
	table := "| on tables of Delta, unless said otherwise | |\n|---|---|\n"
	for _, section := range strings.Split(script, "--- ")[1:] {
		title, statements, _ := strings.Cut(section, "\n")
		result := "yes"
		statements = strings.ReplaceAll(statements, "{now}", time.Now().UTC().Format("2006-01-02 15:04:05.000000Z"))
		for _, p := range syntax.Split(statements) {
			if _, err := session.Exec(t.Context(), p.Text); err != nil {
				result = "not yet"
				if e := (*tarn.Error)(nil); !errors.As(err, &e) || !strings.HasPrefix(e.Class, "UNSUPPORTED_FEATURE") {
					t.Logf("%s: %s: %v", title, p.Text, err)
				}
				break
			}
		}
		table += "| " + title + " | " + result + " |\n"
	}
	return table
}
