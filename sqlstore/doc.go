// Package sqlstore keeps the library in a SQL database: SQLite or PostgreSQL.
// It is the only package that knows SQL, and it implements [library.Store].
//
// Start reading at [Open] in store.go. Each noun has its file: book.go, copy.go,
// loan.go, hold.go and so on. A transaction is in tx.go; what it loads to decide
// about a loan, and what it saves, in circulation.go and writer.go; what a viewer
// is to know of a book in viewer.go. How lists are found and put in order is in
// list.go, selection.go and search.go, the schema in migrations/. There is one
// SQL text for both databases. Where they differ, the [dialect] says how:
// sqlite_dialect.go and postgres_dialect.go. All that one database alone needs
// is in the files that begin with its name. How long anything may take on a
// database that is broken is in patience.go, what is run again in pool.go, who
// waits for whom in turns.go.
package sqlstore
