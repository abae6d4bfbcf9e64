package e2e

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLendingJourney is a day in the library: an admin, a curator and two
// readers, who have nothing but their tokens.
func TestLendingJourney(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, database string) {
		s := startOn(t, database)
		admin, curator, reader := s.as(t, admin), s.as(t, curator), s.as(t, reader)

		// The admin lets a new reader in, who could not come in before.
		diana := caller{"diana.prince@example.com", "library_user"}
		s.as(t, diana).get("/books").want(401)
		r := admin.post("/users", map[string]any{"email": diana.email, "firstName": "Diana", "lastName": "Prince", "roles": []string{"LIBRARY_USER"}}).want(201)
		added := into[user](r)
		r.wantHeader("Location", basePath+"/users/"+added.Identifier)
		newcomer := s.as(t, diana)
		newcomer.get("/books").want(200)
		admin.post("/users", map[string]any{"email": "DIANA.prince@example.com", "firstName": "D", "lastName": "P"}).want(409).wantCode("email_taken")

		// The curator adds a book and corrects it; a stale edit is refused.
		r = curator.post("/books", map[string]any{"title": " Moby-Dick ", "isbn": "978-0-14-243724-7", "authors": []string{"Herman Melville"}}).want(201)
		moby := into[book](r)
		at := "/books/" + moby.Identifier
		r.wantHeader("Location", basePath+at)
		tag := curator.get(at).want(200).Header.Get("ETag")
		curator.put(at, map[string]any{"title": "Moby Dick", "description": "Call me Ishmael.", "authors": []string{"Herman Melville"}}, "If-Match", tag).want(200)
		curator.put(at, map[string]any{"title": "Lost update"}, "If-Match", tag).want(412)
		got := into[book](newcomer.get(at).want(200))
		free := false
		want := book{Identifier: moby.Identifier, Title: "Moby Dick", Description: "Call me Ishmael.", Authors: []string{"Herman Melville"}, Borrowed: &free}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the book (-want +got):\n%s", diff)
		}
		if found := into[[]book](reader.get("/books?q=melv+moby").want(200)); len(found) != 1 || found[0].Identifier != moby.Identifier {
			t.Errorf("the search finds %+v", found)
		}

		// The newcomer borrows it, twice; nobody else can; who has it is private.
		newcomer.post(at+"/borrow", nil).want(200)
		newcomer.post(at+"/borrow", nil).want(200)
		reader.post(at+"/borrow", nil).want(409).wantCode("already_borrowed")
		reader.post(at+"/return", nil).want(403)
		for name, c := range map[string]session{"the borrower": newcomer, "a curator": curator, "an admin": admin} {
			b := into[book](c.get(at).want(200))
			if b.BorrowedBy == nil || b.BorrowedBy.Identifier != added.Identifier || b.BorrowedBy.FirstName != "Diana" {
				t.Errorf("%s sees %+v", name, b)
			}
		}
		r = reader.get(at).want(200)
		if b := into[book](r); !*b.Borrowed || b.BorrowedBy != nil || strings.Contains(string(r.Body), "Diana") {
			t.Errorf("another reader sees %s", r.Body)
		}
		if mine := into[[]book](newcomer.get("/me/books").want(200)); len(mine) != 1 || mine[0].Title != "Moby Dick" {
			t.Errorf("my books are %+v", mine)
		}

		// What is lent stays, and so does who has it.
		curator.delete(at).want(409).wantCode("book_on_loan")
		admin.delete("/users/" + added.Identifier).want(409).wantCode("user_has_books")

		// Back it comes.
		newcomer.post(at+"/return", nil).want(200)
		newcomer.post(at+"/return", nil).want(409).wantCode("not_borrowed")
		reader.post(at+"/borrow", nil).want(200)
		reader.post(at+"/return", nil).want(200)
		curator.delete(at).want(204)
		reader.get(at).want(404)
		if n := count(t, database, `SELECT count(*) FROM loans WHERE returned_at IS NOT NULL AND book_title = 'Moby Dick'`); n != 2 {
			t.Errorf("%d loans are remembered, want 2", n)
		}

		// A user who was removed a moment ago is out, good token or not.
		admin.delete("/users/" + added.Identifier).want(204)
		newcomer.get("/books").want(401)
		if n := count(t, database, `SELECT count(*) FROM loans WHERE user_id IS NULL`); n != 1 {
			t.Errorf("%d loans of a forgotten person, want 1", n)
		}
	})
}

// TestBasePathNone is a server that lives at the root.
func TestBasePathNone(t *testing.T) {
	t.Parallel()
	s := startOn(t, emptySQLite(t), "--base-path", "/")
	s.base = s.root
	s.as(t, reader).get("/books").want(200)
	s.as(t, curator).post("/books", map[string]any{"title": "At the root", "identifier": "11111111-2222-4333-8444-555555555555"}).
		want(201).wantHeader("Location", "/books/11111111-2222-4333-8444-555555555555")
	s.as(t, reader).get(basePath + "/books").want(404)
}
