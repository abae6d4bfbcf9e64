package service_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/sample"
	"example.org/library/service"
	"example.org/library/sqlstore"
)

func openLibrary(t *testing.T, file string) (*service.Service, *sqlstore.Store) {
	t.Helper()
	ctx := context.Background()
	store, err := sqlstore.Open(ctx, "sqlite:"+file)
	testkit.NoError(t, err)
	t.Cleanup(func() { store.Close() })
	testkit.NoError(t, testkit.Err(store.Migrate(ctx)))
	return service.New(store), store
}

var everything = library.Actor{Authorities: []string{"ROLE_LIBRARY_USER", "ROLE_LIBRARY_CURATOR", "ROLE_LIBRARY_ADMIN"}}

// content returns the e-mail addresses with their roles, and how many books
// there are.
func content(t *testing.T, s *service.Service) (users map[string][]library.Role, books int) {
	t.Helper()
	list, err := s.Users(context.Background(), everything, library.UserQuery{})
	testkit.NoError(t, err)
	users = map[string][]library.Role{}
	for u, err := range list.All {
		testkit.NoError(t, err)
		users[u.Email] = u.Roles
	}
	all, err := s.Books(context.Background(), everything, library.BookQuery{})
	testkit.NoError(t, err)
	return users, all.Total
}

var samples = map[string][]library.Role{
	"bruce.wayne@example.com":                        {library.RoleUser},
	"bruce.banner@example.com":                       {library.RoleUser},
	"peter.parker@example.com":                       {library.RoleCurator},
	"clark.kent@example.com":                         {library.RoleAdmin},
	"service-account-library-client@placeholder.org": {library.RoleCurator},
}

func withSamples(email string, roles ...library.Role) map[string][]library.Role {
	out := map[string][]library.Role{email: roles}
	for e, r := range samples {
		out[e] = r
	}
	return out
}

func TestPrepare(t *testing.T) {
	t.Parallel()
	const boss = "boss@example.com"
	admin := []library.Role{library.RoleAdmin}
	addBook := func(ctx context.Context, tx library.Tx) error {
		return tx.AddBook(ctx, library.Book{ID: library.NewID(), BookFields: library.BookFields{Title: "T"}.Complete()})
	}
	addUser := func(ctx context.Context, tx library.Tx) error {
		return tx.AddUser(ctx, library.User{ID: library.NewID(), UserFields: library.UserFields{Email: "a@b", FirstName: "A", LastName: "B"}})
	}
	for _, c := range []struct {
		rule  string
		given func(context.Context, library.Tx) error
		setup service.Setup
		users map[string][]library.Role
		books int
	}{
		{rule: "nothing is asked for", users: map[string][]library.Role{}},
		{rule: "samples for an empty library", setup: service.Setup{Samples: sample.Basic}, users: samples, books: 10},
		{rule: "no samples for a library with a book", given: addBook, setup: service.Setup{Samples: sample.Basic}, users: map[string][]library.Role{}, books: 1},
		{rule: "no samples for a library with a user", given: addUser, setup: service.Setup{Samples: sample.Basic}, users: map[string][]library.Role{"a@b": {}}},
		{rule: "a first admin for a library without users", given: addBook, setup: service.Setup{Admin: boss}, users: map[string][]library.Role{boss: admin}, books: 1},
		{rule: "no first admin for a library with a user", given: addUser, setup: service.Setup{Admin: boss}, users: map[string][]library.Role{"a@b": {}}},
		{rule: "both", setup: service.Setup{Samples: sample.Basic, Admin: boss}, users: withSamples(boss, library.RoleAdmin), books: 10},
		{rule: "both, and the admin is a sample", setup: service.Setup{Samples: sample.Basic, Admin: "Clark.Kent@example.com"}, users: samples, books: 10},
		{rule: "the samples do not come, but the admin does", given: addBook, setup: service.Setup{Samples: sample.Basic, Admin: "clark.kent@example.com"},
			users: map[string][]library.Role{"clark.kent@example.com": admin}, books: 1},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			s, store := openLibrary(t, filepath.Join(t.TempDir(), "library.db"))
			if c.given != nil {
				testkit.NoError(t, store.Tx(ctx, func(tx library.Tx) error { return c.given(ctx, tx) }))
			}
			for range 2 { // once more changes nothing
				testkit.NoError(t, s.Prepare(ctx, c.setup))
				users, books := content(t, s)
				same := cmp.Comparer(func(a, b []library.Role) bool { return slices.Equal(a, b) })
				if diff := cmp.Diff(c.users, users, same); diff != "" || books != c.books {
					t.Errorf("%d books, want %d; users (-want +got)\n%s", books, c.books, diff)
				}
			}
		})
	}
}

func TestAFirstAdminNeedsAnAddress(t *testing.T) {
	t.Parallel()
	s, _ := openLibrary(t, filepath.Join(t.TempDir(), "library.db"))
	if err := s.Prepare(context.Background(), service.Setup{Admin: "boss"}); !errors.Is(err, library.ErrInvalid) {
		t.Errorf("error %v, want ErrInvalid", err)
	}
}

func TestSeveralProcessesPrepareAtOnce(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "library.db")
	openLibrary(t, file)
	const copies = 4
	errs := make(chan error, copies)
	for range copies {
		s, _ := openLibrary(t, file)
		go func() {
			errs <- s.Prepare(context.Background(), service.Setup{Samples: sample.Basic, Admin: "boss@example.com"})
		}()
	}
	for range copies {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	s, _ := openLibrary(t, file)
	if users, books := content(t, s); len(users) != 6 || books != 10 {
		t.Errorf("%d users and %d books, want 6 and 10", len(users), books)
	}
}

// queries records what a store is asked for.
type queries struct {
	library.Store
	counted int
	listed  []library.BookBatch
}

func (s *queries) CountBooks(ctx context.Context, q library.BookQuery) (int, error) {
	s.counted++
	return s.Store.CountBooks(ctx, q)
}

func (s *queries) BooksInBatch(ctx context.Context, q library.BookQuery, b library.BookBatch) ([]library.Book, error) {
	s.listed = append(s.listed, b)
	return s.Store.BooksInBatch(ctx, q, b)
}

func TestAListIsCountedOnceAndReadByThatCount(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s, store := openLibrary(t, filepath.Join(t.TempDir(), "library.db"))
	testkit.NoError(t, s.Prepare(ctx, service.Setup{Samples: sample.Basic}))
	for _, limit := range []int{0, 2, 500} {
		asked := &queries{Store: store}
		list, err := service.New(asked).Books(ctx, everything, library.BookQuery{Terms: library.ParseTerms("the language"), Limit: limit})
		testkit.NoError(t, err)
		if asked.counted != 1 || len(asked.listed) != 1 || asked.listed[0].Total != list.Total || list.Total != 2 {
			t.Errorf("limit %d: a list of %d was counted %d times and read by %+v", limit, list.Total, asked.counted, asked.listed)
		}
	}
}
