package sqlstore_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/backup"
	"example.org/library/internal/testkit"
	"example.org/library/service"
	"example.org/library/sqlstore"
)

// removedPeople is how many are removed, among others who stay.
const removedPeople = 20

// personFields are those of a person who cannot be mistaken for anything else.
func personFields(i int) library.UserFields {
	return library.UserFields{
		Email: fmt.Sprintf("qvxz%02d@removed.example", i), FirstName: fmt.Sprintf("Wqjk%02d", i),
		LastName: fmt.Sprintf("Zyqxw%02d", i), Card: fmt.Sprintf("KJQZ-%02d", i), Roles: []library.Role{library.RoleUser},
	}
}

// traces are what nobody may find of a removed person, as words of the search too.
func traces() [][]byte {
	return [][]byte{[]byte("qvxz"), []byte("Wqjk"), []byte("wqjk"), []byte("Zyqxw"), []byte("zyqxw"), []byte("KJQZ"), []byte("kjqz")}
}

// countTraces counts them in a file; one that is not there has none.
func countTraces(t testing.TB, path string) (n int) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, trace := range traces() {
		n += bytes.Count(content, trace)
	}
	return n
}

// liveInTheLibrary is a life in the library: a person is added, lends, waits, is
// renamed and is removed, and staff repeat what they do under keys.
func liveInTheLibrary(t testing.TB, s *service.Service, admin library.Actor) {
	t.Helper()
	once := func(key string, do func(context.Context) error) {
		t.Helper()
		answer := func(result any) ([]byte, error) { return fmt.Appendf(nil, "%+v", result), nil }
		if _, err := s.DoIdempotent(t.Context(), admin, &service.IdempotentRequest{Key: key, Response: answer}, do); err != nil {
			t.Fatal(key, err)
		}
	}
	must := func(err error) {
		t.Helper()
		testkit.NoError(t, err)
	}
	book, err := s.AddBook(t.Context(), admin, "", library.BookFields{Title: "Emma"}, 1)
	must(err)
	other, err := s.AddBook(t.Context(), admin, "", library.BookFields{Title: "Persuasion"}, 1)
	must(err)
	_, err = s.Borrow(t.Context(), admin, other.ID)
	must(err)
	for i := range removedPeople {
		var u library.User
		once(fmt.Sprint("add ", i), func(ctx context.Context) (err error) {
			u, err = s.AddUser(ctx, admin, "", personFields(i))
			return err
		})
		var l library.Loan
		once(fmt.Sprint("lend ", i), func(ctx context.Context) (err error) {
			var lent service.LentLoan
			lent, err = s.Lend(ctx, admin, service.Lending{UserID: u.ID, BookID: book.ID})
			l = lent.Loan
			return err
		})
		reader := library.Actor{User: u, Authorities: []string{library.RoleUser.Authority()}}
		_, err := s.PlaceHold(t.Context(), reader, other.ID, "")
		must(err)
		_, err = s.EditUser(t.Context(), admin, u.ID, personFields(i+removedPeople), nil)
		must(err)
		once(fmt.Sprint("return ", i), func(ctx context.Context) error {
			_, err := s.ReturnLoan(ctx, admin, l.ID)
			return err
		})
		must(s.RemoveUser(t.Context(), admin, u.ID, nil))
	}
}

func everyRole(u library.User) library.Actor {
	a := library.Actor{User: u}
	for _, r := range library.Roles {
		a.Authorities = append(a.Authorities, r.Authority())
	}
	return a
}

// newAdmin adds the one user who stays.
func newAdmin(t testing.TB, s *sqlstore.Store) library.Actor {
	t.Helper()
	lib := service.New(s)
	testkit.NoError(t, lib.Prepare(t.Context(), service.Setup{Admin: "admin@example.com"}))
	u, _, err := lib.Caller(t.Context(), "admin@example.com")
	testkit.NoError(t, err)
	return everyRole(u)
}

// dumpTo makes a dump as a backup does.
func dumpTo(t testing.TB, address, file string) {
	t.Helper()
	database, err := backup.NewDatabase(address)
	if err == nil {
		err = database.Dump(t.Context(), file, func(string, int64, int64) {})
	}
	testkit.NoError(t, err)
}

func TestASQLiteFileKeepsNoTraceOfPeopleWhoWereRemoved(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "library.db")
	s := open(t, "sqlite:"+path)
	lib := service.New(s)
	liveInTheLibrary(t, lib, newAdmin(t, s))
	if countTraces(t, path)+countTraces(t, path+"-wal") == 0 {
		t.Fatal("the log has nothing of them either: the test looks for the wrong things")
	}
	copied := path + ".copy"
	dumpTo(t, "sqlite:"+path, copied) // of the file together with its log
	awaitEmptyLog(t, path)
	for _, file := range []string{path, path + "-wal", copied} {
		if n := countTraces(t, file); n > 0 {
			t.Errorf("%d traces in %s", n, filepath.Base(file))
		}
	}
	if n := sqlstore.Look(t, s, `SELECT count(*) FROM changes WHERE person IS NOT NULL AND person NOT IN (SELECT id FROM users)`); n != "0" {
		t.Errorf("%s events of people who were removed", n)
	}
}

// awaitEmptyLog waits until the log is empty. A program empties it by itself, some
// seconds after the last time; one that has just been started has no last time.
func awaitEmptyLog(t testing.TB, path string) {
	t.Helper()
	other, err := sqlstore.Open(t.Context(), "sqlite:"+path)
	testkit.NoError(t, err)
	defer other.Close()
	testkit.NoError(t, other.Tx(t.Context(), func(library.Tx) error { return nil }))
	for deadline := time.Now().Add(testkit.Timeout(t)); ; time.Sleep(20 * time.Millisecond) {
		if info, err := os.Stat(path + "-wal"); err == nil && info.Size() == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the log is not empty")
		}
	}
}

func TestWordsOfRemovedUsersLeaveTheSearchIndex(t *testing.T) {
	t.Parallel()
	s := open(t, databases["sqlite"](t))
	// A migration that makes the search index anew must say so again.
	if v := sqlstore.Look(t, s, `SELECT coalesce(max(v), 0) FROM users_search_config WHERE k = 'secure-delete'`); v != "1" {
		t.Error("words of users who are removed stay in the search index")
	}
}
