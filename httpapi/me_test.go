package httpapi_test

import "testing"

func TestWhatIsOnesOwn(t *testing.T) {
	t.Parallel()
	runSteps(t, []step{
		{rule: "one chooses the language", as: bruceWayne, ask: "PUT /me", body: `{"locale":"de"}`, status: 200, want: facts{
			"identifier": "{wayne}", "locale": "de", "reminders": true, "authorities.0": "ROLE_LIBRARY_USER", "rolesFrom": "token"}},
		{rule: "and what is left out stays", as: bruceWayne, ask: "PUT /me", body: `{"reminders":false,"locale":null}`, status: 200, want: facts{"locale": "de", "reminders": false}},
		{rule: "nothing else is one's own business", as: bruceWayne, ask: "PUT /me", body: `{"card":"C","firstName":"B","email":"x@y","roles":["LIBRARY_ADMIN"],"identifier":"{kent}"}`, status: 200,
			want: facts{"identifier": "{wayne}", "card": absent, "firstName": "Bruce", "locale": "de", "roles": "[LIBRARY_USER]"}},
		{rule: "every wrong field is named", as: bruceWayne, ask: "PUT /me", body: `{"locale":"fr","reminders":1}`, status: 400, code: "invalid", then: names("reminders", "locale")},
		{rule: "it is kept", as: bruceWayne, ask: "GET /me", status: 200, want: facts{"locale": "de", "reminders": false}},
		{rule: "given a loan that is over", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200, keep: "past:loan.identifier"},
		{rule: "as of later", at: "2026-03-03T10:00:00Z", as: bruceWayne, ask: "POST /books/{clean}/return", status: 200},
		{rule: "and one that is not", as: bruceWayne, ask: "POST /books/{patterns}/borrow", status: 200, keep: "loan:loan.identifier"},
		{rule: "and somebody else's", as: bruceBanner, ask: "POST /books/{clean}/borrow", status: 200},
		{rule: "and a hold", as: bruceWayne, ask: "POST /books/{clean}/holds", status: 201, keep: "hold"},
		{rule: "one gets all that the library knows", as: bruceWayne, ask: "GET /me/export", status: 200, want: facts{
			"user.email": bruceWayne, "user.locale": "de", "loans.length": 2, "loans.0.identifier": "{loan}", "loans.1.identifier": "{past}", "loans.1.returnedAt": "2026-03-03T10:00:00Z",
			"holds.length": 1, "holds.0.identifier": "{hold}", "holds.0.position": 1}},
		{rule: "staff get their own, too, and nobody else's", as: peterParker, ask: "GET /me/export", status: 200, want: facts{"user.email": peterParker, "loans.length": 0, "holds.length": 0}},
		{rule: "there is nothing to ask for", as: bruceWayne, ask: "GET /me/export?user={banner}", status: 400, code: "bad_query", then: names("user")},
		{rule: "one can be forgotten", as: bruceWayne, ask: "DELETE /me/history", status: 204},
		{rule: "in what is over", as: bruceWayne, ask: "GET /me/export", status: 200, want: facts{"loans.length": 1, "loans.0.identifier": "{loan}", "holds.length": 1}},
		{rule: "again and again", as: bruceWayne, ask: "DELETE /me/history", status: 204},
		{rule: "given a library that keeps no history", as: clarkKent, ask: "PUT /policy", body: `{"historyDays":0}`, status: 200},
		{rule: "who returns something", as: bruceWayne, ask: "POST /loans/{loan}/return", status: 200, want: facts{"user.identifier": "{wayne}"}},
		{rule: "is forgotten at once", as: peterParker, ask: "GET /loans/{loan}", status: 200, want: facts{"user": absent}},
		{rule: "and has nothing of it", as: bruceWayne, ask: "GET /me/export", status: 200, want: facts{"loans.length": 0}},
	})
}
