package cli

import (
	_ "embed"
	"io"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
)

// The scripts are ours and not cobra's. A title has spaces, colons and quotes in
// it, and perhaps a command: cobra's script for fish evaluates it. They need no
// package beside the shell.
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
		Example: `  mkdir -p ~/.local/share/bash-completion/completions
  library completion bash > ~/.local/share/bash-completion/completions/library
  library completion zsh > ~/.zfunc/_library
  library completion fish > ~/.config/fish/completions/library.fish`,
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
