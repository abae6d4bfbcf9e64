package bench

import (
	"testing"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// mixedBooks is how few books the mixed load is about: each loan changes what most
// readers are about to read.
const mixedBooks = 20

// TestMixedLoadComparedWithAHandWrittenService lets sixteen readers look at twenty
// books, and each borrow one and give it back again: two of ten requests.
func TestMixedLoadComparedWithAHandWrittenService(t *testing.T) {
	for name, newDatabase := range databases {
		t.Run(name, func(t *testing.T) {
			ours := newDatabase(t)
			addBooks(t, ours, mixedBooks)
			addReaders(t, ours, manyLenders)
			idp := testidp.New(t)
			_, addr := startProgram(t, ours, idp)
			_, theirs := startReference(t, pgtest.URL(t, pgtest.Durable()), idp, mixedBooks, generated)
			compare(t, name+" mixed load on 20 books",
				func() float64 { return 10 * rate(t, manyLenders, *period, mixedReader(t, addr, idp)) },
				reference{"a hand-written service on PostgreSQL", 1.5,
					func() float64 { return 10 * rate(t, manyLenders, *period, mixedReader(t, theirs, idp)) }})
		})
	}
}

// mixedReader asks ten things.
func mixedReader(t *testing.T, addr string, idp *testidp.Provider) func(int) (func() error, func()) {
	return func(i int) (func() error, func()) {
		c, err := dial(addr)
		testkit.NoError(t, err)
		token := idp.Token(t, readerEmail(i), "library_user email profile")
		get := func(path string) []byte { return request("GET", base+path, token) }
		own := base + "/books/" + bookID(i)
		requests := [][]byte{get("/books?limit=20")}
		for n := range 7 {
			requests = append(requests, get("/books/"+bookID((i+n*3)%mixedBooks)))
		}
		requests = append(requests, request("POST", own+"/borrow", token), request("POST", own+"/return", token))
		return func() error {
			for _, req := range requests {
				if err := want(200)(c.do(req)); err != nil {
					return err
				}
			}
			return nil
		}, func() { c.conn.Close() }
	}
}
