package prompt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/reeflective/readline"

	"github.com/tarn-lake/tarn/cmd/tarn/console"
	"github.com/tarn-lake/tarn/internal/syntax"
)

// prompt is one conversation.
type prompt struct {
	*console.Console
	words  *words
	schema string // current, once it was changed
	left   bool
	wide   string // the format to go back to from \x
}

// Run talks until the person leaves. Failed statements are no error.
func Run(ctx context.Context, c *console.Console) error {
	p := &prompt{Console: c, words: &words{session: c.Session}}
	shell := readline.NewShell()
	// A paste comes as one piece: else each of its characters draws the line anew and asks where the cursor is, and
	// the library drops what arrives together with the answer.
	shell.Config.Set("enable-bracketed-paste", true)
	shell.Prompt.Primary(p.first)
	shell.Prompt.Secondary(func() string { return "   -> " })
	shell.AcceptMultiline = func(line []rune) bool { return whole(string(line)) }
	shell.Completer = func(line []rune, cursor int) readline.Completions {
		return p.complete(ctx, string(line[:cursor]), string(line[cursor:]))
	}
	if file, err := historyFile(); err == nil {
		if h, err := readline.NewHistoryFromFile(file); err == nil {
			shell.History.Delete()
			shell.History.Add("history", h)
		}
	}
	fmt.Fprintln(c.Out, "tarn: Spark SQL on Delta Lake and Hudi tables. A semicolon ends a statement; .help tells more; Ctrl-D leaves.")
	for !p.left && ctx.Err() == nil {
		text, err := shell.Readline()
		switch {
		case errors.Is(err, readline.ErrInterrupt):
			continue
		case errors.Is(err, io.EOF):
			fmt.Fprintln(c.Out)
			return nil
		case err != nil:
			return err
		}
		p.take(ctx, text)
	}
	return nil
}

func (p *prompt) first() string {
	if p.schema == "" || p.schema == "default" {
		return "tarn> "
	}
	return "tarn:" + p.schema + "> "
}

// whole tells whether text needs no further line.
func whole(text string) bool {
	text = strings.TrimSpace(text)
	if text == "" || isCommand(text) {
		return true
	}
	pieces := syntax.Split(text)
	return len(pieces) == 0 || pieces[len(pieces)-1].Complete
}

// take runs what was typed: one command, or statements.
func (p *prompt) take(ctx context.Context, text string) {
	text = strings.TrimSpace(text)
	if isCommand(text) {
		p.command(ctx, text)
		return
	}
	p.run(ctx, console.Script{Text: text})
}

// run runs statements until Ctrl-C.
func (p *prompt) run(ctx context.Context, s console.Script) {
	running, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	p.Run(running, s) // it has shown what failed
	p.words.forget()
	p.follow(ctx, s.Text)
}

// follow learns the current schema after a script with a USE.
func (p *prompt) follow(ctx context.Context, text string) {
	for _, piece := range syntax.Split(text) {
		if word, _, _ := strings.Cut(piece.Text, " "); !strings.EqualFold(strings.TrimSpace(word), "use") {
			continue
		}
		if names, err := p.words.column(ctx, "SELECT current_schema()", 0); err == nil && len(names) == 1 {
			p.schema = names[0]
		}
		return
	}
}

// historyFile is where statements are remembered: in $XDG_STATE_HOME/tarn, by default ~/.local/state/tarn.
func historyFile() (string, error) {
	dir := os.Getenv("XDG_STATE_HOME")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(home, ".local", "state")
	}
	dir = filepath.Join(dir, "tarn")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	file := filepath.Join(dir, "history")
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	return file, f.Close()
}
