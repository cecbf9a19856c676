package render

import (
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/types"
)

// csv is RFC 4180 with "\n" line ends. NULL is an empty field, the empty string is "".
type csv struct{ base }

func (p *csv) head() error { return p.line(each(p.names, quoteCSV), "", ",", "") }

func (p *csv) row(row []types.Value) error {
	return p.line(p.cells(row, "", quoteCSV), "", ",", "")
}

func quoteCSV(s string) string {
	if s != "" && !strings.ContainsAny(s, ",\"\n\r") && s[0] != ' ' && s[len(s)-1] != ' ' {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}

// tsv has one line a row; NULL is \N, and \t, \n, \r and \\ stand for what would break a line.
type tsv struct{ base }

func (p *tsv) head() error { return p.line(each(p.names, escapeTSV), "", "\t", "") }

func (p *tsv) row(row []types.Value) error {
	return p.line(p.cells(row, `\N`, escapeTSV), "", "\t", "")
}

var tsvEscapes = strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

func escapeTSV(s string) string { return tsvEscapes.Replace(s) }

// jsonArray is one array of objects.
type jsonArray struct {
	base
	rows int
	buf  []byte
}

func (p *jsonArray) head() error { return p.w.WriteByte('[') }

func (p *jsonArray) row(row []types.Value) error {
	p.buf = p.buf[:0]
	if p.rows > 0 {
		p.buf = append(p.buf, ",\n "...)
	}
	p.rows++
	p.buf = appendObject(p.buf, p.names, row, p.kinds, p.zone)
	_, err := p.w.Write(p.buf)
	return err
}

func (p *jsonArray) foot() error {
	_, err := p.w.WriteString("]\n")
	return err
}

// jsonLines is one object a line.
type jsonLines struct {
	base
	buf []byte
}

func (p *jsonLines) head() error { return nil }

func (p *jsonLines) row(row []types.Value) error {
	p.buf = append(appendObject(p.buf[:0], p.names, row, p.kinds, p.zone), '\n')
	_, err := p.w.Write(p.buf)
	return err
}

// markdown is a table as GitHub reads it. NULL is *NULL*.
type markdown struct{ base }

func (p *markdown) head() error {
	if err := p.line(each(p.names, escapeMarkdown), "| ", " | ", " |"); err != nil {
		return err
	}
	rules := make([]string, len(p.kinds))
	for i, t := range p.kinds {
		rules[i] = "---"
		if types.Numeric(t) {
			rules[i] = "---:"
		}
	}
	return p.line(rules, "| ", " | ", " |")
}

func (p *markdown) row(row []types.Value) error {
	return p.line(p.cells(row, "*NULL*", escapeMarkdown), "| ", " | ", " |")
}

var markdownEscapes = strings.NewReplacer("|", `\|`, "\\", `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "\r\n", "<br>", "\n", "<br>", "\r", "<br>")

func escapeMarkdown(s string) string { return markdownEscapes.Replace(s) }

func each(in []string, f func(string) string) []string {
	out := slices.Clone(in)
	for i := range out {
		out[i] = f(out[i])
	}
	return out
}
