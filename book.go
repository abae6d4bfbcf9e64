package library

import (
	"cmp"
	"context"
	"time"

	"example.org/library/internal/pagination"
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

func (s *Service) show(a Actor, b Book) Book { return b.SeenBy(a, s.now()) }

// OwnLoan is the loan of a user who has the book, nil for anybody else.
func (b Book) OwnLoan(userID string) *Loan {
	if b.Loan == nil || b.Loan.Borrower.ID != userID {
		return nil
	}
	return b.Loan
}

// Book returns one book.
func (s *Service) Book(ctx context.Context, a Actor, id string) (Book, error) {
	books, err := s.BooksByID(ctx, a, id)
	if err != nil {
		return Book{}, err
	}
	if books[0].ID == "" {
		return Book{}, ErrBookNotFound
	}
	return books[0], nil
}

// BooksByID returns several books, each at the place of its identifier. An empty
// one stands for a book that does not exist.
func (s *Service) BooksByID(ctx context.Context, a Actor, ids ...string) ([]Book, error) {
	if err := a.Authorize(Browse); err != nil {
		return nil, err
	}
	found, err := s.store.BooksByID(ctx, a.User.ID, ids...)
	if err != nil {
		return nil, err
	}
	books := make([]Book, len(found)) // what a store returns may be shared
	for i, b := range found {
		books[i] = s.show(a, b)
	}
	return books, nil
}

// Books lists books. Which of them are on a page (q.Limit > 0) is decided when
// Books returns; books are read in batches as the caller takes them.
func (s *Service) Books(ctx context.Context, a Actor, q BookQuery) (List[Book], error) {
	if err := a.Authorize(Browse); err != nil {
		return List[Book]{}, err
	}
	return s.books(ctx, a, q)
}

// BooksOf lists the books that the actor has now.
func (s *Service) BooksOf(ctx context.Context, a Actor) (List[Book], error) {
	return s.books(ctx, a, BookQuery{BorrowedBy: a.User.ID})
}

// relevantAhead is how many books of a whole list by relevance are found at once: with a filter,
// every time means to sort all that match.
const relevantAhead = 2000

func (s *Service) books(ctx context.Context, a Actor, q BookQuery) (List[Book], error) {
	if q.Order == "" {
		q.Order = ByTitle
	}
	q.Viewer, q.Stranger = a.User.ID, a.Stranger
	var total int
	ahead := 0
	if q.Order == ByRelevance {
		ahead = relevantAhead
	}
	return pagination.Read(pager[Book]{
		Limit: q.Limit, After: q.After,
		Count: func() (_ int, err error) {
			total, err = s.store.CountBooks(ctx, q)
			return total, err
		},
		Read: func(limit, maxBytes int, after *Cursor) ([]Book, error) {
			q.Limit, q.After = limit, after
			return s.store.BooksInBatch(ctx, q, BookBatch{Total: total, MaxBytes: maxBytes})
		},
		Ahead: ahead,
		ReadKeys: func(limit int, after *Cursor) ([]Book, error) {
			q.Limit, q.After = limit, after
			return s.store.BooksInBatch(ctx, q, BookBatch{Total: total, KeysOnly: true})
		},
		ReadIDs: func(ids []string) ([]Book, error) {
			q := BookQuery{IDs: ids, Order: q.Order, Viewer: q.Viewer, Terms: q.Terms, Phrases: q.Phrases}
			return s.store.BooksInBatch(ctx, q, BookBatch{MaxBytes: pagination.BatchBytes})
		},
		ID:    func(b Book) string { return b.ID },
		Show:  func(b Book) Book { return s.show(a, b) },
		Bytes: Book.Weight,
		Cursor: func(b Book) Cursor {
			c := b.Cursor(q.Order)
			c.Corrected = q.Corrected
			return c
		},
	})
}

// AddBook adds a book with some copies. An empty id asks for a new one.
func (s *Service) AddBook(ctx context.Context, a Actor, id string, f BookFields, copies int) (Book, error) {
	if err := cmp.Or(a.Precheck(Curate), f.Normalize()); err != nil {
		return Book{}, err
	}
	if bad := CheckCopies(copies); len(bad) > 0 {
		return Book{}, InvalidFields(bad...)
	}
	b := Book{ID: orNewID(id), BookFields: f, Created: s.now(), Version: NewVersion(), Stock: Stock{Copies: copies, Available: copies}}
	return addRecord(ctx, s, a, Curate, b, func(tx Tx) error { return tx.AddBook(ctx, b) })
}

// CheckCopies reports what is wrong with a number of copies to begin with.
func CheckCopies(n int) []Detail {
	var bad problems
	bad.Within("copies", n, 0, MaxCopies)
	return bad.Problems
}

// EditBook replaces a book's fields. It fails with ErrOutdated unless pre
// accepts the version that is being replaced.
func (s *Service) EditBook(ctx context.Context, a Actor, id string, f BookFields, pre Precondition) (Book, error) {
	if err := cmp.Or(a.Precheck(Curate), f.Normalize()); err != nil {
		return Book{}, err
	}
	var edited Book
	err := s.change(ctx, a, Curate, scope{book: id}, func(tx Tx, a Actor, c Circulation) error {
		b, err := c.Edit(f, pre)
		if err != nil {
			return err
		}
		edited = s.show(a, b)
		return tx.UpdateBook(ctx, b)
	})
	return edited, err
}

// DeleteBook deletes a book that nobody has or waits for, with its copies. Its
// past loans and holds stay.
func (s *Service) DeleteBook(ctx context.Context, a Actor, id string, pre Precondition) error {
	return s.change(ctx, a, Curate, scope{book: id}, func(tx Tx, _ Actor, c Circulation) error {
		_, err := s.decide(ctx, tx, c, s.now(), func(c Circulation, now time.Time) (Decision, error) { return c.Delete(pre, now) })
		if err != nil {
			return err
		}
		return tx.DeleteBook(ctx, id)
	})
}

// Cursor is the place of the book in a list.
func (b Book) Cursor(o Order) Cursor {
	return Cursor{Order: o, Title: b.Title, Created: b.Created, Published: b.Published, Class: b.Class, ID: b.ID}
}
