package service

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/semaphore"

	"example.org/library"
	"example.org/library/internal/pagination"
)

// Service is the library: everything that can be done with it.
type Service struct {
	store     library.Store
	clock     func() time.Time
	importing *semaphore.Weighted   // one import at a time; those who wait hold nothing of the database
	mail      *library.MailSettings // nil if the library sends no mails
	running   sync.Map              // the keys of the requests that are being worked on, see DoIdempotent
}

// Option changes how a Service works.
type Option func(*Service)

// WithClock gives the Service another clock, which is the only one that the rules
// know.
func WithClock(clock func() time.Time) Option { return func(s *Service) { s.clock = clock } }

// New returns the library that the store keeps.
func New(store library.Store, options ...Option) *Service {
	s := &Service{store: store, clock: time.Now, importing: semaphore.NewWeighted(1)}
	for _, option := range options {
		option(s)
	}
	return s
}

// Now is the time of the library's clock.
func (s *Service) Now() time.Time { return s.now() }

// now is cut to the microseconds that every store keeps.
func (s *Service) now() time.Time { return s.clock().UTC().Truncate(time.Microsecond) }

// Caller finds the active user of an e-mail address, and the revision of the
// store that this answer belongs to. The address is untrusted input, so what
// no record can hold does not reach the store.
func (s *Service) Caller(ctx context.Context, email string) (library.User, library.Revision, error) {
	if !library.CanBeEmail(email) {
		return library.User{}, library.Revision{}, library.ErrUserNotFound
	}
	u, at, err := s.store.UserByEmail(ctx, email)
	if err == nil && u.Inactive {
		return library.User{}, library.Revision{}, library.ErrUserNotFound
	}
	return u, at, err
}

// Revision is the state of the store for a caller who is not looked up.
func (s *Service) Revision(ctx context.Context) (library.Revision, error) {
	return s.store.Revision(ctx)
}

// Ready reports whether the library can answer now.
func (s *Service) Ready(ctx context.Context) error { return s.store.Ping(ctx) }

// Setup is what an empty library starts with.
type Setup struct {
	Samples Samples // if there is neither user nor book; nil for none
	Admin   string  // e-mail address of a first admin, if there is no user
}

// Samples are books and people to begin with. Package sample has some.
type Samples interface {
	// Add adds them in the transaction that has found the library empty.
	Add(ctx context.Context, tx library.Tx, now time.Time) error
	// HasUser reports whether they have a user with the e-mail address.
	HasUser(email string) bool
}

// Prepare fills an empty library. Several processes may do this at once: one of
// them succeeds and the others find the library filled.
func (s *Service) Prepare(ctx context.Context, setup Setup) error {
	if setup.Samples == nil && setup.Admin == "" {
		return nil
	}
	ctx = library.WithStoreTimeout(ctx, time.Minute) // nobody is waiting yet
	err := s.store.Tx(ctx, func(tx library.Tx) error { return s.prepare(ctx, tx, setup) })
	if errors.Is(err, library.ErrIdentifierTaken) || errors.Is(err, library.ErrEmailTaken) || errors.Is(err, library.ErrCardTaken) {
		return nil
	}
	return err
}

func (s *Service) prepare(ctx context.Context, tx library.Tx, setup Setup) error {
	noUsers, noBooks, err := tx.Empty(ctx)
	if err != nil {
		return err
	}
	addsSamples := setup.Samples != nil && noUsers && noBooks
	if addsSamples {
		if err := setup.Samples.Add(ctx, tx, s.now()); err != nil {
			return err
		}
	}
	if setup.Admin == "" || !noUsers || addsSamples && setup.Samples.HasUser(setup.Admin) {
		return nil
	}
	u, err := s.newUser("", library.UserFields{
		Email: setup.Admin, FirstName: "Library", LastName: "Admin", Roles: []library.Role{library.RoleAdmin},
	})
	if err != nil {
		return err
	}
	return tx.AddUser(ctx, u)
}

// orNewID makes an identifier for a book or a user. People name those by the
// beginning of it, so it is random from the beginning on.
func orNewID(id string) string {
	if id == "" {
		return uuid.NewString()
	}
	return id
}

// List is a page of records, or all. They are read while All is ranged over.
type List[T any] = pagination.List[T]

// pager knows how to read one list of the library.
type pager[T any] = pagination.Pager[T, library.Cursor]
