// Package service is everything that can be done with the library: its operations. The nouns and the
// rules are in package library, at the root; they know no store that is open and no clock. Here the
// records are loaded, a rule is asked, and what it decides is saved.
//
// Start reading at [Service]: every operation is one of its methods, takes the caller as a
// [library.Actor], and either succeeds or returns a [*library.Error] with a stable code. Each noun has its
// file, as at the root. What changes the library goes through change in transaction.go, which begins
// the transaction of every change that a caller makes and judges the caller in it; lending goes through circulate (circulate.go). idempotency.go lets a request be repeated, import_run.go
// runs imports, about whose rows packages accession and roster decide, and housekeeping.go does what
// becomes due without a request.
package service
