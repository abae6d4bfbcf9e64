package bench

import (
	"context"
	"fmt"
	"os/exec"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"example.org/library"
	"example.org/library/internal/pgtest"
	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore"
)

// manyLenders borrow at once, each as a person of their own.
const manyLenders = 16

// TestLendingComparedWithAHandWrittenService runs the program and the service in
// bench/reference on one PostgreSQL server, in turns.
func TestLendingComparedWithAHandWrittenService(t *testing.T) {
	ours, theirs := pgtest.URL(t, pgtest.Durable()), pgtest.URL(t, pgtest.Durable())
	addBooks(t, ours, manyLenders)
	addReaders(t, ours, manyLenders)
	idp := testidp.New(t)
	pid, addr := startProgram(t, ours, idp)
	reference, referenceAddr := startReference(t, theirs, idp, manyLenders, generated)
	compareLending(t, "postgres", 1.5,
		tokenService(t, "the program", pid, addr, idp).on(t, ours),
		tokenService(t, "a hand-written service", reference, referenceAddr, idp).on(t, theirs))
}

// TestLendingComparedWithTheSameWork gives the hand-written service the tables, indexes and triggers
// of the program, whose records it writes in one transaction, as durably.
func TestLendingComparedWithTheSameWork(t *testing.T) {
	for name, newDatabase := range databases {
		t.Run(name, func(t *testing.T) {
			idp := testidp.New(t)
			library := func() string {
				url := newDatabase(t)
				addBooks(t, url, manyLenders)
				addReaders(t, url, manyLenders)
				return url
			}
			ours := library()
			pid, addr := startProgram(t, ours, idp)
			all := []*contender{tokenService(t, "the program", pid, addr, idp).on(t, ours)}
			if *before != "" {
				old := library()
				cmd := exec.Command(*before, program(old, idp).Args[1:]...)
				oldAddr := start(t, cmd)
				all = append(all, tokenService(t, "another build", cmd.Process.Pid, oldAddr, idp).on(t, old))
			}
			peers := []struct{ name, how string }{{"the same work by hand", "alike"}}
			if name == "postgres" {
				peers = append(peers, struct{ name, how string }{"by hand, two round trips", "batch"})
			}
			for _, p := range peers {
				url := library()
				cmd := exec.Command(referenceBinary, url, idp.Issuer(), idp.KeysURL(), p.how)
				peer := tokenService(t, p.name, 0, start(t, cmd), idp).on(t, url)
				peer.pids = []int{cmd.Process.Pid}
				all = append(all, peer)
			}
			compareLending(t, name+", the same work", 1, all...)
		})
	}
}

func readerEmail(i int) string { return fmt.Sprintf("reader-%d@example.com", i) }

func readerID(i int) string { return fmt.Sprintf("00000000-0000-4000-9000-%012d", i) }

// addReaders adds people to a library.
func addReaders(t *testing.T, url string, n int) {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), url)
	testkit.NoError(t, err)
	defer store.Close()
	err = store.Tx(t.Context(), func(tx library.Tx) error {
		for i := range n {
			u := library.User{ID: readerID(i), Version: "0000000000000001", UserFields: library.UserFields{
				Email: readerEmail(i), FirstName: "Reader", LastName: fmt.Sprint(i), Roles: []library.Role{library.RoleUser}}}
			if err := tx.AddUser(t.Context(), u); err != nil {
				return err
			}
		}
		return nil
	})
	testkit.NoError(t, err)
}

// startReference runs the hand-written service, with n books and as many readers as there are lenders.
func startReference(t *testing.T, database string, idp *testidp.Provider, n int, generated func(i int) library.Book) (pid int, addr string) {
	t.Helper()
	cmd := exec.Command(referenceBinary, database, idp.Issuer(), idp.KeysURL())
	addr = start(t, cmd)
	conn, err := pgx.Connect(t.Context(), database)
	testkit.NoError(t, err)
	defer conn.Close(context.Background())
	fill := func(table string, n int, columns []string, row func(i int) ([]any, error)) {
		_, err := conn.CopyFrom(t.Context(), pgx.Identifier{table}, columns, pgx.CopyFromSlice(n, row))
		testkit.NoError(t, err)
	}
	fill("users", manyLenders, []string{"id", "email", "first_name", "last_name"}, func(i int) ([]any, error) {
		return []any{readerID(i), readerEmail(i), "Reader", fmt.Sprint(i)}, nil
	})
	fill("books", n, []string{"id", "isbn", "title", "description", "authors"}, func(i int) ([]any, error) {
		b := generated(i)
		return []any{b.ID, b.ISBN, b.Title, b.Description, b.Authors}, nil
	})
	fill("copies", n, []string{"id", "book_id"}, func(i int) ([]any, error) { return []any{uuid.NewString(), bookID(i)}, nil })
	return cmd.Process.Pid, addr
}
