// Package profile stores a person's sign-ins on their machine: the libraries,
// their identity providers, and the tokens.
//
//	Server     server.go    a library with a sign-in; its names
//	Servers    servers.go   servers.json: all of them, and the current one. No secret is in it
//	Secrets    secrets.go   the token, and the secret of the client if it has one
//	keyring    keyring.go   secrets in the keyring of the system
//	tokenFile  secrets.go   secrets in tokens.json, where there is no keyring
//	folder     folder.go    private files, replaced as a whole or not at all
//	lock       folder.go    one at a time, in this process and all others
//	Store      store.go     all of it together: Save, Use, SignOut, Forget
//	Source     renew.go     a token kept fresh for every process of this person
//
// A refresh token is good once. Two programs with the same one look like a
// thief to the provider, and it ends the session of both. So a token is renewed
// under a lock, and a program after its wait first looks whether another one has
// renewed the token. docs/decisions/0010-where-tokens-are-kept.md says more.
//
// Start reading at [Open].
package profile
