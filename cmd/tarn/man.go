package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages into a folder",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := os.MkdirAll(args[0], 0o777)
			if err == nil {
				err = doc.GenManTree(cmd.Root(), &doc.GenManHeader{Title: "TARN", Section: "1", Source: "tarn", Manual: "tarn"}, args[0])
			}
			if err != nil {
				return fmt.Errorf("%w: %w", errFailed, err)
			}
			return nil
		},
	}
}
