// Package cli is the terminal client: the commands that use a library, and the
// root command that they share with those that run one. It speaks to a library
// over HTTP only.
//
// Each command is a file of its own, with an options struct where it has
// options, and a run function. failure.go turns errors into words and exit
// codes.
package cli
