package service

import (
	"context"
	"errors"
	"slices"
	"time"

	"example.org/library"
)

// BatchLending is copies for people. Exactly one of Group, Users and User is given, and one of Barcodes and
// CopyIDs.
type BatchLending struct {
	BookID            string // the only book; "" for any
	Group             string // everybody in it, by last name
	Users             []string
	User              string // gets all copies
	Barcodes, CopyIDs []string
	Due               library.Date // in place of the policy; zero for none
	DryRun            bool         // changes nothing
}

// batchTimeout bounds a batch, which reads a book again for each copy that comes back.
const batchTimeout = 15 * time.Second

// LendBatch lends copies to people, all of them in one transaction or none.
func (s *Service) LendBatch(ctx context.Context, a library.Actor, l BatchLending) (library.Lent, error) {
	if err := a.Authorize(library.Curate); err != nil {
		return library.Lent{}, err
	}
	ctx = library.WithStoreTimeout(ctx, batchTimeout)
	b := library.Batch{BookID: l.BookID, Several: l.User != "", Due: l.Due}
	people, err := s.batchPeople(ctx, l)
	if err == nil {
		b.List, b.Copies, err = s.batchCopies(ctx, l)
	}
	if err != nil {
		return library.Lent{}, err
	}
	books := booksOf(b.Copies)
	if l.BookID != "" {
		books = []string{l.BookID}
	}
	if l.DryRun {
		ctx = withoutKey(ctx)
	}
	var readers map[string]library.Reader
	locks := scope{batch: func(tx library.Tx) (err error) {
		readers, err = tx.LockBatch(ctx, books, people, s.now())
		return err
	}}
	return changeTo(ctx, s, a, library.Curate, locks, func(tx library.Tx, caller library.Actor, _ library.Circulation) (lent library.Lent, err error) {
		if b.Readers, err = inOrder(people, readers, l.Group != ""); err != nil {
			return lent, err
		}
		if b.Books, err = s.batchBooks(ctx, tx, books); err != nil {
			return lent, err
		}
		if l.BookID != "" && len(b.Books) == 0 {
			return lent, library.ErrBookNotFound
		}
		if lent, err = b.Lend(s.now()); err != nil || l.DryRun {
			return lent, err
		}
		return lent, s.saveLent(ctx, tx, caller, lent)
	})
}

// saveLent saves the decisions of a batch.
func (s *Service) saveLent(ctx context.Context, tx library.Tx, caller library.Actor, lent library.Lent) error {
	var about []string
	for _, d := range lent.Decisions {
		if err := s.save(ctx, tx, &d); err != nil {
			return err
		}
	}
	for _, l := range lent.Loans {
		about = append(about, l.ID)
	}
	for _, one := range lent.Skipped {
		about = append(about, one.Person.ID)
	}
	return s.saveResponse(ctx, tx, caller, library.Curate, lent, about...)
}

// batchPeople returns the identifiers of the people of a batch in their order, if its due day is possible.
func (s *Service) batchPeople(ctx context.Context, l BatchLending) ([]string, error) {
	p, err := s.store.Policy(ctx)
	if err == nil {
		err = p.CheckDue(l.Due, s.now())
	}
	switch {
	case err != nil:
		return nil, err
	case l.User != "":
		return []string{l.User}, nil
	case l.Group == "":
		return l.Users, nil
	}
	readers, err := s.store.Readers(ctx, library.ReaderQuery{UserQuery: library.UserQuery{Group: l.Group, Now: s.now()}})
	if err == nil && len(readers) == 0 {
		err = library.ErrUnknownGroup
	}
	people := make([]string, len(readers))
	for i, r := range readers {
		people[i] = r.ID
	}
	return people, err
}

// inOrder returns readers in an order. A person who is gone, or a station, is unknown, or else left out.
func inOrder(people []string, readers map[string]library.Reader, leaveOut bool) (list []library.Reader, err error) {
	for _, id := range people {
		switch r, isThere := readers[id]; {
		case isThere && !r.Station:
			list = append(list, r)
		case !leaveOut:
			return nil, library.ErrUserNotFound
		}
	}
	return list, nil
}

// batchCopies returns the copies of a batch, zero for unknown ones, and the name of their list.
func (s *Service) batchCopies(ctx context.Context, l BatchLending) (string, []library.Copy, error) {
	var copies []library.Copy
	find := func(id, barcode string) error {
		c, err := s.store.CopyInHand(ctx, id, barcode)
		copies = append(copies, c)
		return replaceErr(err, library.ErrCopyNotFound, nil)
	}
	for _, barcode := range l.Barcodes {
		if err := find("", barcode); err != nil {
			return "", nil, err
		}
	}
	for _, id := range l.CopyIDs {
		if err := find(id, ""); err != nil {
			return "", nil, err
		}
	}
	if l.CopyIDs != nil {
		return "copies", copies, nil
	}
	return "barcodes", copies, nil
}

// booksOf returns the identifiers of the books of copies, each once.
func booksOf(copies []library.Copy) (books []string) {
	for _, c := range copies {
		if c.BookID != "" && !slices.Contains(books, c.BookID) {
			books = append(books, c.BookID)
		}
	}
	return books
}

// batchBooks loads locked books. It leaves out books that are gone.
func (s *Service) batchBooks(ctx context.Context, tx library.Tx, ids []string) (map[string]library.Circulation, error) {
	books := make(map[string]library.Circulation, len(ids))
	for _, id := range ids {
		_, c, err := tx.Load(ctx, library.Load{Book: id, Now: s.now()})
		if err != nil {
			return nil, err
		}
		if c != nil {
			books[id] = *c
		}
	}
	return books, nil
}

// BatchReturning is copies that come back to the desk.
type BatchReturning struct {
	Group  string // swaps within it are put right; "" for none
	Copies []Returning
}

// BatchReturned is the answer to one of the copies: a loan, or a refusal.
type BatchReturned struct {
	Barcode string
	Loan    ReturnedLoan
	Refused *library.Error
}

// ReturnBatch ends loans with copies, each for itself and in order, in one transaction.
func (s *Service) ReturnBatch(ctx context.Context, a library.Actor, r BatchReturning) ([]BatchReturned, error) {
	if err := a.Authorize(library.Curate); err != nil {
		return nil, err
	}
	ctx = library.WithStoreTimeout(ctx, batchTimeout)
	copies := make([]library.Copy, len(r.Copies))
	refused := make([]error, len(r.Copies)) // before the transaction
	for i, one := range r.Copies {
		if copies[i], refused[i] = s.batchCopy(ctx, a, one); refused[i] != nil && !isRuled(refused[i]) {
			return nil, refused[i]
		}
	}
	locks := scope{batch: func(tx library.Tx) error {
		_, err := tx.LockBatch(ctx, booksOf(copies), nil, s.now())
		return err
	}}
	return changeTo(ctx, s, a, library.Curate, locks, func(tx library.Tx, caller library.Actor, _ library.Circulation) ([]BatchReturned, error) {
		var results, saved []BatchReturned
		var about []string
		for i, one := range r.Copies {
			d, refusal := library.Decision{}, refused[i]
			if refusal == nil {
				var err error
				if d, refusal, err = s.takeBackIn(ctx, tx, r, copies, i); err != nil {
					return nil, err
				}
			}
			result := BatchReturned{Barcode: one.Barcode}
			if result.Refused, _ = errors.AsType[*library.Error](refusal); refusal == nil {
				result.Loan = presentReturned(caller, d)
				about = append(about, recordsIn(d)...)
			} else {
				for _, l := range result.Refused.Candidates {
					about = append(about, l.ID)
				}
			}
			results = append(results, result)
			if d.Forgets {
				result.Loan.Borrower = library.Person{}
			}
			saved = append(saved, result)
		}
		return results, s.saveResponse(ctx, tx, caller, library.Curate, saved, about...)
	})
}

// batchCopy returns the copy of an entry, if its loan may belong to it.
func (s *Service) batchCopy(ctx context.Context, a library.Actor, r Returning) (library.Copy, error) {
	if !library.IsCode(r.Barcode) {
		return library.Copy{}, library.ErrInvalid
	}
	c, err := s.store.CopyInHand(ctx, "", r.Barcode)
	if err == nil && r.LoanID != "" {
		_, err = s.openLoan(ctx, a, r.LoanID, c)
	}
	return c, replaceErr(err, library.ErrCopyNotFound, library.ErrUnknownCode)
}

// takeBackIn ends a loan with one of the copies inside a transaction, or returns the refusal.
func (s *Service) takeBackIn(ctx context.Context, tx library.Tx, r BatchReturning, copies []library.Copy, i int) (d library.Decision, refusal, err error) {
	c, group := copies[i], r.Group
	if slices.ContainsFunc(copies[:i], func(earlier library.Copy) bool { return earlier.ID == c.ID }) {
		group = "" // it is back already
	}
	isMeant := func(l library.Loan) bool {
		return slices.ContainsFunc(copies, func(c library.Copy) bool { return c.ID == l.CopyID }) ||
			slices.ContainsFunc(r.Copies, func(one Returning) bool { return one.LoanID == l.ID })
	}
	if c.State == library.Missing {
		_, err = s.DecideAbout(ctx, tx, c.BookID, seeing(c.ID))
	}
	if err == nil {
		d, err = s.DecideAbout(ctx, tx, c.BookID, func(circulation library.Circulation, now time.Time) (d library.Decision, _ error) {
			d, refusal = circulation.TakeBackFrom(group, c.ID, r.Copies[i].LoanID, isMeant, now)
			return d, nil
		})
	}
	if errors.Is(err, library.ErrBookNotFound) || errors.Is(err, library.ErrCopyNotFound) { // deleted meanwhile
		return d, library.ErrUnknownCode, nil
	}
	return d, refusal, err
}
