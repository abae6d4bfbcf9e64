package cli

import (
	"context"

	"example.org/library/cli/command"
)

// program has all commands that use a library, without those that run one.
func program(ctx context.Context, args []string, env command.Environment) int {
	return Run(ctx, args, env, Program{})
}
