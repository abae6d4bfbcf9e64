package sqlstore_test

import (
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore"
)

func TestTextIsTheSameWhateverEncodingADatabaseHasForItsClients(t *testing.T) {
	t.Parallel()
	address := databases["postgres"](t)
	sqlstore.Exec(t, open(t, address), `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET client_encoding = latin1', current_database()); END $$`)
	store := open(t, address)
	const title = "Öl und Äpfel, 本"
	err := store.Tx(t.Context(), func(tx library.Tx) error {
		return tx.AddBook(t.Context(), library.Book{ID: library.NewID(), Version: "0000000000000001", BookFields: library.BookFields{Title: title}.Complete()})
	})
	testkit.NoError(t, err)
	books, err := open(t, address).Books(t.Context(), library.BookQuery{Terms: library.ParseTerms("apfel")})
	if err != nil || len(books) != 1 || books[0].Title != title {
		t.Errorf("%+v, %v", books, err)
	}
	if n := sqlstore.Look(t, store, `SELECT char_length(title)::text FROM books`); n != "15" {
		t.Errorf("the title is stored with %s characters", n)
	}
}

func TestADatabaseThatCannotHoldAllTextIsRefused(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Own(t)
	cluster.Exec(t, `CREATE DATABASE narrow TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`)
	store, err := sqlstore.Open(t.Context(), cluster.DatabaseURL("narrow"))
	if err == nil {
		store.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "encoding LATIN1") || !strings.Contains(err.Error(), "ENCODING 'UTF8'") || sqlstore.IsAbsent(err) {
		t.Errorf("error %v", err)
	}
}

func TestADatabaseThatDoesNotExistIsNamedWithAWayToCreateIt(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Own(t)
	for _, mode := range []string{"", "sslmode=prefer", "sslmode=disable"} {
		address := cluster.DatabaseURL("nodb")
		if mode != "" {
			address = strings.ReplaceAll(address, "sslmode=disable", mode)
		}
		store, err := sqlstore.Open(t.Context(), address)
		if err == nil {
			store.Close()
		}
		if err == nil || !strings.Contains(err.Error(), `the database nodb does not exist on this server; create it with: createdb --owner `) ||
			strings.Contains(err.Error(), "TLS") || strings.Contains(err.Error(), "reached") || sqlstore.IsAbsent(err) {
			t.Errorf("%s: %v", mode, err)
		}
	}
}
