package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/api"
)

const (
	bookPath   = "/books/" + cleanCode
	borrowPath = bookPath + "/borrow"
	returnPath = bookPath + "/return"
)

var bruce = &api.Person{Identifier: wayneID, FirstName: "Bruce", LastName: "Wayne"}

// isBook expects a book that has one copy; identifier "" is any, and so is the day
// on which it is due.
func isBook(want api.Book) func(*testing.T, *world, reply) {
	want.Copies, want.Available = 1, 1
	if want.Kind == "" {
		want.Kind = "book"
	}
	if want.Borrowed {
		want.Available = 0
	}
	return func(t *testing.T, _ *world, a reply) {
		t.Helper()
		got := a.book(t)
		got.DueAt = ""
		if want.Identifier == "" {
			got.Identifier = ""
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("book (-want +got)\n%s", diff)
		}
	}
}

func complainsAbout(fields ...string) func(*testing.T, *world, reply) {
	return func(t *testing.T, _ *world, a reply) {
		t.Helper()
		if diff := cmp.Diff(fields, a.fields()); diff != "" {
			t.Errorf("wrong fields (-want +got)\n%s", diff)
		}
	}
}

func TestAddingBooks(t *testing.T) {
	t.Parallel()
	post := func(as, body string) request {
		return request{as: as, method: http.MethodPost, path: "/books", body: body}
	}
	play(t, []scenario{
		{rule: "a title is enough", ask: post(peterParker, `{"title":"Emma"}`), status: 201,
			then: isBook(api.Book{BookFields: api.BookFields{Title: "Emma"}})},
		{rule: "the answer says where the book is", ask: post(peterParker, `{"title":"Emma"}`), status: 201,
			then: func(t *testing.T, w *world, a reply) {
				location := a.header.Get("Location")
				if want := basePath + "/books/" + a.book(t).Identifier; location != want {
					t.Errorf("Location %q, want %q", location, want)
				}
				again := w.send(t, request{as: bruceWayne, path: strings.TrimPrefix(location, basePath)}).want(t, 200, "")
				if diff := cmp.Diff(a.book(t), again.book(t)); diff != "" {
					t.Errorf("the book at Location (-created +found)\n%s", diff)
				}
			}},
		{rule: "every field is kept as typed", status: 201,
			ask:  post(peterParker, `{"title":" Émma ","isbn":"x 978–1","description":"a\n\tb","authors":["Jane Austen","<&>"]}`),
			then: isBook(api.Book{BookFields: api.BookFields{Title: "Émma", ISBN: "x 978–1", Description: "a\n\tb", Authors: []string{"Jane Austen", "<&>"}}})},
		{rule: "blank optional values are absent", status: 201,
			ask:  post(peterParker, `{"title":"Emma","isbn":" ","description":"","authors":[]}`),
			then: isBook(api.Book{BookFields: api.BookFields{Title: "Emma"}})},
		{rule: "null is absent", status: 201,
			ask:  post(peterParker, `{"title":"Emma","isbn":null,"description":null,"authors":null,"identifier":null}`),
			then: isBook(api.Book{BookFields: api.BookFields{Title: "Emma"}})},
		{rule: "a client may choose the identifier", ask: post(peterParker, `{"identifier":"`+unknownID+`","title":"Emma"}`), status: 201,
			then: isBook(api.Book{Identifier: unknownID, BookFields: api.BookFields{Title: "Emma"}})},
		{rule: "an identifier is shown in lower case", status: 201,
			ask:  post(peterParker, `{"identifier":"ABCDEF00-0000-4000-8000-000000000000","title":"Emma"}`),
			then: isBook(api.Book{Identifier: "abcdef00-0000-4000-8000-000000000000", BookFields: api.BookFields{Title: "Emma"}})},
		{rule: "an identifier is taken once", ask: post(peterParker, `{"identifier":"`+cleanCode+`","title":"Emma"}`),
			status: 409, code: "identifier_taken"},
		{rule: "an identifier is a UUID of 36 characters", ask: post(peterParker, `{"identifier":"1","title":"Emma"}`),
			status: 400, code: "invalid", then: complainsAbout("identifier")},
		{rule: "a book is not borrowed by saying so", status: 201,
			ask:  post(peterParker, `{"title":"Emma","borrowed":true,"borrowedBy":{"identifier":"`+wayneID+`"}}`),
			then: isBook(api.Book{BookFields: api.BookFields{Title: "Emma"}})},
		{rule: "unknown members are ignored", ask: post(peterParker, `{"title":"Emma","Title":"x","colour":{"red":1}}`), status: 201,
			then: isBook(api.Book{BookFields: api.BookFields{Title: "Emma"}})},
		{rule: "a title is required", ask: post(peterParker, `{"isbn":"1"}`), status: 400, code: "invalid", then: complainsAbout("title")},
		{rule: "every wrong field is named", status: 400, code: "invalid",
			ask:  post(peterParker, `{"title":" ","isbn":"`+strings.Repeat("9", 21)+`","description":"\u0000","authors":["A",""]}`),
			then: complainsAbout("title", "isbn", "description", "authors[1]")},
		{rule: "a reader cannot add a book", ask: post(bruceWayne, `{"title":"Emma"}`), status: 403, code: "role_missing"},
		{rule: "an admin cannot add a book", ask: post(clarkKent, `{"title":"Emma"}`), status: 403, code: "role_missing"},
	})
}

func TestShowingABook(t *testing.T) {
	t.Parallel()
	want := api.Book{
		Identifier: cleanCode, BookFields: api.BookFields{ISBN: "978-0-13-235088-4", Title: "Clean Code", Authors: []string{"Robert C. Martin"}, Description: "A handbook of agile software craftsmanship: names, functions, comments, tests, and the courage to tidy up."},
	}
	scenarios := []scenario{
		{rule: "an unknown book", ask: request{as: bruceWayne, path: "/books/" + unknownID}, status: 404, code: "book_not_found"},
		{rule: "another spelling of an identifier", ask: request{as: bruceWayne, path: "/books/" + strings.ReplaceAll(cleanCode, "-", "")},
			status: 400, code: "bad_identifier"},
		{rule: "an identifier in upper case", ask: request{as: bruceWayne, path: "/books/" + strings.ToUpper(cleanCode)}, status: 200, then: isBook(want)},
	}
	for _, who := range []string{bruceWayne, peterParker, clarkKent} {
		scenarios = append(scenarios, scenario{rule: "for " + who, ask: request{as: who, path: bookPath}, status: 200, then: isBook(want)})
	}
	play(t, scenarios)
}

func TestEditingABook(t *testing.T) {
	t.Parallel()
	put := func(as, body string) request {
		return request{as: as, method: http.MethodPut, path: bookPath, body: body}
	}
	play(t, []scenario{
		{rule: "the body replaces the book", ask: put(peterParker, `{"title":"Dirty Code","isbn":"2","description":"d","authors":["A"]}`), status: 200,
			then: isBook(api.Book{Identifier: cleanCode, BookFields: api.BookFields{Title: "Dirty Code", ISBN: "2", Description: "d", Authors: []string{"A"}}})},
		{rule: "what is left out is cleared", ask: put(peterParker, `{"title":"Clean Code"}`), status: 200,
			then: isBook(api.Book{Identifier: cleanCode, BookFields: api.BookFields{Title: "Clean Code"}})},
		{rule: "the next reader sees the edit", given: edited(cleanCode, `{"title":"Dirty Code"}`), ask: request{as: bruceWayne, path: bookPath}, status: 200,
			then: isBook(api.Book{Identifier: cleanCode, BookFields: api.BookFields{Title: "Dirty Code"}})},
		{rule: "the identifier in the body may be the one in the path", ask: put(peterParker, `{"identifier":"`+strings.ToUpper(cleanCode)+`","title":"T"}`), status: 200},
		{rule: "the identifier in the body may be no other", ask: put(peterParker, `{"identifier":"`+unknownID+`","title":"T"}`),
			status: 400, code: "invalid", then: complainsAbout("identifier")},
		{rule: "an edit does not end a loan", given: lent(cleanCode, bruceWayne), ask: put(peterParker, `{"title":"T","borrowed":false,"borrowedBy":null}`), status: 200,
			then: isBook(api.Book{Identifier: cleanCode, BookFields: api.BookFields{Title: "T"}, Borrowed: true, BorrowedBy: bruce})},
		{rule: "a title is required", ask: put(peterParker, `{}`), status: 400, code: "invalid", then: complainsAbout("title")},
		{rule: "a reader cannot edit a book", ask: put(bruceWayne, `{"title":"T"}`), status: 403, code: "role_missing"},
		{rule: "an admin cannot edit a book", ask: put(clarkKent, `{"title":"T"}`), status: 403, code: "role_missing"},
		{rule: "an unknown book", ask: request{as: peterParker, method: http.MethodPut, path: "/books/" + unknownID, body: `{"title":"T"}`},
			status: 404, code: "book_not_found"},
		{rule: "a strange identifier", ask: request{as: peterParker, method: http.MethodPut, path: "/books/1", body: `{"title":"T"}`},
			status: 400, code: "bad_identifier"},
		{rule: "the role is judged before the identifier", ask: request{as: bruceWayne, method: http.MethodPut, path: "/books/1", body: `{"title":"T"}`},
			status: 403, code: "role_missing"},
	})
}

func TestDeletingABook(t *testing.T) {
	t.Parallel()
	del := func(as, path string) request { return request{as: as, method: http.MethodDelete, path: path} }
	play(t, []scenario{
		{rule: "a curator deletes a book", ask: del(peterParker, bookPath), status: 204,
			then: func(t *testing.T, w *world, _ reply) {
				w.send(t, request{as: bruceWayne, path: bookPath}).want(t, 404, "book_not_found")
			}},
		{rule: "a book is deleted once", given: deleted(bookPath, peterParker), ask: del(peterParker, bookPath), status: 404, code: "book_not_found"},
		{rule: "a borrowed book cannot be deleted", given: lent(cleanCode, bruceWayne), ask: del(peterParker, bookPath), status: 409, code: "book_on_loan"},
		{rule: "a returned book can be deleted", given: inTurn(lent(cleanCode, bruceWayne), returned(cleanCode, bruceWayne)), ask: del(peterParker, bookPath), status: 204},
		{rule: "a reader cannot delete a book", ask: del(bruceWayne, bookPath), status: 403, code: "role_missing"},
		{rule: "an admin cannot delete a book", ask: del(clarkKent, bookPath), status: 403, code: "role_missing"},
		{rule: "a strange identifier", ask: del(peterParker, "/books/x"), status: 400, code: "bad_identifier"},
	})
}

func TestLending(t *testing.T) {
	t.Parallel()
	post := func(as, path string) request { return request{as: as, method: http.MethodPost, path: path} }
	borrowed := func(by *api.Person) func(*testing.T, *world, reply) {
		return func(t *testing.T, _ *world, a reply) {
			t.Helper()
			if b := a.book(t); !b.Borrowed || !cmp.Equal(b.BorrowedBy, by) {
				t.Errorf("borrowed %v by %+v, want %+v", b.Borrowed, b.BorrowedBy, by)
			}
		}
	}
	free := func(t *testing.T, _ *world, a reply) {
		t.Helper()
		if b := a.book(t); b.Borrowed || b.BorrowedBy != nil {
			t.Errorf("borrowed %v by %+v, want free", b.Borrowed, b.BorrowedBy)
		}
	}
	noChallenge := func(t *testing.T, _ *world, a reply) {
		t.Helper()
		if got := a.header.Values("WWW-Authenticate"); got != nil {
			t.Errorf("WWW-Authenticate %q: another token would not help", got)
		}
	}
	play(t, []scenario{
		{rule: "a reader borrows a free book", ask: post(bruceWayne, borrowPath), status: 200, then: borrowed(bruce)},
		{rule: "borrowing again changes nothing", given: lent(cleanCode, bruceWayne), ask: post(bruceWayne, borrowPath), status: 200, then: borrowed(bruce)},
		{rule: "a reader cannot borrow another reader's book", given: lent(cleanCode, bruceBanner), ask: post(bruceWayne, borrowPath), status: 409, code: "already_borrowed"},
		{rule: "a reader returns a book", given: lent(cleanCode, bruceWayne), ask: post(bruceWayne, returnPath), status: 200, then: free},
		{rule: "a reader cannot return another reader's book", given: lent(cleanCode, bruceBanner), ask: post(bruceWayne, returnPath),
			status: 403, code: "not_your_loan", then: noChallenge},
		{rule: "a book that nobody has cannot be returned", ask: post(bruceWayne, returnPath), status: 409, code: "not_borrowed"},
		{rule: "a book is returned once", given: inTurn(lent(cleanCode, bruceWayne), returned(cleanCode, bruceWayne)), ask: post(bruceWayne, returnPath), status: 409, code: "not_borrowed"},
		{rule: "a returned book can be borrowed by another reader", given: inTurn(lent(cleanCode, bruceBanner), returned(cleanCode, bruceBanner)),
			ask: post(bruceWayne, borrowPath), status: 200, then: borrowed(bruce)},
		{rule: "a curator is no reader", ask: post(peterParker, borrowPath), status: 403, code: "role_missing"},
		{rule: "an admin is no reader", ask: post(clarkKent, borrowPath), status: 403, code: "role_missing"},
		{rule: "a curator cannot return a reader's book", given: lent(cleanCode, bruceWayne), ask: post(peterParker, returnPath), status: 403, code: "role_missing"},
		{rule: "an unknown book cannot be borrowed", ask: post(bruceWayne, "/books/"+unknownID+"/borrow"), status: 404, code: "book_not_found"},
		{rule: "an unknown book cannot be returned", ask: post(bruceWayne, "/books/"+unknownID+"/return"), status: 404, code: "book_not_found"},
		{rule: "a strange identifier", ask: post(bruceWayne, "/books/1/borrow"), status: 400, code: "bad_identifier"},
		{rule: "no body is needed, and any is ignored", status: 200,
			ask: request{as: bruceWayne, method: http.MethodPost, path: borrowPath, body: "<xml/>", header: field("Content-Type", "text/xml")}},
	})
}

// TestWhoBorrowedABookIsPrivate looks at one loan of Bruce Wayne through the
// eyes of everybody, in every place where books are shown.
func TestWhoBorrowedABookIsPrivate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule  string
		who   string
		scope string
		sees  bool
	}{
		{"the borrower sees it", bruceWayne, "library_user", true},
		{"the borrower sees it without any role", bruceWayne, "email", true},
		{"another reader does not", bruceBanner, "library_user", false},
		{"somebody without any role does not", bruceBanner, "", false},
		{"a curator sees it", peterParker, "library_curator", true},
		{"an admin sees it", clarkKent, "library_admin", true},
		{"a curator whose token lacks the scope does not", peterParker, "email", false},
		{"a reader who is also a curator sees it", bruceBanner, "library_user library_curator", true},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			lent(cleanCode, bruceWayne)(t, w)
			token := w.idp.Token(t, c.who, c.scope)
			for _, path := range []string{bookPath, "/books", "/books?limit=1", "/books?q=clean", "/books?borrowed=true", "/books?sort=created&limit=3"} {
				a := w.send(t, request{token: token, path: path}).want(t, 200, "")
				shown := strings.Contains(string(a.body), `"borrowedBy"`) && strings.Contains(string(a.body), wayneID)
				if !strings.Contains(string(a.body), `"borrowed":true`) || shown != c.sees {
					t.Errorf("%s: the borrower is shown: %v, want %v\n%s", path, shown, c.sees, a.body)
				}
			}
		})
	}
}

// A loan outlives its book, so that the library remembers what was read.
func TestABookCanBeAddedAgainAfterItWasLentAndDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	inTurn(lent(cleanCode, bruceWayne), returned(cleanCode, bruceWayne), deleted(bookPath, peterParker),
		added("/books", peterParker, `{"identifier":"`+cleanCode+`","title":"Clean Code"}`), lent(cleanCode, bruceBanner))(t, w)
	a := w.send(t, request{as: clarkKent, path: bookPath}).want(t, 200, "")
	if by := a.book(t).BorrowedBy; by == nil || by.Identifier != bannerID {
		t.Errorf("borrowed by %+v, want Bruce Banner", by)
	}
}
