package main

import (
	_ "embed"
	"io"

	"github.com/spf13/cobra"
)

// bashCompletion is ours and not cobra's: titles have spaces and colons in them,
// and not every machine has the package that cobra's needs.
//
//go:embed completion.bash
var bashCompletion string

func newCompletion(env environment) *cobra.Command {
	shell := func(name, example string, write func(root *cobra.Command, out io.Writer) error) *cobra.Command {
		return &cobra.Command{
			Use:     name,
			Short:   "Print the completion script for " + name,
			Example: example,
			Args:    cobra.ArbitraryArgs,
			RunE: func(cmd *cobra.Command, args []string) error {
				if err := checkArguments(cmd, args); err != nil {
					return err
				}
				return write(cmd.Root(), env.stdout)
			},
			ValidArgsFunction: cobra.NoFileCompletions,
		}
	}
	return group(&cobra.Command{
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
		shell("bash", `  mkdir -p ~/.local/share/bash-completion/completions
  library completion bash > ~/.local/share/bash-completion/completions/library
  source <(library completion bash)`,
			func(_ *cobra.Command, out io.Writer) error { _, err := io.WriteString(out, bashCompletion); return err }),
		shell("zsh", `  mkdir -p ~/.zfunc && library completion zsh > ~/.zfunc/_library
  echo 'fpath=(~/.zfunc $fpath); autoload -U compinit; compinit' >> ~/.zshrc`,
			func(root *cobra.Command, out io.Writer) error { return root.GenZshCompletion(out) }),
		shell("fish", `  library completion fish > ~/.config/fish/completions/library.fish
  library completion fish | source`,
			func(root *cobra.Command, out io.Writer) error { return root.GenFishCompletion(out, true) }),
	)
}
