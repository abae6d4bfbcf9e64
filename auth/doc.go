// Package auth finds out who is calling.
//
// It knows two schemes. [Bearer] takes an access token, a JWT that an identity
// provider signed; [Basic] takes an e-mail address and a password and checks
// them against a password file. Both turn a request into an [Identity] or into
// an [*Error] that already says how to answer. What an identity may do, and
// whether its e-mail address belongs to anybody, is for others to decide: this
// package knows nothing of books and users.
//
// # The way of a token
//
//	Authorization field  header.go       one field, one scheme, one token
//	cache                cache.go        seen and verified a moment ago?
//	compact form         token.go        three segments, strictly encoded; header rules
//	claims               claims.go       kind of token, times, issuer, audience
//	key                  keyset.go       the provider's key that the token names
//	signature            verify.go       the only use of go-jose
//	identity             claims.go       e-mail address and roles, by package claims
//	address              userinfo.go     asked for, if the token has none and that is wanted
//
// members.go and encoding.go are what several of these steps read with: the
// members of a JSON object, base64url, ASCII case.
//
// Everything that needs no key comes before the key, so that only a token that
// is good except for its signature can make the service ask the provider for keys.
//
// The provider's keys live in a [KeySet]: jwks.go and jwk.go read them,
// fetch.go gets them over HTTP, refresh.go decides when. Readers see an
// immutable snapshot through an atomic pointer and never wait for a lock.
//
// [Basic] is in basic.go, its password file in htpasswd.go and passwordfile.go.
//
// Start reading at [Bearer.Authenticate].
package auth
