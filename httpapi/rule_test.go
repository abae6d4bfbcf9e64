package httpapi_test

import (
	"strings"
	"testing"
)

// byRule checks the rule that an error names.
func byRule(name string) facts { return facts{"rule": name} }

func TestRulesOfThePolicyAreCheckedAndKept(t *testing.T) {
	t.Parallel()
	const put = "PUT /policy"
	rules := func(list string) string { return `{"rules":[` + list + `]}` }
	const film = `{"name":" Films ","kinds":["film","film"],"loanDays":3,"until":"2026-07-02","extra":1}`
	refused := func(rule, list string, fields ...string) step {
		return step{rule: rule, as: clarkKent, ask: put, body: rules(list), status: 400, code: "invalid", then: names(fields...)}
	}
	runSteps(t, []step{
		{rule: "there are none at first", as: bruceWayne, ask: "GET /policy", status: 200, want: facts{"rules.length": 0}},
		{rule: "they are in order and without repetitions", as: clarkKent, ask: put, status: 200,
			body: rules(film + `,{"name":"Pupils","categories":["pupil","PUPIL","a b"],"kinds":[],"selfBorrow":false,"renewals":0,"maxLoans":5,"maxHolds":0,"holds":true,"lend":true,"loanDays":null}`),
			want: facts{"rules.length": 2, "rules.0.name": "Films", "rules.0.kinds": "[film]", "rules.0.categories": absent, "rules.0.loanDays": 3, "rules.0.until": "2026-07-02", "rules.0.extra": absent,
				"rules.1.categories": "[pupil a b]", "rules.1.kinds": absent, "rules.1.selfBorrow": false, "rules.1.maxHolds": 0, "rules.1.lend": true, "rules.1.loanDays": absent}},
		{rule: "everybody sees them", as: bruceWayne, ask: "GET /policy", status: 200, want: facts{"rules.length": 2, "rules.1.renewals": 0}},
		refused("a name is unique", film+`,{"name":"FILMS","kinds":["game"],"lend":false}`, "rules[1].name"),
		refused("and there", `{"kinds":["film"],"lend":false},{"name":"`+strings.Repeat("x", 61)+`","kinds":["film"],"lend":false},{"name":"a\nb","kinds":["film"],"lend":false}`, "rules[0].name", "rules[1].name", "rules[2].name"),
		refused("a rule is about somebody or something", `{"name":"x","loanDays":3,"kinds":[],"categories":null}`, "rules[0].categories"),
		refused("it says something", `{"name":"x","kinds":["film"],"loandays":3}`, "rules[0]"),
		refused("kinds are known", `{"name":"x","kinds":["film","Film"],"lend":false}`, "rules[0].kinds[1]"),
		refused("kinds are a list", `{"name":"x","kinds":"film","lend":false},{"name":"y","kinds":[7],"categories":[],"lend":false}`, "rules[0].kinds", "rules[1].kinds"),
		refused("categories are words", `{"name":"x","categories":["", "`+strings.Repeat("x", 41)+`"],"lend":false}`, "rules[0].categories[0]", "rules[0].categories[1]"),
		refused("values have limits", `{"name":"x","kinds":["film"],"loanDays":3651,"renewals":100,"maxLoans":1000,"maxHolds":-1,"until":"2026-02-30"}`,
			"rules[0].loanDays", "rules[0].renewals", "rules[0].maxLoans", "rules[0].maxHolds", "rules[0].until"),
		refused("and types", `{"name":1,"kinds":"film","categories":[1],"loanDays":"3","selfBorrow":1,"holds":"no","lend":0,"until":3},7,null`,
			"rules[0].name", "rules[0].categories", "rules[0].kinds", "rules[0].loanDays", "rules[0].selfBorrow", "rules[0].holds", "rules[0].lend", "rules[0].until", "rules[1]", "rules[2]"),
		refused("the past is no last day", `{"name":"x","kinds":["film"],"until":"2026-03-01"}`, "rules[0].until"),
		{rule: "today is", as: clarkKent, ask: put, body: rules(`{"name":"x","kinds":["film"],"until":"2026-03-02"}`), status: 200},
		{rule: "which stays when it has passed", at: "2026-03-05T10:00:00Z", as: clarkKent, ask: put, body: rules(`{"name":"X","kinds":["map"],"until":"2026-03-02"}`), status: 200},
		refused("but for another rule it is past", `{"name":"y","kinds":["film"],"until":"2026-03-02"}`, "rules[0].until"),
		refused("there are at most fifty", strings.Repeat(film+",", 50)+film, "rules"),
		{rule: "left out there are none", as: clarkKent, ask: put, body: `{}`, status: 200, want: facts{"rules.length": 0}},
	})
}

func TestRulesForPeopleAndBooks(t *testing.T) {
	t.Parallel()
	const put = "PUT /policy"
	runSteps(t, []step{
		{rule: "given a pupil", as: clarkKent, ask: "PUT /users/{wayne}", body: `{"email":"bruce.wayne@example.com","firstName":"Bruce","lastName":"Wayne","category":"Pupil"}`, status: 200},
		{rule: "a film", as: peterParker, ask: "PUT /books/{clean}", body: `{"title":"Clean Code","kind":"film"}`, status: 200},
		{rule: "and rules", as: clarkKent, ask: put, status: 200, body: `{"rules":[
			{"name":"Pupils","categories":["pupil"],"loanDays":14,"maxLoans":2,"renewals":1},
			{"name":"Films","kinds":["film"],"loanDays":3,"maxLoans":1},
			{"name":"Summer","categories":["pupil"],"kinds":["book"],"until":"2026-03-10"}]}`},
		{rule: "every value comes with its rule", as: bruceWayne, ask: "GET /policy/effective?book={clean}", status: 200,
			want: facts{"user": "{wayne}", "book": "{clean}", "loanDays.value": 3, "loanDays.rule": "Films", "until": absent, "renewals.value": 1, "renewals.rule": "Pupils",
				"selfBorrow.value": true, "selfBorrow.rule": absent, "holds.value": true, "lend": absent, "maxLoans.value": 2, "maxLoans.rule": "Pupils", "maxLoans.count": 0,
				"maxLoansOfKinds.value": 1, "maxLoansOfKinds.rule": "Films", "maxLoansOfKinds.kinds": "[film]", "maxLoansOfKinds.count": 0,
				"maxHolds.value": 0, "maxHolds.count": 0, "maxHoldsOfKinds": absent, "dueAt": "2026-03-05T23:59:59Z", "rule": "Films"}},
		{rule: "of others it is for staff", as: bruceWayne, ask: "GET /policy/effective?book={clean}&user={banner}", status: 403, code: "role_missing"},
		{rule: "for whom no category is none of these rules", as: peterParker, ask: "GET /policy/effective?book={patterns}&user={banner}", status: 200,
			want: facts{"loanDays.value": 28, "loanDays.rule": absent, "rule": absent, "dueAt": "2026-03-30T23:59:59Z"}},
		{rule: "a book is needed", as: bruceWayne, ask: "GET /policy/effective", status: 400, code: "bad_query", then: names("book")},
		{rule: "one that is there", as: bruceWayne, ask: "GET /policy/effective?book={unknown}", status: 404, code: "book_not_found"},
		{rule: "a loan keeps its rule", as: bruceWayne, ask: "POST /loans", body: `{"book":"{clean}"}`, status: 201, keep: "film", want: facts{"dueAt": "2026-03-05T23:59:59Z", "rule": "Films"}},
		{rule: "which is not in the book", as: bruceWayne, ask: "GET /books/{clean}", status: 200, want: facts{"loan.dueAt": "2026-03-05T23:59:59Z", "loan.rule": absent}},
		{rule: "also the one that cuts it short", as: peterParker, ask: "POST /loans", body: `{"book":"{patterns}","user":"{wayne}"}`, status: 201, keep: "book", want: facts{"dueAt": "2026-03-10T23:59:59Z", "rule": "Summer", "renewable": false, "renewableFrom": absent}},
		{rule: "beyond which nothing is renewed", as: bruceWayne, ask: "POST /loans/{book}/renew", status: 409, code: "too_early", want: byRule("Summer")},
		{rule: "limits count what there is", as: bruceWayne, ask: "GET /policy/effective?book={clean}", status: 200, want: facts{"maxLoans.count": 2, "maxLoansOfKinds.count": 1}},
		{rule: "rules may be renamed", as: clarkKent, ask: put, status: 200, body: `{"rules":[
			{"name":"Movies","kinds":["film"],"loanDays":4,"maxLoans":1,"renewals":1},{"name":"Books","kinds":["book"],"holds":false},
			{"name":"Pupils","categories":["pupil"],"lend":false}]}`},
		{rule: "a loan has the old name", as: bruceWayne, ask: "GET /loans?state=open", status: 200, want: facts{"0.rule": "Films", "1.rule": "Summer"}},
		{rule: "until it is renewed", as: bruceWayne, ask: "POST /loans/{film}/renew", status: 200, want: facts{"dueAt": "2026-03-06T23:59:59Z", "rule": "Movies", "renewable": false}},
		{rule: "once", at: "2026-03-03T10:00:00Z", as: bruceWayne, ask: "POST /loans/{film}/renew", status: 409, code: "renewal_limit", want: byRule("Movies")},
		{rule: "it is still in the export", as: bruceWayne, ask: "GET /me/export", status: 200, want: facts{"loans.0.rule": "Movies"}},
		{rule: "what is not for somebody is not reserved", as: bruceBanner, ask: "POST /books/{patterns}/holds", status: 409, code: "not_reservable", want: byRule("Books")},
		{rule: "giving back is no question of rules", as: peterParker, ask: "POST /loans/{film}/return", status: 200, want: facts{"rule": "Movies"}},
		{rule: "what is not for somebody is not lent", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 409, code: "not_for_you", want: byRule("Pupils")},
		{rule: "at the desk neither", as: peterParker, ask: "POST /loans", body: `{"book":"{clean}","user":"{wayne}"}`, status: 409, code: "not_for_you", want: byRule("Pupils")},
		{rule: "nor reserved", as: bruceWayne, ask: "POST /books/{clean}/holds", status: 409, code: "not_for_you", want: byRule("Pupils")},
		{rule: "others may", as: bruceBanner, ask: "POST /books/{clean}/borrow", status: 200},
		{rule: "a rule on who borrows wins both ways", as: clarkKent, ask: put, status: 200, body: `{"selfBorrow":false,"rules":[
			{"name":"Maps","kinds":["map"],"selfBorrow":true},{"name":"Pupils","categories":["pupil"],"selfBorrow":true,"maxLoans":1},{"name":"Films","kinds":["film"],"selfBorrow":false,"maxLoans":1}]}`},
		{rule: "over the policy", as: bruceWayne, ask: "GET /policy/effective?book={patterns}", status: 200, want: facts{"selfBorrow.value": true, "selfBorrow.rule": "Pupils"}},
		{rule: "and against it", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 409, code: "desk_only", want: byRule("Films")},
		{rule: "without a rule there is none to name", as: bruceBanner, ask: "POST /books/{patterns}/borrow", status: 409, code: "desk_only", want: byRule(absent)},
	})
}

func TestTheLimitOfKindsIsNamedBeforeTheGeneralOne(t *testing.T) {
	t.Parallel()
	both := `{"rules":[{"name":"All","categories":["pupil"],"maxLoans":1,"maxHolds":1},{"name":"Films","kinds":["film"],"maxLoans":1,"maxHolds":1}]}`
	runSteps(t, []step{
		{rule: "given a pupil", as: clarkKent, ask: "PUT /users/{wayne}", body: `{"email":"bruce.wayne@example.com","firstName":"Bruce","lastName":"Wayne","category":"pupil"}`, status: 200},
		{rule: "films", as: peterParker, ask: "POST /books", body: `{"title":"Emma","kind":"film","copies":1}`, status: 201, keep: "emma"},
		{rule: "two of them", as: peterParker, ask: "POST /books", body: `{"title":"Persuasion","kind":"film","copies":1}`, status: 201, keep: "persuasion"},
		{rule: "and limits", as: clarkKent, ask: "PUT /policy", body: both, status: 200},
		{rule: "one is lent", as: bruceWayne, ask: "POST /books/{emma}/borrow", status: 200},
		{rule: "another film is above both", as: bruceWayne, ask: "POST /books/{persuasion}/borrow", status: 409, code: "loan_limit", want: byRule("Films")},
		{rule: "a book above one", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 409, code: "loan_limit", want: byRule("All")},
		{rule: "where others have them", as: bruceBanner, ask: "POST /books/{clean}/borrow", status: 200},
		{rule: "both", as: bruceBanner, ask: "POST /books/{persuasion}/borrow", status: 200},
		{rule: "a film is reserved", as: bruceWayne, ask: "POST /books/{persuasion}/holds", status: 201},
		{rule: "and no book then", as: bruceWayne, ask: "POST /books/{clean}/holds", status: 409, code: "hold_limit", want: byRule("All")},
		{rule: "0 lifts a limit", as: clarkKent, ask: "PUT /policy", body: strings.Replace(both, `"kinds":["film"],"maxLoans":1`, `"kinds":["film"],"categories":["PUPIL"],"maxLoans":0`, 1), status: 200},
		{rule: "and only that", as: bruceWayne, ask: "GET /policy/effective?book={emma}", status: 200, want: facts{"maxLoansOfKinds.value": 0, "maxLoansOfKinds.count": 1, "maxLoans.value": 1, "maxHoldsOfKinds.count": 1}},
	})
}
