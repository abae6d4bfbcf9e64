package library

import (
	"context"
	"time"
)

// Book is a book of the library, with how many copies there are, and what one
// viewer is to know of its loans and holds.
type Book struct {
	ID string
	BookFields
	Created time.Time
	Version string // another one after each edit; lending leaves it alone
	Cover   string // the version of its cover; "" for none
	Stock   Stock
	Shelves []string // where its lendable copies stand, see OrderShelves
	Loan    *Loan    // the viewer's open loan, or that of the only one who has the book
	Hold    *Hold    // the viewer's active hold
	// Readers are the identifiers of those who have the book or wait for it; nobody is
	// shown them. Caches must know whose view of the book differs from that of others
	// (revision.go), as of the moment at which the rest of it was read, so they are
	// read with it. They are left out where they are many, and where the viewer is nobody.
	Readers []string
	Class   Class // in a list by relevance: how well the book fits the question
}

// BookQuery says which books to list. The zero value is all of them by title.
type BookQuery struct {
	Terms      []Term   // in any field that is searched for words
	Phrases    []string // the question, as RankedQuestion makes it; for ByRelevance
	Question   string   // what the terms were parsed from
	Fuzzy      bool     // the question may be corrected, see package finding
	Corrected  string   // what it was corrected to; "" if it was not
	Authors    []Term   // in the authors
	ISBN       string   // an isbn.Key
	IDStart    string   // beginning of the identifier, see ParseIDStart
	Borrowed   *bool
	Available  *bool
	Language   string   // a LanguageCode
	Subjects   []string // each a SubjectKey: those that the books have, among others
	Series     string   // a SubjectKey
	From, To   int      // years, inclusive; 0 for no bound. Books without a year are in no such list
	BorrowedBy string   // identifier of the user who has the books now
	IDs        []string // only these, whatever words they have; nil for no matter which
	Order      Order
	Limit      int // 0 for no limit
	After      *Cursor
	Stranger   bool   // nobody knows who asks: what is kept for strangers is kept apart
	Viewer     string // identifier of the user whose loans and holds the books come with; "" for nobody's
}

// BookBatch says how a store reads one batch of a list. It changes how many books
// are returned and how fast, never which ones.
type BookBatch struct {
	Total    int  // how many books match, as CountBooks has said; 0 if it is not known
	MaxBytes int  // after the book with which the Weight of all reaches it, no more are returned; 0 for no bound
	KeysOnly bool // the books have only what a cursor needs
}

// BookStore is what a store does with books.
type BookStore interface {
	// Book returns one book with the loan and the hold of a viewer (identifier of
	// a user, "" for nobody), or with the loan of the only one who has it.
	Book(ctx context.Context, id, viewer string) (Book, error)
	// BooksByID returns several in the same way, each at the place of its
	// identifier. An empty one stands for a book that does not exist.
	BooksByID(ctx context.Context, viewer string, ids ...string) ([]Book, error)
	// Books returns up to q.Limit books after q.After in q.Order.
	Books(ctx context.Context, q BookQuery) ([]Book, error)
	// BooksInBatch is Books for a list that is read in batches.
	BooksInBatch(ctx context.Context, q BookQuery, b BookBatch) ([]Book, error)
	// CountBooks counts the books that match, whatever q.Limit and q.After.
	CountBooks(ctx context.Context, q BookQuery) (int, error)
	// FindBooks returns the books that have one of the keys, the oldest first. Of
	// those with one title, or one ISBN, it returns no more than MaxAlike+1.
	// Loans are left out.
	FindBooks(ctx context.Context, keys BookKeys) ([]Book, error)
	// FindCopies says which books have the barcodes, and how many copies books have.
	FindCopies(ctx context.Context, barcodes, bookIDs []string) (FoundCopies, error)
}

// BookTx is what a store does with books inside a transaction.
type BookTx interface {
	// AddBook adds a book with as many new, lendable copies as b.Stock.Copies.
	// ErrIdentifierTaken
	AddBook(ctx context.Context, b Book) error
	UpdateBook(ctx context.Context, b Book) error
	DeleteBook(ctx context.Context, id string) error // its copies go, its loans and holds stay

	// FindBooks, AddBooks and UpdateBooks are for many books at once. The books
	// that are found are locked if they are read for an update.
	FindBooks(ctx context.Context, keys BookKeys, forUpdate bool) ([]Book, error)
	AddBooks(ctx context.Context, books []Book) error // ErrIdentifierTaken
	UpdateBooks(ctx context.Context, books []Book) error
	FindCopies(ctx context.Context, barcodes, bookIDs []string) (FoundCopies, error)
	// LabelCopies labels copies of books that this transaction has added. ErrBarcodeTaken
	LabelCopies(ctx context.Context, labels []CopyLabel) error
}

// Weight is about how many bytes the book takes in memory.
func (b Book) Weight() int {
	const (
		record = 512 // the book, its loan and borrower, and what allocating them costs
		author = 32
	)
	weight := record + author*(len(b.Authors)+len(b.Shelves)) + b.TextBytes()
	for _, shelf := range b.Shelves {
		weight += len(shelf)
	}
	return weight
}

// BookRef is a book as loans and holds remember it.
type BookRef struct {
	ID      string // "" if the book has been deleted
	Title   string
	Authors []string
}

func (b Book) ref() BookRef { return BookRef{ID: b.ID, Title: b.Title, Authors: b.Authors} }

// Weight is about how many bytes the reference takes in memory.
func (b BookRef) Weight() int {
	return BookFields{Title: b.Title, Authors: b.Authors}.TextBytes() + 32*len(b.Authors)
}

// SeenBy hides other people's loans from those whom they do not concern.
func (b Book) SeenBy(a Actor, now time.Time) Book {
	switch {
	case b.Loan == nil:
	case a.Sees(b.Loan.Borrower):
		l := b.Loan.at(now)
		b.Loan = &l
	default:
		b.Loan = nil
	}
	return b
}

// OwnLoan is the loan of a user who has the book, nil for anybody else.
func (b Book) OwnLoan(userID string) *Loan {
	if b.Loan == nil || b.Loan.Borrower.ID != userID {
		return nil
	}
	return b.Loan
}

// CheckCopies reports what is wrong with a number of copies to begin with.
func CheckCopies(n int) []Detail {
	var bad problems
	bad.Within("copies", n, 0, MaxCopies)
	return bad.Problems
}

// Cursor is the place of the book in a list.
func (b Book) Cursor(o Order) Cursor {
	return Cursor{Order: o, Title: b.Title, Created: b.Created, Published: b.Published, Class: b.Class, ID: b.ID}
}
