package library

import "example.org/library/internal/revcache"

// What caches outside the domain must know: when something has changed, which books
// lending has changed, and whether that changes the result of a query.

// Revision is a state of the whole store. Two equal revisions mean that nothing has
// changed in between. What was read from the store after a revision was learned is
// kept in a [revcache.Cache], which knows how long it is good.
type Revision = revcache.Revision

// RevisionSubject is the name under which a store says that lending has changed a
// book from one revision to the next: the last part of its UUID. Two books with the
// same one are taken for one, which costs a cached response and nothing else.
func RevisionSubject(bookID string) string {
	const length = 12
	return bookID[max(0, len(bookID)-length):]
}

// LendingChanges reports whether lending may change which books match a query, not
// only what is shown of them.
func LendingChanges(q BookQuery) bool {
	return q.Borrowed != nil || q.Available != nil || q.BorrowedBy != ""
}
