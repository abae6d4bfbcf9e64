package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// class returns what the stories below begin with: Emma with the copies LIB-1 to LIB-5, and Anna Abel, Ben Berg,
// Cora Cole and Dora Dorn of 7b.
func class(more ...step) []step {
	steps := []step{{rule: "a book", as: peterParker, ask: "POST /books", body: `{"title":"Emma","copies":0}`, status: 201, keep: "emma"}}
	for i := 1; i <= 5; i++ {
		steps = append(steps, step{rule: fmt.Sprint("copy ", i), as: peterParker, ask: "POST /books/{emma}/copies", body: fmt.Sprintf(`{"barcode":"LIB-%d"}`, i), status: 201, keep: fmt.Sprint("c", i)})
	}
	for _, name := range []string{"Dora Dorn", "Ben Berg", "Cora Cole", "Anna Abel"} {
		first, last, _ := strings.Cut(name, " ")
		steps = append(steps, step{rule: name, as: clarkKent, ask: "POST /users", status: 201, keep: strings.ToLower(first),
			body: pupil(first, last, "")})
	}
	return append(steps, more...)
}

// pupil is the body of a pupil of 7b.
func pupil(first, last, more string) string {
	return fmt.Sprintf(`{"email":"%s@example.com","firstName":%q,"lastName":%q,"group":"7b","category":"pupil","roles":["LIBRARY_USER"]%s}`, strings.ToLower(first), first, last, more)
}

func TestAClassSetIsLentAndCollected(t *testing.T) {
	t.Parallel()
	const lend, back = "POST /loans/batch", "POST /returns/batch"
	set := `{"book":"{emma}","group":"7B","barcodes":["LIB-1","LIB-2","LIB-3"],"dueAt":"2026-07-04"`
	runSteps(t, class(
		step{rule: "on Sundays the library is closed, and loans have a rule", as: clarkKent, ask: "PUT /policy", status: 200,
			body: `{"closedWeekdays":["saturday","sunday"],"rules":[{"name":"Summer","categories":["pupil"],"until":"2026-04-01"}]}`},
		step{rule: "Ben is blocked", as: clarkKent, ask: "PUT /users/{ben}", body: pupil("Ben", "Berg", `,"block":"fees"`), status: 200},
		step{rule: "a dry run says what would happen", as: peterParker, ask: lend, body: set + `,"dryRun":true}`, header: key("class"), status: 200,
			want: facts{"loans.length": 3, "loans.0.identifier": absent, "loans.0.user.lastName": "Abel", "skipped.length": 1}},
		step{rule: "and changes nothing", as: peterParker, ask: "GET /loans?book={emma}", status: 200, want: facts{"length": 0}},
		step{rule: "one after the other by last name", as: peterParker, ask: lend, body: set + `}`, header: key("class"), status: 200, keep: "anna's loan:loans.0.identifier",
			want: facts{"loans.length": 3, "loans.0.user.lastName": "Abel", "loans.0.copy.barcode": "LIB-1", "loans.0.dueAt": "2026-07-06T23:59:59Z", "loans.0.rule": absent, "loans.0.several": absent,
				"loans.1.user.lastName": "Cole", "loans.2.user.lastName": "Dorn", "loans.2.copy.barcode": "LIB-3",
				"skipped.length": 1, "skipped.0.user.identifier": "{ben}", "skipped.0.user.group": absent, "skipped.0.code": "blocked", "skipped.0.rule": absent, "left.length": 0}},
		step{rule: "and once", as: peterParker, ask: lend, body: set + `}`, header: key("class"), status: 200, want: facts{"loans.0.identifier": "{anna's loan}"}},
		step{rule: "the book has fewer", as: bruceWayne, ask: "GET /books/{emma}", status: 200, want: facts{"copies": 5, "available": 2}},
		step{rule: "who still has one is a list", as: peterParker, ask: "GET /loans?book={emma}&group=7b", status: 200, want: facts{"length": 3}},
		step{rule: "more find nobody", as: peterParker, ask: lend, body: `{"users":["{dora}","{ben}","{anna}"],"copies":["{c5}","{c4}"]}`, status: 200,
			want: facts{"loans.length": 0, "skipped.length": 3, "skipped.0.user.identifier": "{dora}", "skipped.0.code": "has_it", "skipped.1.code": "blocked", "skipped.2.code": "has_it", "left.length": 2, "left.0.identifier": "{c5}", "left.0.barcode": "LIB-5", "left.1.barcode": "LIB-4"}},
		step{rule: "each copy is answered for itself", as: peterParker, ask: back, body: `{"barcodes":["LIB-1","LIB-1","LIB-9"," ","LIB-4"],"group":"7b"}`, header: key("back"), status: 200, want: facts{"length": 5,
			"0.barcode": "LIB-1", "0.status": 200, "0.loan.identifier": "{anna's loan}", "0.loan.user.lastName": "Abel", "0.loan.swapped": absent, "0.loan.returnedAt": "2026-03-02T10:00:00Z", "0.code": absent,
			"1.status": 409, "1.code": "not_borrowed", "1.loan": absent, "1.candidates.length": 2, "1.candidates.0.user.lastName": "Cole",
			"2.status": 404, "2.code": "unknown_code", "2.candidates": absent, "3.status": 400, "3.code": "invalid",
			"4.status": 409, "4.code": "not_borrowed", "4.candidates.length": 2}},
		step{rule: "and once", as: peterParker, ask: back, body: `{"barcodes":["LIB-1","LIB-1","LIB-9"," ","LIB-4"],"group":"7b"}`, header: key("back"), status: 200, want: facts{"0.status": 200}},
		step{rule: "without the group nothing is guessed", as: peterParker, ask: back, body: `{"barcodes":["LIB-4"]}`, status: 200, want: facts{"0.status": 409}},
		step{rule: "the only one of the class whose copy is not here has swapped it", as: peterParker, ask: back, body: `{"barcodes":["LIB-4","LIB-2"],"group":"7b"}`, status: 200,
			want: facts{"0.status": 200, "0.loan.swapped": true, "0.loan.user.lastName": "Dorn", "0.loan.copy.barcode": "LIB-4", "1.status": 200, "1.loan.user.lastName": "Cole"}},
		step{rule: "nobody has one", as: peterParker, ask: "GET /loans?book={emma}&group=7b", status: 200, want: facts{"length": 0}},
		step{rule: "all are here", as: bruceWayne, ask: "GET /books/{emma}", status: 200, want: facts{"copies": 5, "available": 5}},
		step{rule: "with a person who was skipped", as: clarkKent, ask: "DELETE /users/{ben}", status: 204},
		step{rule: "the kept answer is forgotten", as: peterParker, ask: lend, body: set + `}`, header: key("class"), status: 409, code: "answer_forgotten"},
	))
}

func TestABatchReturnMayNameALoan(t *testing.T) {
	t.Parallel()
	const lend, back = "POST /loans/batch", "POST /returns/batch"
	runSteps(t, class(
		step{rule: "two have one", as: peterParker, ask: lend, body: `{"users":["{anna}","{ben}"],"barcodes":["LIB-1","LIB-2"]}`, status: 200, keep: "ben's loan:loans.1.identifier", want: facts{"loans.0.user.lastName": "Abel"}},
		step{rule: "Cora waits for nothing", as: peterParker, ask: lend, body: `{"users":["{cora}"],"barcodes":["LIB-5"]}`, status: 200},
		step{rule: "the named loan ends, and leaves the other to be guessed", as: peterParker, ask: back, status: 200,
			body: `{"barcodes":["LIB-3",{"barcode":"LIB-4","loan":"{ben's loan}"},{"barcode":"LIB-1","loan":"{unknown}"},"LIB-5"],"group":"7b"}`,
			want: facts{"0.loan.user.lastName": absent, "0.code": "not_borrowed", "1.loan.user.lastName": "Berg", "1.loan.swapped": true, "2.status": 404, "2.code": "loan_not_found", "3.loan.user.lastName": "Cole"}},
		step{rule: "a loan ends once", as: peterParker, ask: back, body: `{"barcodes":[{"barcode":"LIB-3","loan":"{ben's loan}"}]}`, status: 200, want: facts{"0.status": 409, "0.code": "not_open"}},
		step{rule: "there is something to return", as: peterParker, ask: back, body: `{"barcodes":[]}`, status: 400, code: "invalid", then: names("barcodes")},
		step{rule: "of a known form", as: peterParker, ask: back, body: `{"barcodes":[7,{"loan":"x"}],"group":1}`, status: 400, code: "invalid", then: names("group", "barcodes[0]", "barcodes[1].barcode", "barcodes[1].loan")},
		step{rule: "readers do not collect", as: bruceWayne, ask: back, body: `{"barcodes":["LIB-1"]}`, status: 403, code: "role_missing"},
		step{rule: "nor do admins", as: clarkKent, ask: back, body: `{"barcodes":["LIB-1"]}`, status: 403, code: "role_missing"},
	))
}

func TestABatchIsLentWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	const lend = "POST /loans/batch"
	refused := func(rule, body string, fields ...string) step {
		return step{rule: rule, as: peterParker, ask: lend, body: body, status: 400, code: "invalid", then: names(fields...)}
	}
	runSteps(t, class(
		step{rule: "a copy is on loan", as: peterParker, ask: "POST /loans", body: `{"user":"{wayne}","barcode":"LIB-1"}`, status: 201, keep: "loan"},
		step{rule: "one is damaged", as: peterParker, ask: "PUT /copies/{c2}", body: `{"barcode":"LIB-2","state":"damaged"}`, status: 200},
		step{rule: "and one of another book", as: peterParker, ask: "POST /books/{patterns}/copies", body: `{"barcode":"OTHER"}`, status: 201, keep: "other"},
		step{rule: "each is named", as: peterParker, ask: lend, body: `{"book":"{emma}","group":"7b","barcodes":["LIB-3","LIB-1","LIB-2","LIB-9","OTHER"]}`, status: 409, code: "copies_refused",
			want: facts{"details.length": 4, "details.0.field": "barcodes[1]", "details.0.code": "copy_on_loan", "details.1.code": "not_lendable", "details.2.code": "unknown_code", "details.3.field": "barcodes[4]", "details.3.code": "other_book"}},
		step{rule: "by its identifier, too, and in a dry run", as: peterParker, ask: lend, body: `{"group":"7b","copies":["{other}","{c1}","{unknown}"],"dryRun":true}`, status: 409, code: "copies_refused",
			want: facts{"details.length": 2, "details.0.field": "copies[1]", "details.1.field": "copies[2]"}},
		step{rule: "nothing is lent", as: peterParker, ask: "GET /loans?group=7b", status: 200, want: facts{"length": 0}},
		step{rule: "a book that is not there", as: peterParker, ask: lend, body: `{"book":"{unknown}","group":"7b","barcodes":["LIB-3"]}`, status: 404, code: "book_not_found"},
		step{rule: "nor a class", as: peterParker, ask: lend, body: `{"group":"8c","barcodes":["LIB-3"]}`, status: 404, code: "unknown_group"},
		step{rule: "nor a person", as: peterParker, ask: lend, body: `{"users":["{anna}","{unknown}"],"barcodes":["LIB-3"]}`, status: 404, code: "user_not_found"},
		refused("somebody, and something", `{}`, "group", "barcodes"),
		refused("one of each", `{"group":"7b","users":["{anna}"],"barcodes":["LIB-3"],"copies":["{c3}"]}`, "group", "users", "barcodes", "copies"),
		refused("none twice", `{"users":["{anna}","{anna}"],"barcodes":["LIB-3"," LIB-3"]}`, "users[1]", "barcodes[1]"),
		refused("not none", `{"users":[],"copies":[],"dueAt":"soon"}`, "dueAt", "users", "copies"),
		refused("not too many", `{"group":"7b","barcodes":["X"`+manyCodes(100)+`]}`, "barcodes"),
		refused("codes are codes", `{"group":" ","barcodes":["a b"]}`, "barcodes[0]"),
		refused("a class has a name", `{"group":" ","barcodes":["LIB-3"]}`, "group"),
		refused("one person has several", `{"user":"{anna}","barcodes":["LIB-3"]}`, "several"),
		refused("a class has not", `{"group":"7b","several":true,"barcodes":["LIB-3"]}`, "several"),
		refused("a day is a day", `{"group":"7b","barcodes":["LIB-3"],"dueAt":"2026-02-30"}`, "dueAt"),
		refused("today or later", `{"group":"7b","barcodes":["LIB-3"],"dueAt":"2026-03-01"}`, "dueAt"),
		refused("but not too late", `{"group":"7b","barcodes":["LIB-3"],"dueAt":"2036-02-29"}`, "dueAt"),
		step{rule: "today will do", as: peterParker, ask: lend, body: `{"users":["{anna}"],"barcodes":["LIB-3"],"dueAt":"2026-03-02"}`, status: 200, want: facts{"loans.0.dueAt": "2026-03-02T23:59:59Z"}},
		step{rule: "readers do not lend to a class", as: bruceWayne, ask: lend, body: `{}`, status: 403, code: "role_missing"},
		step{rule: "nor do admins", as: clarkKent, ask: lend, body: `{}`, status: 403, code: "role_missing"},
	))
}

// manyCodes returns n more barcodes.
func manyCodes(n int) string {
	var codes strings.Builder
	for i := range n {
		fmt.Fprintf(&codes, `,"X%d"`, i)
	}
	return codes.String()
}

func TestATeacherHasSeveralCopies(t *testing.T) {
	t.Parallel()
	const lend, batch = "POST /loans", "POST /loans/batch"
	runSteps(t, class(
		step{rule: "it is for the desk", as: bruceWayne, ask: lend, body: `{"barcode":"LIB-1","several":true}`, status: 403, code: "role_missing"},
		step{rule: "a first copy", as: peterParker, ask: lend, body: `{"user":"{wayne}","barcode":"LIB-1","several":true}`, status: 201, keep: "first", want: facts{"several": true}},
		step{rule: "a second needs the word", as: peterParker, ask: lend, body: `{"user":"{wayne}","barcode":"LIB-2"}`, status: 409, code: "has_it"},
		step{rule: "and is lent with it", at: "2026-03-03T10:00:00Z", as: peterParker, ask: lend, body: `{"user":"{wayne}","book":"{emma}","several":true}`, status: 201, want: facts{"several": true, "copy.barcode": "LIB-2"}},
		step{rule: "borrowing changes nothing", as: bruceWayne, ask: "POST /books/{emma}/borrow", status: 200, want: facts{"available": 3, "loan.identifier": "{first}"}},
		step{rule: "one has the book", as: bruceWayne, ask: "GET /books/{emma}", status: 200, want: facts{"borrowedBy.identifier": "{wayne}", "loan.identifier": "{first}", "loan.dueAt": "2026-03-30T23:59:59Z"}},
		step{rule: "and sees it once", as: bruceWayne, ask: "GET /me/books", status: 200, want: facts{"length": 1}},
		step{rule: "with all loans", as: bruceWayne, ask: "GET /loans", status: 200, want: facts{"length": 2, "0.several": true}},
		step{rule: "limits are looked at", as: clarkKent, ask: "PUT /policy", body: `{"rules":[{"name":"Four","kinds":["book"],"maxLoans":4}]}`, status: 200},
		step{rule: "the rest is left", as: peterParker, ask: batch, body: `{"user":"{wayne}","several":true,"barcodes":["LIB-5","LIB-3","LIB-4"]}`, status: 200,
			want: facts{"loans.length": 2, "loans.0.several": true, "loans.1.copy.barcode": "LIB-3", "skipped.length": 1, "skipped.0.code": "loan_limit", "skipped.0.rule": "Four", "left.length": 1, "left.0.barcode": "LIB-4"}},
		step{rule: "the oldest comes back first", as: bruceWayne, ask: "POST /books/{emma}/return", status: 200, want: facts{"available": 2}},
		step{rule: "which is over", as: bruceWayne, ask: "GET /loans/{first}", status: 200, want: facts{"returnedAt": "2026-03-03T10:00:00Z"}},
	))
}

func TestSkippedPeopleAreToldWhy(t *testing.T) {
	t.Parallel()
	const lend = "POST /loans/batch"
	runSteps(t, class(
		step{rule: "Anna has one", as: peterParker, ask: "POST /loans", body: `{"user":"{anna}","barcode":"LIB-1"}`, status: 201},
		step{rule: "Ben is away", as: clarkKent, ask: "PUT /users/{ben}", body: pupil("Ben", "Berg", `,"active":false`), status: 200},
		step{rule: "Cora has something else, and it is late", as: peterParker, ask: "POST /loans", body: `{"user":"{cora}","book":"{clean}"}`, status: 201},
		step{rule: "Dora has reserved", as: peterParker, ask: "POST /loans", body: `{"user":"{wayne}","barcode":"LIB-2"}`, status: 201, keep: "wayne's loan"},
		step{rule: "without any copy", as: peterParker, ask: "PUT /copies/{c3}", body: `{"barcode":"LIB-3","state":"reference"}`, status: 200},
		step{rule: "or another", as: peterParker, ask: "PUT /copies/{c4}", body: `{"barcode":"LIB-4","state":"reference"}`, status: 200},
		step{rule: "or a last one", as: peterParker, ask: "PUT /copies/{c5}", body: `{"barcode":"LIB-5","state":"reference"}`, status: 200},
		step{rule: "so she waits", as: peterParker, ask: "POST /books/{emma}/holds", body: `{"user":"{dora}"}`, status: 201, keep: "hold"},
		step{rule: "until one comes back", at: "2026-04-20T10:00:00Z", as: peterParker, ask: "POST /loans/{wayne's loan}/return", status: 200, want: facts{"hold.identifier": "{hold}"}},
		step{rule: "and others are there", as: peterParker, ask: "PUT /copies/{c3}", body: `{"barcode":"LIB-3"}`, status: 200},
		step{rule: "more", as: peterParker, ask: "PUT /copies/{c4}", body: `{"barcode":"LIB-4"}`, status: 200},
		step{rule: "who is late gets nothing", as: clarkKent, ask: "PUT /policy", body: `{"blockOverdue":true}`, status: 200},
		step{rule: "a copy that is set aside is not lent", as: peterParker, ask: lend, body: `{"group":"7b","barcodes":["LIB-2"]}`, status: 409, code: "copies_refused", want: facts{"details.0.code": "reserved"}},
		step{rule: "another is, and fulfils the hold", as: peterParker, ask: lend, body: `{"group":"7b","barcodes":["LIB-3","LIB-4"]}`, status: 200,
			want: facts{"loans.length": 1, "loans.0.user.identifier": "{dora}", "skipped.length": 3, "skipped.0.code": "has_it", "skipped.1.code": "inactive", "skipped.2.code": "has_overdue", "left.0.barcode": "LIB-4"}},
		step{rule: "which is over", as: peterParker, ask: "GET /holds/{hold}", status: 200, want: facts{"state": "fulfilled"}},
		step{rule: "by a rule nobody gets it", as: clarkKent, ask: "PUT /policy", body: `{"rules":[{"name":"No","categories":["pupil"],"lend":false}]}`, status: 200},
		step{rule: "which is named", as: peterParker, ask: lend, body: `{"users":["{cora}"],"barcodes":["LIB-2"]}`, status: 200, want: facts{"skipped.0.code": "not_for_you", "skipped.0.rule": "No", "left.length": 1}},
	))
}

// TestTwoBatchesWantTheSameCopies lets two desks lend the same copies of two books, in another order.
func TestTwoBatchesWantTheSameCopies(t *testing.T) {
	t.Parallel()
	for database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			s := newStory(t, database)
			for _, st := range class(
				step{rule: "another book", as: peterParker, ask: "POST /books/{patterns}/copies", body: `{"barcode":"OTHER"}`, status: 201},
				step{rule: "limits, which lock people", as: clarkKent, ask: "PUT /policy", body: `{"maxLoans":1}`, status: 200}) {
				s.make(t, st)
			}
			for range 5 {
				answers := make([]reply, 2)
				var both sync.WaitGroup
				for i, body := range []string{
					`{"users":["{anna}","{ben}","{cora}"],"barcodes":["LIB-1","OTHER","LIB-2"]}`,
					`{"users":["{dora}","{cora}","{ben}"],"barcodes":["OTHER","LIB-2","LIB-3"]}`,
				} {
					both.Go(func() {
						answers[i] = s.send(t, request{as: peterParker, method: http.MethodPost, path: "/loans/batch", body: s.fill(t, body)})
					})
				}
				both.Wait()
				won, lost := answers[0], answers[1]
				if won.status != http.StatusOK {
					won, lost = lost, won
				}
				won.want(t, http.StatusOK, "")
				lost.want(t, http.StatusConflict, "copies_refused")
				s.check(t, won, facts{"loans.length": 3})
				s.make(t, step{rule: "they come back", as: peterParker, ask: "POST /returns/batch", body: `{"barcodes":["LIB-1","LIB-2","LIB-3","OTHER"]}`, status: 200})
			}
		})
	}
}
