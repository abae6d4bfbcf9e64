package main

import "github.com/spf13/cobra"

func newBooks(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:     "books",
		Aliases: []string{"book"},
		Short:   "Everything about books",
	}, newBookImport(a), newBookExport(a))
}
