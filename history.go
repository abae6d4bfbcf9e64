package library

import (
	"context"
	"time"
)

// forgetAtOnce is how many records one transaction takes the person out of, so
// that nobody waits long.
const forgetAtOnce = 500

// ForgetHistory takes the actor out of all loans that were returned and all
// holds that have ended.
func (s *Service) ForgetHistory(ctx context.Context, a Actor) error {
	for {
		var n int
		err := s.change(ctx, a, Read, scope{}, func(tx Tx, a Actor, _ Circulation) (err error) {
			n, err = tx.Forget(ctx, a.User.ID, endOfTimes(), forgetAtOnce)
			return err
		})
		if err != nil || n < forgetAtOnce {
			return err
		}
	}
}

// endOfTimes is later than everything that has happened.
func endOfTimes() time.Time { return time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC) }

// Export is everything that the library knows of a user.
type Export struct {
	User    User
	Loans   []Loan   // open ones by due date, then returned ones, newest first
	Holds   []Hold   // active ones, then ended ones, newest first
	Notices []Notice // newest first
}

// Export returns everything that the library knows of the actor.
func (s *Service) Export(ctx context.Context, a Actor) (Export, error) {
	u, err := s.store.User(ctx, a.User.ID)
	if err != nil {
		return Export{}, callerError(err)
	}
	out := Export{User: u}
	for _, filter := range []LoanFilter{OpenLoans, ReturnedLoans} {
		loans, err := collect(s.Loans(ctx, a, LoanQuery{Filter: filter, UserID: u.ID}))
		if err != nil {
			return Export{}, err
		}
		out.Loans = append(out.Loans, loans...)
	}
	for _, filter := range []HoldFilter{ActiveHolds, EndedHolds} {
		holds, err := collect(s.Holds(ctx, a, HoldQuery{Filter: filter, UserID: u.ID}))
		if err != nil {
			return Export{}, err
		}
		out.Holds = append(out.Holds, holds...)
	}
	return out, s.addMails(ctx, &out)
}

// addMails adds what the library has written to a user, and whether it can.
func (s *Service) addMails(ctx context.Context, out *Export) error {
	outbox, err := s.store.Outbox(ctx)
	if err != nil {
		return err
	}
	notices, err := s.store.Notices(ctx, NoticeQuery{UserID: out.User.ID})
	for _, n := range notices {
		out.Notices = append(out.Notices, n.Shown(outbox.IsPaused(s.mail)))
	}
	if err != nil {
		return err
	}
	users, err := s.withMailProblems(ctx, []User{out.User})
	if err == nil {
		out.User = users[0]
	}
	return err
}

// collect reads all of a list.
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
func (s *Service) EditMe(ctx context.Context, a Actor, p Preferences) (User, error) {
	if bad := p.Check(); len(bad) > 0 {
		return User{}, InvalidFields(bad...)
	}
	var u User
	err := s.change(ctx, a, Read, scope{lock: UserLock}, func(tx Tx, a Actor, _ Circulation) (err error) {
		if u, err = tx.User(ctx, a.User.ID); err != nil {
			return callerError(err)
		}
		if p.Locale != nil {
			u.Locale = *p.Locale
		}
		if p.Reminders != nil {
			u.Silent = !*p.Reminders
		}
		u.Version = NewVersion()
		return tx.UpdateUser(ctx, u)
	})
	return u, err
}
