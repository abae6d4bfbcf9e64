package main

import (
	"strconv"

	"github.com/spf13/cobra"
)

func newBooks(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:     "books",
		Aliases: []string{"book"},
		Short:   "Everything about books",
	}, newBookImport(a), newBookExport(a))
}

// thousands writes a number as people read it: 1,234,567.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
