package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tarn-lake/tarn/cmd/tarn/console"
	"github.com/tarn-lake/tarn/cmd/tarn/render"
	"github.com/tarn-lake/tarn/lake/delta"
	"github.com/tarn-lake/tarn/storage"
)

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor PATH",
		Short: "Check a table",
		Long: `Check a Delta table: that its versions follow each other, its commits and checkpoints can be read and agree,
its live files and deletion vectors are there with the right sizes, and its protocol is known. Rows are not read, and
nothing is changed. Exits with 1 when rows are lost, wrong or cannot be read.`,
		Example: "  tarn doctor ./trips",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.doctor(cmd.Context(), args[0]) },
	}
}

func (a *app) doctor(ctx context.Context, path string) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	log := filepath.Join(path, "_delta_log")
	if _, err := os.Stat(log); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: there is no Delta table at %s: it has no folder _delta_log", errFailed, path)
	}
	bucket, err := storage.OpenLocal(path)
	if err != nil {
		return fmt.Errorf("%w: %w", errFailed, err)
	}
	findings, err := delta.Check(ctx, bucket)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", errFailed, path, err)
	}
	var worst delta.Severity
	for _, f := range findings {
		worst = max(worst, f.Severity)
		if _, err := fmt.Fprintln(a.out, render.Printable(f.String())); err != nil {
			return err
		}
	}
	switch {
	case worst == delta.Damage:
		return console.ErrStatement // the findings have said why
	case len(findings) == 0:
		_, err = fmt.Fprintln(a.out, "no findings")
	}
	return errors.Join(err)
}
