// Package httpapi is the HTTP API of the library: it turns requests into calls of
// [service.Service] and their results into answers.
//
// Start reading at [Server.serve] in server.go, the life of a request from top to
// bottom: path sanity, CORS, authentication, routing,
// authorization, handler. routes.go is the table of all
// routes. Handlers are in the file of their noun (book.go, copy.go, loan.go,
// hold.go, user.go, reader.go, me.go, barcode.go, policy.go, statistics.go), with
// the noun's form on the wire, and return errors; errors.go is the one
// place where an error becomes a status and a body.
//
// Requests are read by internal/input: the parameters of a query string and the members of
// a JSON object, by name and kind, with all mistakes. Files of
// imports are read by internal/importfile.
//
// Mechanisms have files of their own, and packages where they are a subject of their
// own: the response cache (cache.go, internal/responsecache), load shedding
// (loadshed.go, and the package loadshed in the module's internal folder), idempotency
// keys (idempotency.go), and event streams, the one answer without an end (events.go is
// the life of one stream, internal/feed reads the changes for all of them).
package httpapi
