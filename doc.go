// Package library is the domain: books, users, the loans between them, and the
// rules about who may do what. It knows nothing of HTTP, tokens or SQL, and it
// imports no other package of this module.
//
// Start reading at [Service]: every operation is one of its methods, takes the
// caller as an [Actor], and either succeeds or returns an [*Error] with a stable
// code. Records and their validation are in book.go and user.go, lending in
// loan.go, permissions in role.go, what a search matches in search.go. What a
// database has to offer is the [Store] interface; package sqlstore implements
// it and package storetest holds any implementation to it.
package library
