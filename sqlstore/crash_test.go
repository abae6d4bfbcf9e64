package sqlstore_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore"
)

// A test may start this program again as a child that plays a role.
const (
	roleVariable    = "SQLSTORE_TEST_ROLE"
	addressVariable = "SQLSTORE_TEST_ADDRESS"
)

func TestMain(m *testing.M) {
	role := os.Getenv(roleVariable)
	if role == "" {
		os.Exit(m.Run())
	}
	if err := play(context.Background(), role, os.Getenv(addressVariable)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func play(ctx context.Context, role, address string) error {
	store, err := sqlstore.Open(ctx, address)
	if err != nil {
		return err
	}
	defer store.Close()
	if _, err := store.Migrate(ctx); err != nil {
		return err
	}
	switch role {
	case "migrate":
		return nil
	case "write": // until somebody kills it
		for {
			b := book("Emma")
			if err := store.Tx(ctx, func(tx library.Tx) error { return tx.AddBook(ctx, b) }); err != nil {
				return err
			}
			fmt.Println(b.ID)
		}
	}
	return errors.New("no such role")
}

// TestSuccessSurvivesACrash kills a writer in the middle and looks for every
// book whose addition it reported.
func TestSuccessSurvivesACrash(t *testing.T) {
	t.Parallel()
	const enough = 40
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := address(t)
			var reported []string
			for range 2 { // the second time on what the first one left
				reported = append(reported, crash(t, address, enough)...)
			}
			store := open(t, address)
			for _, id := range reported {
				if _, err := store.Book(t.Context(), id, ""); err != nil {
					t.Errorf("a book that was reported as added: %v", err)
				}
			}
			n, err := store.CountBooks(t.Context(), library.BookQuery{Terms: library.ParseTerms("emma")})
			if n < len(reported) || err != nil {
				t.Errorf("search: got %d books and error %v, want at least %d", n, err, len(reported))
			}
			sqlstore.CheckIntegrity(t, store)
		})
	}
}

// crash starts a writer, kills it after n reports and returns all of them.
func crash(t *testing.T, address string, n int) []string {
	t.Helper()
	cmd := child(t, "write", address)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	testkit.NoError(t, err)
	testkit.NoError(t, cmd.Start())
	var reported []string
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if len(lines.Text()) == 36 { // the last line may be cut
			reported = append(reported, lines.Text())
		}
		if len(reported) == n {
			cmd.Process.Kill()
		}
	}
	cmd.Wait()
	if len(reported) < n {
		t.Fatalf("the writer stopped by itself after %d books", len(reported))
	}
	return reported
}
