// Package library is the domain: books, users, the loans between them, and the
// rules about who may do what. It knows nothing of HTTP, tokens or SQL. Of this
// module it imports packages that know nothing of lending: internal/pagination reads
// long lists in batches, internal/calendar counts days, internal/isbn compares ISBNs,
// internal/language knows the codes of languages, internal/fulltext divides texts into
// words, internal/validation says what is wrong with a field, and internal/revcache defines
// a [Revision], by which caches outside the domain know what has changed.
//
// Start reading at [Service]: every operation is one of its methods, takes the
// caller as an [Actor], and either succeeds or returns an [*Error] with a stable
// code. The rules of lending are in circulation.go: decisions over records that are loaded,
// without a store. Each noun has its file (book.go, user.go, loan.go, change.go) with its
// part of the [Store] interface, which is what a database has to offer; package
// sqlstore implements it and package storetest tests any implementation.
// A book's fields are in book_fields.go, permissions in role.go, what a search matches
// in search.go. idempotency.go, pagination.go and revision.go are no nouns
// of lending; each says why it is here.
//
// Parts of the domain with a subject of their own import this package: accession and roster
// decide about the rows of an import, which import_run.go runs here, because every change
// begins in [Service]; admission lets people in; outgoing makes mails of notices,
// hook makes events for other programs, finding helps to find books, and statistics counts how the
// library is used.
package library
