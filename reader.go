package library

import (
	"context"
	"errors"
	"slices"

	"example.org/library/internal/fulltext"
	"example.org/library/internal/isbn"
	"example.org/library/internal/pagination"
)

// Person is a user as far as other people may see one.
type Person struct {
	ID        string
	FirstName string
	LastName  string
	Group     string // see UserFields
	Version   string
}

// Reader is a person as the desk sees one. Users that are programs are none; see ServiceAddress.
type Reader struct {
	Person
	Card     string // "" for none
	Inactive bool   // see UserFields: nothing more is lent to them
	Loans    int    // open ones
	Overdue  int    // of those
	Holds    int    // active ones whose time is not over, whether that has been noted or not

	Unreachable bool // by mail: the address is refused. A store does not say it; see MailProblems
}

// ReaderQuery says which readers to list, by last name. The zero value is all.
//
// Those who look for readers are not shown e-mail addresses, and must not find one
// out letter by letter. So Terms are looked for in the name alone, and of an
// address only the whole finds its reader.
type ReaderQuery struct {
	UserQuery
	Email string // beside Terms: who has this address matches as well
	Card  string // "" for no matter which
}

// FindsName reports whether a name has all the Terms.
func (q ReaderQuery) FindsName(p Person) bool {
	words := fulltext.Index(p.FirstName, p.LastName)
	return !slices.ContainsFunc(q.Terms, func(t Term) bool { return !t.Matches(words) })
}

// ReaderStore is what a store does with readers. Now decides what is overdue,
// and which holds are over.
type ReaderStore interface {
	Readers(ctx context.Context, q ReaderQuery) ([]Reader, error)
	CountReaders(ctx context.Context, q ReaderQuery) (int, error)
}

// Readers lists readers for the desk, in the order of Users.
func (s *Service) Readers(ctx context.Context, a Actor, q ReaderQuery) (List[Reader], error) {
	if err := a.Authorize(Curate); err != nil {
		return List[Reader]{}, err
	}
	q.Now = s.now()
	return pagination.Read(pager[Reader]{
		Limit: q.Limit, After: q.After,
		Count: func() (int, error) { return s.store.CountReaders(ctx, q) },
		Read: func(limit, _ int, after *Cursor) ([]Reader, error) {
			q.Limit, q.After = limit, after
			return s.readers(ctx, q)
		},
		Show:   func(r Reader) Reader { return r },
		Bytes:  func(r Reader) int { return 256 + len(r.FirstName) + len(r.LastName) },
		Cursor: Reader.Cursor,
	})
}

// readers are those of the store, with whether mails reach them: at the desk somebody can ask for another address.
func (s *Service) readers(ctx context.Context, q ReaderQuery) ([]Reader, error) {
	readers, err := s.store.Readers(ctx, q)
	if err != nil {
		return nil, err
	}
	problems, err := mailProblemsOf(ctx, s, readers, func(r Reader) string { return r.ID })
	for i := range readers {
		_, readers[i].Unreachable = problems[readers[i].ID]
	}
	return readers, err
}

// Cursor is the place of the reader in a list.
func (r Reader) Cursor() Cursor {
	return Cursor{Order: ByLastName, LastName: r.LastName, FirstName: r.FirstName, ID: r.ID}
}

// Scanned is what a scanner has read: a copy with its book, a reader, or books
// with an ISBN. One of them is there.
type Scanned struct {
	Copy   *Copy
	Book   *Book // of the copy
	Reader *Reader
	Books  []Book
}

// maxScanned is how many books with one ISBN a scan returns.
const maxScanned = 100

// Scan finds what a code stands for: a barcode before a card, a card before an
// ISBN. Only curators find people.
func (s *Service) Scan(ctx context.Context, a Actor, code string) (Scanned, error) {
	if IsCode(code) {
		found, err := s.scanCopy(ctx, a, code)
		if !errors.Is(err, ErrUnknownCode) {
			return found, err
		}
		if a.Has(RoleCurator) {
			readers, err := s.readers(ctx, ReaderQuery{UserQuery: UserQuery{Limit: 1, Now: s.now()}, Card: code})
			if err != nil {
				return Scanned{}, err
			}
			if len(readers) > 0 {
				return Scanned{Reader: &readers[0]}, nil
			}
		}
	}
	number := isbn.Key(code)
	if number == "" || len(code) > MaxISBN {
		return Scanned{}, ErrUnknownCode
	}
	books, err := s.store.Books(ctx, BookQuery{ISBN: number, Order: ByTitle, Limit: maxScanned, Viewer: a.User.ID})
	if err != nil {
		return Scanned{}, err
	}
	if len(books) == 0 {
		return Scanned{}, ErrUnknownCode
	}
	for i := range books {
		books[i] = s.show(a, books[i])
	}
	return Scanned{Books: books}, nil
}

// scanCopy finds the copy with a barcode. Callers who are not staff learn no
// more of the copy than its name.
func (s *Service) scanCopy(ctx context.Context, a Actor, barcode string) (Scanned, error) {
	c, err := s.store.CopyByBarcode(ctx, barcode)
	if err != nil {
		return Scanned{}, insteadOf(err, ErrCopyNotFound, ErrUnknownCode)
	}
	b, err := s.store.Book(ctx, c.BookID, a.User.ID)
	if err != nil {
		return Scanned{}, insteadOf(err, ErrBookNotFound, ErrUnknownCode)
	}
	b = s.show(a, b)
	if !a.IsStaff() {
		c = Copy{ID: c.ID, CopyFields: CopyFields{Barcode: c.Barcode}}
	}
	c, err = s.showCopy(ctx, c)
	return Scanned{Copy: &c, Book: &b}, err
}
