package cli

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library/cli/account"
	"example.org/library/cli/api"
	"example.org/library/cli/books"
	"example.org/library/cli/command"
	"example.org/library/cli/copies"
	"example.org/library/cli/desk"
	"example.org/library/cli/doctor"
	"example.org/library/cli/holds"
	"example.org/library/cli/loans"
	"example.org/library/cli/notices"
	"example.org/library/cli/policy"
	"example.org/library/cli/statistics"
	"example.org/library/cli/users"
)

// Program is the program that the commands are part of.
type Program struct {
	Version string // in short
	Build   string // what --version says: the version and what it was built from
	// Commands make the commands that run a part of the library.
	Commands []func(command.Environment) *cobra.Command
}

// Run is the program without its process. It returns the exit code.
func Run(ctx context.Context, args []string, env command.Environment, program Program) int {
	return command.Execute(ctx, args, env, func(env command.Environment) *cobra.Command { return NewRoot(env, program) })
}

// clientVariables are those of the commands that use a library. Those of the
// commands that run one are in their settings.
var clientVariables = []string{
	"LIBRARY_SERVER", "LIBRARY_TOKEN", "LIBRARY_ISSUER", "LIBRARY_CLIENT_ID", "LIBRARY_CLIENT_SECRET",
	"LIBRARY_CONFIG_DIR", "LIBRARY_KEYRING",
}

// NewRoot makes the root command with all others.
func NewRoot(env command.Environment, program Program) *cobra.Command {
	for _, name := range clientVariables {
		env.AddVariable(name, "")
	}
	root := command.Group(&cobra.Command{
		Use:   "library",
		Short: "A lending library for a school, company or town",
		Long: `A lending library for a school, company or town. People sign in with the account
they already have.

Every setting is a flag and an environment variable; the flag wins.`,
		Version:       program.Build,
		SilenceErrors: true,
		SilenceUsage:  true,
	})
	root.SetFlagErrorFunc(command.ExplainFlags)
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddGroup(&cobra.Group{ID: groupRun, Title: "Run it:"}, &cobra.Group{ID: groupUse, Title: "Use it:"})
	for _, newCommand := range program.Commands {
		addTo(root, groupRun, newCommand(env))
	}
	a := command.NewApp(env)
	addTo(root, groupUse, account.NewLogin(a), account.NewLogout(a), account.NewWhoami(a), account.NewToken(a), account.NewServer(a), doctor.New(a),
		books.New(a), books.NewLookup(a), loans.New(a), holds.New(a), copies.New(a), desk.New(a), users.New(a), policy.New(a), notices.New(a), statistics.New(a), account.NewMe(a), api.New(a))
	a.CommonFlags()
	root.AddCommand(newCompletion(env), newMan(env, program.Version), newVersion(env))
	root.AddCommand(newExitCodes(), newEnvironmentTopic())
	return root
}
