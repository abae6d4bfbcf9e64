// Package claims says what a token's claims mean to the library: for whom the
// token is, what kind it is, the e-mail address, the names and the roles.
//
// It is written once, for the service, for 'library doctor' and for the tests
// that read the tokens of known providers. It verifies nothing: verify
// the token before anything is allowed because of a claim.
//
//	set.go      the claims of a token, and how one is looked up
//	mapping.go  which claims count: the settings of the service
//	mode.go     where roles come from
//	rolemap.go  which values of a claim give which role
//	kind.go     access tokens and ID tokens
//
// Everything takes time and memory linear in the length of the token, and a
// claim whose value has an unforeseen shape is as good as none.
//
// Start reading at [Mapping].
package claims
