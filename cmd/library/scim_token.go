package main

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
)

// newSCIM returns the commands about directories.
func newSCIM(env command.Environment) *cobra.Command {
	cmd := &cobra.Command{Use: "scim", Short: "Give a directory of people access to the library", Example: "  library scim token", Args: cobra.NoArgs}
	cmd.AddCommand(&cobra.Command{
		Use:   "token",
		Short: "Make a secret for a directory",
		Long: `Make a secret for a directory that cannot get access tokens.

It prints two lines: the secret, which goes into the settings of the directory
and is not printed again, and its SHA-256, which goes into the file of
serve --scim-token-file.`,
		Example: `  library scim token`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			random := make([]byte, 32)
			rand.Read(random) // never fails
			secret := base64.RawURLEncoding.EncodeToString(random)
			_, err := fmt.Fprintf(env.Stdout, "%s\n%x\n", secret, sha256.Sum256([]byte(secret)))
			return err
		},
	})
	return cmd
}
