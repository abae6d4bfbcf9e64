package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
)

// newMan makes the command that packagers run; people read --help.
func newMan(env command.Environment, version string) *cobra.Command {
	return command.Counted(&cobra.Command{
		Use:     "man DIR",
		Short:   "Write the manual pages into a folder",
		Example: "  library man ./man && man ./man/library-books-list.1",
		Hidden:  true,
	}, func(cmd *cobra.Command, args []string) error {
		pages, err := writeManual(cmd.Root(), args[0], version)
		if err != nil {
			return fmt.Errorf("the manual pages cannot be written: %w", err)
		}
		fmt.Fprintf(env.Stdout, "%d manual pages are in %s.\n", pages, args[0])
		return nil
	})
}

// writeManual writes a page for each command that people see.
func writeManual(root *cobra.Command, dir, version string) (pages int, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	err = eachCommand(root, func(cmd *cobra.Command) error {
		pages++
		return os.WriteFile(filepath.Join(dir, pageName(cmd)+".1"), []byte(manualPage(cmd, version)), 0o644)
	})
	return pages, err
}

// eachCommand walks through the commands and topics that people see.
func eachCommand(cmd *cobra.Command, do func(*cobra.Command) error) error {
	if cmd.Hidden {
		return nil
	}
	if err := do(cmd); err != nil {
		return err
	}
	for _, child := range cmd.Commands() {
		if err := eachCommand(child, do); err != nil {
			return err
		}
	}
	return nil
}
