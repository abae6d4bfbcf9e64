// Package auth authenticates callers.
//
// It knows two schemes. [Bearer] takes an access token, a JWT signed by an
// identity provider; [Basic] takes an e-mail address and a password and checks
// them against a password file. Both turn a request into an [Identity] or into
// an [*Error] with the answer. The rights of an identity, and the owner of its
// e-mail address, are for others to decide: this package knows nothing of books
// and users.
//
// # The way of a token
//
//	Authorization field  token.go        one field, one scheme, one token
//	cache                cache.go        seen and verified a moment ago?
//	compact form         token.go        three segments, strictly encoded; header rules
//	claims               claims.go       kind of token, times, issuer, audience
//	key                  keyset.go       the provider's key named by the token
//	signature            verify.go       the only use of go-jose
//	identity             claims.go       e-mail address and roles, by package claims
//	address              userinfo.go     asked for, if the token has none and --userinfo is on
//
// members.go is shared by several of these steps: the members of a JSON object,
// base64url, ASCII case.
//
// All checks without a key come before the key, so only a token with nothing
// wrong but its signature can make the service ask the provider for keys.
//
// The provider's keys live in a [KeySet]: jwks.go reads them,
// fetch.go gets them over HTTP, refresh.go decides when. Readers see an
// immutable snapshot through an atomic pointer and never wait for a lock.
//
// The provider can end sessions by logout tokens: [Logouts], in logout.go, verifies them and has the ended
// sessions for all tokens, cached ones too.
//
// [Basic] is in basic.go, its password file in passwordfile.go.
//
// Start reading at [Bearer.Authenticate].
package auth
