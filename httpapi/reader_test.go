package httpapi_test

import (
	"net/url"
	"strconv"
	"strings"
	"testing"
)

const wayneRecord = `"email":"bruce.wayne@example.com","firstName":"Bruce","lastName":"Wayne"`

func TestUsersHaveACardALanguageAndReminders(t *testing.T) {
	t.Parallel()
	const put, post = "PUT /users/{wayne}", "POST /users"
	runSteps(t, []step{
		{rule: "by default none, English and yes", as: clarkKent, ask: "GET /users/{wayne}", status: 200, want: facts{"card": absent, "locale": "en", "reminders": true}},
		{rule: "which admins change", as: clarkKent, ask: put, body: `{` + wayneRecord + `,"card":" C-1 ","locale":"de","reminders":false}`, status: 200, want: facts{
			"card": "C-1", "locale": "de", "reminders": false}},
		{rule: "and that stays", as: bruceWayne, ask: "GET /me", status: 200, want: facts{"card": "C-1", "locale": "de", "reminders": false}},
		{rule: "a card belongs to one person", as: clarkKent, ask: post, body: `{"email":"a@b","firstName":"A","lastName":"B","card":"C-1"}`, status: 409, code: "card_taken"},
		{rule: "also when a record is edited", as: clarkKent, ask: "PUT /users/{banner}", body: `{"email":"bruce.banner@example.com","firstName":"Bruce","lastName":"Banner","card":"C-1"}`, status: 409, code: "card_taken"},
		{rule: "every wrong field is named", as: clarkKent, ask: put, body: `{` + wayneRecord + `,"card":"a/b","locale":"fr","reminders":"no"}`, status: 400, code: "invalid", then: names("reminders", "card", "locale")},
		{rule: "a card has a length", as: clarkKent, ask: put, body: `{` + wayneRecord + `,"card":"` + strings.Repeat("x", 41) + `"}`, status: 400, code: "invalid", then: names("card")},
		{rule: "what is left out is cleared", as: clarkKent, ask: put, body: `{` + wayneRecord + `}`, status: 200, want: facts{"card": absent, "locale": "en", "reminders": true}},
		{rule: "and the card is free", as: clarkKent, ask: post, body: `{"email":"a@b","firstName":"A","lastName":"B","card":"C-1","locale":"de"}`, status: 201, want: facts{"card": "C-1", "locale": "de", "reminders": true}},
	})
}

func TestReadersAreWhoTheDeskLooksFor(t *testing.T) {
	t.Parallel()
	runSteps(t, []step{
		{rule: "given a reader with a card", as: clarkKent, ask: "PUT /users/{wayne}", body: `{` + wayneRecord + `,"card":"X-17"}`, status: 200},
		{rule: "and a loan", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200},
		{rule: "and another", as: bruceWayne, ask: "POST /books/{patterns}/borrow", status: 200, keep: "loan:loan.identifier"},
		{rule: "of which one is overdue", at: "2026-03-20T10:00:00Z", as: bruceWayne, ask: "POST /loans/{loan}/renew", status: 200},
		{rule: "they are found by the beginnings of words", at: "2026-04-01T10:00:00Z", as: peterParker, ask: "GET /readers?q=wayn+bru", status: 200, then: inAll("1"), want: facts{
			"length": 1, "0.identifier": "{wayne}", "0.firstName": "Bruce", "0.lastName": "Wayne", "0.card": "X-17", "0.loans": 2, "0.overdue": 1, "0.email": absent, "0.roles": absent}},
		{rule: "and by the card", as: peterParker, ask: "GET /readers?card=X-17", status: 200, want: facts{"length": 1, "0.identifier": "{wayne}"}},
		{rule: "or by its beginning", as: peterParker, ask: "GET /readers?q=X-1", status: 200, then: inAll("1"), want: facts{"length": 1, "0.identifier": "{wayne}"}},
		{rule: "in small letters, too", as: peterParker, ask: "GET /readers?q=x-17", status: 200, want: facts{"length": 1, "0.identifier": "{wayne}"}},
		{rule: "but not by what is in the middle", as: peterParker, ask: "GET /readers?q=-17", status: 200, want: facts{"length": 0}},
		{rule: "or by a whole address", as: peterParker, ask: "GET /readers?q=+Bruce.WAYNE@example.com", status: 200, then: inAll("1"), want: facts{"length": 1, "0.identifier": "{wayne}", "0.email": absent}},
		{rule: "admins find users in the same way", as: clarkKent, ask: "GET /users?q=X-1", status: 200, then: inAll("1"), want: facts{"length": 1, "0.card": "X-17"}},
		{rule: "exactly", as: peterParker, ask: "GET /readers?card=X-1", status: 200, want: facts{"length": 0}},
		{rule: "all of them are in the order of their names", as: peterParker, ask: "GET /readers?limit=2", status: 200, then: inAll("4"), want: facts{
			"length": 2, "0.lastName": "Banner", "0.card": absent, "0.loans": 0, "0.overdue": 0, "1.lastName": "Kent"}},
		{rule: "a program is no reader", as: peterParker, ask: "GET /readers?q=client", status: 200, then: inAll("0"), want: facts{"length": 0}},
		{rule: "but a user", as: clarkKent, ask: "GET /users?q=client", status: 200, want: facts{"length": 1, "0.lastName": "Client"}},
		{rule: "a bad value is named", as: peterParker, ask: "GET /readers?card=a+b&limit=x&cursor=y&user=z", status: 400, code: "bad_query", then: names("limit", "cursor", "card", "user")},
		{rule: "they are not for readers", as: bruceWayne, ask: "GET /readers", status: 403, code: "role_missing"},
		{rule: "nor for admins", as: clarkKent, ask: "GET /readers", status: 403, code: "role_missing"},
	})
}

// Curators are not shown addresses, so none can be found out by asking for its
// parts, however they are asked for.
func TestNoPartOfAnAddressFindsAReader(t *testing.T) {
	t.Parallel()
	const address = "zorro.q7x@secret-place.example"
	steps := []step{{rule: "given a reader whose name is not in the address", as: clarkKent, ask: "POST /users",
		body: `{"email":"` + address + `","firstName":"Diego","lastName":"Vega","card":"K9-77"}`, status: 201}}
	parts := []string{"zorro", "q7x", "secret", "place", "zorro.q7x", "zorro q7x", "Diego zorro", "secret-place.example", "@secret-place.example"}
	for n := 1; n < len(address); n++ {
		parts = append(parts, address[:n])
	}
	for _, part := range parts {
		steps = append(steps, step{rule: "not by " + part, as: peterParker, ask: "GET /readers?q=" + url.QueryEscape(part), status: 200, want: facts{"length": 0}, then: inAll("0")})
	}
	for _, whole := range []string{address, strings.ToUpper(address), "diego", "vega DIE", "K9-", "k9"} {
		steps = append(steps, step{rule: "but by " + whole, as: peterParker, ask: "GET /readers?q=" + url.QueryEscape(whole), status: 200, want: facts{"length": 1, "0.lastName": "Vega", "0.email": absent}, then: inAll("1")})
	}
	steps = append(steps,
		step{rule: "nor is an address a code", as: peterParker, ask: "GET /codes/" + address, status: 404, code: "unknown_code"},
		step{rule: "admins find users by its parts", as: clarkKent, ask: "GET /users?q=q7x", status: 200, want: facts{"length": 1, "0.email": address}})
	runSteps(t, steps)
}

func TestWhatAScannerHasRead(t *testing.T) {
	t.Parallel()
	runSteps(t, []step{
		{rule: "given a copy with a barcode", as: peterParker, ask: "POST /books/{clean}/copies", body: `{"barcode":"LIB-1","shelf":"A","note":"N"}`, status: 201, keep: "copy"},
		{rule: "and a reader with a card", as: clarkKent, ask: "PUT /users/{wayne}", body: `{` + wayneRecord + `,"card":"C-1"}`, status: 200},
		{rule: "who has the copy", as: peterParker, ask: "POST /loans", body: `{"user":"{wayne}","barcode":"LIB-1"}`, status: 201, keep: "loan"},
		{rule: "a barcode is a copy", as: peterParker, ask: "GET /codes/LIB-1", status: 200, want: facts{
			"kind": "copy", "copy.identifier": "{copy}", "copy.barcode": "LIB-1", "copy.shelf": "A", "copy.state": "lendable", "copy.loan.identifier": "{loan}",
			"copy.loan.user.lastName": "Wayne", "copy.loan.renewableFrom": "2026-03-03T00:00:00Z", "book.identifier": "{clean}", "book.copies": 2, "books": absent, "reader": absent}},
		{rule: "of which readers learn the name", as: bruceBanner, ask: "GET /codes/LIB-1", status: 200, want: facts{
			"kind": "copy", "copy.identifier": "{copy}", "copy.barcode": "LIB-1", "copy.shelf": absent, "copy.note": absent, "copy.state": absent, "copy.loan": absent, "book.borrowedBy": absent}},
		{rule: "a card is a reader", as: peterParker, ask: "GET /codes/C-1", status: 200, want: facts{
			"kind": "reader", "reader.identifier": "{wayne}", "reader.card": "C-1", "reader.loans": 1, "reader.overdue": 0, "reader.email": absent, "copy": absent, "book": absent}},
		{rule: "but not for admins", as: clarkKent, ask: "GET /codes/C-1", status: 404, code: "unknown_code"},
		{rule: "and not for the reader", as: bruceWayne, ask: "GET /codes/C-1", status: 404, code: "unknown_code"},
		{rule: "an ISBN is books", as: bruceWayne, ask: "GET /codes/9780132350884", status: 200, want: facts{"kind": "book", "books.length": 1, "books.0.identifier": "{clean}", "books.0.loan.identifier": "{loan}"}},
		{rule: "of ten digits", as: bruceWayne, ask: "GET /codes/0132350882", status: 200, want: facts{"kind": "book", "books.0.identifier": "{clean}"}},
		{rule: "with hyphens", as: bruceWayne, ask: "GET /codes/0-13-235088-2", status: 200, want: facts{"books.0.identifier": "{clean}"}},
		{rule: "or spaces", as: bruceWayne, ask: "GET /codes/978%200%2013%20235088%204", status: 200, want: facts{"books.0.identifier": "{clean}"}},
		{rule: "that the library has", as: bruceWayne, ask: "GET /codes/9780141439587", status: 404, code: "unknown_code"},
		{rule: "anything else is unknown", as: peterParker, ask: "GET /codes/xyzzy", status: 404, code: "unknown_code"},
		{rule: "long as it may be", as: peterParker, ask: "GET /codes/" + strings.Repeat("9", 500), status: 404, code: "unknown_code"},
		{rule: "and no text at all", as: peterParker, ask: "GET /codes/%FF%FE", status: 404, code: "unknown_code"},
		{rule: "a code is one piece of a path", as: peterParker, ask: "GET /codes/a/b", status: 404, code: "no_such_path"},
		{rule: "which is not disguised", as: peterParker, ask: "GET /codes/a%2fb", status: 400, code: "bad_path"},
		{rule: "though a backslash is part of it", as: peterParker, ask: `GET /codes/a%5Cb`, status: 404, code: "unknown_code"},
		{rule: "nothing can be asked about it", as: peterParker, ask: "GET /codes/LIB-1?kind=copy", status: 400, code: "bad_query", then: names("kind")},
		{rule: "given a card that is an ISBN", as: clarkKent, ask: "PUT /users/{wayne}", body: `{` + wayneRecord + `,"card":"9780132350884"}`, status: 200},
		{rule: "a card goes before an ISBN", as: peterParker, ask: "GET /codes/9780132350884", status: 200, want: facts{"kind": "reader"}},
		{rule: "for curators", as: clarkKent, ask: "GET /codes/9780132350884", status: 200, want: facts{"kind": "book"}},
		{rule: "given a barcode that is both", as: peterParker, ask: "PUT /copies/{copy}", body: `{"barcode":"9780132350884"}`, status: 200},
		{rule: "a barcode goes before a card", as: peterParker, ask: "GET /codes/9780132350884", status: 200, want: facts{"kind": "copy"}},
		{rule: "for everybody", as: bruceBanner, ask: "GET /codes/9780132350884", status: 200, want: facts{"kind": "copy"}},
	})
}

func TestEveryCharacterOfABarcodeFitsAPath(t *testing.T) {
	t.Parallel()
	steps := []step{{rule: "given a copy", as: peterParker, ask: "POST /books/{clean}/copies", body: `{}`, status: 201, keep: "copy"}}
	for c := '!'; c <= '~'; c++ {
		if strings.ContainsRune("/;%?#", c) {
			continue
		}
		barcode, card := "B"+string(c), "C"+string(c)
		steps = append(steps,
			step{rule: "a barcode takes " + barcode, as: peterParker, ask: "PUT /copies/{copy}", body: `{"barcode":` + strconv.Quote(barcode) + `}`, status: 200, want: facts{"barcode": barcode}},
			step{rule: "a scanner finds " + barcode, as: bruceBanner, ask: "GET /codes/" + url.PathEscape(barcode), status: 200, want: facts{"kind": "copy", "copy.identifier": "{copy}"}},
			step{rule: "a card takes " + card, as: clarkKent, ask: "PUT /users/{wayne}", body: `{` + wayneRecord + `,"card":` + strconv.Quote(card) + `}`, status: 200, want: facts{"card": card}},
			step{rule: "a scanner finds " + card, as: peterParker, ask: "GET /codes/" + url.PathEscape(card), status: 200, want: facts{"kind": "reader", "reader.identifier": "{wayne}"}},
		)
	}
	runSteps(t, steps)
}
