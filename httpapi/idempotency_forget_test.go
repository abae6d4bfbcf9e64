package httpapi_test

import (
	"strings"
	"testing"
)

// namesNobody fails the test if an answer names Bruce Wayne.
func namesNobody(t *testing.T, s *story, a reply) {
	t.Helper()
	for _, trace := range []string{wayneID, "Wayne", "wayne"} {
		if strings.Contains(string(a.body)+a.header.Get("Location"), trace) {
			t.Errorf("%q is in %s", trace, a.body)
		}
	}
}

const (
	deskScope = "library_curator library_user"
	lendClean = `{"user":"{wayne}","book":"{clean}"}`
	lendOther = `{"user":"{wayne}","book":"{patterns}"}`
)

// lentAndReturned is what the desk does for a reader, each with a key.
func lentAndReturned(steps ...step) []step {
	return append([]step{
		{rule: "a loan at the desk", as: peterParker, scope: deskScope, ask: "POST /loans", body: lendClean, header: key("lend"), status: 201, keep: "loan"},
		{rule: "another that stays open", as: peterParker, scope: deskScope, ask: "POST /loans", body: lendOther, header: key("other"), status: 201, keep: "open"},
		{rule: "a renewal", at: "2026-03-03T09:00:00Z", as: peterParker, scope: deskScope, ask: "POST /loans/{loan}/renew", header: key("renew"), status: 200},
		{rule: "a return", as: peterParker, scope: deskScope, ask: "POST /loans/{loan}/return", header: key("return"), status: 200, want: facts{"user.identifier": "{wayne}"}},
		{rule: "whose response was replayed until then", as: peterParker, scope: deskScope, ask: "POST /loans/{loan}/return", header: key("return"), status: 200, then: replayed(true)},
	}, steps...)
}

// forgotten is how requests of lentAndReturned are answered when they are repeated.
func forgotten(status int, code string) []step {
	repeat := func(rule, ask, body, k string) step {
		return step{rule: rule, as: peterParker, scope: deskScope, ask: ask, body: body, header: key(k), status: status, code: code, then: namesNobody}
	}
	return []step{
		repeat("the loan is forgotten and not made twice", "POST /loans", lendClean, "lend"),
		repeat("and so is its renewal", "POST /loans/{loan}/renew", "", "renew"),
		repeat("and its return", "POST /loans/{loan}/return", "", "return"),
		repeat("whatever else is sent with its key", "POST /loans", `{"user":"{banner}","book":"{clean}"}`, "lend"),
		{rule: "the book is where it was", as: peterParker, ask: "GET /books/{clean}", status: 200, want: facts{"borrowed": false}},
		{rule: "without the role nobody learns even that", as: peterParker, scope: "library_user", ask: "POST /loans/{loan}/return", header: key("return"), status: 403, code: "role_missing"},
	}
}

func TestSavedResponsesForgetTheHistory(t *testing.T) {
	t.Parallel()
	steps := lentAndReturned(step{rule: "the reader forgets", as: bruceWayne, ask: "DELETE /me/history", status: 204})
	steps = append(steps, forgotten(409, "answer_forgotten")...)
	runSteps(t, append(steps,
		step{rule: "the response about a loan that is open is replayed", as: peterParker, scope: deskScope, ask: "POST /loans", body: lendOther, header: key("other"),
			status: 201, then: replayed(true), want: facts{"user.identifier": "{wayne}"}},
		step{rule: "given a reader who returns it", as: bruceWayne, ask: "POST /books/{patterns}/return", header: key("own"), status: 200},
		step{rule: "and forgets", as: bruceWayne, ask: "DELETE /me/history", status: 204},
		step{rule: "what was the reader's own is forgotten too", as: bruceWayne, ask: "POST /books/{patterns}/return", header: key("own"), status: 409, code: "answer_forgotten"},
		step{rule: "and the key can be used for nothing else", as: bruceWayne, ask: "POST /books/{clean}/borrow", header: key("own"), status: 409, code: "answer_forgotten"},
	))
}

func TestSavedResponsesGoWithThePerson(t *testing.T) {
	t.Parallel()
	steps := lentAndReturned(
		step{rule: "the reader returns the rest", as: bruceWayne, ask: "POST /loans/{open}/return", status: 200},
		step{rule: "waits for a book", as: bruceBanner, ask: "POST /books/{patterns}/borrow", status: 200},
		step{rule: "with a key", as: bruceWayne, ask: "POST /books/{patterns}/holds", header: key("hold"), status: 201},
		step{rule: "the copy is set aside", as: bruceBanner, ask: "POST /books/{patterns}/return", header: key("set-aside"), status: 200},
		step{rule: "and a new one is not", as: peterParker, ask: "POST /books/{patterns}/copies", body: `{}`, header: key("copy"), status: 201},
		step{rule: "the reader is removed", as: clarkKent, ask: "DELETE /users/{wayne}", status: 204})
	runSteps(t, append(steps, forgotten(409, "answer_forgotten")...))
}

func TestSavedResponsesForgetAddresses(t *testing.T) {
	t.Parallel()
	const body = `{"email":"mary@example.com","firstName":"Mary","lastName":"Jane","card":"M-1"}`
	addMary := step{as: clarkKent, ask: "POST /users", body: body, header: key("add"), status: 201}
	with := func(rule string, status int, code string) step {
		s := addMary
		s.rule, s.status, s.code = rule, status, code
		return s
	}
	added := with("an admin adds a user", 201, "")
	added.keep = "mary"
	lend := step{rule: "who borrows", as: peterParker, scope: deskScope, ask: "POST /loans", body: `{"user":"{mary}","book":"{clean}"}`, header: key("lend"), status: 201, keep: "loan"}
	again := lend
	again.rule, again.status, again.code, again.keep = "and of the loan", 409, "answer_forgotten", ""
	runSteps(t, []step{
		added, lend, with("which is replayed", 201, ""),
		{rule: "roles say nothing of a person", as: clarkKent, ask: "PUT /users/{mary}", body: strings.Replace(body, "{", `{"roles":["LIBRARY_USER"],"locale":"de",`, 1), status: 200},
		with("so it is still replayed", 201, ""),
		{rule: "the user gets another address", as: clarkKent, ask: "PUT /users/{mary}", body: strings.Replace(body, "mary@", "mj@", 1), status: 200},
		with("the old one is forgotten", 409, "answer_forgotten"), again,
		{rule: "the book comes back", as: peterParker, scope: deskScope, ask: "POST /loans/{loan}/return", status: 200},
		{rule: "the user is removed", as: clarkKent, ask: "DELETE /users/{mary}", status: 204},
		with("and is not added again by a request of before", 409, "answer_forgotten"),
	})
}

func TestWithoutHistoryNoResponseIsSavedOfWhatIsOver(t *testing.T) {
	t.Parallel()
	steps := []step{
		{rule: "a library that keeps no history", as: clarkKent, ask: "PUT /policy", body: `{"historyDays":0}`, status: 200},
		{rule: "a loan", as: peterParker, scope: deskScope, ask: "POST /loans", body: lendClean, header: key("lend"), status: 201, keep: "loan"},
		{rule: "somebody waits", as: bruceBanner, ask: "POST /books/{clean}/holds", header: key("hold"), status: 201, keep: "hold"},
		{rule: "a return names the borrower to the desk", as: peterParker, scope: deskScope, ask: "POST /loans/{loan}/return", header: key("return"), status: 200,
			want: facts{"user.identifier": "{wayne}", "hold.user.identifier": "{banner}"}},
		{rule: "and its replay names only the person who comes next", as: peterParker, scope: deskScope, ask: "POST /loans/{loan}/return", header: key("return"), status: 200,
			want: facts{"identifier": "{loan}", "user": absent, "hold.user.identifier": "{banner}"}, then: namesNobody},
		{rule: "the loan is forgotten", as: peterParker, scope: deskScope, ask: "POST /loans", body: lendClean, header: key("lend"), status: 409, code: "answer_forgotten"},
		{rule: "the next one borrows", as: bruceBanner, ask: "POST /books/{clean}/borrow", header: key("borrow"), status: 200},
		{rule: "which is replayed", as: bruceBanner, ask: "POST /books/{clean}/borrow", header: key("borrow"), status: 200, then: replayed(true)},
		{rule: "but not the hold that it fulfilled", as: bruceBanner, ask: "POST /books/{clean}/holds", header: key("hold"), status: 409, code: "answer_forgotten"},
		{rule: "nor who was set aside for", as: peterParker, scope: deskScope, ask: "POST /loans/{loan}/return", header: key("return"), status: 409, code: "answer_forgotten"},
		{rule: "one's own return", as: bruceBanner, ask: "POST /books/{clean}/return", header: key("own"), status: 200},
		{rule: "is known to have been done, and no more", as: bruceBanner, ask: "POST /books/{clean}/return", header: key("own"), status: 409, code: "answer_forgotten"},
		{rule: "and what it ended is forgotten", as: bruceBanner, ask: "POST /books/{clean}/borrow", header: key("borrow"), status: 409, code: "answer_forgotten"},
	}
	runSteps(t, steps)
}
