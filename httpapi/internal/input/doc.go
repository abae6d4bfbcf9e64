// Package input reads what callers send: the parameters of a query string ([Query]) and the
// members of a JSON object ([Fields]). A handler takes what it knows, by name and kind, and
// asks for the error once, at the end: it names everything that is wrong, not only the first.
package input
