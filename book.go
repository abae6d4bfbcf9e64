package library

import (
	"context"
	"time"
)

// Limits of a book's fields, in code points.
const (
	MaxTitle       = 255
	MaxISBN        = 20
	MaxDescription = 10_000
	MaxAuthors     = 50
	MaxAuthor      = 255
)

// Book is a book of the library together with its open loan, if there is one.
type Book struct {
	ID string
	BookFields
	Created time.Time
	Version string // another one after each edit; lending leaves it alone
	Loan    *Loan  // the open loan; nil while the book is free
}

// BookFields is what curators edit.
type BookFields struct {
	Title       string
	ISBN        string
	Description string
	Authors     []string
}

// BookQuery says which books to list. The zero value is all of them by title.
type BookQuery struct {
	Terms      []Term // in title, authors, description or ISBN
	Authors    []Term // in the authors
	ISBN       string // an ISBNKey
	IDStart    string // beginning of the identifier, see ParseIDStart
	Borrowed   *bool
	BorrowedBy string   // identifier of the user who has the books now
	IDs        []string // only these; nil for no matter which
	Order      Order
	Total      int // how many match, where CountBooks has said so: a hint at the fastest way to read them
	Limit      int // 0 for no limit
	Weight     int // bytes; after the book with which the weight of all reaches it, no more are returned; 0 for no bound
	After      *Cursor
	Brief      bool // without what a cursor does not need, to find out quickly which books there are
}

// BookStore is what a store does with books.
type BookStore interface {
	Book(ctx context.Context, id string) (Book, error)
	// Books returns up to q.Limit books after q.After in q.Order, fewer if they
	// reach q.Weight before.
	Books(ctx context.Context, q BookQuery) ([]Book, error)
	// CountBooks counts the books that match, whatever q.Limit and q.After.
	CountBooks(ctx context.Context, q BookQuery) (int, error)
	// FindBooks returns the books that have one of the keys, the oldest first. Of
	// those with one title, or one ISBN, it returns no more than MaxAlike+1.
	// Loans are left out.
	FindBooks(ctx context.Context, keys BookKeys) ([]Book, error)
}

// BookTx is what a store does with books inside a transaction.
type BookTx interface {
	AddBook(ctx context.Context, b Book) error // ErrIdentifierTaken
	UpdateBook(ctx context.Context, b Book) error
	DeleteBook(ctx context.Context, id string) error // its loans stay

	// FindBooks, AddBooks and UpdateBooks are for many books at once. The books
	// that are found are locked if they are read for an update.
	FindBooks(ctx context.Context, keys BookKeys, forUpdate bool) ([]Book, error)
	AddBooks(ctx context.Context, books []Book) error // ErrIdentifierTaken
	UpdateBooks(ctx context.Context, books []Book) error
}

// Borrowed reports whether somebody has the book now.
func (b Book) Borrowed() bool { return b.Loan != nil }

// Weight is about how many bytes the book takes in memory.
func (b Book) Weight() int {
	const (
		record = 512 // the book, its loan and borrower, and what allocating them costs
		author = 32
	)
	return record + author*len(b.Authors) + b.textBytes()
}

// textBytes is how many bytes of text the fields have.
func (f BookFields) textBytes() int {
	n := len(f.Title) + len(f.ISBN) + len(f.Description)
	for _, author := range f.Authors {
		n += len(author)
	}
	return n
}

// normalize cuts white space and reports everything that is wrong with the fields.
func (f *BookFields) normalize() error {
	var bad problems
	f.Title = bad.requiredLine("title", f.Title, MaxTitle)
	f.ISBN = bad.line("isbn", f.ISBN, MaxISBN)
	f.Description = bad.text("description", f.Description, MaxDescription)
	f.Authors = bad.authors(f.Authors)
	return bad.err()
}

// Check reports everything that is wrong with the fields.
func (f BookFields) Check() []Detail { return details(f.normalize()) }

// seenBy hides the borrower from those whom it does not concern.
func (b Book) seenBy(a Actor) Book {
	if b.Loan == nil || b.Loan.Borrower.ID == a.User.ID || a.seesBorrowers() {
		return b
	}
	b.Loan = &Loan{ID: b.Loan.ID}
	return b
}

// Book returns one book.
func (s *Service) Book(ctx context.Context, a Actor, id string) (Book, error) {
	if err := a.Authorize(Read); err != nil {
		return Book{}, err
	}
	b, err := s.store.Book(ctx, id)
	if err != nil {
		return Book{}, err
	}
	return b.seenBy(a), nil
}

// Books lists books. Which of them are on a page (q.Limit > 0) is settled when
// Books returns; books are read in batches as the caller takes them.
func (s *Service) Books(ctx context.Context, a Actor, q BookQuery) (List[Book], error) {
	if err := a.Authorize(Read); err != nil {
		return List[Book]{}, err
	}
	return s.books(ctx, a, q)
}

// BooksOf lists the books that the actor has now.
func (s *Service) BooksOf(ctx context.Context, a Actor) (List[Book], error) {
	return s.books(ctx, a, BookQuery{BorrowedBy: a.User.ID})
}

func (s *Service) books(ctx context.Context, a Actor, q BookQuery) (List[Book], error) {
	if q.Order == "" {
		q.Order = ByTitle
	}
	return list(pager[Book]{
		limit: q.Limit,
		count: func() (n int, err error) {
			n, err = s.store.CountBooks(ctx, q)
			q.Total = n
			return n, err
		},
		read: func(limit, weight int, after *Cursor) ([]Book, error) {
			q := q
			q.Limit, q.Weight = limit, weight
			if after != nil {
				q.After = after
			}
			return s.store.Books(ctx, q)
		},
		brief: func(limit int) ([]Book, error) {
			q := q
			q.Limit, q.Brief = limit, true
			return s.store.Books(ctx, q)
		},
		among: func(ids []string) ([]Book, error) {
			return s.store.Books(ctx, BookQuery{IDs: ids, Order: q.Order, Weight: batchWeight})
		},
		id:     func(b Book) string { return b.ID },
		show:   func(b Book) Book { return b.seenBy(a) },
		weigh:  Book.Weight,
		cursor: func(b Book) Cursor { return b.cursor(q.Order) },
	})
}

// AddBook adds a book. An empty id asks for a new one.
func (s *Service) AddBook(ctx context.Context, a Actor, id string, f BookFields) (Book, error) {
	if err := a.Authorize(Curate); err != nil {
		return Book{}, err
	}
	if err := f.normalize(); err != nil {
		return Book{}, err
	}
	b := Book{ID: orNewID(id), BookFields: f, Created: s.now(), Version: newVersion()}
	err := s.change(ctx, a, Curate, scope{}, func(tx Tx, _ Actor, _ Circulation) error { return tx.AddBook(ctx, b) })
	return b, err
}

// EditBook replaces a book's fields. It fails with ErrOutdated unless pre
// accepts the version that is being replaced.
func (s *Service) EditBook(ctx context.Context, a Actor, id string, f BookFields, pre Precondition) (Book, error) {
	if err := a.Authorize(Curate); err != nil {
		return Book{}, err
	}
	if err := f.normalize(); err != nil {
		return Book{}, err
	}
	var edited Book
	err := s.change(ctx, a, Curate, scope{book: id}, func(tx Tx, a Actor, c Circulation) error {
		b, err := c.Edit(f, pre)
		if err != nil {
			return err
		}
		edited = b.seenBy(a)
		return tx.UpdateBook(ctx, b)
	})
	return edited, err
}

// DeleteBook deletes a book that nobody has borrowed. Its past loans stay.
func (s *Service) DeleteBook(ctx context.Context, a Actor, id string, pre Precondition) error {
	return s.change(ctx, a, Curate, scope{book: id}, func(tx Tx, _ Actor, c Circulation) error {
		if err := c.Delete(pre); err != nil {
			return err
		}
		return tx.DeleteBook(ctx, id)
	})
}

func (b Book) cursor(o Order) Cursor {
	return Cursor{Order: o, Title: b.Title, Created: b.Created, ID: b.ID}
}
