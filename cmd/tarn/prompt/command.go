package prompt

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/tarn-lake/tarn/cmd/tarn/console"
	"github.com/tarn-lake/tarn/cmd/tarn/render"
	"github.com/tarn-lake/tarn/types"
)

const help = `Statements end with a semicolon and may have many lines. Tab completes, Ctrl-R searches the history,
Ctrl-C cancels a running statement or drops what was typed, Ctrl-D leaves.

  .tables            the tables of the current schema     \dt
  .schema TABLE      the statement that makes a table     \d TABLE  its columns
  .history TABLE     what was committed to a table
  .mode FORMAT       box, csv, tsv, json, jsonl, markdown or vertical     \x  vertical and back
  .timer on|off      tell how long statements take        \timing
  .read FILE         run the statements of a file
  .help              this                                 \?
  .quit              leave                                \q
`

// isCommand tells a command of the prompt from a statement.
func isCommand(text string) bool {
	switch strings.ToLower(strings.TrimRight(text, "; ")) {
	case "quit", "exit", "help":
		return true
	}
	return strings.HasPrefix(text, ".") || strings.HasPrefix(text, `\`)
}

// command runs a command of the prompt.
func (p *prompt) command(ctx context.Context, text string) {
	name, argument, _ := strings.Cut(strings.TrimRight(text, "; "), " ")
	argument = strings.TrimSpace(argument)
	switch strings.ToLower(name) {
	case ".quit", ".q", ".exit", `\q`, "quit", "exit":
		p.left = true
	case ".help", ".h", `\?`, `\h`, "help":
		fmt.Fprint(p.Out, help)
	case ".tables", `\dt`:
		p.run(ctx, console.Script{Text: "SHOW TABLES"})
	case ".schema":
		p.about(ctx, name, "SHOW CREATE TABLE ", argument)
	case ".history":
		p.about(ctx, name, "DESCRIBE HISTORY ", argument)
	case `\d`:
		if argument == "" {
			p.run(ctx, console.Script{Text: "SHOW TABLES"})
			return
		}
		p.about(ctx, name, "DESCRIBE TABLE ", argument)
	case ".mode":
		p.mode(argument)
	case `\x`:
		p.flip()
	case ".timer", `\timing`:
		p.timer(argument)
	case ".read":
		p.read(ctx, argument)
	default:
		p.say("There is no command %s. .help lists them.", name)
	}
}

func (p *prompt) say(format string, args ...any) {
	fmt.Fprintln(p.Err, render.Printable(fmt.Sprintf(format, args...)))
}

// about runs a statement about one table. What was typed is the table's name, as SQL writes it.
func (p *prompt) about(ctx context.Context, name, statement, table string) {
	if table == "" {
		p.say("%s needs the name of a table.", name)
		return
	}
	p.run(ctx, console.Script{Text: statement + table})
}

func (p *prompt) mode(format string) {
	if !slices.Contains(render.Formats, format) {
		p.say(".mode needs one of %s; it is %s.", strings.Join(render.Formats, ", "), p.Format)
		return
	}
	p.Format = format
}

// flip goes to the format vertical, and back to the one before.
func (p *prompt) flip() {
	if p.Format != "vertical" {
		p.wide, p.Format = p.Format, "vertical"
		return
	}
	p.Format = "box"
	if p.wide != "" {
		p.Format = p.wide
	}
}

func (p *prompt) timer(argument string) {
	switch strings.ToLower(argument) {
	case "on":
		p.Timer = true
	case "off":
		p.Timer = false
	case "":
		p.Timer = !p.Timer
	default:
		p.say(".timer is on or off.")
	}
}

func (p *prompt) read(ctx context.Context, file string) {
	b, err := os.ReadFile(file)
	if err != nil {
		p.say("%v", err)
		return
	}
	p.run(ctx, console.Script{Name: file, Text: string(b)})
}

// quoted is name as SQL must write it.
func quoted(name string) string { return types.QuoteIfNeeded(name) }
