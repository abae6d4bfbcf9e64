// Package signin lets callers in: it finds the record of a login, and, if the rules say so, ties
// it to the login's subject or makes it first. Start reading at [SignIn.Admit]; judge has the
// rules.
package signin

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/singleflight"

	"example.org/library"
	"example.org/library/service"
)

// Rules configure how surely a caller must be the person of a record, and the records made without
// an admin. The zero value compares e-mail addresses alone and makes no records.
type Rules struct {
	Binds      bool           // the first subject that is let in keeps the record
	Provisions bool           // a first login makes the record
	Unverified bool           // also if the provider does not say that the address is verified
	Roles      []library.Role // of new records, where credentials bring none
}

// ByRecordAlone reports whether only the e-mail address of the record counts. A change can then
// load the record in its transaction.
func (r Rules) ByRecordAlone() bool { return !r.Binds && !r.Provisions }

// SignIn lets callers in.
type SignIn struct {
	rules    Rules
	service  *service.Service
	store    library.Store
	arrivals singleflight.Group // logins that are written down
	moves    takeOvers
}

// New lets callers in by these rules. With the zero ones it needs no store.
func New(lib *service.Service, store library.Store, rules Rules) *SignIn {
	return &SignIn{service: lib, store: store, rules: rules}
}

// Rules returns the rules for letting callers in.
func (a *SignIn) Rules() Rules { return a.rules }

// ErrSubjectConflict means that the record with the caller's address is tied to somebody else.
var ErrSubjectConflict = errors.New("signin: the record is tied to another subject")

// rounds is how often a login is judged anew because somebody else was quicker.
const rounds = 4

// Place waits for a slot among the changes. It returns a function that gives it back and a context
// with the time left; nil if there are enough for all.
type Place func() (then context.Context, giveBack func(), err error)

// Admit finds the active user of a login, and the revision of the store for the answer. It ties,
// corrects or makes the record first if the rules say so, and takes a place for that.
func (a *SignIn) Admit(ctx context.Context, l Login, place Place) (library.User, library.Revision, error) {
	if a.rules.ByRecordAlone() {
		return a.service.Caller(ctx, l.Email)
	}
	if !library.CanBeEmail(l.Email) {
		return library.User{}, library.Revision{}, library.ErrUserNotFound
	}
	hasPlace := place == nil
	for range rounds {
		found, at, err := a.candidates(ctx, l)
		if err != nil {
			return library.User{}, library.Revision{}, err
		}
		l.outdated = a.moves.isNewer(l.Subject, l.Issued)
		u, next, err := a.rules.judge(l, found)
		if err != nil || next == nil {
			return u, at, err
		}
		if !hasPlace {
			// Every caller takes a place, also to wait for another with the same login. Otherwise
			// the waiters could fill all places.
			then, giveBack, err := place()
			if err != nil {
				return library.User{}, library.Revision{}, err
			}
			defer giveBack()
			hasPlace, ctx = true, then
		}
		if err := a.arrive(ctx, l); err != nil {
			return library.User{}, library.Revision{}, err
		}
	}
	return library.User{}, library.Revision{}, library.ErrUnavailable
}

// candidates returns the possible records of a login; without identifiers if there are none.
type candidates struct{ bySubject, byEmail library.User }

func (a *SignIn) candidates(ctx context.Context, l Login) (c candidates, at library.Revision, err error) {
	if a.rules.Binds && l.Subject != "" {
		if c.bySubject, at, err = a.store.UserBySubject(ctx, l.Subject); err != nil && !errors.Is(err, library.ErrUserNotFound) {
			return c, at, err
		}
	}
	if c.bySubject.ID != "" && library.EmailKey(c.bySubject.Email) == library.EmailKey(l.Email) {
		return c, at, nil
	}
	u, now, err := a.store.UserByEmail(ctx, l.Email)
	if err != nil && !errors.Is(err, library.ErrUserNotFound) {
		return c, at, err
	}
	c.byEmail = u
	return c, cmp.Or(at, now), nil // the older, by which all of this was there
}

// writing is the change to make before a login is let in.
type writing func(ctx context.Context, tx library.Tx, now time.Time) error

// judge decides about a login: its record, and the change to make first.
func (r Rules) judge(l Login, found candidates) (u library.User, next writing, err error) {
	if r.Binds && l.Subject != "" && found.byEmail.Subject == l.Subject {
		found.bySubject = found.byEmail // it was tied after the other look-up
	}
	switch {
	case r.Binds && l.Subject == "":
		return library.User{}, nil, library.ErrUserNotFound
	case found.bySubject.ID != "":
		u = found.bySubject
		if l.takesOver(u, found.byEmail) {
			next = takeOver(u, l.Email)
		}
	case found.byEmail.ID == "":
		return r.newcomer(l)
	case r.Binds && found.byEmail.Subject != "":
		return found.byEmail, nil, ErrSubjectConflict
	case r.Binds && !l.Denied: // who has the address, and not who claims to have it
		u = found.byEmail
		next = func(ctx context.Context, tx library.Tx, _ time.Time) error { return tx.BindUser(ctx, u.ID, l.Subject) }
	default:
		u = found.byEmail
	}
	if u.Inactive {
		return library.User{}, nil, library.ErrUserNotFound
	}
	return u, next, nil
}

// isEmail reports whether a record can have the address exactly as it is.
func isEmail(email string) bool {
	return library.CheckEmail(email) == nil && strings.TrimSpace(email) == email
}

// arrive judges a login in a transaction and makes the change. Simultaneous callers with the same
// login wait for one of them. It is no error if another process was quicker.
func (a *SignIn) arrive(ctx context.Context, l Login) error {
	_, err, _ := a.arrivals.Do(library.EmailKey(l.Email)+"\x00"+l.Subject, func() (any, error) {
		ctx := context.WithoutCancel(ctx) // it is for all who wait
		return nil, a.store.Tx(ctx, func(tx library.Tx) error { return a.write(ctx, tx, l) })
	})
	if errors.Is(err, library.ErrEmailTaken) || errors.Is(err, library.ErrSubjectTaken) {
		return nil
	}
	return err
}

func (a *SignIn) write(ctx context.Context, tx library.Tx, l Login) error {
	bySubject, byEmail, err := tx.LoginUsers(ctx, l.Subject, l.Email)
	if err != nil {
		return err
	}
	if !a.rules.Binds {
		bySubject = library.User{}
	}
	l.outdated = a.moves.isNewer(l.Subject, l.Issued) // by now, with the records locked
	u, next, err := a.rules.judge(l, candidates{bySubject, byEmail})
	if err != nil || next == nil {
		return err
	}
	if err := next(ctx, tx, a.service.Now()); err != nil {
		return err
	}
	if u.ID != "" && library.EmailKey(u.Email) != library.EmailKey(l.Email) {
		a.moves.add(l.Subject, l.Issued)
	}
	return nil
}

// newcomer returns a record for an unknown person, if a login makes one.
func (r Rules) newcomer(l Login) (library.User, writing, error) {
	f := library.UserFields{Email: l.Email, Roles: r.rolesOf(l), Locale: l.locale()}
	if !r.Provisions || !r.Unverified && !l.Verified || len(f.Roles) == 0 || !isEmail(l.Email) {
		return library.User{}, nil, library.ErrUserNotFound
	}
	f.FirstName, f.LastName = l.names()
	if len(f.Check()) > 0 {
		return library.User{}, nil, library.ErrUserNotFound
	}
	return library.User{}, func(ctx context.Context, tx library.Tx, now time.Time) error {
		u := library.User{ID: library.NewID(), UserFields: f, Created: now, Version: library.NewVersion()}
		if r.Binds {
			u.Subject = l.Subject
		}
		if u.Locale == "" {
			p, err := tx.PolicyNow(ctx)
			if err != nil {
				return err
			}
			u.Locale = p.Locale
		}
		return tx.AddUser(ctx, u)
	}, nil
}

// rolesOf returns the roles of the record made by a login.
func (r Rules) rolesOf(l Login) []library.Role {
	return slices.DeleteFunc(slices.Clone(library.Roles), func(role library.Role) bool {
		if l.FromRecord {
			return !slices.Contains(r.Roles, role)
		}
		return !slices.Contains(l.Authorities, role.Authority())
	})
}
