package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarn-lake/tarn/cmd/tarn/demo"
)

func (a *app) demoCommand() *cobra.Command {
	var dir string
	var clean bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "See the main job on real data",
		Long: `Load real flights into a Delta table, apply late reports with one MERGE, and look at what that did: rows, history,
the version before, files and the commit. Then the same with a Hudi table. It needs no network, and leaves a folder to go on with.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.demo(cmd.Context(), dir, clean); err != nil {
				return fmt.Errorf("%w: %w", errFailed, err)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "tarn-demo", "`folder` of the demo, made anew each time")
	cmd.Flags().BoolVar(&clean, "clean", false, "only remove the folder")
	return cmd
}

func (a *app) demo(ctx context.Context, dir string, clean bool) error {
	if clean {
		return demo.Clean(dir)
	}
	ctx, stop := interruptible(ctx)
	defer stop()
	return demo.Run(ctx, demo.Options{Dir: dir, Out: a.out, Terminal: a.out.Terminal, Color: a.out.Color, Command: ownName()})
}

// ownName is what a person types to run this program.
func ownName() string {
	switch path := filepath.ToSlash(os.Args[0]); {
	case strings.Contains(path, "/go-build"):
		return "go run ./cmd/tarn"
	case strings.HasPrefix(path, "./"), strings.HasPrefix(path, "../"):
		return os.Args[0]
	}
	return "tarn"
}
