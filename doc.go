// Package library is the domain: books, users, the loans between them, and the
// rules about who may do what. It knows nothing of HTTP, tokens or SQL, and begins no
// transaction. Of this module it imports packages that know nothing of lending:
// internal/calendar counts days, internal/isbn compares ISBNs, internal/language knows the codes of
// languages, internal/fulltext divides texts into words, internal/validation says what is wrong
// with a field, and internal/revcache defines a [Revision], by which caches outside the domain know what has
// changed.
//
// Start reading at [Circulation]: the rules of lending are its methods, decisions over
// records that are loaded, without a store. Each noun has its file (book.go, user.go, loan.go, change.go) with its
// part of the [Store] interface, which is what a database has to offer; package
// sqlstore implements it and package storetest tests any implementation.
// A book's fields are in book_fields.go, permissions in role.go, what a search matches
// in search.go. idempotency.go, pagination.go and revision.go are no nouns
// of lending: they are what a store keeps for requests that are repeated, places in lists, and what caches must know.
//
// Package service is the operations: it loads records, asks the rules and saves what they decide, for a caller
// who is an [Actor]. Parts of the domain with a subject of their own import this package, too: accession and roster
// decide about the rows of an import, admission lets people in, outgoing makes mails of notices,
// hook makes events for other programs, finding helps to find books, and statistics counts how the
// library is used.
package library
