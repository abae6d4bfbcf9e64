// Package dpop takes access tokens that are of no use to a thief: RFC 9449,
// Demonstrating Proof of Possession.
//
// Such a token names the thumbprint of a key (cnf.jkt). A request
// with "Authorization: DPoP" must also have a proof, in the header field DPoP: a small
// JWT, made with that key for this one request. [Scheme] is an [auth.Scheme] around
// the bearer tokens of package auth, which verifies and caches the token itself:
//
//	scheme.go    which scheme a token was sent with, and which may be used
//	proof.go     what a proof must be; every proof is verified, none is cached
//	address.go   htu: the address as the caller used it
//	nonce.go     nonce: the service says when proofs were made, if it is asked to
//	replay.go    jti: the proofs of the last two minutes, in bounded memory
//
// The token comes first, so that only callers who have a good one can make the
// service check signatures of keys that they brought along.
//
// Start reading at [Scheme.Authenticate].
package dpop
