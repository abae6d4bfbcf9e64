// Package sqlstore keeps the library in a SQL database: SQLite or PostgreSQL. It holds
// the records and their SQL, and implements [library.Store].
//
// Start reading at [Open] in store.go. Each noun has its file: book.go, copy.go,
// loan.go, hold.go and so on. A transaction is in tx.go; what it loads to decide
// about a loan, and what it saves, in circulation.go and writer.go, and for several
// transactions at once in group.go; how it publishes events, and what caches must read
// again, in publish.go; what a viewer is to know of a book in viewer.go. The schema is in
// migrations/ and tables.go. There is one SQL text for both databases. Where they differ,
// the [engine.Dialect] says how.
//
// How books are found is in package finding: lists, counts, relevance, facets, suggestions.
// What the library tells others, by mail and by web hooks, is in package outbox. Both are parts of
// [Store].
//
// What a database has to offer is [engine.Engine]. What only one of them needs is in
// packages sqlite and postgres, which know nothing of records.
package sqlstore
