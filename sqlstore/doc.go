// Package sqlstore keeps the library in a SQL database: SQLite or PostgreSQL. It holds
// the records and their SQL, and implements [library.Store].
//
// Start reading at [Open] in store.go. Each noun has its file: book.go, copy.go,
// loan.go, hold.go and so on. A transaction is in tx.go, with its decisions about loans
// in circulation.go and writer.go; how it publishes events, and tells caches of changes,
// in publish.go; a book as a viewer sees it in viewer.go. The schema is in
// migrations/ and tables.go. There is one SQL text for both databases. Where they differ,
// the [engine.Dialect] says how.
//
// How books are found is in package booksearch: lists, counts, relevance, facets, suggestions.
// Mails and web hooks are in package outbox. Both are parts of
// [Store].
//
// A database offers an [engine.Engine]. The parts for one of them alone are in
// packages sqlite and postgres. They know nothing of records.
package sqlstore
