// Package library is the domain: books, users, the loans between them, and the rules of lending and
// permission. It knows nothing of HTTP, tokens or SQL, and begins no transaction. Of this module it
// imports packages without any knowledge of lending: internal/calendar counts days,
// internal/isbn compares ISBNs, internal/language knows the codes of languages, internal/fulltext divides texts into
// words, internal/validation reports faults of fields, and internal/revcache defines a [Revision], the
// key by which caches notice changes.
//
// Start reading at [Circulation]: the rules of lending are its methods, decisions over loaded records,
// without a store. Each noun has its file (book.go, user.go, loan.go, change.go) with its part of the
// [Store] interface; package sqlstore implements it and package storetest tests any implementation. A
// book's fields are in book_fields.go, permissions in role.go, the matching of searches in search.go.
// Three files are not about lending: idempotency.go has the saved responses of repeated requests,
// pagination.go places in lists, and revision.go the facts that caches need.
//
// Package service has the operations: it loads records, asks the rules and saves their decisions, on
// behalf of an [Actor]. Parts of the domain with a subject of their own import this package, too:
// bookimport and userimport decide about the rows of an import, signin lets people in, notice writes
// and sends mails, webhook tells other programs, search helps to find books, and statistics counts the
// use of the library.
package library
