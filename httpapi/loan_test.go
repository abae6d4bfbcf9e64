package httpapi_test

import (
	"strings"
	"testing"
)

// says expects words in the message of an error.
func says(words string) func(*testing.T, *story, reply) {
	return func(t *testing.T, _ *story, a reply) {
		t.Helper()
		if message := a.error().Message; !strings.Contains(message, words) {
			t.Errorf("the message is %q, want %q in it", message, words)
		}
	}
}

// names expects that an error names those fields, and no others.
func names(fields ...string) func(*testing.T, *story, reply) {
	return func(t *testing.T, s *story, a reply) { t.Helper(); complainsAbout(fields...)(t, s.world, a) }
}

// locatedAt expects a Location below a folder.
func locatedAt(folder string) func(*testing.T, *story, reply) {
	return func(t *testing.T, _ *story, a reply) {
		t.Helper()
		want := basePath + folder + find(a.value(t), "identifier").(string)
		if got := a.header.Get("Location"); got != want {
			t.Errorf("Location %q, want %q", got, want)
		}
	}
}

// inAll expects how many there are on all pages.
func inAll(n string) func(*testing.T, *story, reply) {
	return func(t *testing.T, _ *story, a reply) {
		t.Helper()
		if got := a.header.Get("X-Total-Count"); got != n {
			t.Errorf("X-Total-Count %q, want %q", got, n)
		}
	}
}

func TestALoanFromTheFirstDayToTheLast(t *testing.T) {
	t.Parallel()
	const due, later = "2026-03-30T23:59:59Z", "2026-04-08T23:59:59Z"
	runSteps(t, []step{
		{rule: "who borrows learns until when", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200, keep: "loan:loan.identifier", want: facts{
			"borrowed": true, "copies": 1, "available": 0, "waiting": absent, "dueAt": due, "hold": absent, "borrowedBy.identifier": "{wayne}",
			"loan.dueAt": due, "loan.renewals": 0, "loan.overdue": false}},
		{rule: "borrowing it again changes nothing", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200, want: facts{"loan.identifier": "{loan}"}},
		{rule: "somebody else cannot have it", as: bruceBanner, ask: "POST /books/{clean}/borrow", status: 409, code: "already_borrowed"},
		{rule: "others learn when it comes back, and no more", as: bruceBanner, ask: "GET /books/{clean}", status: 200, want: facts{
			"borrowed": true, "available": 0, "dueAt": due, "borrowedBy": absent, "loan": absent}},
		{rule: "staff learn who has it", as: clarkKent, ask: "GET /books/{clean}", status: 200, want: facts{"borrowedBy.lastName": "Wayne", "loan": absent}},
		{rule: "a loan has all that there is to know", as: bruceWayne, ask: "GET /loans/{loan}", status: 200, want: facts{
			"identifier": "{loan}", "book.identifier": "{clean}", "book.title": "Clean Code", "book.authors.0": "Robert C. Martin", "user.firstName": "Bruce",
			"borrowedAt": "2026-03-02T10:00:00Z", "dueAt": due, "returnedAt": absent, "renewals": 0, "overdue": false, "renewable": false, "renewableFrom": "2026-03-03T00:00:00Z", "hold": absent}},
		{rule: "on its first day a renewal would move nothing", as: bruceWayne, ask: "POST /loans/{loan}/renew", status: 409, code: "too_early", then: says("from Tuesday, 3 March on")},
		{rule: "nor at the desk, and it is not counted", as: peterParker, ask: "POST /loans/{loan}/renew", status: 409, code: "too_early"},
		{rule: "a reader's list has the reader's loans", as: bruceWayne, ask: "GET /loans", status: 200, want: facts{"length": 1, "0.identifier": "{loan}"}, then: inAll("1")},
		{rule: "and nobody else's", as: bruceBanner, ask: "GET /loans", status: 200, want: facts{"length": 0}, then: inAll("0")},
		{rule: "a curator's list has everybody's", as: peterParker, ask: "GET /loans?user={wayne}&book={clean}", status: 200, want: facts{"length": 1, "0.user.identifier": "{wayne}"}},
		{rule: "and so has an admin's", as: clarkKent, ask: "GET /loans", status: 200, want: facts{"length": 1}},
		{rule: "of another book there is none", as: clarkKent, ask: "GET /loans?book={patterns}", status: 200, want: facts{"length": 0}},
		{rule: "an admin sees the loan", as: clarkKent, ask: "GET /loans/{loan}", status: 200},
		{rule: "somebody else's loan does not exist for a reader", as: bruceBanner, ask: "GET /loans/{loan}", status: 404, code: "loan_not_found"},
		{rule: "nor can a reader renew it", as: bruceBanner, ask: "POST /loans/{loan}/renew", status: 404, code: "loan_not_found"},
		{rule: "nor return it", as: bruceBanner, ask: "POST /loans/{loan}/return", status: 404, code: "loan_not_found"},
		{rule: "an admin who is no curator cannot renew it", as: clarkKent, ask: "POST /loans/{loan}/renew", status: 403, code: "role_missing"},
		{rule: "nor can the borrower without the role", as: bruceWayne, scope: "email", ask: "POST /loans/{loan}/renew", status: 403, code: "role_missing"},
		{rule: "there are no other loans", as: peterParker, ask: "POST /loans/{unknown}/renew", status: 404, code: "loan_not_found"},
		{rule: "a renewal counts from today", at: "2026-03-10T12:00:00Z", as: bruceWayne, ask: "POST /loans/{loan}/renew", status: 200, want: facts{
			"dueAt": "2026-04-07T23:59:59Z", "renewals": 1, "renewable": false, "renewableFrom": "2026-03-11T00:00:00Z", "overdue": false}},
		{rule: "once a day", as: bruceWayne, ask: "POST /loans/{loan}/renew", status: 409, code: "too_early"},
		{rule: "which the list says, too", as: bruceWayne, ask: "GET /loans", status: 200, want: facts{"0.renewals": 1, "0.renewable": false, "0.renewableFrom": "2026-03-11T00:00:00Z"}},
		{rule: "from the next day on it is renewable", at: "2026-03-11T00:00:00Z", as: bruceWayne, ask: "GET /loans/{loan}", status: 200, want: facts{"renewable": true, "renewableFrom": absent}},
		{rule: "curators renew, too", as: peterParker, ask: "POST /loans/{loan}/renew", status: 200, want: facts{"dueAt": later, "renewals": 2, "renewable": false, "renewableFrom": absent}},
		{rule: "but not more often than is allowed", as: bruceWayne, ask: "POST /loans/{loan}/renew", status: 409, code: "renewal_limit", then: says("until Wednesday, 8 April")},
		{rule: "the last second is in time", at: later, as: bruceWayne, ask: "GET /loans?state=overdue", status: 200, want: facts{"length": 0}},
		{rule: "and then it is overdue", at: "2026-04-08T23:59:59.000001Z", as: bruceWayne, ask: "GET /loans?state=overdue", status: 200, want: facts{"length": 1, "0.overdue": true}},
		{rule: "which the book says, too", as: bruceWayne, ask: "GET /books/{clean}", status: 200, want: facts{"loan.overdue": true}},
		{rule: "a curator takes it back", at: "2026-04-09T09:30:15Z", as: peterParker, ask: "POST /loans/{loan}/return", status: 200, want: facts{
			"returnedAt": "2026-04-09T09:30:15Z", "overdue": false, "renewable": false, "hold": absent, "user.identifier": "{wayne}"}},
		{rule: "once", as: peterParker, ask: "POST /loans/{loan}/return", status: 409, code: "not_open"},
		{rule: "and then it cannot be renewed", as: bruceWayne, ask: "POST /loans/{loan}/renew", status: 409, code: "not_open"},
		{rule: "a reader cannot undo a return", as: bruceWayne, ask: "DELETE /loans/{loan}/return", status: 403, code: "role_missing"},
		{rule: "a curator can, and the loan is as it was", at: "2026-04-09T09:40:15Z", as: peterParker, ask: "DELETE /loans/{loan}/return", status: 200, want: facts{
			"identifier": "{loan}", "returnedAt": absent, "dueAt": later, "renewals": 2, "overdue": true, "user.identifier": "{wayne}"}},
		{rule: "which the reader sees", as: bruceWayne, ask: "GET /loans?state=overdue", status: 200, want: facts{"length": 1, "0.identifier": "{loan}", "0.dueAt": later}},
		{rule: "once", as: peterParker, ask: "DELETE /loans/{loan}/return", status: 409, code: "not_returned"},
		{rule: "it comes back again", as: peterParker, ask: "POST /loans/{loan}/return", status: 200},
		{rule: "after ten minutes it stays", at: "2026-04-09T09:50:16Z", as: peterParker, ask: "DELETE /loans/{loan}/return", status: 409, code: "too_late"},
		{rule: "nobody undoes what was never lent", as: peterParker, ask: "DELETE /loans/{unknown}/return", status: 404, code: "loan_not_found"},
		{rule: "past loans are remembered", as: bruceWayne, ask: "GET /loans?state=returned", status: 200, want: facts{"length": 1, "0.identifier": "{loan}"}},
		{rule: "until the reader wants to be forgotten", as: bruceWayne, ask: "DELETE /me/history", status: 204},
		{rule: "then the reader has no history", as: bruceWayne, ask: "GET /loans?state=returned", status: 200, want: facts{"length": 0}},
		{rule: "nor does the loan exist for the reader", as: bruceWayne, ask: "GET /loans/{loan}", status: 404, code: "loan_not_found"},
		{rule: "and staff do not see whose it was", as: peterParker, ask: "GET /loans/{loan}", status: 200, want: facts{"user": absent, "book.title": "Clean Code"}},
	})
}

func TestListsOfLoansRefuseWhatTheyDoNotKnow(t *testing.T) {
	t.Parallel()
	for _, list := range []string{"/loans", "/holds"} {
		runSteps(t, []step{
			{rule: list + ": another person's are for staff", as: bruceWayne, ask: "GET " + list + "?user={banner}", status: 403, code: "role_missing"},
			{rule: list + ": one's own are not", as: bruceWayne, ask: "GET " + list + "?user={wayne}", status: 200},
			{rule: list + ": an unknown person has none", as: clarkKent, ask: "GET " + list + "?user={unknown}", status: 200, want: facts{"length": 0}},
			{rule: list + ": every bad value is named", as: bruceWayne, ask: "GET " + list + "?state=lost&user=1&book=2&limit=0&cursor=3&q=4", status: 400, code: "bad_query",
				then: names("state", "user", "book", "limit", "cursor", "q")},
			{rule: list + ": nothing is given twice", as: bruceWayne, ask: "GET " + list + "?state=open&state=open", status: 400, code: "bad_query", then: names("state")},
			{rule: list + ": a bad identifier", as: bruceWayne, ask: "GET " + list + "/1", status: 400, code: "bad_identifier"},
			{rule: list + ": an unknown identifier", as: clarkKent, ask: "GET " + list + "/{unknown}", status: 404, code: strings.TrimSuffix(list[1:], "s") + "_not_found"},
		})
	}
}

func TestLendingAtTheDesk(t *testing.T) {
	t.Parallel()
	const lend = "POST /loans"
	runSteps(t, []step{
		{rule: "a copy with a barcode", as: peterParker, ask: "POST /books/{patterns}/copies", body: `{"barcode":"LIB-1"}`, status: 201, keep: "copy"},
		{rule: "one that stays in the library", as: peterParker, ask: "POST /books/{patterns}/copies", body: `{"barcode":"LIB-2","state":"reference"}`, status: 201},
		{rule: "a book is lent to a person", as: peterParker, ask: lend, body: `{"user":"{wayne}","book":"{clean}"}`, status: 201, keep: "loan", then: locatedAt("/loans/"),
			want: facts{"user.identifier": "{wayne}", "book.identifier": "{clean}", "dueAt": "2026-03-30T23:59:59Z", "renewable": false}},
		{rule: "who then has it", as: peterParker, ask: lend, body: `{"user":"{wayne}","book":"{clean}"}`, status: 409, code: "has_it"},
		{rule: "and nobody else can", as: peterParker, ask: lend, body: `{"user":"{banner}","book":"{clean}"}`, status: 409, code: "already_borrowed"},
		{rule: "a copy is lent by its barcode", as: peterParker, ask: lend, body: `{"user":"{banner}","barcode":" LIB-1 "}`, status: 201, want: facts{
			"copy.identifier": "{copy}", "copy.barcode": "LIB-1", "book.identifier": "{patterns}"}},
		{rule: "but not twice", as: peterParker, ask: lend, body: `{"user":"{wayne}","copy":"{copy}"}`, status: 409, code: "copy_on_loan"},
		{rule: "nor if it stays in the library", as: peterParker, ask: lend, body: `{"user":"{wayne}","barcode":"LIB-2"}`, status: 409, code: "not_lendable"},
		{rule: "a person must be known", as: peterParker, ask: lend, body: `{"user":"{unknown}","book":"{patterns}"}`, status: 404, code: "user_not_found"},
		{rule: "and a book", as: peterParker, ask: lend, body: `{"user":"{wayne}","book":"{unknown}"}`, status: 404, code: "book_not_found"},
		{rule: "and a copy", as: peterParker, ask: lend, body: `{"user":"{wayne}","copy":"{unknown}"}`, status: 404, code: "copy_not_found"},
		{rule: "and a barcode", as: peterParker, ask: lend, body: `{"user":"{wayne}","barcode":"LIB-3"}`, status: 404, code: "copy_not_found"},
		{rule: "a person and a thing are required", as: peterParker, ask: lend, body: `{}`, status: 400, code: "invalid", then: names("user", "book")},
		{rule: "one thing at a time", as: peterParker, ask: lend, body: `{"user":"{wayne}","book":"{clean}","barcode":"LIB-1"}`, status: 400, code: "invalid", then: names("book", "barcode")},
		{rule: "identifiers are UUIDs", as: peterParker, ask: lend, body: `{"user":"1","copy":"2"}`, status: 400, code: "invalid", then: names("user", "copy")},
		{rule: "text is text", as: peterParker, ask: lend, body: `{"user":1,"barcode":2}`, status: 400, code: "invalid", then: names("user", "barcode")},
		{rule: "a barcode has no spaces", as: peterParker, ask: lend, body: `{"user":"{wayne}","barcode":"a b"}`, status: 400, code: "invalid", then: names("barcode")},
		{rule: "a body is required", as: peterParker, ask: lend, status: 415, code: "not_json"},
		{rule: "and it is an object", as: peterParker, ask: lend, body: `[]`, status: 400, code: "malformed_body"},
		{rule: "a reader is not at the desk", as: bruceWayne, ask: lend, body: `{"user":"{banner}","book":"{patterns}"}`, status: 403, code: "role_missing"},
		{rule: "nor is an admin", as: clarkKent, ask: lend, body: `{"user":"{wayne}","book":"{patterns}"}`, status: 403, code: "role_missing"},
		{rule: "what was lent at the desk is returned anywhere", as: bruceWayne, ask: "POST /books/{clean}/return", status: 200, want: facts{"borrowed": false, "available": 1, "loan": absent}},
	})
}

func TestThePolicyLimitsWhatAReaderHas(t *testing.T) {
	t.Parallel()
	const policy = "PUT /policy"
	runSteps(t, []step{
		{rule: "given one loan at a time", as: clarkKent, ask: policy, body: `{"maxLoans":1,"maxHolds":1,"loanDays":1}`, status: 200},
		{rule: "the first is fine", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200, keep: "loan:loan.identifier"},
		{rule: "the second is not", as: bruceWayne, ask: "POST /books/{patterns}/borrow", status: 409, code: "loan_limit", then: says("one book")},
		{rule: "not even at the desk", as: peterParker, ask: "POST /loans", body: `{"user":"{wayne}","book":"{patterns}"}`, status: 409, code: "loan_limit"},
		{rule: "one hold is fine", as: bruceBanner, ask: "POST /books/{clean}/holds", status: 201},
		{rule: "given another lent book", as: clarkKent, scope: "library_user", ask: "POST /books/{patterns}/borrow", status: 200},
		{rule: "the second hold is not", as: bruceBanner, ask: "POST /books/{patterns}/holds", status: 409, code: "hold_limit"},
		{rule: "given that what is overdue counts", as: clarkKent, ask: policy, body: `{"blockOverdue":true}`, status: 200},
		{rule: "who has something overdue cannot borrow", at: "2026-03-05T00:00:00Z", as: bruceWayne, ask: "POST /books/{patterns}/borrow", status: 409, code: "already_borrowed"},
		{rule: "whatever it is", as: peterParker, ask: "POST /books", body: `{"title":"Emma"}`, status: 201, keep: "emma"},
		{rule: "who has something overdue cannot borrow what is free", as: bruceWayne, ask: "POST /books/{emma}/borrow", status: 409, code: "has_overdue"},
		{rule: "a loan that somebody waits for is not renewed", as: bruceWayne, ask: "POST /loans/{loan}/renew", status: 409, code: "awaited", then: says("One person is waiting")},
		{rule: "a hold that is not wanted any more", as: bruceBanner, ask: "GET /holds", status: 200, keep: "hold:0.identifier"},
		{rule: "is cancelled by a curator", as: peterParker, ask: "DELETE /holds/{hold}", status: 204},
		{rule: "and then the borrower's overdue loan is in the way", as: bruceWayne, ask: "POST /loans/{loan}/renew", status: 409, code: "has_overdue"},
	})
}

func TestLoansAreListedInPagesByDueDate(t *testing.T) {
	t.Parallel()
	next := func(name string) func(*testing.T, *story, reply) {
		return func(t *testing.T, s *story, a reply) {
			t.Helper()
			link, _, ok := strings.Cut(strings.TrimPrefix(a.header.Get("Link"), "<"+basePath), ">")
			if !ok {
				t.Fatalf("Link %q", a.header.Get("Link"))
			}
			s.names[name] = link
		}
	}
	runSteps(t, []step{
		{rule: "a loan of 28 days", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200, keep: "long:loan.identifier"},
		{rule: "a policy of loans without end", as: clarkKent, ask: "PUT /policy", body: `{"loanDays":0}`, status: 200},
		{rule: "a book", as: peterParker, ask: "POST /books", body: `{"title":"Emma","copies":2}`, status: 201, keep: "emma", want: facts{"copies": 2, "available": 2}},
		{rule: "a loan without end", as: bruceWayne, ask: "POST /books/{emma}/borrow", status: 200, keep: "endless:loan.identifier", want: facts{"loan.dueAt": absent, "dueAt": absent, "available": 1}},
		{rule: "a policy of short loans", as: clarkKent, ask: "PUT /policy", body: `{"loanDays":1}`, status: 200},
		{rule: "a short loan", as: bruceWayne, ask: "POST /books/{patterns}/borrow", status: 200, keep: "short:loan.identifier"},
		{rule: "what is due first comes first", as: bruceWayne, ask: "GET /loans?limit=1", status: 200, want: facts{"length": 1, "0.identifier": "{short}"}, then: next("second")},
		{rule: "then what is due later", as: bruceWayne, ask: "GET {second}", status: 200, want: facts{"length": 1, "0.identifier": "{long}"}, then: next("third")},
		{rule: "and what is never due is last", as: bruceWayne, ask: "GET {third}", status: 200, want: facts{"length": 1, "0.identifier": "{endless}"}, then: func(t *testing.T, s *story, a reply) {
			if inAll("3")(t, s, a); a.header.Get("Link") != "" {
				t.Error("the last page has a next one")
			}
		}},
		{rule: "a cursor is good for its own list alone", as: bruceWayne, ask: "GET {second}&state=returned", status: 400, code: "bad_query", then: names("cursor")},
		{rule: "returned ones", at: "2026-03-03T10:00:00Z", as: bruceWayne, ask: "POST /loans/{endless}/return", status: 200},
		{rule: "are listed", at: "2026-03-03T11:00:00Z", as: bruceWayne, ask: "POST /loans/{short}/return", status: 200},
		{rule: "newest first", as: bruceWayne, ask: "GET /loans?state=returned&limit=1", status: 200, want: facts{"0.identifier": "{short}"}, then: next("older")},
		{rule: "page by page", as: bruceWayne, ask: "GET {older}", status: 200, want: facts{"length": 1, "0.identifier": "{endless}"}},
	})
}
