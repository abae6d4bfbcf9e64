package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
)

// newVersion is --version for those who look for a command.
func newVersion(env command.Environment) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of the program, and what it was built from",
		Example: "  library version",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := command.CheckArguments(cmd, args); err != nil {
				return err
			}
			_, err := fmt.Fprintf(env.Stdout, "library version %s\n", cmd.Root().Version)
			return err
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
}
