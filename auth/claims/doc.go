// Package claims interprets a token's claims for the library: the audience, the
// kind of token, the e-mail address, the names and the roles.
//
// It is written once, for the service, for 'library doctor' and for the tests
// with the tokens of known providers. It verifies nothing: verify the token
// before anything is allowed because of a claim.
//
//	set.go      the claims of a token, and how one is looked up
//	mapping.go  the used claims: the settings of the service; where roles come from
//	rolemap.go  roles by values of a claim
//	kind.go     access tokens and ID tokens
//
// Everything takes time and memory linear in the length of the token, and a
// claim with a value of an unforeseen shape counts as none.
//
// Start reading at [Mapping].
package claims
