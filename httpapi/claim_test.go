package httpapi_test

import "testing"

func TestMissingCopiesAreSeenAgain(t *testing.T) {
	t.Parallel()
	const seen, edit = "POST /copies/{one}/seen", "PUT /copies/{one}"
	runSteps(t, twoCopies([]step{
		{rule: "a copy was never seen at first", as: clarkKent, ask: "GET /copies/{one}", status: 200, want: facts{"seenAt": absent}},
		{rule: "readers see none", as: bruceWayne, ask: seen, status: 403, code: "role_missing", then: challengesFor("library_curator")},
		{rule: "nor admins", as: clarkKent, ask: seen, status: 403, code: "role_missing"},
		{rule: "a copy that is not there", as: peterParker, ask: "POST /copies/{unknown}/seen", status: 404, code: "copy_not_found"},
		{rule: "a copy on its shelf", as: peterParker, ask: seen, status: 200, want: facts{"identifier": "{one}", "state": "lendable", "wasMissing": absent, "missingSince": absent}},
		{rule: "has been seen", as: clarkKent, ask: "GET /copies/{one}", status: 200, want: facts{"seenAt": "2026-03-02T10:00:00Z", "wasMissing": absent}},
		{rule: "a copy is looked for in vain", as: peterParker, ask: edit, body: `{"barcode":"LIB-1","state":"missing","missingSince":"x","seenAt":7}`, status: 200, want: facts{"missingSince": "2026-03-02T10:00:00Z", "state": "missing"}},
		{rule: "and does not count", as: bruceWayne, ask: "GET /books/{emma}", status: 200, want: facts{"copies": 1, "available": 1}},
		{rule: "a look changes nothing", as: peterParker, ask: "GET /codes/LIB-1", status: 200, want: facts{"copy.state": "missing"}},
		{rule: "no loan moves to it", as: peterParker, ask: "POST /loans", body: `{"user":"{wayne}","barcode":"LIB-2"}`, status: 201, keep: "loan"},
		{rule: "unless it was seen", as: peterParker, ask: "POST /loans/{loan}/move", body: `{"barcode":"LIB-1"}`, status: 409, code: "not_lendable"},
		{rule: "somebody waits", as: bruceBanner, ask: "POST /books/{emma}/holds", status: 201, keep: "hold"},
		{rule: "it is seen", as: peterParker, ask: seen, status: 200, want: facts{"missingSince": "2026-03-02T10:00:00Z", "state": "lendable", "wasMissing": true, "hold.identifier": "{hold}"}},
		{rule: "and set aside", as: bruceBanner, ask: "GET /holds/{hold}", status: 200, want: facts{"state": "ready"}},
		{rule: "a copy that is set aside gets lost from sight", as: peterParker, ask: edit, body: `{"barcode":"LIB-1","state":"missing"}`, status: 200, want: facts{"hold": absent}},
		{rule: "its hold waits again", as: bruceBanner, ask: "GET /holds/{hold}", status: 200, want: facts{"state": "waiting", "position": 1}},
		{rule: "a return finds it, though nobody has it", as: peterParker, ask: "POST /returns", body: `{"barcode":"LIB-1"}`, status: 409, code: "not_borrowed"},
		{rule: "and serves the queue", as: peterParker, ask: "GET /copies/{one}", status: 200, want: facts{"state": "lendable", "hold.identifier": "{hold}"}},
		{rule: "a loan finds it, too", as: peterParker, ask: edit, body: `{"barcode":"LIB-1","state":"missing"}`, status: 200},
		{rule: "where somebody waits it is reserved", as: peterParker, ask: "POST /loans", body: `{"user":"{kent}","barcode":"LIB-1"}`, status: 409, code: "reserved"},
		{rule: "for that person", as: bruceBanner, ask: "POST /loans", body: `{"barcode":"LIB-1"}`, header: key("found"), status: 201},
		{rule: "a lent copy is not missing", as: peterParker, ask: edit, body: `{"barcode":"LIB-1","state":"missing"}`, status: 409, code: "on_loan"},
		{rule: "and stays lent", as: peterParker, ask: seen, status: 200, want: facts{"loan.user.identifier": "{banner}", "wasMissing": absent}},
		{rule: "it comes back", as: peterParker, ask: "POST /returns", body: `{"copy":"{one}"}`, status: 200},
		{rule: "a reference copy", as: peterParker, ask: edit, body: `{"barcode":"LIB-1","state":"reference"}`, status: 200},
		{rule: "is missing", as: peterParker, ask: edit, body: `{"barcode":"LIB-1","state":"missing"}`, status: 200},
		{rule: "and a reference copy again", as: peterParker, ask: "POST /loans", body: `{"user":"{kent}","barcode":"LIB-1"}`, status: 409, code: "not_lendable"},
		{rule: "because it was seen", as: peterParker, ask: "GET /copies/{one}", status: 200, want: facts{"state": "reference"}},
		{rule: "a lost one", as: peterParker, ask: edit, body: `{"barcode":"LIB-1","state":"lost"}`, status: 200},
		{rule: "stays lost", as: peterParker, ask: seen, status: 200, want: facts{"state": "lost", "wasMissing": absent}},
		{rule: "a missing one", as: peterParker, ask: edit, body: `{"barcode":"LIB-1","state":"missing"}`, status: 200},
		{rule: "is lent with a key", as: peterParker, ask: "POST /loans", body: `{"user":"{kent}","barcode":"LIB-1"}`, header: key("lend"), status: 201, keep: "kent's", then: replayed(false)},
		{rule: "once", as: peterParker, ask: "POST /loans", body: `{"user":"{kent}","barcode":"LIB-1"}`, header: key("lend"), status: 201, want: facts{"identifier": "{kent's}"}, then: replayed(true)},
	}...))
}

func TestLoansThatAreSaidToBeBack(t *testing.T) {
	t.Parallel()
	const claim, back, lost = "POST /loans/{loan}/claim", "POST /loans/{loan}/return", "POST /loans/{loan}/lost"
	runSteps(t, twoCopies([]step{
		{rule: "a copy on a shelf", as: peterParker, ask: "PUT /copies/{one}", body: `{"barcode":"LIB-1","shelf":"A 3"}`, status: 200},
		{rule: "is lent", as: peterParker, ask: "POST /loans", body: `{"user":"{wayne}","barcode":"LIB-1"}`, status: 201, keep: "loan"},
		{rule: "its reader does not claim", as: bruceWayne, ask: claim, status: 403, code: "role_missing", then: challengesFor("library_curator")},
		{rule: "nor take a claim back", as: bruceWayne, ask: "DELETE /loans/{loan}/claim", status: 403, code: "role_missing"},
		{rule: "nor lose it", as: bruceWayne, ask: lost, status: 403, code: "role_missing"},
		{rule: "nor end it as claimed", as: bruceWayne, ask: back, body: `{"asClaimed":true}`, status: 403, code: "role_missing"},
		{rule: "nor so", as: bruceWayne, ask: "POST /returns", body: `{"barcode":"LIB-1","asClaimed":true}`, status: 403, code: "role_missing"},
		{rule: "admins do not either", as: clarkKent, ask: claim, status: 403, code: "role_missing"},
		{rule: "a loan that is not there", as: peterParker, ask: "POST /loans/{unknown}/claim", status: 404, code: "loan_not_found"},
		{rule: "nor its loss", as: peterParker, ask: "POST /loans/{unknown}/lost", status: 404, code: "loan_not_found"},
		{rule: "without a claim there is none to end", as: peterParker, ask: back, body: `{"asClaimed":true}`, status: 409, code: "not_claimed"},
		{rule: "nor at the desk", as: peterParker, ask: "POST /returns", body: `{"barcode":"LIB-1","asClaimed":true}`, status: 409, code: "not_claimed"},
		{rule: "yes or no", as: peterParker, ask: back, body: `{"asClaimed":"yes"}`, status: 400, code: "invalid", then: names("asClaimed")},
		{rule: "none to take back is fine", as: peterParker, ask: "DELETE /loans/{loan}/claim", status: 204},
		{rule: "the desk claims", as: peterParker, ask: claim, header: key("claim"), status: 200, then: replayed(false), want: facts{"overdue": false, "renewable": false}},
		{rule: "and repeats that", as: peterParker, ask: claim, header: key("claim"), status: 200, then: replayed(true)},
		{rule: "once", as: peterParker, ask: claim, status: 409, code: "claimed"},
		{rule: "the reader sees it", as: bruceWayne, ask: "GET /loans/{loan}", status: 200, want: facts{"claimedAt": "2026-03-02T10:00:00Z"}},
		{rule: "it still counts", as: bruceWayne, ask: "GET /loans", status: 200, want: facts{"length": 1, "0.identifier": "{loan}"}},
		{rule: "in a list of its own", as: bruceWayne, ask: "GET /loans?state=claimed", status: 200, want: facts{"length": 1, "0.copy.shelf": absent}},
		{rule: "with the shelf for staff", as: clarkKent, ask: "GET /loans?state=claimed", status: 200, want: facts{"length": 1, "0.copy.shelf": "A 3"}, then: inAll("1")},
		{rule: "and for nobody else", as: bruceBanner, ask: "GET /loans?state=claimed", status: 200, want: facts{"length": 0}},
		{rule: "it is not renewed", as: bruceWayne, ask: "POST /loans/{loan}/renew", status: 409, code: "claimed"},
		{at: "2026-03-05T10:00:00Z", rule: "it ends as of the claim", as: peterParker, ask: "POST /returns", body: `{"barcode":"LIB-1","asClaimed":true}`, status: 200, want: facts{"returnedAt": "2026-03-02T10:00:00Z", "claimedAt": "2026-03-02T10:00:00Z"}},
		{rule: "then there is nothing to claim", as: peterParker, ask: claim, status: 409, code: "not_open"},
		{rule: "nor to take back", as: peterParker, ask: "DELETE /loans/{loan}/claim", status: 409, code: "not_open"},
		{rule: "nor to lose", as: peterParker, ask: lost, status: 409, code: "not_open"},
		{rule: "another loan", as: peterParker, ask: "POST /loans", body: `{"user":"{wayne}","barcode":"LIB-1"}`, status: 201, keep: "loan", want: facts{"claimedAt": absent, "lost": absent}},
		{rule: "of a lost copy", as: peterParker, ask: lost, header: key("lost"), status: 200, want: facts{"returnedAt": "2026-03-05T10:00:00Z", "lost": true}},
		{rule: "has ended", as: bruceWayne, ask: "GET /loans?state=returned", status: 200, want: facts{"length": 2, "0.lost": true, "1.lost": absent}},
		{rule: "and the copy is lost", as: peterParker, ask: "GET /copies/{one}", status: 200, want: facts{"state": "lost", "loan": absent}},
	}...))
}
