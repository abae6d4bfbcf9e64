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

// Service has the operations of the library.
type Service struct {
	store     library.Store
	clock     func() time.Time
	importing *semaphore.Weighted   // one import at a time; waiting imports hold no connection
	mail      *library.MailSettings // nil if the library sends no mails
	roles     library.GroupRoles    // of groups of a directory; nil if they give none
	logouts   int                   // the most that are kept
	running   sync.Map              // keys of the running requests, see DoIdempotent
}

// Option changes how a Service works.
type Option func(*Service)

// WithClock replaces the clock of the Service and its rules.
func WithClock(clock func() time.Time) Option { return func(s *Service) { s.clock = clock } }

// WithGroupRoles lets groups of a directory give roles.
func WithGroupRoles(roles library.GroupRoles) Option { return func(s *Service) { s.roles = roles } }

// New returns the service of a store.
func New(store library.Store, options ...Option) *Service {
	s := &Service{store: store, clock: time.Now, importing: semaphore.NewWeighted(1), logouts: library.MaxLogouts}
	for _, option := range options {
		option(s)
	}
	return s
}

// Now returns the time of the service's clock.
func (s *Service) Now() time.Time { return s.now() }

// now cuts the time to microseconds, the precision of stores.
func (s *Service) now() time.Time { return s.clock().UTC().Truncate(time.Microsecond) }

// Caller finds the active user of an e-mail address, and the revision of the store at that moment. The
// address is untrusted input, so an impossible one does not reach the store.
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

// Revision returns the state of the store for a caller without a record.
func (s *Service) Revision(ctx context.Context) (library.Revision, error) {
	return s.store.Revision(ctx)
}

// Ready reports whether the library can answer now.
func (s *Service) Ready(ctx context.Context) error { return s.store.Ping(ctx) }

// Setup is the content of a new library.
type Setup struct {
	Samples Samples // if there is neither user nor book; nil for none
	Admin   string  // e-mail address of a first admin, if there is no user
}

// Samples are sample books and people. Package sample has some.
type Samples interface {
	// Add adds them in the transaction of Prepare.
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

// orNewID returns id, or a new identifier for a book or a user. It is random from the first character
// on, because people type its beginning.
func orNewID(id string) string {
	if id == "" {
		return uuid.NewString()
	}
	return id
}

// List is a page of records, or all. They are read while All is ranged over.
type List[T any] = pagination.List[T]

// pager reads one list of the library.
type pager[T any] = pagination.Pager[T, library.Cursor]
