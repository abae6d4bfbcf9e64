package httpapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// twoCopies returns what the stories below begin with: a book with the copies LIB-1 and LIB-2.
func twoCopies(more ...step) []step {
	return append([]step{
		{rule: "a first copy", as: peterParker, ask: "POST /books", body: `{"title":"Emma","copies":0}`, status: 201, keep: "emma"},
		{rule: "with a barcode", as: peterParker, ask: "POST /books/{emma}/copies", body: `{"barcode":"LIB-1"}`, status: 201, keep: "one"},
		{rule: "a second copy", as: peterParker, ask: "POST /books/{emma}/copies", body: `{"barcode":"LIB-2"}`, status: 201, keep: "two"},
	}, more...)
}

func TestReadersBorrowTheCopyInTheirHand(t *testing.T) {
	t.Parallel()
	const lend, back = "POST /loans", "POST /returns"
	runSteps(t, twoCopies([]step{
		{rule: "a reader borrows by barcode", as: bruceWayne, ask: lend, body: `{"barcode":" LIB-2 "}`, status: 201, keep: "loan", then: locatedAt("/loans/"),
			want: facts{"copy.barcode": "LIB-2", "user.identifier": "{wayne}", "swapped": absent}},
		{rule: "which the reader then has", as: bruceWayne, ask: lend, body: `{"barcode":"LIB-2","user":"{wayne}"}`, status: 409, code: "has_it"},
		{rule: "another reader cannot have that copy", as: bruceBanner, ask: lend, body: `{"copy":"{two}"}`, status: 409, code: "copy_on_loan"},
		{rule: "nor swap", as: bruceBanner, ask: lend, body: `{"barcode":"LIB-2","swap":true}`, status: 403, code: "role_missing", then: challengesFor("library_curator")},
		{rule: "no swap is as if left out", as: bruceBanner, ask: lend, body: `{"barcode":"LIB-2","swap":false}`, status: 409, code: "copy_on_loan"},
		{rule: "a reader lends to nobody else", as: bruceBanner, ask: lend, body: `{"barcode":"LIB-1","user":"{wayne}"}`, status: 403, code: "role_missing", then: challengesFor("library_curator")},
		{rule: "not even to somebody who is not there", as: bruceBanner, ask: lend, body: `{"barcode":"LIB-1","user":"{unknown}"}`, status: 403, code: "role_missing"},
		{rule: "nor in a body with other mistakes", as: bruceBanner, ask: lend, body: `{"user":"{unknown}"}`, status: 403, code: "role_missing"},
		{rule: "an unknown barcode", as: bruceBanner, ask: lend, body: `{"barcode":"LIB-9"}`, status: 404, code: "copy_not_found"},
		{rule: "one copy at a time", as: bruceBanner, ask: lend, body: `{"barcode":"LIB-1","copy":"{one}"}`, status: 400, code: "invalid", then: names("copy", "barcode")},
		{rule: "an admin is no reader", as: clarkKent, ask: lend, body: `{"barcode":"LIB-1"}`, status: 403, code: "role_missing", then: challengesFor("library_user")},
		{rule: "nor the desk", as: clarkKent, ask: lend, body: `{"barcode":"LIB-1","user":"{wayne}"}`, status: 403, code: "role_missing", then: challengesFor("library_curator")},
		{rule: "a curator who is no reader names one", as: peterParker, ask: lend, body: `{"barcode":"LIB-1"}`, status: 400, code: "invalid", then: names("user")},
		{rule: "a curator who is a reader, too, borrows", as: peterParker, scope: "library_curator library_user", ask: lend, body: `{"barcode":"LIB-1"}`, status: 201,
			want: facts{"user.identifier": "{parker}"}},
		{rule: "and is the desk on returns", as: peterParker, scope: "library_curator library_user", ask: back, body: `{"barcode":"LIB-2"}`, status: 200,
			want: facts{"user.identifier": "{wayne}", "swapped": absent}},
		{rule: "with lending at the desk alone", as: clarkKent, ask: "PUT /policy", body: `{"selfBorrow":false,"selfReturn":false}`, status: 200},
		{rule: "readers do not lend to themselves", as: bruceWayne, ask: lend, body: `{"barcode":"LIB-2"}`, status: 409, code: "desk_only"},
		{rule: "nor take back", as: bruceWayne, ask: back, body: `{"barcode":"LIB-2"}`, status: 409, code: "desk_only"},
		{rule: "but what is not there comes first", as: bruceWayne, ask: back, body: `{"barcode":"LIB-9"}`, status: 404, code: "unknown_code"},
	}...))
}

func TestSwappedCopiesArePutRight(t *testing.T) {
	t.Parallel()
	const lend, back = "POST /loans", "POST /returns"
	runSteps(t, twoCopies([]step{
		{rule: "one copy is lent by the records", as: peterParker, ask: lend, body: `{"user":"{wayne}","barcode":"LIB-1"}`, status: 201, keep: "wayne's loan"},
		{rule: "somebody else cannot give it back", as: bruceBanner, ask: back, body: `{"barcode":"LIB-1"}`, status: 409, code: "not_yours"},
		{rule: "nor a copy that nobody has", as: bruceBanner, ask: back, body: `{"barcode":"LIB-2"}`, status: 409, code: "not_borrowed", want: facts{"candidates": absent}},
		{rule: "and does not say whose loan it is", as: bruceBanner, ask: back, body: `{"barcode":"LIB-2","loan":"{wayne's loan}"}`, status: 403, code: "role_missing", then: challengesFor("library_curator")},
		{rule: "the desk sees whose it may be", as: peterParker, ask: back, body: `{"barcode":"LIB-2"}`, status: 409, code: "not_borrowed",
			want: facts{"candidates.length": 1, "candidates.0.identifier": "{wayne's loan}", "candidates.0.user.identifier": "{wayne}"}},
		{rule: "the reader gives back the copy in hand", as: bruceWayne, ask: back, body: `{"barcode":"LIB-2"}`, status: 200,
			want: facts{"identifier": "{wayne's loan}", "copy.barcode": "LIB-2", "swapped": true, "hold": absent}},
		{rule: "once", as: peterParker, ask: back, body: `{"barcode":"LIB-2"}`, status: 409, code: "not_borrowed", want: facts{"candidates.length": 0}},
		{rule: "which can be undone", as: peterParker, ask: "DELETE /loans/{wayne's loan}/return", status: 200, want: facts{"copy.barcode": "LIB-2", "returnedAt": absent}},
		{rule: "the desk takes the copy that is there for a loan", as: peterParker, ask: back, body: `{"barcode":"LIB-1","loan":"{wayne's loan}"}`, status: 200, want: facts{"swapped": true, "copy.barcode": "LIB-1"}},
		{rule: "a loan ends once", as: peterParker, ask: back, body: `{"barcode":"LIB-1","loan":"{wayne's loan}"}`, status: 409, code: "not_open"},
		{rule: "a loan that is not there", as: peterParker, ask: back, body: `{"barcode":"LIB-1","loan":"{unknown}"}`, status: 404, code: "loan_not_found"},
		{rule: "exactly one copy", as: peterParker, ask: back, body: `{"loan":"{wayne's loan}"}`, status: 400, code: "invalid", then: names("copy")},

		{rule: "a second loan", as: peterParker, ask: lend, body: `{"user":"{wayne}","barcode":"LIB-1"}`, status: 201, keep: "second"},
		{rule: "of a copy that somebody else holds up", as: peterParker, ask: lend, body: `{"user":"{banner}","barcode":"LIB-1"}`, status: 409, code: "copy_on_loan"},
		{rule: "is swapped by the desk", as: peterParker, ask: lend, body: `{"user":"{banner}","barcode":"LIB-1","swap":true}`, status: 201, want: facts{"swapped": true, "copy.barcode": "LIB-1"}},
		{rule: "and has the other copy now", as: bruceWayne, ask: "GET /loans/{second}", status: 200, want: facts{"copy.barcode": "LIB-2", "swapped": absent}},
		{rule: "the copy of another reader is not the reader's", as: bruceWayne, ask: back, body: `{"barcode":"LIB-1"}`, status: 409, code: "not_yours"},
		{rule: "a loan does not move to a copy that is lent", as: peterParker, ask: "POST /loans/{second}/move", body: `{"barcode":"LIB-1"}`, status: 409, code: "copy_on_loan"},
		{rule: "but two exchange theirs", as: peterParker, ask: "POST /loans/{second}/move", body: `{"barcode":"LIB-1","swap":true}`, status: 200, want: facts{"copy.barcode": "LIB-1", "renewals": 0, "swapped": absent}},
		{rule: "to its own copy nothing changes", as: peterParker, ask: "POST /loans/{second}/move", body: `{"copy":"{one}"}`, status: 200},
		{rule: "readers move nothing", as: bruceWayne, ask: "POST /loans/{second}/move", body: `{"copy":"{two}"}`, status: 403, code: "role_missing"},
		{rule: "an unknown copy", as: peterParker, ask: "POST /loans/{second}/move", body: `{"barcode":"LIB-9"}`, status: 404, code: "copy_not_found"},
		{rule: "a copy of another book", as: peterParker, ask: "POST /books/{clean}/copies", body: `{"barcode":"LIB-7"}`, status: 201},
		{rule: "is not this book's", as: peterParker, ask: "POST /loans/{second}/move", body: `{"barcode":"LIB-7"}`, status: 409, code: "other_book"},
		{rule: "nor on its return", as: peterParker, ask: back, body: `{"barcode":"LIB-7","loan":"{second}"}`, status: 409, code: "other_book"},
		{rule: "a swap needs a copy", as: peterParker, ask: lend, body: `{"user":"{banner}","book":"{clean}","swap":true}`, status: 400, code: "invalid", then: names("swap")},
	}...))
}

func TestCopiesInHandsAreRefusedInOneOrder(t *testing.T) {
	t.Parallel()
	const lend, back, move = "POST /loans", "POST /returns", "POST /loans/{wayne's}/move"
	runSteps(t, twoCopies([]step{
		{rule: "given a loan", as: peterParker, ask: lend, body: `{"user":"{wayne}","barcode":"LIB-1"}`, status: 201, keep: "wayne's"},
		{rule: "and the other copy set aside", as: peterParker, ask: lend, body: `{"user":"{kent}","barcode":"LIB-2"}`, status: 201, keep: "kent's"},
		{rule: "for somebody", as: bruceBanner, ask: "POST /books/{emma}/holds", status: 201},
		{rule: "who does not get the copy that somebody has", as: bruceBanner, ask: lend, body: `{"barcode":"LIB-1"}`, status: 409, code: "copy_on_loan"},
		{rule: "when it comes back", as: peterParker, ask: back, body: `{"barcode":"LIB-2"}`, status: 200, want: facts{"hold.user.identifier": "{banner}", "swapped": absent}},
		{rule: "it is not lent to anybody else", as: peterParker, ask: lend, body: `{"user":"{kent}","barcode":"LIB-2"}`, status: 409, code: "reserved"},
		{rule: "and does not make room for a swap", as: peterParker, ask: lend, body: `{"user":"{kent}","barcode":"LIB-1","swap":true}`, status: 409, code: "copy_on_loan"},
		{rule: "who has the book hears that first", as: bruceWayne, ask: lend, body: `{"barcode":"LIB-2"}`, status: 409, code: "has_it"},
		{rule: "no loan moves to it", as: peterParker, ask: move, body: `{"barcode":"LIB-2"}`, status: 409, code: "reserved"},
		{rule: "nor with swap", as: peterParker, ask: move, body: `{"barcode":"LIB-2","swap":true}`, status: 409, code: "reserved"},
		{rule: "a third copy", as: peterParker, ask: "POST /books/{emma}/copies", body: `{"barcode":"LIB-3"}`, status: 201, keep: "three"},
		{rule: "that is lent", as: peterParker, ask: lend, body: `{"user":"{kent}","barcode":"LIB-3"}`, status: 201, keep: "kent's"},
		{rule: "and damaged", as: peterParker, ask: "PUT /copies/{three}", body: `{"barcode":"LIB-3","state":"damaged"}`, status: 200},
		{rule: "is on loan before it is damaged", as: peterParker, ask: move, body: `{"barcode":"LIB-3"}`, status: 409, code: "copy_on_loan"},
		{rule: "and is not exchanged", as: peterParker, ask: move, body: `{"barcode":"LIB-3","swap":true}`, status: 409, code: "not_lendable"},
		{rule: "it comes back", as: peterParker, ask: back, body: `{"barcode":"LIB-3"}`, status: 200},
		{rule: "as what it was marked", as: peterParker, ask: lend, body: `{"user":"{kent}","barcode":"LIB-3"}`, status: 409, code: "not_lendable"},
		{rule: "no loan moves to it either", as: peterParker, ask: move, body: `{"barcode":"LIB-3"}`, status: 409, code: "not_lendable"},
		{rule: "a reader can still bring it in place of another", as: bruceWayne, ask: back, body: `{"barcode":"LIB-3"}`, status: 200, want: facts{"swapped": true, "identifier": "{wayne's}"}},
		{rule: "and it stays damaged", as: peterParker, ask: "GET /copies/{three}", status: 200, want: facts{"state": "damaged", "loan": absent}},
		{rule: "what has ended does not move, to whatever book", as: peterParker, ask: "POST /books/{clean}/copies", body: `{"barcode":"LIB-7"}`, status: 201},
		{rule: "not even to a copy of another", as: peterParker, ask: move, body: `{"barcode":"LIB-7"}`, status: 409, code: "not_open"},
		{rule: "nor back", as: peterParker, ask: back, body: `{"barcode":"LIB-7","loan":"{wayne's}"}`, status: 409, code: "not_open"},
		{rule: "a loan that is not there moves nowhere", as: peterParker, ask: "POST /loans/{unknown}/move", body: `{"barcode":"LIB-9"}`, status: 404, code: "loan_not_found"},
		{rule: "what is asked comes before that", as: peterParker, ask: "POST /loans/{unknown}/move", body: `{}`, status: 400, code: "invalid", then: names("copy")},
		{rule: "and who asks before everything", as: clarkKent, ask: "POST /loans/{unknown}/move", body: `{}`, status: 403, code: "role_missing", then: challengesFor("library_curator")},
		{rule: "also for returns", as: clarkKent, ask: back, body: `[`, status: 403, code: "role_missing", then: challengesFor("library_user")},
		{rule: "with a loan named they are the desk's", as: bruceWayne, ask: back, body: `{"loan":5}`, status: 403, code: "role_missing", then: challengesFor("library_curator")},
		{rule: "one copy, whatever else is named", as: peterParker, ask: back, body: `{"loan":"{unknown}","copy":"{one}","barcode":"LIB-1"}`, status: 400, code: "invalid", then: names("copy", "barcode")},
		{rule: "a swap needs a user", as: peterParker, scope: "library_curator library_user", ask: lend, body: `{"barcode":"LIB-1","swap":true}`, status: 400, code: "invalid", then: names("user")},
		{rule: "with a limit of one book", as: clarkKent, ask: "PUT /policy", body: `{"maxLoans":1,"selfBorrow":false}`, status: 200},
		{rule: "and a reader who has one", as: peterParker, ask: lend, body: `{"user":"{wayne}","book":"{clean}"}`, status: 201},
		{rule: "a copy that is set aside comes before the limit", as: peterParker, ask: lend, body: `{"user":"{wayne}","barcode":"LIB-2"}`, status: 409, code: "reserved"},
		{rule: "and the limit comes last", as: peterParker, ask: lend, body: `{"user":"{wayne}","barcode":"LIB-1"}`, status: 409, code: "loan_limit"},
		{rule: "the desk alone lends, to whomever", as: bruceWayne, ask: lend, body: `{"barcode":"LIB-2"}`, status: 409, code: "desk_only"},
		{rule: "but not what is not there", as: bruceWayne, ask: lend, body: `{"barcode":"LIB-9"}`, status: 404, code: "copy_not_found"},
	}...))
}

func TestSwapsAreRepeatedAndForgotten(t *testing.T) {
	t.Parallel()
	const lend, back, move = "POST /loans", "POST /returns", "POST /loans/{wayne's}/move"
	runSteps(t, twoCopies([]step{
		{rule: "a copy is lent", as: peterParker, ask: lend, body: `{"user":"{wayne}","barcode":"LIB-1"}`, status: 201, keep: "wayne's"},
		{rule: "and lent again", as: peterParker, ask: lend, body: `{"user":"{banner}","barcode":"LIB-1","swap":true}`, header: key("swap"), status: 201, keep: "banner's", then: replayed(false)},
		{rule: "once", as: peterParker, ask: lend, body: `{"user":"{banner}","barcode":"LIB-1","swap":true}`, header: key("swap"), status: 201, then: replayed(true),
			want: facts{"identifier": "{banner's}", "swapped": true, "copy.barcode": "LIB-1"}},
		{rule: "an exchange", as: peterParker, ask: move, body: `{"barcode":"LIB-1","swap":true}`, header: key("move"), status: 200, then: replayed(false), want: facts{"copy.barcode": "LIB-1"}},
		{rule: "is not made back", as: peterParker, ask: move, body: `{"barcode":"LIB-1","swap":true}`, header: key("move"), status: 200, then: replayed(true), want: facts{"copy.barcode": "LIB-1"}},
		{rule: "one of two comes back", as: bruceBanner, ask: back, body: `{"barcode":"LIB-2"}`, header: key("back"), status: 200, want: facts{"swapped": absent}},
		{rule: "and the other as it", as: bruceWayne, ask: back, body: `{"barcode":"LIB-2"}`, header: key("back"), status: 200, then: replayed(false), want: facts{"swapped": true}},
		{rule: "which is told again", as: bruceWayne, ask: back, body: `{"barcode":"LIB-2"}`, header: key("back"), status: 200, then: replayed(true), want: facts{"swapped": true, "identifier": "{wayne's}"}},
		{rule: "the reader's own record has the copy", as: bruceWayne, ask: "GET /me/export", status: 200, want: facts{"loans.0.copy.barcode": "LIB-2", "loans.length": 1}},
		{rule: "the reader is forgotten", as: bruceWayne, ask: "DELETE /me/history", status: 204},
		{rule: "with the answer", as: bruceWayne, ask: back, body: `{"barcode":"LIB-2"}`, header: key("back"), status: 409, code: "answer_forgotten"},
		{rule: "and the loan names nobody", as: peterParker, ask: "GET /loans/{wayne's}", status: 200, want: facts{"copy.barcode": "LIB-2", "user": absent}},
		{rule: "it is too late to undo", as: peterParker, ask: "DELETE /loans/{wayne's}/return", status: 409, code: "too_late"},
		{rule: "where nothing is kept", as: clarkKent, ask: "PUT /policy", body: `{"historyDays":0}`, status: 200},
		{rule: "a loan", as: bruceBanner, ask: lend, body: `{"copy":"{one}"}`, status: 201, keep: "last"},
		{rule: "ends with the other copy", as: peterParker, ask: back, body: `{"copy":"{two}","loan":"{last}"}`, status: 200, want: facts{"swapped": true, "user.identifier": "{banner}"}},
		{rule: "and is nobody's at once", as: peterParker, ask: "GET /loans/{last}", status: 200, want: facts{"copy.barcode": "LIB-2", "user": absent}},
	}...))
}

// TestTheOldestCandidatesAreNamed lends more copies of a book than a refusal names.
func TestTheOldestCandidatesAreNamed(t *testing.T) {
	t.Parallel()
	const lent = 22
	steps := []step{{rule: "a book", as: peterParker, ask: "POST /books", body: `{"title":"Emma","copies":22}`, status: 201, keep: "emma"},
		{rule: "with a copy that nobody has", as: peterParker, ask: "POST /books/{emma}/copies", body: `{"barcode":"LIB-1"}`, status: 201}}
	for i := range lent {
		who := fmt.Sprint("reader ", i)
		steps = append(steps,
			step{rule: who, as: clarkKent, ask: "POST /users", body: fmt.Sprintf(`{"email":"r%d@example.com","firstName":"R","lastName":"%d"}`, i, i), status: 201, keep: who},
			step{rule: who + " borrows", at: fmt.Sprintf("2026-03-%02dT10:00:00Z", 2+(i*7)%lent), as: peterParker, ask: "POST /loans",
				body: `{"user":"{` + who + `}","book":"{emma}"}`, status: 201, keep: who + "'s loan"})
	}
	runSteps(t, append(steps, step{rule: "names twenty, the oldest first", at: "2026-04-20T10:00:00Z", as: peterParker, ask: "POST /returns", body: `{"barcode":"LIB-1"}`, status: 409, code: "not_borrowed",
		want: facts{"candidates.length": 20, "candidates.0.borrowedAt": "2026-03-02T10:00:00Z", "candidates.1.borrowedAt": "2026-03-03T10:00:00Z",
			"candidates.19.borrowedAt": "2026-03-21T10:00:00Z", "candidates.0.overdue": true, "candidates.0.user.identifier": "{reader 0}"}}))
}

func TestTheDeskReservesForAReader(t *testing.T) {
	t.Parallel()
	const hold = "POST /books/{clean}/holds"
	runSteps(t, []step{
		{rule: "the book is lent", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200},
		{rule: "a reader reserves for nobody else", as: bruceBanner, ask: hold, body: `{"user":"{wayne}"}`, status: 403, code: "role_missing", then: challengesFor("library_curator")},
		{rule: "nor for somebody who is not there", as: bruceBanner, ask: hold, body: `{"user":"{unknown}"}`, status: 403, code: "role_missing"},
		{rule: "a curator does", as: peterParker, ask: hold, body: `{"user":"{banner}"}`, status: 201, then: locatedAt("/holds/"), want: facts{"user.identifier": "{banner}", "position": 1}},
		{rule: "with the refusals about that reader", as: peterParker, ask: hold, body: `{"user":"{banner}"}`, status: 409, code: "already_held"},
		{rule: "who may have the book", as: peterParker, ask: hold, body: `{"user":"{wayne}"}`, status: 409, code: "has_it"},
		{rule: "or not be there", as: peterParker, ask: hold, body: `{"user":"{unknown}"}`, status: 404, code: "user_not_found"},
		{rule: "a bad identifier", as: peterParker, ask: hold, body: `{"user":"banner"}`, status: 400, code: "invalid", then: names("user")},
		{rule: "readers name themselves or nobody", as: bruceBanner, ask: hold, body: `{"user":"{banner}"}`, status: 409, code: "already_held"},
		{rule: "an empty body is nobody", as: bruceBanner, ask: hold, body: `{}`, status: 409, code: "already_held"},
		{rule: "an admin does not reserve", as: clarkKent, ask: hold, status: 403, code: "role_missing", then: challengesFor("library_user")},
	})
}

// challengesFor expects a challenge that names a scope.
func challengesFor(scope string) func(*testing.T, *story, reply) {
	return func(t *testing.T, _ *story, a reply) {
		t.Helper()
		if got := a.header.Values("WWW-Authenticate"); !slices.ContainsFunc(got, func(c string) bool { return strings.Contains(c, `scope="`+scope+`"`) }) {
			t.Errorf("challenges %q, want the scope %s", got, scope)
		}
	}
}
