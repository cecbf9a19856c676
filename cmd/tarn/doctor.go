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
	"github.com/tarn-lake/tarn/engine/duckdb"
	"github.com/tarn-lake/tarn/lake"
	"github.com/tarn-lake/tarn/lake/delta"
	"github.com/tarn-lake/tarn/lake/hudi"
	"github.com/tarn-lake/tarn/storage"
)

func (a *app) doctorCommand() *cobra.Command {
	var skipRows bool
	cmd := &cobra.Command{
		Use:   "doctor PATH",
		Short: "Check a table",
		Long: `Check a Delta table: that its versions follow each other, its commits and checkpoints can be read and agree,
its live files and deletion vectors are there with the right sizes, and its protocol is known. Rows are not read.

Check a Hudi table: that its properties have the right checksum, its instants can be read, the files of its last state are there and
readable, its metadata table names the files that there are, writes that failed have left nothing, no key comes twice, and
every row has the key that its key columns make. With --skip-rows rows are not read.

Nothing is changed. Exits with 1 when rows are lost, wrong or cannot be read.`,
		Example: "  tarn doctor ./trips",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.doctor(cmd.Context(), args[0], skipRows) },
	}
	cmd.Flags().BoolVar(&skipRows, "skip-rows", false, "do not read the rows of a Hudi table")
	return cmd
}

func (a *app) doctor(ctx context.Context, path string, skipRows bool) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	if _, err := os.Stat(filepath.Join(path, ".hoodie")); err == nil {
		return a.doctorHudi(ctx, path, skipRows)
	}
	log := filepath.Join(path, "_delta_log")
	if _, err := os.Stat(log); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: there is no Delta or Hudi table at %s: it has neither a folder _delta_log nor .hoodie", errFailed, path)
	}
	bucket, err := storage.OpenLocal(path)
	if err != nil {
		return fmt.Errorf("%w: %w", errFailed, err)
	}
	findings, err := delta.Check(ctx, bucket)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", errFailed, path, err)
	}
	return a.report(findings)
}

// report prints findings.
func (a *app) report(findings []lake.Finding) error {
	damaged := false
	for _, f := range findings {
		damaged = damaged || f.Severity == lake.Damage
		if _, err := fmt.Fprintln(a.out, render.Printable(f.String())); err != nil {
			return err
		}
	}
	if damaged {
		return console.ErrStatement // the findings have said why
	}
	if len(findings) == 0 {
		_, err := fmt.Fprintln(a.out, "no findings")
		return err
	}
	return nil
}

// doctorHudi checks the Hudi table in a folder.
func (a *app) doctorHudi(ctx context.Context, path string, skipRows bool) error {
	bucket, err := storage.OpenLocal(path)
	if err != nil {
		return fmt.Errorf("%w: %w", errFailed, err)
	}
	findings, err := hudi.Check(ctx, bucket)
	if errors.Is(err, fs.ErrNotExist) {
		return noHudiTable(path)
	}
	if err != nil {
		return fmt.Errorf("%w: %s: %w", errFailed, path, err)
	}
	if skipRows {
		return a.report(findings)
	}
	more, err := checkRows(ctx, path)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", errFailed, path, err)
	}
	return a.report(append(findings, more...))
}

// checkRows reads the rows of the Hudi table in a folder, where it can be opened: else hudi.Check has told why it cannot.
func checkRows(ctx context.Context, path string) ([]lake.Finding, error) {
	t, err := openHudiBy(ctx, path, (&hudi.Format{}).OpenToMend)
	if err != nil {
		return nil, nil
	}
	x, err := duckdb.Open(duckdb.Options{})
	if err != nil {
		return nil, err
	}
	defer x.Close()
	return t.CheckRows(ctx, x)
}
