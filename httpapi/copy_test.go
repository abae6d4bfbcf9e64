package httpapi_test

import (
	"strconv"
	"strings"
	"testing"
)

func TestCopiesOfABook(t *testing.T) {
	t.Parallel()
	const add = "POST /books/{clean}/copies"
	runSteps(t, []step{
		{rule: "a book has one", as: peterParker, ask: "GET /books/{clean}/copies", status: 200, keep: "first:0.identifier", then: inAll("1"), want: facts{
			"length": 1, "0.state": "lendable", "0.barcode": absent, "0.shelf": absent, "0.note": absent, "0.loan": absent, "0.hold": absent}},
		{rule: "which admins see, too", as: clarkKent, ask: "GET /books/{clean}/copies", status: 200, want: facts{"length": 1}},
		{rule: "and readers do not", as: bruceWayne, ask: "GET /books/{clean}/copies", status: 403, code: "role_missing"},
		{rule: "of a book that there is", as: clarkKent, ask: "GET /books/{unknown}/copies", status: 404, code: "book_not_found"},
		{rule: "there is nothing to ask for", as: clarkKent, ask: "GET /books/{clean}/copies?limit=1", status: 400, code: "bad_query", then: names("limit")},
		{rule: "curators add more", as: peterParker, ask: add, body: `{"barcode":"LIB-1","shelf":" A 3 ","note":"cover torn"}`, status: 201, keep: "second", then: locatedAt("/copies/"), want: facts{
			"barcode": "LIB-1", "shelf": "A 3", "note": "cover torn", "state": "lendable"}},
		{rule: "in the order in which they came", as: peterParker, ask: "GET /books/{clean}/copies", status: 200, want: facts{"length": 2, "0.identifier": "{first}", "1.identifier": "{second}"}},
		{rule: "which can be borrowed", as: bruceWayne, ask: "GET /books/{clean}", status: 200, want: facts{"copies": 2, "available": 2}},
		{rule: "admins do not add any", as: clarkKent, ask: add, body: `{}`, status: 403, code: "role_missing"},
		{rule: "nor readers", as: bruceWayne, ask: add, body: `{}`, status: 403, code: "role_missing"},
		{rule: "nor anybody to a book that is not there", as: peterParker, ask: "POST /books/{unknown}/copies", body: `{}`, status: 404, code: "book_not_found"},
		{rule: "a barcode is on one copy", as: peterParker, ask: add, body: `{"barcode":"LIB-1"}`, status: 409, code: "barcode_taken"},
		{rule: "an identifier, too", as: peterParker, ask: add, body: `{"identifier":"{second}"}`, status: 409, code: "identifier_taken"},
		{rule: "every wrong field is named", as: peterParker, ask: add, status: 400, code: "invalid", then: names("identifier", "barcode", "shelf", "note", "state"),
			body: `{"identifier":"x","barcode":"a b","shelf":"` + strings.Repeat("x", 101) + `","note":"` + strings.Repeat("x", 1001) + `","state":"gone"}`},
		{rule: "one that stays in the library does not count", as: peterParker, ask: add, body: `{"state":"reference"}`, status: 201, keep: "third"},
		{rule: "in the numbers of the book", as: bruceWayne, ask: "GET /books/{clean}", status: 200, want: facts{"copies": 2, "available": 2}},
		{rule: "one copy", as: clarkKent, ask: "GET /copies/{second}", status: 200, want: facts{"identifier": "{second}", "barcode": "LIB-1"}},
		{rule: "is not for readers", as: bruceWayne, ask: "GET /copies/{second}", status: 403, code: "role_missing"},
		{rule: "there are no others", as: clarkKent, ask: "GET /copies/{unknown}", status: 404, code: "copy_not_found"},
		{rule: "an edit clears what it leaves out", as: peterParker, ask: "PUT /copies/{second}", body: `{"shelf":"B"}`, status: 200, want: facts{
			"barcode": absent, "shelf": "B", "note": absent, "state": "lendable"}},
		{rule: "an edit is about the copy in the path", as: peterParker, ask: "PUT /copies/{second}", body: `{"identifier":"{first}"}`, status: 400, code: "invalid", then: names("identifier")},
		{rule: "admins do not edit", as: clarkKent, ask: "PUT /copies/{second}", body: `{}`, status: 403, code: "role_missing"},
		{rule: "a copy that is not there cannot be edited", as: peterParker, ask: "PUT /copies/{unknown}", body: `{}`, status: 404, code: "copy_not_found"},
		{rule: "a barcode that was given up can be taken", as: peterParker, ask: "PUT /copies/{first}", body: `{"barcode":"LIB-1"}`, status: 200},
		{rule: "and not twice", as: peterParker, ask: "PUT /copies/{second}", body: `{"barcode":"LIB-1"}`, status: 409, code: "barcode_taken"},
		{rule: "given one that is lent", as: peterParker, ask: "POST /loans", body: `{"user":"{wayne}","copy":"{first}"}`, status: 201, keep: "loan"},
		{rule: "staff see who has it", as: clarkKent, ask: "GET /copies/{first}", status: 200, want: facts{
			"loan.identifier": "{loan}", "loan.user.lastName": "Wayne", "loan.renewableFrom": "2026-03-03T00:00:00Z", "loan.book.title": "Clean Code"}},
		{rule: "also in the list", as: clarkKent, ask: "GET /books/{clean}/copies", status: 200, want: facts{"0.loan.identifier": "{loan}", "0.loan.renewableFrom": "2026-03-03T00:00:00Z", "1.loan": absent}},
		{rule: "it is not removed", as: peterParker, ask: "DELETE /copies/{first}", status: 409, code: "on_loan"},
		{rule: "nor kept in the library", as: peterParker, ask: "PUT /copies/{first}", body: `{"state":"reference"}`, status: 409, code: "on_loan"},
		{rule: "but it can be lost", as: peterParker, ask: "PUT /copies/{first}", body: `{"state":"lost"}`, status: 200, want: facts{"state": "lost", "loan.identifier": "{loan}"}},
		{rule: "which makes it one less", as: bruceBanner, ask: "GET /books/{clean}", status: 200, want: facts{"copies": 1, "available": 1, "borrowed": false}},
		{rule: "the loan stays open", as: bruceWayne, ask: "GET /books/{clean}", status: 200, want: facts{"loan.identifier": "{loan}", "borrowedBy.identifier": "{wayne}"}},
		{rule: "a copy that came back", as: peterParker, ask: "POST /loans/{loan}/return", status: 200},
		{rule: "is what it was marked", as: peterParker, ask: "GET /copies/{first}", status: 200, want: facts{"state": "lost", "loan": absent}},
		{rule: "admins do not remove", as: clarkKent, ask: "DELETE /copies/{first}", status: 403, code: "role_missing"},
		{rule: "curators do", as: peterParker, ask: "DELETE /copies/{first}", status: 204},
		{rule: "once", as: peterParker, ask: "DELETE /copies/{first}", status: 404, code: "copy_not_found"},
		{rule: "a past loan is still a loan", as: bruceWayne, ask: "GET /loans/{loan}", status: 200, want: facts{"copy": absent, "book.title": "Clean Code"}},
		{rule: "the copies of a book go with it", as: peterParker, ask: "DELETE /books/{clean}", status: 204},
		{rule: "all of them", as: peterParker, ask: "GET /copies/{second}", status: 404, code: "copy_not_found"},
		{rule: "and past loans stay", as: bruceWayne, ask: "GET /loans/{loan}", status: 200, want: facts{"book.identifier": absent, "book.title": "Clean Code", "book.authors.0": "Robert C. Martin"}},
	})
}

func TestEditsOfCopiesDoNotOverwriteEachOther(t *testing.T) {
	t.Parallel()
	match := func(ask, body string, status int, code string) func(*testing.T, *story, reply) {
		return func(t *testing.T, s *story, _ reply) {
			t.Helper()
			method, path, _ := strings.Cut(ask, " ")
			s.send(t, request{as: peterParker, method: method, path: s.fill(t, path), body: body, header: field("If-Match", s.names["tag"])}).want(t, status, code)
		}
	}
	for database := range databases {
		t.Run(database, func(t *testing.T) {
			s := newStory(t, database)
			for _, st := range []step{
				{rule: "a copy", as: peterParker, ask: "GET /books/{clean}/copies", status: 200, keep: "copy:0.identifier"},
				{rule: "has a tag", as: peterParker, ask: "GET /copies/{copy}", status: 200, then: func(t *testing.T, s *story, a reply) {
					tag := a.tag()
					s.names["tag"] = tag
					if got := s.ifNoneMatch(t, peterParker, s.fill(t, "/copies/{copy}"), tag); tag == "" || got != 304 {
						t.Errorf("If-None-Match: %s gives %d", tag, got)
					}
				}},
				{rule: "which lending changes", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200, then: func(t *testing.T, s *story, _ reply) {
					if got := s.ifNoneMatch(t, peterParker, s.fill(t, "/copies/{copy}"), s.names["tag"]); got != 200 {
						t.Errorf("the tag of before gives %d", got)
					}
				}},
				{rule: "which does not spoil an edit", as: peterParker, ask: "GET /copies/{copy}", status: 200, then: match("PUT /copies/{copy}", `{"shelf":"A"}`, 200, "")},
				{rule: "another edit does", as: peterParker, ask: "GET /copies/{copy}", status: 200, want: facts{"shelf": "A"}, then: match("PUT /copies/{copy}", `{"shelf":"B"}`, 412, "outdated")},
				{rule: "and a removal", as: bruceWayne, ask: "POST /books/{clean}/return", status: 200, then: match("DELETE /copies/{copy}", "", 412, "outdated")},
			} {
				t.Run(st.rule, func(t *testing.T) { s.make(t, st) })
			}
		})
	}
}

func TestBooksComeWithCopies(t *testing.T) {
	t.Parallel()
	const add = "POST /books"
	runSteps(t, []step{
		{rule: "as many as are wanted", as: peterParker, ask: add, body: `{"title":"Emma","copies":3}`, status: 201, keep: "emma", want: facts{"copies": 3, "available": 3, "borrowed": false}},
		{rule: "none of which has a name", as: peterParker, ask: "GET /books/{emma}/copies", status: 200, want: facts{"length": 3, "2.state": "lendable"}},
		{rule: "or none at all", as: peterParker, ask: add, body: `{"title":"Persuasion","copies":0}`, status: 201, keep: "persuasion", want: facts{"copies": 0, "available": 0, "borrowed": false}},
		{rule: "which cannot be borrowed", as: bruceWayne, ask: "POST /books/{persuasion}/borrow", status: 409, code: "not_lendable"},
		{rule: "999 are as many as there can be", as: peterParker, ask: add, body: `{"title":"Mansfield Park","copies":999}`, status: 201, keep: "park", want: facts{"copies": 999}},
		{rule: "not one more", as: peterParker, ask: "POST /books/{park}/copies", body: `{}`, status: 409, code: "too_many_copies"},
		{rule: "1000 are too many", as: peterParker, ask: add, body: `{"title":"T","copies":1000}`, status: 400, code: "invalid", then: names("copies")},
		{rule: "fewer than none are too few", as: peterParker, ask: add, body: `{"title":"T","copies":-1}`, status: 400, code: "invalid", then: names("copies")},
		{rule: "half a copy is none", as: peterParker, ask: add, body: `{"title":"T","copies":1.5}`, status: 400, code: "invalid", then: names("copies")},
		{rule: "a number is a number", as: peterParker, ask: add, body: `{"title":"T","copies":"2"}`, status: 400, code: "invalid", then: names("copies")},
		{rule: "an edit leaves the copies alone", as: peterParker, ask: "PUT /books/{emma}", body: `{"title":"Emma","copies":7}`, status: 200, want: facts{"copies": 3}},
		{rule: "one is lent", as: bruceWayne, ask: "POST /books/{emma}/borrow", status: 200, want: facts{"available": 2, "borrowed": false, "dueAt": absent, "borrowedBy.identifier": "{wayne}"}},
		{rule: "and another one", as: bruceBanner, ask: "POST /books/{emma}/borrow", status: 200, want: facts{"available": 1, "borrowedBy.identifier": "{banner}"}},
		{rule: "then nobody is the only one who has it", as: peterParker, ask: "GET /books/{emma}", status: 200, want: facts{"borrowedBy": absent}},
		{rule: "what can be had", as: bruceWayne, ask: "GET /books?available=true&q=emma", status: 200, want: facts{"length": 1, "0.available": 1}, then: inAll("1")},
		{rule: "a book that cannot be had", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200},
		{rule: "is in the other list, with that of which there is none", as: bruceWayne, ask: "GET /books?available=false", status: 200, want: facts{
			"length": 2, "0.title": "Clean Code", "0.loan.overdue": false, "1.title": "Persuasion"}, then: inAll("2")},
		{rule: "only one of which is borrowed", as: bruceWayne, ask: "GET /books?available=false&borrowed=true", status: 200, want: facts{"length": 1}},
		{rule: "yes or no", as: bruceWayne, ask: "GET /books?available=maybe", status: 400, code: "bad_query", then: names("available")},
		{rule: "one's own books have one's own loans", as: bruceWayne, ask: "GET /me/books", status: 200, want: facts{"length": 2, "0.loan.dueAt": "2026-03-30T23:59:59Z", "1.title": "Emma"}},
	})
}

func TestReadersLearnOnWhichShelvesABookStands(t *testing.T) {
	t.Parallel()
	const add, copy = "POST /books/{clean}/copies", "PUT /copies/{copy}"
	shelves := func(names ...string) facts {
		f := facts{"shelves." + strconv.Itoa(len(names)): absent, "copies": 4}
		for i, name := range names {
			f["shelves."+strconv.Itoa(i)] = name
		}
		return f
	}
	unchanged := func(want int) func(*testing.T, *story, reply) {
		return func(t *testing.T, s *story, _ reply) {
			t.Helper()
			for path, tag := range map[string]string{"/books/{clean}": "tag", "/books": "list"} {
				if got := s.ifNoneMatch(t, bruceWayne, s.fill(t, path), s.names[tag]); got != want {
					t.Errorf("%s: If-None-Match gives %d, want %d", path, got, want)
				}
			}
		}
	}
	runSteps(t, []step{
		{rule: "none is known", as: bruceWayne, ask: "GET /books/{clean}", status: 200, want: facts{"shelves": absent}},
		{rule: "a second copy", as: peterParker, ask: add, body: `{"shelf":"zoo"}`, status: 201, keep: "copy"},
		{rule: "a third", as: peterParker, ask: add, body: `{"shelf":"Ärzte"}`, status: 201},
		{rule: "a fourth on a shelf that is there", as: peterParker, ask: add, body: `{"shelf":"zoo"}`, status: 201},
		{rule: "one that is not lent", as: peterParker, ask: add, body: `{"shelf":"Office","state":"reference"}`, status: 201},
		{rule: "a reader sees each once", as: bruceWayne, ask: "GET /books/{clean}", status: 200, want: shelves("Ärzte", "zoo"), then: func(t *testing.T, s *story, a reply) { s.names["tag"] = a.tag() }},
		{rule: "in lists, too", as: bruceWayne, ask: "GET /books?q=clean", status: 200, want: facts{"0.shelves.0": "Ärzte", "0.shelves.1": "zoo"}},
		{rule: "which have tags", as: bruceWayne, ask: "GET /books", status: 200, then: func(t *testing.T, s *story, a reply) {
			s.names["list"] = a.tag()
			unchanged(304)(t, s, a)
		}},
		{rule: "a copy moves", as: peterParker, ask: copy, body: `{"shelf":"Bath"}`, status: 200, then: unchanged(200)},
		{rule: "and is seen there", as: bruceWayne, ask: "GET /books?q=clean", status: 200, want: facts{"0.shelves.1": "Bath", "0.shelves.2": "zoo"}},
		{rule: "which does not spoil an edit", as: peterParker, ask: "GET /books/{clean}", status: 200, then: func(t *testing.T, s *story, _ reply) {
			s.send(t, request{as: peterParker, method: "PUT", path: s.fill(t, "/books/{clean}"), body: `{"title":"Clean Code"}`, header: field("If-Match", s.names["tag"])}).want(t, 200, "")
		}},
		{rule: "a reader who borrows sees them", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200, want: shelves("Ärzte", "Bath", "zoo")},
		{rule: "a copy that is lost stands nowhere", as: peterParker, ask: copy, body: `{"shelf":"Bath","state":"lost"}`, status: 200},
		{rule: "for anybody", as: bruceBanner, ask: "GET /books/{clean}", status: 200, want: facts{"shelves.1": "zoo", "shelves.2": absent}},
		{rule: "a book does not take them from others", as: peterParker, ask: "POST /books", body: `{"title":"New","shelves":["A"]}`, status: 201, want: facts{"shelves": absent}},
	})
}
