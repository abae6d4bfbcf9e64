package library

import (
	"context"
	"time"
)

// HousekeepingStore is what a store does for housekeeping.
type HousekeepingStore interface {
	// Alone runs fn unless another program is in Alone with the same lock, and
	// reports whether it did. The database gives the lock up when the program
	// dies.
	Alone(ctx context.Context, l Lock, fn func(context.Context) error) (ran bool, err error)
	// Unsettled returns up to most books in which something is due: a ready hold
	// whose time is over, the longest first, or a free copy while somebody waits.
	// Since is when the first of the holds was to end, zero if there is none.
	Unsettled(ctx context.Context, now time.Time, most int) (books []string, since time.Time, err error)
	// IndexBooks makes the words of books that are searched for where a program has not
	// made them that knew less of a book, for a while.
	IndexBooks(ctx context.Context) error
	// DivideTitles brings up to date what makes searches for common words fast, if it
	// is time to.
	DivideTitles(ctx context.Context) error
}
