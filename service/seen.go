package service

import (
	"context"
	"time"

	"example.org/library"
)

// SeenCopy is a copy in somebody's hand.
type SeenCopy struct {
	library.Copy
	WasMissing time.Time // since when it was; zero if it was not
}

// SeeCopy records that somebody at the desk has a copy in hand.
func (s *Service) SeeCopy(ctx context.Context, a library.Actor, id string) (SeenCopy, error) {
	if err := a.Precheck(library.Curate); err != nil {
		return SeenCopy{}, err
	}
	found, err := s.store.Copy(ctx, id)
	if err != nil {
		return SeenCopy{}, err
	}
	seen, err := circulate(ctx, s, a, library.Curate, scope{book: found.BookID}, seeing(id), func(_ library.Actor, d library.Decision) SeenCopy {
		return SeenCopy{d.Copy, d.MissingSince}
	})
	if err != nil {
		return SeenCopy{}, replaceErr(err, library.ErrBookNotFound, library.ErrCopyNotFound) // both have been deleted meanwhile
	}
	if shown, err := s.showCopy(ctx, seen.Copy); err == nil {
		seen.Copy = shown
	}
	return seen, nil
}

func seeing(id string) library.Rule {
	return func(c library.Circulation, now time.Time) (library.Decision, error) { return c.SeeCopy(id, now) }
}

// seeMissing records that a missing copy is in somebody's hand, before a rule decides about it: it is
// found, even if that rule refuses. The reader is "" for the caller. The change does not count for the idempotency
// key of the request.
func (s *Service) seeMissing(ctx context.Context, a library.Actor, p library.Permission, c library.Copy, reader string, allowed func(library.Rule) library.Rule) error {
	if c.State != library.Missing {
		return nil
	}
	_, err := circulate(withoutKey(ctx), s, a, p, scope{book: c.BookID, reader: reader}, allowed(seeing(c.ID)), presentCopy)
	return err
}
