package cli

import "github.com/spf13/cobra"

// Headings of `library --help`.
const (
	groupRun = "run"
	groupUse = "use"
)

// Commands are listed in the order in which people meet them.
func init() { cobra.EnableCommandSorting = false }

// addTo adds commands under a heading.
func addTo(root *cobra.Command, heading string, commands ...*cobra.Command) {
	for _, cmd := range commands {
		cmd.GroupID = heading
	}
	root.AddCommand(commands...)
}

// A command that does nothing is a topic of help.

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
