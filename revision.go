package library

import "example.org/library/internal/revcache"

// What caches outside the domain must know: when something has changed, which books
// lending has changed, whether that changes the result of a query, and who sees the same.
// It is here because only the domain knows what lending changes and who sees what.

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

// ViewKey is equal for two actors exactly if both see the same of every book. A
// cache of anything that was shown to an actor must have it in its key.
func (a Actor) ViewKey() string {
	if a.IsStaff() {
		return "staff " + a.User.ID
	}
	return a.User.ID
}

// CommonView is equal for two actors if both see the same of every book that
// concerns neither of them: see [Book.LooksAlike].
func (a Actor) CommonView() string {
	if a.IsStaff() {
		return staffView
	}
	return readersView
}

const staffView, readersView = "staff", "readers"

// CommonViews are all values of [Actor.CommonView].
func CommonViews() []string { return []string{readersView, staffView} }

// LooksAlike reports whether all actors with one [Actor.CommonView] see the same of the
// book, except those in b.Readers.
func (b Book) LooksAlike() bool {
	return len(b.Readers) == b.Stock.Lent+b.Stock.Waiting+b.Stock.Ready
}
