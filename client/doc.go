// Package client is the Go client of the library. One half of it calls the
// library service; the other gets the tokens for the service, from its
// OpenID provider.
//
// # The way of a call
//
//	New             api.go        one call: its address, its limits, its answer
//	Books, Borrow … book.go       everything about books and their copies
//	ImportBooks     import.go     many books at once
//	Loans, Holds …  loan.go       loans, due dates, holds
//	Users, Me …     people.go     users, readers, the caller
//	Policy …        policy.go     the rules of the library, and its numbers
//	NewIdempotencyKey  idempotency.go  a POST is done once, although it may be sent again
//	Page            list.go       lists, page by page; an address in an answer is never followed
//	Error           apierror.go   a refusal of the service, or why there was no answer
//
// # The way of a token
//
//	Discover        provider.go   the provider's endpoints, and a check of its name
//	a grant         grant.go      client credentials, password (for tests), refresh; Revoke and EndSession end it
//	SignIn          signin.go     a person, a browser and a code; callback.go receives the answer,
//	                              idtoken.go checks the person
//	Source          source.go     keeps the access token fresh
//	Source.Client   transport.go  an HTTP client with the token for one host and no other
//
// A program calls [Discover], gets a token by [Provider.SignIn] or
// [Provider.ClientCredentials], and gives it to [NewSource], with a way to renew
// it. The [Source.Client] of a [Source] is an ordinary HTTP client, and [New]
// takes one.
//
// # Guarantees
//
// Answers of a provider are bounded in size and time, and must be JSON
// (http.go). Errors are in our own words (error.go): they hold no
// token, no secret, and no text of the provider. Nothing is logged. A token
// prints without its value.
//
// Start reading at [New] and [Discover].
package client
