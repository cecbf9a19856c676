package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/tarn-lake/tarn"
	"github.com/tarn-lake/tarn/cmd/tarn/console"
	"github.com/tarn-lake/tarn/cmd/tarn/prompt"
)

// source is one -e or -f flag.
type source struct {
	text string // of -e
	file string // of -f; "-" is standard input
}

// sourceFlag collects -e and -f in the order in which they are given.
type sourceFlag struct {
	list   *[]source
	isFile bool
}

func (f sourceFlag) String() string { return "" }

func (f sourceFlag) Type() string { return "string" }

func (f sourceFlag) Set(s string) error {
	if f.isFile {
		*f.list = append(*f.list, source{file: s})
	} else {
		*f.list = append(*f.list, source{text: s})
	}
	return nil
}

// onlyFlags refuses statements that lack their -e.
func onlyFlags(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("what does %q mean? Statements come after -e, files after -f", args[0])
	}
	return nil
}

func (a *app) sqlCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sql",
		Short: "Run statements",
		Long: `Run the statements of -e and -f in the order given. Without either it is the same as tarn alone:
a prompt, or a script from standard input.

Rows go to standard output. Receipts of writes and errors go to standard error.`,
		Example: "  tarn sql -e 'SELECT count(*) FROM delta.`./trips`'" + `
  tarn sql -f load.sql -o jsonl --receipt json
  echo "SHOW TABLES" | tarn sql -w /data/warehouse`,
		Args: onlyFlags,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.runSQL(cmd.Context()) },
	}
	a.addFlags(cmd)
	cmd.Flags().VarP(sourceFlag{list: &a.flags.sources}, "execute", "e", "`statements` to run; may be given again")
	cmd.Flags().VarP(sourceFlag{list: &a.flags.sources, isFile: true}, "file", "f", "`file` of statements to run, - for standard input; may be given again")
	return cmd
}

// runSQL runs the sources of the flags, the prompt, or standard input.
func (a *app) runSQL(ctx context.Context) error {
	options, err := a.flags.options()
	if err != nil {
		return err
	}
	sources := a.flags.sources
	in := stream(a.in)
	if len(sources) == 0 && in.Terminal && a.out.Terminal {
		return a.talk(ctx, options)
	}
	if len(sources) == 0 {
		sources = []source{{file: "-"}}
	}
	ctx, stop := interruptible(ctx)
	defer stop()
	c := a.console(options)
	var failed error
	for _, s := range sources {
		script, err := a.read(s)
		if err != nil {
			return fmt.Errorf("%w: %w", errFailed, err)
		}
		if err := c.Run(ctx, script); err != nil {
			failed = err
			if !c.KeepOn {
				break
			}
		}
	}
	return failed
}

// talk is the prompt. Nothing wakes it while it waits for a key, so a signal to end closes what is open and ends at once.
func (a *app) talk(ctx context.Context, o tarn.Options) error {
	defer context.AfterFunc(ctx, func() {
		a.close()
		os.Exit(exitFailed)
	})()
	if err := prompt.Run(ctx, a.console(o)); err != nil {
		return fmt.Errorf("%w: %w", errFailed, err)
	}
	return nil
}

func (a *app) read(s source) (console.Script, error) {
	switch s.file {
	case "":
		return console.Script{Text: s.text}, nil
	case "-":
		b, err := io.ReadAll(a.in)
		return console.Script{Name: "stdin", Text: string(b)}, err
	}
	b, err := os.ReadFile(s.file)
	return console.Script{Name: s.file, Text: string(b)}, err
}
