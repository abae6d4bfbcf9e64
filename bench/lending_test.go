package bench

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

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
	program, addr := startProgram(t, ours, idp)
	reference, referenceAddr := startReference(t, theirs, idp, manyLenders)
	server := postgresServer(t, ours)

	both := [2]*measured{
		{name: "the program", pid: program, lender: readersLender(t, addr, idp)},
		{name: "a hand-written service", pid: reference, lender: readersLender(t, referenceAddr, idp)},
	}
	inTurns(t, server, both[:]...)
	report(t, "postgres borrow+return by 16 readers", 1.2, both[0], both[1])
}

// measured is a service, and what was measured of it round by round.
type measured struct {
	name   string
	pid    int
	lender func(int) (func() error, func())
	rates  []float64 // pairs of a loan and a return in a second
	costs  []float64 // microseconds of PostgreSQL's processor time for a pair
	own    []float64 // microseconds of its own processor time for a pair
}

func (m *measured) measure(t *testing.T, server int, keep bool) {
	t.Helper()
	spent, own := processorTime(t, server), readStat(t, m.pid).own
	pairs, r := counted(t, manyLenders, *period, m.lender)
	spent, own = processorTime(t, server)-spent, readStat(t, m.pid).own-own
	each := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(max(pairs, 1)) }
	if keep {
		m.rates, m.costs, m.own = append(m.rates, r), append(m.costs, each(spent)), append(m.own, each(own))
	}
}

// report says how one service compares with another.
func report(t *testing.T, what string, target float64, a, b *measured) {
	t.Helper()
	ratios, costs := make([]float64, len(a.rates)), make([]float64, len(a.rates))
	for i := range ratios {
		ratios[i], costs[i] = a.rates[i]/b.rates[i], a.costs[i]/b.costs[i]
	}
	t.Log(what)
	for _, m := range []*measured{a, b} {
		t.Logf("   %s: %.0f/s; for each PostgreSQL works %.0f µs, and the service %.0f µs", m.name, median(m.rates), median(m.costs), median(m.own))
	}
	t.Logf("   %.2f of the rate of %s (rounds: %.2f; target %.2f), %.2f of PostgreSQL's processor time (rounds: %.2f)",
		median(ratios), b.name, ratios, target, median(costs), costs)
}

// readersLender borrows and returns one book of its own, as a reader of its own.
func readersLender(t *testing.T, addr string, idp *testidp.Provider) func(int) (func() error, func()) {
	return func(i int) (func() error, func()) {
		return httpLender(t, addr, idp.Token(t, readerEmail(i), "library_user email profile"))(i)
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

// startReference runs the hand-written service, with n books and n readers.
func startReference(t *testing.T, database string, idp *testidp.Provider, n int) (pid int, addr string) {
	t.Helper()
	cmd := exec.Command(referenceBinary, database, idp.Issuer(), idp.KeysURL())
	addr = start(t, cmd)
	conn, err := pgx.Connect(t.Context(), database)
	testkit.NoError(t, err)
	defer conn.Close(context.Background())
	for i := range n {
		b := generated(i)
		_, err := conn.Exec(t.Context(), `WITH b AS (INSERT INTO books (id, isbn, title, description, authors) VALUES ($1, $2, $3, $4, $5)),
				u AS (INSERT INTO users (id, email, first_name, last_name) VALUES ($7, $8, 'Reader', $9))
			INSERT INTO copies (id, book_id) VALUES ($6, $1)`,
			b.ID, b.ISBN, b.Title, b.Description, b.Authors, uuid.NewString(), readerID(i), strings.ToLower(readerEmail(i)), fmt.Sprint(i))
		testkit.NoError(t, err)
	}
	return cmd.Process.Pid, addr
}
