package service

import (
	"context"
	"time"

	"example.org/library"
)

// forgetAtOnce limits the records changed by one transaction, so nobody waits long.
const forgetAtOnce = 500

// ForgetHistory removes the actor from all ended loans and holds.
func (s *Service) ForgetHistory(ctx context.Context, a library.Actor) error {
	for {
		var n int
		err := s.change(ctx, a, library.Read, scope{}, func(tx library.Tx, a library.Actor, _ library.Circulation) (err error) {
			n, err = tx.Forget(ctx, a.User.ID, endOfTimes(), forgetAtOnce)
			return err
		})
		if err != nil || n < forgetAtOnce {
			return err
		}
	}
}

// endOfTimes is later than every record.
func endOfTimes() time.Time { return time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC) }

// Export has all data of a user.
type Export struct {
	User    library.User
	Loans   []library.Loan   // open ones by due date, then returned ones, newest first
	Holds   []library.Hold   // active ones, then ended ones, newest first
	Notices []library.Notice // newest first
}

// Export returns all data of the actor.
func (s *Service) Export(ctx context.Context, a library.Actor) (Export, error) {
	u, err := s.store.User(ctx, a.User.ID)
	if err != nil {
		return Export{}, callerError(err)
	}
	out := Export{User: u}
	for _, filter := range []library.LoanFilter{library.OpenLoans, library.ReturnedLoans} {
		loans, err := collect(s.Loans(ctx, a, library.LoanQuery{Filter: filter, UserID: u.ID}))
		if err != nil {
			return Export{}, err
		}
		out.Loans = append(out.Loans, loans...)
	}
	for _, filter := range []library.HoldFilter{library.ActiveHolds, library.EndedHolds} {
		holds, err := collect(s.Holds(ctx, a, library.HoldQuery{Filter: filter, UserID: u.ID}))
		if err != nil {
			return Export{}, err
		}
		out.Holds = append(out.Holds, holds...)
	}
	return out, s.addMails(ctx, &out)
}

// addMails adds the user's notices and mail problem.
func (s *Service) addMails(ctx context.Context, out *Export) error {
	outbox, err := s.store.Outbox(ctx)
	if err != nil {
		return err
	}
	notices, err := s.store.Notices(ctx, library.NoticeQuery{UserID: out.User.ID})
	for _, n := range notices {
		out.Notices = append(out.Notices, n.Shown(outbox.IsPaused(s.mail)))
	}
	if err != nil {
		return err
	}
	users, err := s.withMailProblems(ctx, []library.User{out.User})
	if err == nil {
		out.User = users[0]
	}
	return err
}

// collect reads a whole list.
func collect[T any](l List[T], err error) (all []T, _ error) {
	if err != nil {
		return nil, err
	}
	for record, err := range l.All {
		if err != nil {
			return nil, err
		}
		all = append(all, record)
	}
	return all, nil
}

// EditMe changes the actor's preferences.
func (s *Service) EditMe(ctx context.Context, a library.Actor, p library.Preferences) (library.User, error) {
	if bad := p.Check(); len(bad) > 0 {
		return library.User{}, library.InvalidFields(bad...)
	}
	var u library.User
	err := s.change(ctx, a, library.Read, scope{lock: library.UserLock}, func(tx library.Tx, a library.Actor, _ library.Circulation) (err error) {
		if u, err = tx.User(ctx, a.User.ID); err != nil {
			return callerError(err)
		}
		if p.Locale != nil {
			u.Locale = *p.Locale
		}
		if p.Reminders != nil {
			u.Silent = !*p.Reminders
		}
		u.Version = library.NewVersion()
		return tx.UpdateUser(ctx, u)
	})
	return u, err
}
