package prompt

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"github.com/reeflective/readline"

	"github.com/tarn-lake/tarn"
	"github.com/tarn-lake/tarn/cmd/tarn/render"
	"github.com/tarn-lake/tarn/internal/syntax"
)

// candidate is something that Tab may put in.
type candidate struct {
	word string
	kind string // "keyword", "table", "column", "schema", "command", "path", "format"
}

// complete gives what the word that ends text, before rest, may become.
func (p *prompt) complete(ctx context.Context, text, rest string) readline.Completions {
	found := p.candidates(ctx, text, rest)
	values := make([]readline.Completion, len(found))
	for i, c := range found {
		values[i] = readline.Completion{Value: c.word, Display: render.Printable(c.word), Tag: c.kind}
	}
	out := readline.CompleteRaw(values)
	out.PREFIX = lastWord(text)
	return out
}

func (p *prompt) candidates(ctx context.Context, text, rest string) []candidate {
	word := lastWord(text)
	if isCommand(strings.TrimSpace(text)) && !strings.Contains(text, " ") {
		return match(word, kind("command", ".tables", ".schema", ".history", ".mode", ".timer", ".read", ".help", ".quit"))
	}
	if strings.HasPrefix(strings.TrimSpace(text), ".mode ") {
		return match(word, kind("format", render.Formats...))
	}
	if path, ok := openPath(text); ok {
		return paths(path)
	}
	if strings.HasPrefix(strings.TrimSpace(text), ".read ") {
		return paths(word)
	}
	all := p.words.columns(ctx, text+rest)
	all = append(all, p.words.names(ctx)...)
	all = append(all, keywords(word)...)
	return match(word, all)
}

// lastWord is the part of a name, a command or a path that text ends with.
func lastWord(text string) string {
	if path, ok := openPath(text); ok {
		return path
	}
	if strings.HasPrefix(strings.TrimSpace(text), ".read ") {
		return text[strings.LastIndex(text, " ")+1:]
	}
	i := len(text)
	for i > 0 {
		r := rune(text[i-1])
		if r < 0x80 && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		i--
	}
	if trimmed := strings.TrimSpace(text[:i]); (trimmed == "." || trimmed == `\`) && i > 0 {
		i--
	}
	return text[i:]
}

// openPath is what follows the backquote that is still open at the end of text, where it starts like a path.
func openPath(text string) (string, bool) {
	if strings.Count(text, "`")%2 == 0 {
		return "", false
	}
	path := text[strings.LastIndexByte(text, '`')+1:]
	return path, strings.HasPrefix(path, "/") || strings.HasPrefix(path, ".") || strings.HasPrefix(path, "~")
}

// paths are the files and folders whose path starts with prefix.
func paths(prefix string) []candidate {
	dir, base := filepath.Split(prefix)
	entries, err := os.ReadDir(filepath.Clean("./" + dir))
	if filepath.IsAbs(dir) {
		entries, err = os.ReadDir(dir)
	}
	if err != nil {
		return nil
	}
	var out []candidate
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, base) || strings.HasPrefix(name, ".") && base == "" {
			continue
		}
		if e.IsDir() {
			name += "/"
		}
		out = append(out, candidate{dir + name, "path"})
	}
	return out
}

// match keeps the candidates that start with word in any case, each once.
func match(word string, all []candidate) []candidate {
	var out []candidate
	seen := map[string]bool{}
	for _, c := range all {
		if len(c.word) >= len(word) && strings.EqualFold(c.word[:len(word)], word) && !seen[c.word] {
			seen[c.word] = true
			out = append(out, c)
		}
	}
	return out
}

func kind(kind string, words ...string) []candidate {
	out := make([]candidate, len(words))
	for i, w := range words {
		out[i] = candidate{w, kind}
	}
	return out
}

// keywords are those of SQL, in lower case where word is.
func keywords(word string) []candidate {
	var out []candidate
	for _, k := range syntax.Keywords() {
		w := k.Word
		if word != "" && word == strings.ToLower(word) {
			w = strings.ToLower(w)
		}
		out = append(out, candidate{w, "keyword"})
	}
	return out
}

// words are the names that the catalog knows, looked up when they are first needed.
type words struct {
	session func(context.Context) (*tarn.Session, error)
	known   []candidate            // tables and schemas
	of      map[string][]candidate // columns, by the table's name as SQL writes it
}

func (w *words) forget() { w.known, w.of = nil, nil }

// names are the tables of the current schema, and the schemas.
func (w *words) names(ctx context.Context) []candidate {
	if w.known != nil {
		return w.known
	}
	w.known = []candidate{}
	if tables, err := w.column(ctx, "SHOW TABLES", 1); err == nil {
		for _, t := range tables {
			w.known = append(w.known, candidate{quoted(t), "table"})
		}
	}
	if schemas, err := w.column(ctx, "SHOW SCHEMAS", 0); err == nil {
		for _, s := range schemas {
			w.known = append(w.known, candidate{quoted(s), "schema"})
		}
	}
	return w.known
}

// A table is named in a statement behind one of these words: by its name, or by format and path.
var tableName = regexp.MustCompile("(?i)\\b(?:from|join|into|update|table|using|describe|desc)\\s+((?:[\\w]+|`[^`]+`)(?:\\.(?:[\\w]+|`[^`]+`))*)")

// columns are those of the tables that text names.
func (w *words) columns(ctx context.Context, text string) []candidate {
	var out []candidate
	for _, m := range tableName.FindAllStringSubmatch(text, 8) {
		if w.of == nil {
			w.of = map[string][]candidate{}
		}
		cols, ok := w.of[m[1]]
		if !ok {
			cols = w.columnsOf(ctx, m[1])
			w.of[m[1]] = cols
		}
		out = append(out, cols...)
	}
	return out
}

func (w *words) columnsOf(ctx context.Context, table string) []candidate {
	session, err := w.session(ctx)
	if err != nil {
		return nil
	}
	rows, err := session.Query(ctx, "SELECT * FROM "+table+" LIMIT 0")
	if err != nil {
		return nil
	}
	defer rows.Close()
	var out []candidate
	for _, c := range rows.Columns() {
		out = append(out, candidate{quoted(c.Name), "column"})
	}
	return out
}

// column gives the texts in one column of a result.
func (w *words) column(ctx context.Context, statement string, i int) ([]string, error) {
	session, err := w.session(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := session.Query(ctx, statement)
	if err != nil {
		return nil, err
	}
	var out []string
	for row, err := range rows.All() {
		if err != nil {
			return nil, err
		}
		if i < len(row) {
			if s, ok := row[i].(string); ok {
				out = append(out, s)
			}
		}
	}
	return out, nil
}
