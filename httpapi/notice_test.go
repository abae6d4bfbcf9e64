package httpapi_test

import (
	"testing"

	"example.org/library"
	"example.org/library/internal/testkit"
)

// keepHouse lets the housekeeping of the library run.
func keepHouse(t *testing.T, s *story, _ reply) {
	t.Helper()
	testkit.NoError(t, testkit.Err(s.service.RunHousekeeping(t.Context())))
}

func TestNoticesForAdmins(t *testing.T) {
	t.Parallel()
	const ask = "GET /notices"
	withMail := func(s *setup) { s.mail = &library.MailSettings{From: "library@example.com"} }
	runStepsIn(t, withMail, []step{
		{rule: "callers learn that there are mails", as: bruceWayne, ask: "GET /me", status: 200, want: facts{"mail": true}},
		{rule: "readers do not see notices", as: bruceWayne, ask: ask, status: 403, code: "role_missing"},
		{rule: "nor do curators", as: peterParker, ask: ask, status: 403, code: "role_missing"},
		{rule: "there is none", as: clarkKent, ask: ask, status: 200, want: facts{"length": 0}},
		{rule: "given a loan", at: "2026-03-02T12:00:00Z", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200},
		{rule: "and the morning after its due day", at: "2026-03-31T08:00:00Z", as: clarkKent, ask: ask, status: 200, then: keepHouse},
		{rule: "its reader is told", as: clarkKent, ask: ask, status: 200, want: facts{
			"length": 1, "0.kind": "overdue", "0.state": "waiting", "0.user.identifier": wayneID, "0.user.lastName": "Wayne", "0.book.identifier": cleanCode,
			"0.book.title": "Clean Code", "0.book.authors": absent, "0.createdAt": "2026-03-31T08:00:00Z", "0.sentAt": absent, "0.attempts": 0, "0.nextAttempt": absent, "0.problem": absent}, keep: "notice:0.identifier"},
		{rule: "and has it among all that the library knows", as: bruceWayne, ask: "GET /me/export", status: 200, want: facts{
			"notices.length": 1, "notices.0.kind": "overdue", "notices.0.user.identifier": wayneID, "user.mailProblem": absent}},
		{rule: "others do not", as: bruceBanner, ask: "GET /me/export", status: 200, want: facts{"notices": absent}},
		{rule: "by state", as: clarkKent, ask: ask + "?state=sent", status: 200, want: facts{"length": 0}},
		{rule: "by kind", as: clarkKent, ask: ask + "?kind=overdue", status: 200, want: facts{"length": 1}},
		{rule: "by person", as: clarkKent, ask: ask + "?user=" + bannerID, status: 200, want: facts{"length": 0}},
		{rule: "what is not there is refused", as: clarkKent, ask: ask + "?state=lost&kind=birthday&user=me", status: 400, code: "bad_query", then: names("state", "kind", "user")},
		{rule: "what has not failed is not repeated", as: clarkKent, ask: "POST /notices/{notice}/retry", status: 409, code: "not_failed"},
		{rule: "nor what is not there", as: clarkKent, ask: "POST /notices/{unknown}/retry", status: 404, code: "notice_not_found"},
		{rule: "curators let nothing be sent", as: peterParker, ask: "POST /notices/resume", status: 403, code: "role_missing"},
		{rule: "nor do they learn whether mails are paused", as: peterParker, ask: "GET /notices/outbox", status: 403, code: "role_missing"},
		{rule: "admins learn it", as: clarkKent, ask: "GET /notices/outbox", status: 200, want: facts{"paused": false}},
		{rule: "and let them be sent", as: clarkKent, ask: "POST /notices/resume", status: 204},
	})
}

func TestWithoutMailNobodyIsTold(t *testing.T) {
	t.Parallel()
	runSteps(t, []step{
		{rule: "callers learn that there are no mails", as: bruceWayne, ask: "GET /me", status: 200, want: facts{"mail": false}},
		{rule: "given a loan", at: "2026-03-02T12:00:00Z", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200},
		{rule: "and the morning after its due day", at: "2026-03-31T08:00:00Z", as: clarkKent, ask: "GET /notices", status: 200, then: keepHouse},
		{rule: "there is no notice", as: clarkKent, ask: "GET /notices", status: 200, want: facts{"length": 0}},
	})
}
