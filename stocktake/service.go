package stocktake

import (
	"context"
	"iter"
	"slices"
	"time"

	"example.org/library"
	"example.org/library/internal/pagination"
	"example.org/library/service"
)

// Service has the operations of stocktaking.
type Service struct {
	store   Store
	library *service.Service
}

// New returns the stocktaking of a library.
func New(store Store, lib *service.Service) *Service { return &Service{store, lib} }

// startTimeout bounds the start in a large library, and many scans at once.
const startTimeout = 15 * time.Second

// Start begins a stocktake, unless an open one has a shelf of these.
func (s *Service) Start(ctx context.Context, a library.Actor, f Fields) (Stocktake, error) {
	if err := a.Precheck(library.Curate); err != nil {
		return Stocktake{}, err
	}
	if bad := f.Normalize(); len(bad) > 0 {
		return Stocktake{}, library.InvalidFields(bad...)
	}
	ctx = library.WithStoreTimeout(ctx, startTimeout)
	return service.Change(ctx, s.library, a, library.Curate, library.StocktakeLock, func(tx library.Tx, save service.Save) (Stocktake, error) {
		t := s.store.StocktakeTx(tx)
		started := Stocktake{ID: library.NewID(), Name: f.Name, Shelves: f.Shelves, Started: s.library.Now()}
		open, err := t.OpenStocktakes(ctx)
		if err != nil {
			return Stocktake{}, err
		}
		if slices.ContainsFunc(open, started.Overlaps) {
			return Stocktake{}, library.ErrStocktakeOpen
		}
		if started.Numbers, err = t.Start(ctx, started); err != nil {
			return Stocktake{}, err
		}
		return started, save(started)
	})
}

// Stocktake returns one stocktake with its swaps, for staff.
func (s *Service) Stocktake(ctx context.Context, a library.Actor, id string) (Stocktake, error) {
	if err := a.Authorize(library.Oversee); err != nil {
		return Stocktake{}, err
	}
	found, err := s.store.Stocktake(ctx, id)
	if err == nil && found.State() == Open {
		found.Swaps, err = s.swaps(ctx, a, id)
	}
	return found, err
}

// swaps proposes swaps with their copies as they are now.
func (s *Service) swaps(ctx context.Context, a library.Actor, id string) ([]Swap, error) {
	swaps, err := s.store.Swaps(ctx, id)
	if err != nil || len(swaps) == 0 {
		return []Swap{}, err
	}
	var ids []string
	for _, w := range swaps {
		ids = append(ids, w.Scanned.ID, w.Free.ID)
	}
	list, err := s.library.AllCopies(ctx, a, library.CopyQuery{IDs: ids}, nil)
	if err != nil {
		return nil, err
	}
	copies := map[string]library.Copy{}
	for c, err := range list.All {
		if err != nil {
			return nil, err
		}
		copies[c.ID] = c
	}
	for i := range swaps {
		swaps[i].Scanned, swaps[i].Free = copies[swaps[i].Scanned.ID], copies[swaps[i].Free.ID]
	}
	return slices.DeleteFunc(swaps, func(w Swap) bool { return w.Scanned.ID == "" || w.Free.ID == "" }), nil
}

// Stocktakes lists stocktakes, for staff.
func (s *Service) Stocktakes(ctx context.Context, a library.Actor, q Query) (service.List[Stocktake], error) {
	if err := a.Authorize(library.Oversee); err != nil {
		return service.List[Stocktake]{}, err
	}
	return pagination.Read(pagination.Pager[Stocktake, library.Cursor]{
		Limit: q.Limit, After: q.After,
		Count: func() (int, error) { return s.store.CountStocktakes(ctx) },
		Read: func(limit, _ int, after *library.Cursor) ([]Stocktake, error) {
			return s.store.Stocktakes(ctx, Query{limit, after})
		},
		Show:  func(s Stocktake) Stocktake { return s },
		Bytes: func(Stocktake) int { return 1 << 10 },
		Cursor: func(s Stocktake) library.Cursor {
			return library.Cursor{Order: library.ByStart, Created: s.Started, ID: s.ID}
		},
	})
}

// markAtOnce limits the copies that become missing in one transaction.
const markAtOnce = 100

// Close ends a stocktake. With markMissing, the remaining copies become missing before, in short transactions: after a
// failure the same request goes on.
func (s *Service) Close(ctx context.Context, a library.Actor, id string, markMissing bool) (Stocktake, error) {
	if err := a.Precheck(library.Curate); err != nil {
		return Stocktake{}, err
	}
	ctx = library.WithStoreTimeout(ctx, startTimeout)
	for {
		closed, err := service.Change(ctx, s.library, a, library.Curate, 0, func(tx library.Tx, save service.Save) (Stocktake, error) {
			t := s.store.StocktakeTx(tx)
			if _, err := open(ctx, t, id); err != nil {
				return Stocktake{}, err
			}
			if markMissing {
				if n, err := s.mark(ctx, tx, t, id); err != nil || n > 0 {
					return Stocktake{}, err
				}
			}
			closed, err := t.Close(ctx, id, s.library.Now())
			if err != nil {
				return Stocktake{}, err
			}
			return closed, save(closed)
		})
		if err != nil || closed.ID != "" {
			return closed, err
		}
	}
}

// mark marks some of the remaining copies as missing, and returns their number.
func (s *Service) mark(ctx context.Context, tx library.Tx, t Tx, id string) (int, error) {
	left, err := t.Left(ctx, id, markAtOnce)
	if err != nil {
		return 0, err
	}
	for _, p := range left {
		if _, err := s.library.DecideAbout(ctx, tx, p.BookID, edit(p.CopyID, func(f *library.CopyFields) { f.State = library.Missing })); err != nil {
			return 0, err
		}
	}
	return len(left), t.Mark(ctx, id, left)
}

// edit returns a rule to change some fields of a copy.
func edit(id string, change func(*library.CopyFields)) library.Rule {
	return func(c library.Circulation, now time.Time) (library.Decision, error) {
		at := slices.IndexFunc(c.Copies, func(c library.Copy) bool { return c.ID == id })
		if at < 0 {
			return library.Decision{}, library.ErrCopyNotFound
		}
		f := c.Copies[at].CopyFields
		change(&f)
		if err := f.Normalize(); err != nil {
			return library.Decision{}, err
		}
		return c.EditCopy(id, f, nil, now)
	}
}

// open returns an open stocktake, and locks it.
func open(ctx context.Context, t Tx, id string) (Stocktake, error) {
	s, err := t.Stocktake(ctx, id)
	if err == nil && s.State() == Closed {
		err = library.ErrStocktakeClosed
	}
	return s, err
}

// Delete removes a stocktake. Marked copies stay marked.
func (s *Service) Delete(ctx context.Context, a library.Actor, id string) error {
	_, err := service.Change(ctx, s.library, a, library.Curate, 0, func(tx library.Tx, _ service.Save) (struct{}, error) {
		t := s.store.StocktakeTx(tx)
		if _, err := t.Stocktake(ctx, id); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, t.Delete(ctx, id)
	})
	return err
}

// Entries lists the copies or the codes of one outcome, for staff: copies by shelf, those without one last, then title,
// barcode and identifier.
func (s *Service) Entries(ctx context.Context, a library.Actor, q EntryQuery) (service.List[Entry], error) {
	if err := a.Authorize(library.Oversee); err != nil {
		return service.List[Entry]{}, err
	}
	if _, err := s.store.Stocktake(ctx, q.StocktakeID); err != nil {
		return service.List[Entry]{}, err
	}
	if q.Outcome == Unknown {
		return s.codes(ctx, q)
	}
	copies, err := s.library.AllCopies(ctx, a, library.CopyQuery{StocktakeID: q.StocktakeID, Outcome: string(q.Outcome), Limit: q.Limit, After: q.After}, nil)
	list := service.List[Entry]{Total: copies.Total, Next: copies.Next}
	list.All = func(yield func(Entry, error) bool) { s.entries(ctx, q, copies.All, yield) }
	return list, err
}

// entriesAtOnce is how many copies get the times of their scans with one statement.
const entriesAtOnce = 250

// entries adds the times of their first scans to copies.
func (s *Service) entries(ctx context.Context, q EntryQuery, copies iter.Seq2[library.Copy, error], yield func(Entry, error) bool) {
	var some []library.Copy
	isOver := false
	flush := func() {
		ids := make([]string, len(some))
		for i, c := range some {
			ids[i] = c.ID
		}
		at, err := s.store.ScannedAt(ctx, q.StocktakeID, ids)
		for _, c := range some {
			if isOver = isOver || !yield(Entry{Copy: c, Outcome: q.Outcome, Scanned: at[c.ID]}, err) || err != nil; isOver {
				return
			}
		}
		some = some[:0]
	}
	for c, err := range copies {
		if err != nil {
			yield(Entry{}, err)
			return
		}
		if some = append(some, c); len(some) == entriesAtOnce {
			if flush(); isOver {
				return
			}
		}
	}
	flush()
}

// codes lists the codes of no copy.
func (s *Service) codes(ctx context.Context, q EntryQuery) (service.List[Entry], error) {
	return pagination.Read(pagination.Pager[Entry, library.Cursor]{
		Limit: q.Limit, After: q.After,
		Count: func() (int, error) { return s.store.CountCodes(ctx, q.StocktakeID) },
		Read: func(limit, _ int, after *library.Cursor) ([]Entry, error) {
			q.Limit, q.After = limit, after
			return s.store.Codes(ctx, q)
		},
		Show:  func(e Entry) Entry { return e },
		Bytes: func(e Entry) int { return 100 + len(e.Code) },
		Cursor: func(e Entry) library.Cursor {
			return library.Cursor{Order: library.ByCode, Seq: e.Seq, ID: q.StocktakeID}
		},
	})
}
