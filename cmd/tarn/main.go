// Command tarn runs Spark SQL on Delta Lake and Hudi tables.
//
//	tarn                        a prompt; a script when standard input is not a terminal
//	tarn sql -e SQL -f FILE     run statements
//	tarn demo                   see the main job on real data
//	tarn doctor PATH            check a table
//	tarn hudi timeline PATH     list the instants of a Hudi table
//	tarn hudi show PATH INSTANT tell what one says
//	tarn version, completion, help
//
// It exits with 0, with 1 when a statement failed, and with 2 when it was called wrongly. It is a thin client of
// package tarn.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/tarn-lake/tarn/cmd/tarn/console"
	"github.com/tarn-lake/tarn/lake"
)

func main() { os.Exit(run()) }

// Exit codes.
const (
	exitFailed = 1
	exitUsage  = 2
)

// errFailed says that a command could not do its work, with the reason already told or in the error.
var errFailed = errors.New("failed")

func run() int {
	signal.Ignore(syscall.SIGPIPE) // a write to a closed pipe is an error, so that what is open gets closed
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	a := newApp(os.Stdin, os.Stdout, os.Stderr)
	defer a.close()
	err := a.command().ExecuteContext(ctx)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, console.ErrStatement):
		return exitFailed
	case errors.Is(err, errFailed), errors.Is(err, syscall.EPIPE):
		fmt.Fprintln(os.Stderr, "tarn:", err)
		var e *lake.Error
		if errors.As(err, &e) && e.Hint != "" {
			fmt.Fprintln(os.Stderr, "Hint:", e.Hint)
		}
		return exitFailed
	}
	fmt.Fprintln(os.Stderr, "tarn:", err)
	fmt.Fprintln(os.Stderr, "Run 'tarn help' for the commands and their flags.")
	return exitUsage
}

// interruptible is ctx, cancelled by Ctrl-C until stop. A second Ctrl-C ends the program.
func interruptible(ctx context.Context) (context.Context, func()) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
