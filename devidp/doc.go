// Package devidp is the development identity provider: an OpenID provider in
// one process, with nothing to install, for trying the library service and for
// its tests. It is meant to behave as a careful provider does, so that what
// works with it works with one in production. It is not meant to be one: its
// users and their passwords stand in a readable file, and all it remembers is
// gone when it stops, its keys excepted.
//
// # The way of a token
//
//	browser ─ GET auth ──────▶ authorize.go   who asks, where does the answer go
//	        ◀─ login page ───  login.go       name and password; throttle.go
//	        ◀─ consent page ─  consent.go     what the client gets to know
//	        ◀─ 302, code ────  authorize.go
//	client  ─ POST token ────▶ token.go       clientauth.go, then one file per grant:
//	                           grant_code.go, grant_refresh.go,
//	                           grant_password.go, grant_client.go, grant_device.go
//	        ◀─ tokens ───────  issue.go       scope.go decides, jwt.go and keys.go sign
//
// A program without a browser begins at auth/device (grant_device.go) and then
// asks for tokens until a person has typed its code (device_page.go, device.go).
// origin.go turns away what pages of other sites send, and language.go has the
// pages in German.
//
// A client that sends a proof of a key (dpop.go) gets tokens that are bound to it.
//
// userinfo.go, introspect.go and revoke.go take tokens back in; logout.go ends
// what login.go began; discovery.go says where everything is.
//
// # What is remembered
//
// A login begins a session (session.go). Each grant within it begins a family
// (family.go): one refresh token that changes at every use, and the access
// tokens that come with it. A code (code.go) becomes a family once. The names
// of these nest in the tokens – an access token's jti and a refresh token begin
// with the family – so nothing is kept per token, and to end a family is to end
// all its tokens. All of it is in [state], under one lock, in tables
// (table.go) that expire and have a limit. What a caller can cause before logging
// in is not kept at all: pages carry it, sealed, in their forms (forms.go). Sign-ins
// of devices are the exception; how many may wait is bounded for each address and
// in all (device.go).
//
// The configuration (config.go) is read into an immutable directory
// (directory.go) that [Provider.Reload] replaces. Tokens hold nothing that was
// decided in the past: who is in which group is looked up at each use.
//
// Start reading at [New].
package devidp
