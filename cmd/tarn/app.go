package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/tarn-lake/tarn"
	"github.com/tarn-lake/tarn/cmd/tarn/console"
	"github.com/tarn-lake/tarn/cmd/tarn/render"
)

// app is one run of the program: its streams, its flags, and the session once it is needed.
type app struct {
	in       *os.File
	out, err console.Stream
	flags    flags

	mu      sync.Mutex // guards what follows
	db      *tarn.DB
	session *tarn.Session
}

// flags are those of the prompt and of `tarn sql`.
type flags struct {
	warehouse string
	conf      []string
	memory    string
	threads   int
	spill     string
	roots     []string
	output    string
	receipt   string
	keepOn    bool
	timer     bool
	sources   []source
}

func newApp(in, out, err *os.File) *app { return &app{in: in, out: stream(out), err: stream(err)} }

func stream(f *os.File) console.Stream {
	s := console.Stream{Writer: f, Terminal: isatty.IsTerminal(f.Fd())}
	s.Color = s.Terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	if s.Terminal {
		s.Width = func() int { return columns(f) }
	}
	return s
}

// command is the tree of commands.
func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "tarn",
		Short: "Spark SQL on Delta Lake and Hudi tables, without a JVM",
		Long: `tarn runs Spark SQL on Delta Lake and Hudi tables in one process, without a JVM.

Without a command it gives a prompt, or reads a script when standard input is not a terminal.`,
		Args:              cobra.NoArgs,
		RunE:              func(cmd *cobra.Command, _ []string) error { return a.runSQL(cmd.Context()) },
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: false},
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	a.addFlags(root)
	root.AddCommand(a.sqlCommand(), a.demoCommand(), a.doctorCommand(), a.hudiCommand(), a.manCommand(), a.versionCommand())
	return root
}

// addFlags gives cmd the flags of a session.
func (a *app) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&a.flags.warehouse, "warehouse", "w", "", "`folder` of managed tables and the catalog (default tarn-warehouse)")
	f.StringArrayVar(&a.flags.conf, "conf", nil, "a setting, as `key=value`; may be given again")
	f.StringVar(&a.flags.memory, "memory", "", "bound of memory, such as 2GiB (default 60 % of the machine's)")
	f.StringVar(&a.flags.spill, "spill-dir", "", "`folder` for rows that do not fit into memory (default a fresh one)")
	f.StringArrayVar(&a.flags.roots, "allow-root", nil, "a `folder` that tables may name data files in beside their own, for shallow clones; may be given again")
	f.IntVar(&a.flags.threads, "threads", 0, "how many threads compute (default one per processor)")
	f.StringVarP(&a.flags.output, "output", "o", "", "format of rows: "+strings.Join(render.Formats, ", ")+" (default box on a terminal, else csv)")
	f.StringVar(&a.flags.receipt, "receipt", "line", "what tells of a write, on standard error: line, json or none")
	f.BoolVarP(&a.flags.keepOn, "keep-going", "k", false, "go on behind a statement that failed; exit with 1 in the end")
	f.BoolVar(&a.flags.timer, "timer", false, "tell how long each statement took")
	for flag, values := range map[string][]string{"output": render.Formats, "receipt": receipts} {
		if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
			panic(err) // the flag is missing above
		}
	}
}

var receipts = []string{"line", "json", "none"}

// options checks the flags.
func (f *flags) options() (tarn.Options, error) {
	o := tarn.Options{Warehouse: f.warehouse, Threads: f.threads, SpillDir: f.spill, Conf: map[string]string{}}
	for _, root := range f.roots {
		abs, err := filepath.Abs(root)
		if err != nil {
			return o, fmt.Errorf("--allow-root: %w", err)
		}
		o.AllowedRoots = append(o.AllowedRoots, abs)
	}
	for _, c := range f.conf {
		key, value, ok := strings.Cut(c, "=")
		if !ok || key == "" {
			return o, fmt.Errorf("--conf %q has not the form key=value", c)
		}
		o.Conf[key] = value
	}
	var err error
	if o.Memory, err = parseBytes(f.memory); err != nil {
		return o, fmt.Errorf("--memory: %w", err)
	}
	if f.output != "" && !slices.Contains(render.Formats, f.output) {
		return o, fmt.Errorf("--output %q is none of %s", f.output, strings.Join(render.Formats, ", "))
	}
	if !slices.Contains(receipts, f.receipt) {
		return o, fmt.Errorf("--receipt %q is none of %s", f.receipt, strings.Join(receipts, ", "))
	}
	return o, o.Validate()
}

// open gives the session, and opens the database at the first call.
func (a *app) open(ctx context.Context, o tarn.Options) (*tarn.Session, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.session != nil {
		return a.session, nil
	}
	db, err := tarn.Open(context.WithoutCancel(ctx), o)
	if err != nil {
		return nil, err
	}
	a.db, a.session = db, db.Session()
	return a.session, nil
}

// close gives back what open took.
func (a *app) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.db != nil {
		a.db.Close()
		a.db = nil
	}
}

// console shows what the statements of the flags give.
func (a *app) console(o tarn.Options) *console.Console {
	format := a.flags.output
	if format == "" {
		format = "csv"
		if a.out.Terminal {
			format = "box"
		}
	}
	return &console.Console{Session: func(ctx context.Context) (*tarn.Session, error) { return a.open(ctx, o) },
		Out: a.out, Err: a.err, Format: format, Receipt: a.flags.receipt, KeepOn: a.flags.keepOn, Timer: a.flags.timer}
}
