package httpapi_test

import (
	"slices"
	"testing"

	"example.org/library/api"
)

func TestTheCopiesOfAllBooksByShelf(t *testing.T) {
	t.Parallel()
	const edit = "PUT /copies/"
	list := func(t *testing.T, s *story, query string) (ids []any) {
		t.Helper()
		a := s.send(t, request{as: clarkKent, path: s.fill(t, "/copies"+query)}).want(t, 200, "")
		for _, c := range a.value(t).([]any) {
			ids = append(ids, c.(map[string]any)["identifier"])
		}
		return ids
	}
	begins := func(query string, names ...string) func(*testing.T, *story, reply) {
		return func(t *testing.T, s *story, _ reply) {
			t.Helper()
			var want []any
			for _, name := range names {
				want = append(want, s.names[name])
			}
			if got := list(t, s, query); len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
				t.Errorf("%s: %v, want %v of %v", query, got, want, s.names)
			}
		}
	}
	runSteps(t, []step{
		{rule: "a book", as: peterParker, ask: "POST /books", body: `{"title":"Äpfel","authors":["A","B"],"copies":1}`, status: 201, keep: "apples"},
		{rule: "has a copy", as: peterParker, ask: "GET /books/{apples}/copies", status: 200, keep: "loose:0.identifier"},
		{rule: "and one on a shelf", as: peterParker, ask: "POST /books/{apples}/copies", body: `{"barcode":"2","shelf":"b 1"}`, status: 201, keep: "two"},
		{rule: "and another", as: peterParker, ask: "POST /books/{apples}/copies", body: `{"barcode":"1","shelf":"b 1"}`, status: 201, keep: "one"},
		{rule: "beside it another book", as: peterParker, ask: "GET /books/{clean}/copies", status: 200, keep: "clean1:0.identifier"},
		{rule: "on another shelf", as: peterParker, ask: edit + "{clean1}", body: `{"shelf":"B 1"}`, status: 200},
		{rule: "and one that is damaged", as: peterParker, ask: "POST /books/{clean}/copies", body: `{"shelf":"A","state":"damaged"}`, status: 201, keep: "clean2"},
		{rule: "all are listed with their books", as: peterParker, ask: "GET /copies", status: 200, want: facts{
			"length": 14, "0.state": "damaged", "2.book.identifier": "{apples}", "2.book.title": "Äpfel", "2.book.authors.1": "B", "2.barcode": "1"},
			then: begins("", "clean2", "clean1", "one", "two", "loose")},
		{rule: "page by page", as: clarkKent, ask: "GET /copies?limit=2", status: 200, want: facts{"length": 2}, then: func(t *testing.T, s *story, _ reply) {
			var got []any
			for _, c := range walk[api.Copy](t, s.world, clarkKent, "/copies", 2) {
				got = append(got, c.Identifier)
			}
			if want := list(t, s, ""); !slices.Equal(got, want) {
				t.Errorf("pages are %v, want %v", got, want)
			}
		}},
		{rule: "of one state", as: clarkKent, ask: "GET /copies?state=damaged", status: 200, want: facts{"length": 1}, then: begins("?state=damaged", "clean2")},
		{rule: "of one shelf", as: clarkKent, ask: "GET /copies?shelf=b%201", status: 200, want: facts{"length": 2}, then: begins("?shelf=b%201", "one", "two")},
		{rule: "of one book", as: clarkKent, ask: "GET /copies?book={clean}", status: 200, want: facts{"length": 2}, then: begins("?book={clean}", "clean2", "clean1")},
		{rule: "of no book", as: clarkKent, ask: "GET /copies?book={unknown}", status: 200, want: facts{"length": 0}},
		{rule: "not for readers", as: bruceWayne, ask: "GET /copies", status: 403, code: "role_missing"},
		{rule: "a filter that is none", as: clarkKent, ask: "GET /copies?state=gone&shelf=&book=x&neverLent=1&seenBefore=now", status: 400, code: "bad_query",
			then: names("state", "shelf", "book", "neverLent", "seenBefore")},
		{rule: "one is lent", as: peterParker, ask: "POST /loans", body: `{"user":"{wayne}","copy":"{one}"}`, status: 201, keep: "loan"},
		{rule: "to a person", as: clarkKent, ask: "GET /copies?neverLent=false", status: 200, want: facts{
			"length": 1, "0.loan.identifier": "{loan}", "0.loan.renewableFrom": "2026-03-03T00:00:00Z", "0.loan.user.lastName": "Wayne"}},
		{rule: "the others never", as: clarkKent, ask: "GET /copies?neverLent=true", status: 200, want: facts{"length": 13}, then: begins("?neverLent=true", "clean2", "clean1", "two", "loose")},
		{rule: "it was seen this day", as: clarkKent, ask: "GET /copies?seenBefore=2026-03-02", status: 200, want: facts{"length": 13}, then: begins("?seenBefore=2026-03-02", "clean2", "clean1", "two", "loose")},
		{rule: "and not the day after", as: clarkKent, ask: "GET /copies?seenBefore=2026-03-03", status: 200, want: facts{"length": 14}},
	})
}
