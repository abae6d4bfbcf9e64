// Package dpop takes access tokens of no use to a thief: RFC 9449,
// Demonstrating Proof of Possession.
//
// Such a token names the thumbprint of a key (cnf.jkt). A request
// with "Authorization: DPoP" must also have a proof, in the header field DPoP: a small
// JWT, made with that key for this one request. [Scheme] is an [auth.Scheme] around
// the bearer tokens of package auth, which verifies and caches the token itself:
//
//	scheme.go    the scheme of a request, and the allowed ones
//	proof.go     checks of a proof; every proof is verified, none is cached
//	address.go   htu: the address as the caller used it
//	nonce.go     nonce: proofs made in time, by the clock of the service (--dpop-nonce)
//	replay.go    jti: the proofs of the last two minutes, in bounded memory
//
// The token comes first, so only callers with a good one can make the service
// check signatures of keys of their own.
//
// Start reading at [Scheme.Authenticate].
package dpop
