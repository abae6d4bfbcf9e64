package httpapi_test

import (
	"testing"
)

func TestATrialSaysWhatRulesWouldHaveChanged(t *testing.T) {
	t.Parallel()
	const try = "POST /policy/trial"
	const rules = `{"rules":[{"name":"Pupils","categories":["PUPIL"],"maxLoans":1},{"name":"Films","kinds":["film"],"loanDays":3,"holds":false},{"name":"Films 2","kinds":["film"],"loanDays":7}]}`
	none := facts{"loans": 3, "holds": 1, "refused.count": 0, "refused.by.length": 0, "refused.examples.length": 0, "dueEarlier.count": 0, "dueEarlier.days": 0, "dueLater.count": 0,
		"renewalsRefused": 0, "holdsRefused.count": 0, "holdsRefused.by.length": 0, "onClosedDays": 0, "dead.length": 0}
	runSteps(t, []step{
		{rule: "given a pupil", as: clarkKent, ask: "PUT /users/{wayne}", body: `{"email":"bruce.wayne@example.com","firstName":"Bruce","lastName":"Wayne","category":"pupil"}`, status: 200},
		{rule: "a film", as: peterParker, ask: "POST /books", body: `{"title":"Emma","kind":"film","copies":1}`, status: 201, keep: "emma"},
		{rule: "and a loan of long ago that is open", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200},
		{rule: "the pupil borrows another book", at: "2027-03-03T10:00:00Z", as: bruceWayne, ask: "POST /loans", body: `{"book":"{patterns}"}`, status: 201, keep: "second"},
		{rule: "somebody has a film", as: bruceBanner, ask: "POST /books/{emma}/borrow", status: 200},
		{rule: "brings it back", as: bruceBanner, ask: "POST /books/{emma}/return", status: 200},
		{rule: "and is forgotten", as: bruceBanner, ask: "DELETE /me/history", status: 204},
		{rule: "others have it", as: bruceBanner, ask: "POST /books/{emma}/borrow", status: 200},
		{rule: "and wait for it", as: bruceWayne, ask: "POST /books/{emma}/holds", status: 201},
		{rule: "a trial is for admins", as: bruceWayne, ask: try, body: rules, status: 403, code: "role_missing"},
		{rule: "and not for curators", as: peterParker, ask: try, body: rules, status: 403, code: "role_missing"},
		{rule: "faults are those of the policy", as: clarkKent, ask: try, body: `{"loanDays":-1,"rules":[{"name":"x","kinds":["film"]}]}`, status: 400, code: "invalid", then: names("loanDays", "rules[0]")},
		{rule: "also a last day that has passed", as: clarkKent, ask: try, body: `{"rules":[{"name":"x","kinds":["film"],"until":"2027-03-02"}]}`, status: 400, code: "invalid", then: names("rules[0].until")},
		{rule: "the same rules change nothing", as: clarkKent, ask: try, body: `{}`, status: 200, want: none},
		{rule: "others do", as: clarkKent, ask: try, body: rules, header: field("If-Match", `"other"`), status: 200, want: facts{
			"from": "2026-03-03", "loans": 3, "holds": 1, "refused.count": 1, "refused.by.length": 1, "refused.by.0.code": "loan_limit", "refused.by.0.rule": "Pupils", "refused.by.0.category": "pupil", "refused.by.0.count": 1,
			"refused.examples.length": 1, "refused.examples.0.loan": "{second}", "refused.examples.0.book.title": "Design Patterns", "refused.examples.0.user.lastName": "Wayne",
			"refused.examples.0.borrowedAt": "2027-03-03T10:00:00Z", "refused.examples.0.code": "loan_limit", "refused.examples.0.rule": "Pupils", "dueEarlier.count": 2, "dueEarlier.days": 25, "dueLater.count": 0,
			"holdsRefused.count": 1, "holdsRefused.by.0.code": "not_reservable", "holdsRefused.by.0.rule": "Films", "holdsRefused.by.0.category": "pupil",
			"dead.length": 1, "dead.0.rule": "Films 2", "dead.0.hiddenBy": "[Films]"}},
		{rule: "a limit of the policy has no rule", as: clarkKent, ask: try, body: `{"maxLoans":1}`, status: 200, want: facts{"refused.count": 1, "refused.by.0.rule": absent, "refused.examples.0.rule": absent}},
		{rule: "closed days move due days", as: clarkKent, ask: try, body: `{"closedDates":["2027-03-31"]}`, status: 200, want: facts{"dueLater.count": 3, "dueLater.days": 1, "onClosedDays": 3}},
		{rule: "nothing is changed", as: bruceWayne, ask: "GET /policy", status: 200, want: facts{"loanDays": 28, "rules.length": 0}},
		{rule: "after 365 days it is still seen", at: "2028-03-02T10:00:00Z", as: clarkKent, ask: try, body: `{}`, status: 200, want: facts{"from": "2027-03-03", "loans": 3, "holds": 1}},
		{rule: "and then it is over", at: "2028-03-02T10:00:00.000001Z", as: clarkKent, ask: try, body: rules, status: 200, want: facts{"loans": 0, "holds": 0, "refused.count": 0}},
	})
}
