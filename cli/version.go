package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
)

// newVersion is --version for those who look for a command.
func newVersion(env command.Environment) *cobra.Command {
	return command.Counted(&cobra.Command{
		Use:               "version",
		Short:             "Print the version of the program, and what it was built from",
		Example:           "  library version",
		ValidArgsFunction: cobra.NoFileCompletions,
	}, func(cmd *cobra.Command, _ []string) error {
		_, err := fmt.Fprintf(env.Stdout, "library version %s\n", cmd.Root().Version)
		return err
	})
}
