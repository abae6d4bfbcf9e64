package library

import (
	"cmp"
	"context"
	"slices"
	"time"

	"example.org/library/internal/validation"
)

// Book is a book of the library, with its number of copies and the loan and hold that one viewer may
// see.
type Book struct {
	ID string
	BookFields
	Created time.Time
	Version string // another one after each edit; lending leaves it alone
	Cover   string // the version of its cover; "" for none
	Stock   Stock
	Shelves []string // of its lendable copies, see OrderShelves
	Loan    *Loan    // the viewer's open loan, or the only open loan of the book
	Hold    *Hold    // the viewer's active hold
	// Readers are the identifiers of its borrowers and of the holders of its holds. They are never
	// shown: caches need them, because these readers see the book differently (revision.go), and must
	// learn them together with the rest of the book. They are left out where they are many, and for no
	// viewer.
	Readers []string
	Class   Class // in a list by relevance: how well the book fits the question
}

// BookQuery says which books to list. The zero value is all of them by title.
type BookQuery struct {
	Terms      []Term   // in any searched field
	Phrases    []string // the question, as RankedQuestion makes it; for ByRelevance
	Question   string   // the text of the terms
	Fuzzy      bool     // the question may be corrected, see package search
	Corrected  string   // the corrected question; "" without a correction
	Authors    []Term   // in the authors
	ISBN       string   // an isbn.Key
	IDStart    string   // beginning of the identifier, see ParseIDStart
	Borrowed   *bool
	Available  *bool
	Language   string   // a LanguageCode
	Subjects   []string // each a SubjectKey; books must have all of them
	Series     string   // a SubjectKey
	Kind       string   // one of BookKinds
	From, To   int      // years, inclusive; 0 for no bound. Books without a year are in no such list
	BorrowedBy string   // identifier of the borrower
	IDs        []string // only these, whatever their words; nil for any
	Order      Order
	Limit      int // 0 for no limit
	After      *Cursor
	Coarse     bool   // by relevance: the classes from InTitle on count as one, Unranked; see Rank
	Viewer     string // identifier of the user to show loans and holds of; "" for nobody
}

// BookBatch says how a store reads one batch of a list. It changes how many books
// are returned and how fast, never which ones.
type BookBatch struct {
	Total    int  // how many books match, as CountBooks has said; 0 if it is not known
	MaxBytes int  // stop after the book that brings the total Weight to it; 0 for no bound
	KeysOnly bool // the books have only the fields of a cursor
}

// BookStore reads books.
type BookStore interface {
	// Book returns one book with the loan and the hold of a viewer (identifier of a user, "" for
	// nobody), or with its only open loan.
	Book(ctx context.Context, id, viewer string) (Book, error)
	// Books returns up to q.Limit books after q.After in q.Order.
	Books(ctx context.Context, q BookQuery) ([]Book, error)
	// BooksInBatch returns the books of one batch of a long list.
	BooksInBatch(ctx context.Context, q BookQuery, b BookBatch) ([]Book, error)
	// CountBooks counts the matches, regardless of q.Limit and q.After. Of a query with Terms,
	// MaxCounted+1 stands for any number above MaxCounted.
	CountBooks(ctx context.Context, q BookQuery) (int, error)
	// FindBooks returns the books with one of the keys, the oldest first, and at most MaxAlike+1 for
	// one title or one ISBN. Loans are left out.
	FindBooks(ctx context.Context, keys BookKeys) ([]Book, error)
	// FindCopies returns the books of barcodes, and the numbers of copies of books.
	FindCopies(ctx context.Context, barcodes, bookIDs []string) (FoundCopies, error)
}

// BookTx reads and writes books inside a transaction.
type BookTx interface {
	// AddBook adds a book with as many new, lendable copies as b.Stock.Copies.
	// ErrIdentifierTaken
	AddBook(ctx context.Context, b Book) error
	UpdateBook(ctx context.Context, b Book) error
	DeleteBook(ctx context.Context, id string) error // its copies go, its loans and holds stay

	// FindBooks, AddBooks and UpdateBooks are for many books at once. With forUpdate, the books found
	// are locked.
	FindBooks(ctx context.Context, keys BookKeys, forUpdate bool) ([]Book, error)
	AddBooks(ctx context.Context, books []Book) error // ErrIdentifierTaken
	UpdateBooks(ctx context.Context, books []Book) error
	FindCopies(ctx context.Context, barcodes, bookIDs []string) (FoundCopies, error)
	// LabelCopies labels copies of books added in this transaction. ErrBarcodeTaken
	LabelCopies(ctx context.Context, labels []CopyLabel) error
}

// Weight estimates the bytes of the book in memory.
func (b Book) Weight() int {
	const (
		record = 512 // the book, its loan and borrower, with the overhead of allocation
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

// Weight estimates the bytes of the reference in memory.
func (b BookRef) Weight() int {
	return BookFields{Title: b.Title, Authors: b.Authors}.TextBytes() + 32*len(b.Authors)
}

// SeenBy hides other people's loans from readers.
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

// OwnLoan returns the user's loan of the book, or nil.
func (b Book) OwnLoan(userID string) *Loan {
	if b.Loan == nil || b.Loan.Borrower.ID != userID {
		return nil
	}
	return b.Loan
}

// CheckCopies returns the faults of an initial number of copies.
func CheckCopies(n int) []Detail {
	var bad problems
	bad.Within("copies", n, 0, MaxCopies)
	return bad.Problems
}

// Cursor returns the place of the book in a list.
func (b Book) Cursor(o Order) Cursor {
	return Cursor{Order: o, Title: b.Title, Created: b.Created, Published: b.Published, Class: b.Class, ID: b.ID}
}

// The kinds of books.
const (
	KindBook     = "book" // where nothing else is said
	KindAudio    = "audio"
	KindFilm     = "film"
	KindGame     = "game"
	KindMagazine = "magazine"
	KindMap      = "map"
	KindMusic    = "music"
	KindDevice   = "device"
	KindOther    = "other"
)

// BookKinds lists the kinds of books.
var BookKinds = []string{KindBook, KindAudio, KindFilm, KindGame, KindMagazine, KindMap, KindMusic, KindDevice, KindOther}

// kind checks the kind of a book; "" is none.
func (p *problems) kind(value string) {
	if value != "" && !slices.Contains(BookKinds, value) {
		p.Add(validation.UnknownValue("kind", BookKinds))
	}
}

// Complete returns the fields of a whole book: one without a kind is a KindBook.
func (f BookFields) Complete() BookFields {
	f.Kind = cmp.Or(f.Kind, KindBook)
	return f
}
