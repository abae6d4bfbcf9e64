// Package devidp is the development identity provider: an OpenID provider in
// one process, with nothing to install, for trying the library service and for
// its tests. It behaves like a careful provider, so that programs that work
// with it work with one in production. It is not meant to be one: its users
// and their passwords stand in a readable file, and its state, except for
// the keys, is lost when it stops.
//
// # The way of a token
//
//	browser ─ GET auth ──────▶ authorize.go   the client, where the answer goes
//	        ◀─ login page ───  login.go       name and password
//	        ◀─ consent page ─  consent.go     the data for the client
//	        ◀─ 302, code ────  authorize.go
//	client  ─ POST token ────▶ token.go       the client, then one of the grants.go
//	        ◀─ tokens ───────  issue.go       scope.go decides, keys.go signs
//
// A client with a proof of a key (dpop.go) gets tokens bound to it. The pages
// are in English and in German (language.go).
//
// introspect.go reads tokens and revokes them; logout.go ends the session of
// login.go, and backchannel.go tells its clients; discovery.go lists the endpoints.
//
// # State
//
// A login begins a session (session.go). Each grant within it begins a family
// (family.go): one refresh token, replaced at every use, and the access
// tokens beside it. A code becomes a family once. The names
// of these nest in the tokens – an access token's jti and a refresh token begin
// with the family – so nothing is kept per token, and to end a family is to end
// all its tokens. All of it is in [state], under one lock, in tables
// (state.go) that expire and have a limit. Nothing is stored before a login:
// pages carry their state, sealed, in their forms (forms.go). The refresh token of a client that asks
// for offline_access is a signed record of its family (offline.go): it outlives the session and, with
// a key file, the process.
//
// The configuration (config.go) is read into an immutable directory
// (directory.go) replaced by [Provider.Reload]. Tokens hold no past decisions:
// groups are looked up at each use.
//
// Start reading at [New].
package devidp
