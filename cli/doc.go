// Package cli is the terminal client: the root command, its help, the completion
// scripts and the manual pages. It speaks to a library over HTTP only.
//
// The path is the command. A group of commands is a package of its name, with a
// file for each command: 'library books import' is books/import.go, 'library holds
// fetch' is holds/fetch.go. Commands without a group are packages of their own
// (api, doctor, statistics), but those about signing in and one's own record are
// together in account: login, logout, token, whoami, server and me.
//
// What the groups share is below them: records finds, shows and explains the
// records of a library, and command is what a command is made of. No group
// imports another. Start reading in root.go, then in command/app.go.
package cli
