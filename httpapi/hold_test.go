package httpapi_test

import "testing"

func TestAHoldFromTheQueueToTheShelf(t *testing.T) {
	t.Parallel()
	const until = "2026-03-09T23:59:59Z"
	runSteps(t, []step{
		{rule: "a book that is here is borrowed, not reserved", as: bruceBanner, ask: "POST /books/{clean}/holds", status: 409, code: "available"},
		{rule: "given a book that is lent", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200, keep: "loan:loan.identifier"},
		{rule: "who has it need not reserve it", as: bruceWayne, ask: "POST /books/{clean}/holds", status: 409, code: "has_it"},
		{rule: "others get a place in the queue", as: bruceBanner, ask: "POST /books/{clean}/holds", status: 201, keep: "hold", then: locatedAt("/holds/"), want: facts{
			"state": "waiting", "position": 1, "book.identifier": "{clean}", "book.title": "Clean Code", "user.identifier": "{banner}",
			"createdAt": "2026-03-02T10:00:00Z", "copy": absent, "until": absent, "endedAt": absent}},
		{rule: "one", as: bruceBanner, ask: "POST /books/{clean}/holds", status: 409, code: "already_held"},
		{rule: "the next is behind", as: clarkKent, scope: "library_user", ask: "POST /books/{clean}/holds", status: 201, keep: "second", want: facts{"position": 2}},
		{rule: "a hold is for readers", as: peterParker, ask: "POST /books/{clean}/holds", status: 403, code: "role_missing"},
		{rule: "of books that there are", as: bruceWayne, ask: "POST /books/{unknown}/holds", status: 404, code: "book_not_found"},
		{rule: "the book says how many wait, and where one is", as: bruceBanner, ask: "GET /books/{clean}", status: 200, want: facts{
			"waiting": 2, "hold.identifier": "{hold}", "hold.state": "waiting", "hold.position": 1, "hold.until": absent}},
		{rule: "but not who", as: bruceWayne, ask: "GET /books/{clean}", status: 200, want: facts{"waiting": 2, "hold": absent}},
		{rule: "a reader's list has the reader's holds", as: bruceBanner, ask: "GET /holds", status: 200, want: facts{"length": 1, "0.identifier": "{hold}"}, then: inAll("1")},
		{rule: "and nobody else's", as: bruceWayne, ask: "GET /holds", status: 200, want: facts{"length": 0}},
		{rule: "a curator's has everybody's, in the order of the queue", as: peterParker, ask: "GET /holds?book={clean}", status: 200, want: facts{
			"length": 2, "0.identifier": "{hold}", "0.user.lastName": "Banner", "1.identifier": "{second}", "1.position": 2}},
		{rule: "somebody else's hold does not exist for a reader", as: bruceWayne, ask: "GET /holds/{hold}", status: 404, code: "hold_not_found"},
		{rule: "nor can a reader cancel it", as: bruceWayne, ask: "DELETE /holds/{hold}", status: 404, code: "hold_not_found"},
		{rule: "an admin sees it", as: clarkKent, ask: "GET /holds/{hold}", status: 200},
		{rule: "and cannot cancel it", as: clarkKent, ask: "DELETE /holds/{hold}", status: 403, code: "role_missing"},
		{rule: "who waits cannot borrow", as: bruceBanner, ask: "POST /books/{clean}/borrow", status: 409, code: "reserved", then: says("You are next")},
		{rule: "who has it cannot renew", as: bruceWayne, ask: "POST /loans/{loan}/renew", status: 409, code: "awaited",
			then: says("Two people are waiting for this book; you can keep it until Monday, 30 March.")},
		{rule: "and the loan says so", as: bruceWayne, ask: "GET /loans/{loan}", status: 200, want: facts{"renewable": false}},
		{rule: "the desk learns for whom a copy is set aside", as: peterParker, ask: "POST /loans/{loan}/return", status: 200, want: facts{
			"hold.identifier": "{hold}", "hold.user.lastName": "Banner", "hold.state": "ready", "hold.until": until}},
		{rule: "the holder learns it", as: bruceBanner, ask: "GET /holds?state=ready", status: 200, want: facts{
			"length": 1, "0.state": "ready", "0.until": until, "0.position": absent}},
		{rule: "and where to look", as: bruceBanner, ask: "GET /holds/{hold}", status: 200, keep: "copy:copy.identifier"},
		{rule: "the next is next", as: clarkKent, ask: "GET /holds/{second}", status: 200, want: facts{"state": "waiting", "position": 1}},
		{rule: "staff see it at the copy", as: clarkKent, ask: "GET /copies/{copy}", status: 200, want: facts{"hold.identifier": "{hold}", "hold.user.lastName": "Banner", "loan": absent}},
		{rule: "it is neither borrowed nor available", as: bruceWayne, ask: "GET /books/{clean}", status: 200, want: facts{"borrowed": false, "available": 0, "waiting": 1, "dueAt": absent}},
		{rule: "nobody else gets it", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 409, code: "reserved"},
		{rule: "not even at the desk", as: peterParker, ask: "POST /loans", body: `{"user":"{wayne}","copy":"{copy}"}`, status: 409, code: "reserved"},
		{rule: "who asked first fetches it", as: bruceBanner, ask: "POST /books/{clean}/borrow", status: 200, want: facts{"hold": absent, "borrowedBy.identifier": "{banner}"}},
		{rule: "and the hold is fulfilled", as: bruceBanner, ask: "GET /holds?state=ended", status: 200, want: facts{
			"length": 1, "0.identifier": "{hold}", "0.state": "fulfilled", "0.endedAt": "2026-03-02T10:00:00Z", "0.copy": absent}},
		{rule: "an ended hold cannot be cancelled", as: bruceBanner, ask: "DELETE /holds/{hold}", status: 409, code: "not_active"},
		{rule: "a book with holds is not deleted", as: peterParker, ask: "DELETE /books/{clean}", status: 409, code: "book_on_loan"},
		{rule: "returned by the reader, it is the next one's", as: bruceBanner, ask: "POST /books/{clean}/return", status: 200, want: facts{"available": 0, "borrowed": false}},
		{rule: "a book that is set aside is not deleted", as: peterParker, ask: "DELETE /books/{clean}", status: 409, code: "has_holds"},
		{rule: "it is kept to the last second", at: until, as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 409, code: "reserved"},
		{rule: "and no longer", at: "2026-03-10T00:00:00Z", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200},
		{rule: "the hold has expired", as: clarkKent, ask: "GET /holds/{second}", status: 200, want: facts{"state": "expired", "endedAt": "2026-03-10T00:00:00Z"}},
		{rule: "one can reserve it again", as: bruceBanner, ask: "POST /books/{clean}/holds", status: 201, keep: "third"},
		{rule: "and think better of it", as: bruceBanner, ask: "DELETE /holds/{third}", status: 204},
		{rule: "once", as: bruceBanner, ask: "DELETE /holds/{third}", status: 409, code: "not_active"},
		{rule: "newest first", as: bruceBanner, ask: "GET /holds?state=ended", status: 200, want: facts{"length": 2, "0.identifier": "{third}", "0.state": "cancelled", "1.identifier": "{hold}"}},
		{rule: "there is no such hold", as: bruceBanner, ask: "DELETE /holds/{unknown}", status: 404, code: "hold_not_found"},
	})
}

func TestHoldsGoWithTheirPersonAndComeBackWithTheirCopy(t *testing.T) {
	t.Parallel()
	runSteps(t, []step{
		{rule: "given a book that is lent", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200, keep: "loan:loan.identifier"},
		{rule: "and somebody who waits", as: bruceBanner, ask: "POST /books/{clean}/holds", status: 201, keep: "hold"},
		{rule: "and somebody behind", as: clarkKent, scope: "library_user", ask: "POST /books/{clean}/holds", status: 201, keep: "second"},
		{rule: "and the book comes back", as: bruceWayne, ask: "POST /loans/{loan}/return", status: 200, want: facts{"hold": absent}},
		{rule: "it is set aside", as: bruceBanner, ask: "GET /holds/{hold}", status: 200, keep: "copy:copy.identifier", want: facts{"state": "ready"}},
		{rule: "when the copy turns out to be damaged", as: peterParker, ask: "PUT /copies/{copy}", body: `{"state":"damaged"}`, status: 200, want: facts{"state": "damaged", "hold": absent}},
		{rule: "the hold goes back to the front", as: bruceBanner, ask: "GET /holds/{hold}", status: 200, want: facts{"state": "waiting", "position": 1, "copy": absent, "until": absent}},
		{rule: "nothing can be lent", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 409, code: "not_lendable"},
		{rule: "or reserved", as: bruceWayne, ask: "POST /books/{clean}/holds", status: 409, code: "not_lendable"},
		{rule: "a new copy is for the first who waits", as: peterParker, ask: "POST /books/{clean}/copies", body: `{"barcode":"N"}`, status: 201, keep: "new", want: facts{"hold.identifier": "{hold}"}},
		{rule: "when that copy is removed", as: peterParker, ask: "DELETE /copies/{new}", status: 204},
		{rule: "the hold goes back again", as: bruceBanner, ask: "GET /holds/{hold}", status: 200, want: facts{"state": "waiting", "position": 1}},
		{rule: "when the copy is repaired", as: peterParker, ask: "PUT /copies/{copy}", body: `{}`, status: 200, want: facts{"state": "lendable", "hold.identifier": "{hold}"}},
		{rule: "and the first leaves the library", as: clarkKent, ask: "DELETE /users/{banner}", status: 204},
		{rule: "the second gets it", as: clarkKent, ask: "GET /holds/{second}", status: 200, want: facts{"state": "ready", "copy.identifier": "{copy}"}},
		{rule: "and nobody knows who the first was", as: clarkKent, ask: "GET /holds/{hold}", status: 200, want: facts{"state": "cancelled", "user": absent}},
	})
}

func TestStaffFetchWhatIsSetAside(t *testing.T) {
	t.Parallel()
	const fetched, not = `{"fetched":true}`, `{"fetched":false}`
	runSteps(t, []step{
		{rule: "given a loan", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200, keep: "loan:loan.identifier"},
		{rule: "and somebody who waits", as: bruceBanner, ask: "POST /books/{clean}/holds", status: 201, keep: "hold"},
		{rule: "there is nothing to fetch", as: peterParker, ask: "PUT /holds/{hold}", body: fetched, status: 409, code: "not_ready"},
		{rule: "the reader gives it back", as: bruceWayne, ask: "POST /loans/{loan}/return", status: 200},
		{rule: "to some shelf", as: peterParker, ask: "GET /holds?state=ready", status: 200, want: facts{"0.state": "ready", "0.fetchedAt": absent}},
		{rule: "where staff fetch it", as: peterParker, ask: "PUT /holds/{hold}", body: fetched, status: 200, keep: "at:fetchedAt", want: facts{"identifier": "{hold}", "state": "ready"}},
		{rule: "once", at: "2026-03-02T17:00:00Z", as: peterParker, ask: "PUT /holds/{hold}", body: fetched, status: 200, want: facts{"fetchedAt": "{at}"}},
		{rule: "which every desk sees", as: clarkKent, ask: "GET /holds", status: 200, want: facts{"0.fetchedAt": "{at}"}},
		{rule: "with the copy, too", as: clarkKent, ask: "GET /books/{clean}/copies", status: 200, want: facts{"0.hold.fetchedAt": "{at}"}, keep: "copy:0.identifier"},
		{rule: "and the holder does not", as: bruceBanner, ask: "GET /holds/{hold}", status: 200, want: facts{"state": "ready", "fetchedAt": absent}},
		{rule: "nor in lists", as: bruceBanner, ask: "GET /holds", status: 200, want: facts{"0.state": "ready", "0.fetchedAt": absent}},
		{rule: "nor in what the library knows of them", as: bruceBanner, ask: "GET /me/export", status: 200, want: facts{"holds.0.state": "ready", "holds.0.fetchedAt": absent}},
		{rule: "readers fetch nothing", as: bruceBanner, ask: "PUT /holds/{hold}", body: fetched, status: 403, code: "role_missing"},
		{rule: "admins neither", as: clarkKent, ask: "PUT /holds/{hold}", body: fetched, status: 403, code: "role_missing"},
		{rule: "a hold that is there", as: peterParker, ask: "PUT /holds/{unknown}", body: fetched, status: 404, code: "hold_not_found"},
		{rule: "it has to be said whether", as: peterParker, ask: "PUT /holds/{hold}", body: `{}`, status: 400, code: "invalid", then: names("fetched")},
		{rule: "with yes or no", as: peterParker, ask: "PUT /holds/{hold}", body: `{"fetched":"yes"}`, status: 400, code: "invalid", then: names("fetched")},
		{rule: "of the hold in the path", as: peterParker, ask: "PUT /holds/{hold}", body: `{"fetched":true,"identifier":"{copy}"}`, status: 400, code: "invalid", then: names("identifier")},
		{rule: "a mistake is undone", as: peterParker, ask: "PUT /holds/{hold}", body: not, status: 200, want: facts{"fetchedAt": absent}},
		{rule: "and made again", as: peterParker, ask: "PUT /holds/{hold}", body: fetched, status: 200},
		{rule: "a copy that is damaged", as: peterParker, ask: "PUT /copies/{copy}", body: `{"state":"damaged"}`, status: 200},
		{rule: "is nobody's any more", as: peterParker, ask: "GET /holds/{hold}", status: 200, want: facts{"state": "waiting", "fetchedAt": absent}},
		{rule: "another one is to be fetched", as: peterParker, ask: "POST /books/{clean}/copies", body: `{}`, status: 201},
		{rule: "for the same hold", as: peterParker, ask: "GET /holds/{hold}", status: 200, want: facts{"state": "ready", "fetchedAt": absent}},
		{rule: "who has it needs nothing fetched", as: bruceBanner, ask: "POST /books/{clean}/borrow", status: 200, keep: "loan:loan.identifier"},
		{rule: "any more", as: peterParker, ask: "PUT /holds/{hold}", body: fetched, status: 409, code: "not_ready"},
		{rule: "given somebody who waits again", as: bruceWayne, ask: "POST /books/{clean}/holds", status: 201, keep: "hold"},
		{rule: "what comes back at the desk is in good hands", as: peterParker, ask: "POST /loans/{loan}/return", status: 200, keep: "at:hold.fetchedAt", want: facts{"hold.identifier": "{hold}"}},
		{rule: "and is not looked for", as: peterParker, ask: "GET /holds?state=ready", status: 200, want: facts{"0.fetchedAt": "{at}"}},
	})
}
