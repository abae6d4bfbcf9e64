package service

import (
	"cmp"
	"context"
	"errors"

	"example.org/library"
	"example.org/library/internal/pagination"
)

// Readers lists readers for the desk, in the order of Users.
func (s *Service) Readers(ctx context.Context, a library.Actor, q library.ReaderQuery) (List[library.Reader], error) {
	if err := a.Authorize(library.Curate); err != nil {
		return List[library.Reader]{}, err
	}
	q.Now = s.now()
	return pagination.Read(pager[library.Reader]{
		Limit: q.Limit, After: q.After,
		Count: func() (int, error) { return s.store.CountReaders(ctx, q) },
		Read: func(limit, _ int, after *library.Cursor) ([]library.Reader, error) {
			q.Limit, q.After = limit, after
			return s.readers(ctx, q)
		},
		Show:   func(r library.Reader) library.Reader { return r },
		Bytes:  func(r library.Reader) int { return 256 + len(r.FirstName) + len(r.LastName) },
		Cursor: library.Reader.Cursor,
	})
}

// Reader returns one reader for the desk.
func (s *Service) Reader(ctx context.Context, a library.Actor, id string) (library.Reader, error) {
	if err := a.Authorize(library.Curate); err != nil {
		return library.Reader{}, err
	}
	readers, err := s.readers(ctx, library.ReaderQuery{UserQuery: library.UserQuery{Limit: 1, Now: s.now()}, ID: id})
	if err != nil {
		return library.Reader{}, err
	}
	if len(readers) == 0 {
		return library.Reader{}, library.ErrUserNotFound
	}
	return readers[0], nil
}

// EditReader replaces the fields of a reader for the desk. It fails with ErrOutdated unless pre accepts the
// replaced version.
func (s *Service) EditReader(ctx context.Context, a library.Actor, id string, f library.ReaderFields, pre library.Precondition) (library.Reader, error) {
	if err := cmp.Or(a.Precheck(library.Curate), f.Normalize()); err != nil {
		return library.Reader{}, err
	}
	err := s.change(ctx, a, library.Curate, scope{lock: library.UserLock}, func(tx library.Tx, a library.Actor, _ library.Circulation) error {
		u, err := tx.User(ctx, id)
		if err != nil {
			return err
		}
		if u, err = u.EditedAtDesk(f, a, pre); err != nil {
			return err
		}
		return tx.UpdateUser(ctx, u)
	})
	if err != nil {
		return library.Reader{}, err
	}
	return s.Reader(ctx, a, id)
}

// readers returns readers of the store and sets Unreachable, so the desk can ask for another address.
func (s *Service) readers(ctx context.Context, q library.ReaderQuery) ([]library.Reader, error) {
	readers, err := s.store.Readers(ctx, q)
	if err != nil {
		return nil, err
	}
	problems, err := mailProblemsOf(ctx, s, readers, func(r library.Reader) string { return r.ID })
	for i := range readers {
		_, readers[i].Unreachable = problems[readers[i].ID]
	}
	return readers, err
}

// Scanned is the result of a scan: a copy with its book, a reader, or books with an ISBN.
type Scanned struct {
	Copy   *library.Copy
	Book   *library.Book // of the copy
	Reader *library.Reader
	Books  []library.Book
}

// maxScanned limits the books with one ISBN in a scan.
const maxScanned = 100

// Scan finds the record of a code: a barcode before a card, a card before an ISBN. Only curators find
// people.
func (s *Service) Scan(ctx context.Context, a library.Actor, code string) (Scanned, error) {
	if library.IsCode(code) {
		found, err := s.scanCopy(ctx, a, code)
		if !errors.Is(err, library.ErrUnknownCode) {
			return found, err
		}
		if a.Has(library.RoleCurator) {
			readers, err := s.readers(ctx, library.ReaderQuery{UserQuery: library.UserQuery{Limit: 1, Now: s.now()}, Card: code})
			if err != nil {
				return Scanned{}, err
			}
			if len(readers) > 0 {
				return Scanned{Reader: &readers[0]}, nil
			}
		}
	}
	books, err := s.BooksByISBN(ctx, a, code)
	if err == nil && len(books) == 0 {
		err = library.ErrUnknownCode
	}
	return Scanned{Books: books}, err
}

// scanCopy finds the copy with a barcode. Readers see only the identifier and barcode of the copy.
func (s *Service) scanCopy(ctx context.Context, a library.Actor, barcode string) (Scanned, error) {
	c, err := s.store.CopyByBarcode(ctx, barcode)
	if err != nil {
		return Scanned{}, replaceErr(err, library.ErrCopyNotFound, library.ErrUnknownCode)
	}
	b, err := s.store.Book(ctx, c.BookID, a.User.ID)
	if err != nil {
		return Scanned{}, replaceErr(err, library.ErrBookNotFound, library.ErrUnknownCode)
	}
	b = s.show(a, b)
	if !a.IsStaff() {
		c = library.Copy{ID: c.ID, CopyFields: library.CopyFields{Barcode: c.Barcode}}
	}
	c, err = s.showCopy(ctx, c)
	return Scanned{Copy: &c, Book: &b}, err
}
