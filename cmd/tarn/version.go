package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.out, version())
			return err
		},
	}
}

// version says what was built: of what, with what, for what.
func version() string {
	own, revision, engine := "devel", "", "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := info.Main.Version; v != "" && v != "(devel)" {
			own = v
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = " (" + s.Value[:min(12, len(s.Value))] + ")"
			}
		}
		for _, d := range info.Deps {
			if d.Path == "github.com/duckdb/duckdb-go-bindings" {
				engine = duckVersion(d.Version)
			}
		}
	}
	return fmt.Sprintf("tarn %s%s, DuckDB %s, %s, %s/%s", own, revision, engine, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// duckVersion reads DuckDB's version from that of its bindings: v0.10506.0 is 1.5.6.
func duckVersion(bindings string) string {
	var n int
	if _, err := fmt.Sscanf(strings.TrimPrefix(bindings, "v"), "0.%d.", &n); err != nil {
		return bindings
	}
	return fmt.Sprintf("%d.%d.%d", n/10000, n/100%100, n%100)
}
