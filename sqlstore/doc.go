// Package sqlstore keeps the library in a SQL database: SQLite or PostgreSQL.
// It is the only package that knows SQL, and it implements [library.Store].
//
// Start reading at [Open] in store.go. What is written is in book.go, user.go
// and loan.go, the transaction around it in tx.go; how lists are found and put
// in order in list.go and search.go; the schema in migrations/. There is one
// SQL text for both databases. Where they differ, the [dialect] says how:
// sqlite_dialect.go and postgres_dialect.go. All that one database alone needs
// is in the files that begin with its name.
package sqlstore
