package stocktake

import (
	"context"
	"slices"
	"time"

	"example.org/library"
	"example.org/library/internal/isbn"
	"example.org/library/service"
)

// Scan judges codes, and copies by their identifiers, in order. All of it happens, or nothing.
func (s *Service) Scan(ctx context.Context, a library.Actor, id string, scans Scans) ([]Result, error) {
	if err := a.Precheck(library.Curate); err != nil {
		return nil, err
	}
	if bad := scans.Normalize(); len(bad) > 0 {
		return nil, library.InvalidFields(bad...)
	}
	books, err := s.booksByISBN(ctx, a, scans.Codes)
	if err != nil {
		return nil, err
	}
	ctx = library.WithStoreTimeout(ctx, startTimeout)
	return service.Change(ctx, s.library, a, library.Curate, 0, func(tx library.Tx, save service.Save) ([]Result, error) {
		t := s.store.StocktakeTx(tx)
		in, err := open(ctx, t, id)
		if err != nil {
			return nil, err
		}
		to, err := scans.Fit(in)
		if err != nil {
			return nil, err
		}
		run := &run{lib: s.library, tx: tx, t: t, in: in, scans: scans, to: to, now: s.library.Now(), books: books}
		results, about, err := run.do(ctx)
		if err != nil {
			return nil, err
		}
		return results, save(results, about...)
	})
}

// booksByISBN returns the books of codes that are ISBNs.
func (s *Service) booksByISBN(ctx context.Context, a library.Actor, codes []string) (map[string][]library.Book, error) {
	books := map[string][]library.Book{}
	for _, code := range codes {
		if _, isKnown := books[code]; isKnown || !isISBN(code) {
			continue
		}
		found, err := s.library.BooksByISBN(ctx, a, code)
		if err != nil {
			return nil, err
		}
		books[code] = found
	}
	return books, nil
}

// isISBN reports whether a code looks like an ISBN, whatever its check digit.
func isISBN(code string) bool {
	number := isbn.Compact(code)
	return (len(number) == 10 || len(number) == 13) && isbn.Digits(number[:len(number)-1])
}

// run is one transaction with scans.
type run struct {
	lib   *service.Service
	tx    library.Tx
	t     Tx
	in    Stocktake
	scans Scans
	to    string // shelf of moved copies; "" for none
	now   time.Time
	books map[string][]library.Book

	first   []Scanned
	again   int
	unknown []string
}

// do returns the results in order, and the loans and holds in them.
func (r *run) do(ctx context.Context) (results []Result, about []string, err error) {
	places, err := r.t.Find(ctx, r.in.ID, slices.DeleteFunc(slices.Clone(r.scans.Codes), isNoBarcode), r.scans.CopyIDs)
	if err != nil {
		return nil, nil, err
	}
	byCode, byID := map[string]*Place{}, map[string]*Place{}
	for i := range places {
		byCode[places[i].Barcode], byID[places[i].CopyID] = &places[i], &places[i]
	}
	delete(byCode, "")
	for _, code := range r.scans.Codes {
		found, err := r.scan(ctx, byCode[code])
		if err != nil {
			return nil, nil, err
		}
		if found.Code = &code; found.Outcome == Unknown {
			found.Books = r.books[code]
			r.unknown = append(r.unknown, code)
		}
		results = append(results, found)
	}
	for _, id := range r.scans.CopyIDs {
		found, err := r.scan(ctx, byID[id])
		if err != nil {
			return nil, nil, err
		}
		found.CopyID = id
		results = append(results, found)
	}
	if err := r.t.Record(ctx, r.in.ID, r.now, r.first, distinct(r.unknown), r.again); err != nil {
		return nil, nil, err
	}
	about, err = r.complete(ctx, results, places)
	return results, about, err
}

func isNoBarcode(code string) bool { return !library.IsCode(code) }

// scan sees a copy, nil for none, and returns its outcome.
func (r *run) scan(ctx context.Context, p *Place) (Result, error) {
	switch {
	case p == nil:
		return Result{Outcome: Unknown}, nil
	case p.Scanned:
		r.again++
		return Result{Outcome: Again, CopyID: p.CopyID}, nil
	}
	d, err := r.lib.DecideAbout(ctx, r.tx, p.BookID, func(c library.Circulation, now time.Time) (library.Decision, error) {
		return c.SeeCopy(p.CopyID, now)
	})
	if err != nil {
		return Result{}, err
	}
	found := Result{Outcome: r.in.Judge(d.Copy, d.MissingSince, r.scans.Shelf), CopyID: p.CopyID, MissingSince: d.MissingSince}
	if found.Outcome == Elsewhere {
		found.Shelf = d.Copy.Shelf
		if r.to != "" {
			_, err = r.lib.DecideAbout(ctx, r.tx, p.BookID, edit(p.CopyID, func(f *library.CopyFields) { f.Shelf = r.to }))
		}
	}
	p.Scanned = true
	r.first = append(r.first, Scanned{*p, found.Outcome})
	return found, err
}

// complete adds the copies as they are now, and returns the loans and holds in them.
func (r *run) complete(ctx context.Context, results []Result, places []Place) (about []string, err error) {
	ids := make([]string, len(places))
	for i, p := range places {
		ids[i] = p.CopyID
	}
	copies, err := r.t.Copies(ctx, ids, r.now)
	if err != nil {
		return nil, err
	}
	p, err := r.tx.PolicyNow(ctx)
	if err != nil {
		return nil, err
	}
	for id, c := range copies {
		if c.Loan != nil {
			c.Loan = new(c.Loan.Judged(p, r.now))
			copies[id], about = c, append(about, c.Loan.ID)
		}
		if c.Hold != nil {
			about = append(about, c.Hold.ID)
		}
	}
	for i := range results {
		if c, isThere := copies[results[i].CopyID]; isThere {
			results[i].Copy, results[i].CopyID = &c, ""
		}
	}
	return about, nil
}
