// Package service has the operations of the library. The nouns and the rules are in package library,
// at the root, without an open store and a clock. An operation loads records, asks a rule, and saves
// its decision.
//
// Start reading at [Service]: every operation is one of its methods, takes the caller as a
// [library.Actor], and either succeeds or returns a [*library.Error] with a stable code. Each noun has
// its file, as at the root. Every change goes through change in transaction.go: it begins the
// transaction and judges the caller in it; lending goes through circulate (circulate.go).
// idempotency.go lets a request be repeated, import_run.go runs imports with the decisions of packages
// bookimport and userimport, and housekeeping.go does the work that becomes due without a request.
package service
