// Package client is the Go client of the library. One half of it calls the
// library service; the other gets the tokens that the service requires, from
// the OpenID provider that the service trusts.
//
// # The way of a call
//
//	New             api.go        one call: its address, its limits, its answer
//	Books, Borrow … book.go       everything that can be done with books
//	ImportBooks     import.go     many books at once
//	Loans, Holds …  loan.go       what is lent, when it is due, who waits; hold.go, copy.go
//	Code, Readers … desk.go       what the desk asks: scanned codes, readers
//	Policy …        policy.go     the rules of the library, and its numbers
//	Users …         user.go       everything that admins do with users
//	Me …            me.go         the caller
//	NewIdempotencyKey  idempotency.go  a POST is done once, although it may be sent again
//	Page            list.go       lists, page by page; an address in an answer is never followed
//	Error           apierror.go   what the service refused, or why there was no answer
//
// # The way of a token
//
//	Discover        provider.go   where the provider's endpoints are, and that it is the right one
//	a grant         grant.go      client credentials, password (for tests), refresh
//	SignIn          signin.go     a person, a browser and a code; callback.go receives the answer,
//	                              idtoken.go checks who it was
//	Source          source.go     keeps the access token fresh
//	Source.Client   transport.go  an HTTP client that shows the token to one host and no other
//	Revoke          revoke.go     the end
//
// A program calls [Discover], gets a token by [Provider.SignIn] or
// [Provider.ClientCredentials], and gives it to [NewSource], with a way to renew
// it. The [Source.Client] of a [Source] is an ordinary HTTP client, and [New]
// takes one.
//
// # What can be relied on
//
// Everything that a provider sends is bounded in size and time, and what is not
// JSON is not looked at (http.go). Errors are in our own words (error.go,
// certificate.go): they hold no token, no secret, and no text that the provider
// made up. Nothing is logged. A token prints as what it is, not as its value.
//
// Start reading at [New] and [Discover].
package client
