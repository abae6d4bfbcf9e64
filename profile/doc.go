// Package profile is what a person's machine remembers of signing in: which
// libraries, at which identity provider, and the tokens.
//
//	Server     server.go    a library that somebody is signed in to; names and how they are found
//	Servers    servers.go   servers.json: all of them, and the current one. No secret is in it
//	Secrets    secrets.go   the token, and the secret of the client if it has one
//	keyring    keyring.go   secrets in the keyring of the system
//	tokenFile  tokenfile.go secrets in tokens.json, where there is no keyring
//	folder     folder.go    files that only their owner can read, replaced as a whole or not at all
//	lock       lock.go      one at a time, in this process and all others
//	Store      store.go     all of it together: Save, Use, SignOut, Forget
//	Source     renew.go     a token that is kept fresh for every process of this person
//
// A refresh token is good once. Two programs that use the same one look like a
// thief to the provider, which then ends the session of both. So a token is
// renewed under a lock, and a program that has waited for it first looks whether
// another one has renewed the token. docs/decisions/0010-where-tokens-are-kept.md says more.
//
// Start reading at [Open].
package profile
