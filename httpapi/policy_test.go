package httpapi_test

import (
	"strings"
	"testing"
)

func TestThePolicyOfTheLibrary(t *testing.T) {
	t.Parallel()
	const put = "PUT /policy"
	usual := facts{
		"loanDays": 28, "renewals": 2, "maxLoans": 0, "maxHolds": 0, "blockOverdue": false, "holdDays": 7, "timeZone": "UTC",
		"closedWeekdays.length": 0, "closedDates.length": 0, "dueSoonDays": 3, "overdueDays": "[1 7 21]",
		"selfBorrow": true, "selfReturn": true, "noticeWanted": false, "noticeTime": "08:00", "mailNote": absent,
	}
	with := func(name string, value any) facts {
		out := facts{name: value}
		for n, v := range usual {
			out[n] = v
		}
		return out
	}
	runSteps(t, []step{
		{rule: "is there from the beginning", as: bruceWayne, ask: "GET /policy", status: 200, want: with("historyDays", 365)},
		{rule: "what is left out takes its default, and the history is kept", as: clarkKent, ask: put, body: `{}`, status: 200, want: with("historyDays", absent)},
		{rule: "null is left out", as: clarkKent, ask: put, body: `{"loanDays":null,"overdueDays":null,"historyDays":null,"timeZone":" "}`, status: 200, want: with("historyDays", absent)},
		{rule: "every value is kept", as: clarkKent, ask: put, status: 200,
			body: `{"loanDays":14,"renewals":0,"maxLoans":5,"maxHolds":3,"blockOverdue":true,"holdDays":2,"historyDays":0,"timeZone":"Europe/Berlin",
				"closedWeekdays":["sunday","saturday","sunday"],"closedDates":["2026-12-25","2026-12-24"],"dueSoonDays":0,"overdueDays":[],"selfBorrow":true,"selfReturn":false,"noticeWanted":true}`,
			want: facts{"loanDays": 14, "renewals": 0, "maxLoans": 5, "maxHolds": 3, "blockOverdue": true, "holdDays": 2, "historyDays": 0, "timeZone": "Europe/Berlin",
				"closedWeekdays": "[saturday sunday]", "closedDates": "[2026-12-24 2026-12-25]", "dueSoonDays": 0, "overdueDays.length": 0, "selfBorrow": true, "selfReturn": false, "noticeWanted": true}},
		{rule: "and everybody sees it", as: bruceWayne, ask: "GET /policy", status: 200, want: facts{"loanDays": 14, "closedWeekdays": "[saturday sunday]"}},
		{rule: "days are those of the library", at: "2026-03-27T23:30:00Z", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200,
			want: facts{"loan.dueAt": "2026-04-13T21:59:59Z"}}, // it is Saturday there; two weeks later, too, and Monday is open
		{rule: "limits", as: clarkKent, ask: put, status: 400, code: "invalid",
			body: `{"loanDays":3651,"renewals":100,"maxLoans":1000,"maxHolds":-1,"holdDays":0,"historyDays":3651,"timeZone":"Mars/Olympus","closedDates":["2026-02-29"],"dueSoonDays":31,"overdueDays":[0]}`,
			then: names("loanDays", "renewals", "maxLoans", "maxHolds", "holdDays", "historyDays", "timeZone", "closedDates[0]", "dueSoonDays", "overdueDays[0]")},
		{rule: "types", as: clarkKent, ask: put, status: 400, code: "invalid",
			body: `{"loanDays":"28","renewals":1.5,"maxLoans":true,"blockOverdue":1,"timeZone":1,"closedWeekdays":"sunday","closedDates":[1],"overdueDays":[null],"selfBorrow":"no","selfReturn":0,"noticeWanted":"no"}`,
			then: names("loanDays", "renewals", "maxLoans", "blockOverdue", "timeZone", "closedWeekdays", "closedDates", "overdueDays", "selfBorrow", "selfReturn", "noticeWanted")},
		{rule: "people are reminded from a time of the day on", as: clarkKent, ask: put, body: `{"loanDays":14,"closedWeekdays":["saturday","sunday"],"noticeTime":" 07:30 ","mailNote":{"en":" Open from ten.\nClosed on Mondays. ","de":null}}`, status: 200,
			want: facts{"noticeTime": "07:30", "mailNote.en": "Open from ten.\nClosed on Mondays.", "mailNote.de": absent}},
		{rule: "which has two digits and two", as: clarkKent, ask: put, body: `{"noticeTime":"7:30"}`, status: 400, code: "invalid", then: names("noticeTime")},
		{rule: "within the day", as: clarkKent, ask: put, body: `{"noticeTime":"24:00"}`, status: 400, code: "invalid", then: names("noticeTime")},
		{rule: "notes are texts by language", as: clarkKent, ask: put, body: `{"noticeTime":8,"mailNote":"Open from ten."}`, status: 400, code: "invalid", then: names("noticeTime", "mailNote")},
		{rule: "of the languages that there are", as: clarkKent, ask: put, body: `{"mailNote":{"fr":"Ouvert"}}`, status: 400, code: "invalid", then: names("mailNote")},
		{rule: "and not too long", as: clarkKent, ask: put, body: `{"mailNote":{"en":"` + strings.Repeat("x", 1001) + `"}}`, status: 400, code: "invalid", then: names("mailNote.en")},
		{rule: "days of the week have names", as: clarkKent, ask: put, body: `{"closedWeekdays":["monday","Sunday"]}`, status: 400, code: "invalid", then: names("closedWeekdays[1]")},
		{rule: "one of them is open", as: clarkKent, ask: put, body: `{"closedWeekdays":["monday","tuesday","wednesday","thursday","friday","saturday","sunday"]}`, status: 400, code: "invalid", then: names("closedWeekdays")},
		{rule: "there are at most 400 closed dates", as: clarkKent, ask: put, body: `{"closedDates":["2026-01-01"` + strings.Repeat(`,"2026-01-01"`, 400) + `]}`, status: 400, code: "invalid", then: names("closedDates")},
		{rule: "and five reminders", as: clarkKent, ask: put, body: `{"overdueDays":[1,2,3,4,5,6]}`, status: 400, code: "invalid", then: names("overdueDays")},
		{rule: "curators do not change it", as: peterParker, ask: put, body: `{}`, status: 403, code: "role_missing"},
		{rule: "nor readers", as: bruceWayne, ask: put, body: `{}`, status: 403, code: "role_missing"},
		{rule: "none of which has changed it", as: bruceWayne, ask: "GET /policy", status: 200, want: facts{"loanDays": 14}},
	})
}

func TestANewTimeZoneKeepsTheDaysOfLoansAndHolds(t *testing.T) {
	t.Parallel()
	const put = "PUT /policy"
	runSteps(t, []step{
		{rule: "given a loan", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200, keep: "loan:loan.identifier", want: facts{"loan.dueAt": "2026-03-30T23:59:59Z"}},
		{rule: "one that has ended", as: bruceWayne, ask: "POST /books/{patterns}/borrow", status: 200, keep: "past:loan.identifier"},
		{rule: "and a place in the queue", as: bruceBanner, ask: "POST /books/{patterns}/holds", status: 201, keep: "hold"},
		{rule: "for which the copy is set aside", as: bruceWayne, ask: "POST /books/{patterns}/return", status: 200},
		{rule: "a week long", as: bruceBanner, ask: "GET /holds/{hold}", status: 200, want: facts{"state": "ready", "until": "2026-03-09T23:59:59Z"}},
		{rule: "in a zone to the west", as: clarkKent, ask: put, body: `{"timeZone":"America/New_York"}`, status: 200},
		{rule: "a loan is due at the end of the same day", as: bruceWayne, ask: "GET /loans/{loan}", status: 200, want: facts{"dueAt": "2026-03-31T03:59:59Z", "renewals": 0}},
		{rule: "which the book says, too", as: bruceWayne, ask: "GET /books/{clean}", status: 200, want: facts{"dueAt": "2026-03-31T03:59:59Z", "loan.dueAt": "2026-03-31T03:59:59Z"}},
		{rule: "and the list of books", as: bruceBanner, ask: "GET /books?q=clean", status: 200, want: facts{"0.dueAt": "2026-03-31T03:59:59Z"}},
		{rule: "a past one was", as: bruceWayne, ask: "GET /loans/{past}", status: 200, want: facts{"dueAt": "2026-03-31T03:59:59Z"}},
		{rule: "a copy is set aside until the end of the same day", as: bruceBanner, ask: "GET /holds/{hold}", status: 200, want: facts{"state": "ready", "until": "2026-03-10T03:59:59Z"}},
		{rule: "what was overdue before is not yet", at: "2026-03-31T01:00:00Z", as: bruceWayne, ask: "GET /loans?state=overdue", status: 200, want: facts{"length": 0}},
		{rule: "in a zone to the east", as: clarkKent, ask: put, body: `{"timeZone":"Europe/Berlin","closedWeekdays":["monday"]}`, status: 200},
		{rule: "the day is the same, though it is closed now", as: bruceWayne, ask: "GET /loans/{loan}", status: 200, want: facts{"dueAt": "2026-03-30T21:59:59Z", "overdue": true}},
		{rule: "and it is overdue", as: bruceWayne, ask: "GET /loans?state=overdue", status: 200, want: facts{"length": 1}},
		{rule: "other rules move nothing", as: clarkKent, ask: put, body: `{"timeZone":"Europe/Berlin","loanDays":7,"holdDays":1}`, status: 200},
		{rule: "at all", as: bruceWayne, ask: "GET /loans/{loan}", status: 200, want: facts{"dueAt": "2026-03-30T21:59:59Z"}},
	})
}

func TestWhereReadersDoNotLendByThemselves(t *testing.T) {
	t.Parallel()
	const put, bothRoles = "PUT /policy", "library_user library_curator email profile"
	runSteps(t, []step{
		{rule: "given two loans", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200, keep: "loan:loan.identifier"},
		{rule: "of two people", as: bruceBanner, ask: "POST /books/{patterns}/borrow", status: 200, keep: "other:loan.identifier"},
		{rule: "and a book that is there", as: peterParker, ask: "POST /books", body: `{"title":"Emma","authors":["Jane Austen"]}`, status: 201, keep: "emma"},
		{rule: "where the desk does both", as: clarkKent, ask: put, body: `{"selfBorrow":false,"selfReturn":false}`, status: 200, want: facts{"selfBorrow": false, "selfReturn": false}},
		{rule: "readers can know it", as: bruceWayne, ask: "GET /policy", status: 200, want: facts{"selfBorrow": false, "selfReturn": false}},
		{rule: "they do not borrow", as: bruceWayne, ask: "POST /books/{emma}/borrow", status: 409, code: "desk_only", then: says("desk")},
		{rule: "not even what they have", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 409, code: "desk_only"},
		{rule: "nor what others have", as: bruceWayne, ask: "POST /books/{patterns}/borrow", status: 409, code: "desk_only"},
		{rule: "what is not there is not there", as: bruceWayne, ask: "POST /books/{unknown}/borrow", status: 404, code: "book_not_found"},
		{rule: "they do not give back", as: bruceWayne, ask: "POST /books/{clean}/return", status: 409, code: "desk_only", then: says("desk")},
		{rule: "nor by the loan", as: bruceWayne, ask: "POST /loans/{loan}/return", status: 409, code: "desk_only"},
		{rule: "somebody else's loan does not exist", as: bruceWayne, ask: "POST /loans/{other}/return", status: 404, code: "loan_not_found"},
		{rule: "a curator does not use the readers' way either", as: bruceWayne, scope: bothRoles, ask: "POST /books/{clean}/return", status: 409, code: "desk_only"},
		{rule: "they reserve", as: bruceWayne, ask: "POST /books/{patterns}/holds", status: 201},
		{rule: "and renew", at: "2026-03-05T10:00:00Z", as: bruceWayne, ask: "POST /loans/{loan}/renew", status: 200},
		{rule: "the desk lends", as: peterParker, ask: "POST /loans", body: `{"user":"{banner}","book":"{emma}"}`, status: 201},
		{rule: "and takes back", as: peterParker, ask: "POST /loans/{other}/return", status: 200, want: facts{"hold.user.lastName": "Wayne"}},
		{rule: "what is set aside is fetched at the desk", as: bruceWayne, ask: "POST /books/{patterns}/borrow", status: 409, code: "desk_only"},
		{rule: "a curator who is the borrower is at the desk", as: bruceWayne, scope: bothRoles, ask: "POST /loans/{loan}/return", status: 200},
		{rule: "which happens once", as: bruceWayne, ask: "POST /loans/{loan}/return", status: 409, code: "not_open"},
		{rule: "where only lending is the desk's", as: clarkKent, ask: put, body: `{"selfBorrow":false}`, status: 200, want: facts{"selfBorrow": false, "selfReturn": true}},
		{rule: "readers give back", as: bruceBanner, ask: "POST /books/{emma}/return", status: 200},
		{rule: "and do not borrow", as: bruceBanner, ask: "POST /books/{emma}/borrow", status: 409, code: "desk_only"},
		{rule: "where only taking back is", as: clarkKent, ask: put, body: `{"selfReturn":false}`, status: 200},
		{rule: "they borrow", as: bruceBanner, ask: "POST /books/{emma}/borrow", status: 200},
		{rule: "and do not give back", as: bruceBanner, ask: "POST /books/{emma}/return", status: 409, code: "desk_only"},
		{rule: "by default they do both", as: clarkKent, ask: put, body: `{}`, status: 200, want: facts{"selfBorrow": true, "selfReturn": true}},
		{rule: "as before", as: bruceBanner, ask: "POST /books/{emma}/return", status: 200},
	})
}

func TestEditsOfThePolicyDoNotOverwriteEachOther(t *testing.T) {
	t.Parallel()
	for database, open := range databases {
		w := newWorld(t, func(s *setup) { s.open = open })
		tag := w.tagOf(t, bruceWayne, "/policy")
		if other := w.tagOf(t, clarkKent, "/policy"); other != tag {
			t.Errorf("%s: everybody sees the same policy, but the tags are %s and %s", database, tag, other)
		}
		if got := w.ifNoneMatch(t, bruceWayne, "/policy", tag); got != 304 {
			t.Errorf("%s: If-None-Match gives %d", database, got)
		}
		put := request{as: clarkKent, method: "PUT", path: "/policy", body: `{"loanDays":7}`, header: field("If-Match", tag)}
		put.header["If-None-Match"] = []string{"*"} // which is about other methods
		a := w.send(t, put).want(t, 200, "")
		w.send(t, put).want(t, 412, "outdated")
		if now := w.tagOf(t, bruceWayne, "/policy"); now == tag || now != a.tag() {
			t.Errorf("%s: the tag was %s, the edit gave %s, now it is %s", database, tag, a.tag(), now)
		}
	}
}

func TestStatisticsOfTheLibrary(t *testing.T) {
	t.Parallel()
	runSteps(t, []step{
		{rule: "given a loan of January", at: "2026-01-31T23:59:59Z", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200},
		{rule: "returned in February", at: "2026-02-10T10:00:00Z", as: bruceWayne, ask: "POST /books/{clean}/return", status: 200},
		{rule: "borrowed again", as: bruceBanner, ask: "POST /books/{clean}/borrow", status: 200},
		{rule: "and reserved", as: bruceWayne, ask: "POST /books/{clean}/holds", status: 201},
		{rule: "and another book", as: bruceWayne, ask: "POST /books/{patterns}/borrow", status: 200},
		{rule: "they show how things are, and were in the last twelve months", at: "2026-03-11T10:00:00Z", as: peterParker, ask: "GET /statistics", status: 200, want: facts{
			"books": 10, "copies": 10, "openLoans": 2, "overdueLoans": 2, "waitingHolds": 1, "readyHolds": 0,
			"periods.length": 12, "periods.0.from": "2025-04-01", "periods.0.loans": 0, "periods.9.from": "2026-01-01", "periods.9.loans": 1, "periods.9.returns": 0,
			"periods.10.loans": 2, "periods.10.returns": 1, "periods.11.from": "2026-03-01", "periods.11.loans": 0,
			"mostBorrowed.length": 2, "mostBorrowed.0.book.identifier": "{clean}", "mostBorrowed.0.book.title": "Clean Code", "mostBorrowed.0.loans": 2, "mostBorrowed.1.loans": 1,
			"neverBorrowed.count": 8, "neverBorrowed.books.length": 8}},
		{rule: "by day", as: clarkKent, ask: "GET /statistics?by=day&from=2026-01-31&to=2026-02-10", status: 200, want: facts{
			"periods.length": 11, "periods.0.from": "2026-01-31", "periods.0.loans": 1, "periods.10.loans": 2, "periods.10.returns": 1}},
		{rule: "by week, which begins on Monday", as: clarkKent, ask: "GET /statistics?by=week&from=2026-02-01&to=2026-02-02", status: 200, want: facts{
			"periods.length": 2, "periods.0.from": "2026-01-26", "periods.1.from": "2026-02-02", "mostBorrowed.length": 0}},
		{rule: "in the time zone of the library", as: clarkKent, ask: "PUT /policy", body: `{"timeZone":"Europe/Berlin"}`, status: 200},
		{rule: "where January was over an hour before", as: clarkKent, ask: "GET /statistics?from=2026-01-01&to=2026-02-28", status: 200, want: facts{
			"periods.length": 2, "periods.0.loans": 0, "periods.1.loans": 3}},
		{rule: "400 periods are enough", as: clarkKent, ask: "GET /statistics?by=day&from=2025-01-01&to=2026-02-04", status: 200, want: facts{"periods.length": 400}},
		{rule: "more are too many", as: clarkKent, ask: "GET /statistics?by=day&from=2025-01-01&to=2026-02-05", status: 400, code: "bad_query", then: names("from")},
		{rule: "time does not go backwards", as: clarkKent, ask: "GET /statistics?from=2026-02-02&to=2026-02-01", status: 400, code: "bad_query", then: names("to")},
		{rule: "a bad value is named", as: clarkKent, ask: "GET /statistics?by=year&from=yesterday&to=2026-02-30&q=x", status: 400, code: "bad_query", then: names("by", "from", "to", "q")},
		{rule: "the end of the calendar", as: clarkKent, ask: "GET /statistics?from=9999-12-31&to=9999-12-31", status: 200, want: facts{"periods.length": 1}},
		{rule: "and its beginning", as: clarkKent, ask: "GET /statistics?from=0001-01-01&to=0001-01-01", status: 200, want: facts{"periods.length": 1}},
		{rule: "there is no person in them", as: clarkKent, ask: "GET /statistics", status: 200, then: func(t *testing.T, _ *story, a reply) {
			for _, word := range []string{wayneID, bannerID, "Wayne", "Bruce", "Banner"} {
				if strings.Contains(string(a.body), word) {
					t.Errorf("%s is in %s", word, a.body)
				}
			}
		}},
		{rule: "they are not for readers", as: bruceWayne, ask: "GET /statistics", status: 403, code: "role_missing"},
	})
}
