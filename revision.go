package library

import "example.org/library/internal/revcache"

// Facts for caches outside the domain: revisions, the effect of lending on queries, and callers with
// the same view of a book. They are here because they follow from the rules of lending and visibility.

// Revision is a state of the whole store. Two equal revisions mean that nothing has changed in
// between. A [revcache.Cache] keeps records read after a revision was learned, until the store changes
// them.
type Revision = revcache.Revision

// RevisionSubject returns the name of a book in a revision: the last part of its UUID. Two books with
// the same name cost a cached response and nothing else.
func RevisionSubject(bookID string) string {
	const length = 12
	return bookID[max(0, len(bookID)-length):]
}

// LendingChanges reports whether lending may change the set of matches of a query, not only their
// stock.
func LendingChanges(q BookQuery) bool {
	return q.Borrowed != nil || q.Available != nil || q.BorrowedBy != ""
}

// ViewKey is equal for two actors exactly if both see every book alike. Caches of responses must have
// it in their keys.
func (a Actor) ViewKey() string {
	if a.IsStaff() {
		return "staff " + a.User.ID
	}
	return a.User.ID
}

// CommonView is equal for two actors if both see every book alike, except their own loans and holds:
// see [Book.LooksAlike].
func (a Actor) CommonView() string {
	if a.IsStaff() {
		return staffView
	}
	return readersView
}

const staffView, readersView = "staff", "readers"

// CommonViews returns all values of [Actor.CommonView].
func CommonViews() []string { return []string{readersView, staffView} }

// LooksAlike reports whether all actors with one [Actor.CommonView] see the book alike, except
// b.Readers.
func (b Book) LooksAlike() bool {
	return len(b.Readers) == b.Stock.Lent+b.Stock.Waiting+b.Stock.Ready
}
