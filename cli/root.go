// Package cli is the terminal client: the root command, its help, the completion
// scripts and the manual pages. It speaks to a library over HTTP only.
//
// A group of commands is a package of its name. Commands without a group are packages
// of their own (api, doctor, statistics), except for the commands of signing in and
// 'library me', which are together in account.
//
// The groups share the packages below them: records finds, shows and explains the
// records of a library, and command has the parts of a command. No group imports
// another. Start reading at NewRoot, then in command/app.go.
package cli

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

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
	"example.org/library/cli/readers"
	"example.org/library/cli/statistics"
	"example.org/library/cli/stocktake"
	"example.org/library/cli/users"
)

// Program describes the program around the commands.
type Program struct {
	Version string // in short
	Build   string // for --version: the version and what it was built from
	// Commands make the commands that run a part of the library.
	Commands []func(command.Environment) *cobra.Command
}

// Run runs a command line of the program and returns the exit code. It does not end the process.
func Run(ctx context.Context, args []string, env command.Environment, program Program) int {
	return command.Execute(ctx, args, env, func(env command.Environment) *cobra.Command { return NewRoot(env, program) })
}

// clientVariables are the environment variables of the commands that use a library.
// The commands that run one have theirs in their settings.
var clientVariables = []string{
	"LIBRARY_SERVER", "LIBRARY_TOKEN", "LIBRARY_ISSUER", "LIBRARY_CLIENT_ID", "LIBRARY_CLIENT_SECRET",
	"LIBRARY_CONFIG_DIR", "LIBRARY_KEYRING",
}

// NewRoot makes the root command with all other commands below it.
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
		books.New(a), books.NewLookup(a), loans.New(a), holds.New(a), copies.New(a), desk.New(a), stocktake.New(a), users.New(a), readers.New(a), policy.New(a), notices.New(a), statistics.New(a), account.NewMe(a), api.New(a))
	a.CommonFlags()
	root.AddCommand(newCompletion(env), newMan(env, program.Version), newVersion(env))
	root.AddCommand(newExitCodes(), newEnvironmentTopic())
	return root
}

// Headings of `library --help`.
const (
	groupRun = "run"
	groupUse = "use"
)

// init keeps the commands in the order in which people meet them, instead of sorting them.
func init() { cobra.EnableCommandSorting = false }

func addTo(root *cobra.Command, heading string, commands ...*cobra.Command) {
	for _, cmd := range commands {
		cmd.GroupID = heading
	}
	root.AddCommand(commands...)
}

// A command without an action is a help topic.

func newExitCodes() *cobra.Command {
	return &cobra.Command{
		Use:   "exit-codes",
		Short: "What the exit codes mean",
		Long: `What the exit codes mean:

  0  it worked
  1  it failed, or the service does not allow it
  2  the command line or the configuration cannot work; nothing was started
  4  you are not signed in, or your session has ended: run 'library login'
  5  there is no such book or user
     (or loan, hold, copy, barcode, card)
  6  conflict: the book is on loan or reserved, a rule of lending forbids it, the
     record has changed, the name is taken, a strict import found a difference
  130  somebody has stopped it with Ctrl-C (143: with SIGTERM)

A command for several books goes on after a failure, and ends with the code of
the first one. So does 'library desk' in a pipe.`,
	}
}

func newEnvironmentTopic() *cobra.Command {
	return &cobra.Command{
		Use:   "environment",
		Short: "Environment variables",
		Long: `Environment variables of the commands that use a library. A flag wins.

  LIBRARY_SERVER   the library to speak to: its address, with its path, or its name
  LIBRARY_TOKEN    an access token; nobody has to sign in then
  NO_COLOR         no colours, if it is not empty
  COLUMNS          width of the screen, if the terminal is to be overruled
  VISUAL, EDITOR   the editor for books; vi by default
  BROWSER          the browser for signing in

For 'library login':

  LIBRARY_ISSUER         the identity provider
  LIBRARY_CLIENT_ID      the client to sign in with, library-cli by default
  LIBRARY_CLIENT_SECRET  the secret of a client that has one
  LIBRARY_CONFIG_DIR     where sign-ins are remembered
  LIBRARY_KEYRING        'file' or 'system' for where tokens are kept; by default the
                         system's keyring, or a file where there is none

Those of the commands that run something are in their help, such as
'library serve --help'.`,
	}
}

// newVersion makes 'library version', for people who try a command before the flag --version.
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

// The scripts are our own, not cobra's. A title has spaces, colons and quotes in it,
// and perhaps a command, and cobra's script for fish would evaluate it. Our scripts
// need no package beside the shell.
var (
	//go:embed completion.bash
	bashCompletion string
	//go:embed completion.zsh
	zshCompletion string
	//go:embed completion.fish
	fishCompletion string
)

func newCompletion(env command.Environment) *cobra.Command {
	shell := func(name, script, example string) *cobra.Command {
		return command.Counted(&cobra.Command{
			Use:               name,
			Short:             "Print the completion script for " + name,
			Example:           example,
			ValidArgsFunction: cobra.NoFileCompletions,
		}, func(*cobra.Command, []string) error {
			_, err := io.WriteString(env.Stdout, script)
			return err
		})
	}
	return command.Group(&cobra.Command{
		Use:   "completion",
		Short: "Let your shell complete commands, flags, books and users",
		Long: `Let your shell complete commands, flags, books and users.

The script is printed; put it where your shell looks for it, and start a new
shell. Bash looks there by itself if it has the package bash-completion; without
it, let your ~/.bashrc source the script.`,
	},
		shell("bash", bashCompletion, `  mkdir -p ~/.local/share/bash-completion/completions
  library completion bash > ~/.local/share/bash-completion/completions/library
  source <(library completion bash)`),
		shell("zsh", zshCompletion, `  mkdir -p ~/.zfunc && library completion zsh > ~/.zfunc/_library
  echo 'fpath=(~/.zfunc $fpath); autoload -U compinit; compinit' >> ~/.zshrc`),
		shell("fish", fishCompletion, `  library completion fish > ~/.config/fish/completions/library.fish
  library completion fish | source`),
	)
}

// newMan makes the command 'library man'. It is hidden: packagers use it, while people read --help.
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

// writeManual writes a page for each visible command and topic, and returns their number.
func writeManual(root *cobra.Command, dir, version string) (pages int, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	root.DisableAutoGenTag = true
	err = eachCommand(root, func(cmd *cobra.Command) error {
		pages++
		cmd.Long = withLiterals(cmd.Long)
		var page strings.Builder
		if err := doc.GenMan(cmd, &doc.GenManHeader{Source: "library " + version, Manual: "Library", Date: &time.Time{}}, &page); err != nil {
			return err
		}
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
		text := strings.Replace(page.String(), "Jan 0001", "", 1) // no date, so that two builds are the same
		return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)
	})
	return pages, err
}

// withLiterals indents the already indented paragraphs once more, because the generator
// reads texts as Markdown and would fill their lines.
func withLiterals(text string) string {
	return strings.ReplaceAll("\n"+text, "\n  ", "\n      ")[1:]
}

// eachCommand walks through the visible commands and topics, from the leaves to the root: the
// generator adds a command for help to each group.
func eachCommand(cmd *cobra.Command, do func(*cobra.Command) error) error {
	if cmd.Hidden {
		return nil
	}
	for _, child := range cmd.Commands() {
		if err := eachCommand(child, do); err != nil {
			return err
		}
	}
	return do(cmd)
}
