package httpapi_test

import (
	"strings"
	"testing"
)

func TestStocktakes(t *testing.T) {
	t.Parallel()
	runSteps(t, twoCopies([]step{
		{rule: "start", as: peterParker, ask: "POST /stocktakes", body: `{"name":" All "}`, status: 201, keep: "st", want: facts{"name": "All", "shelves": absent, "state": "open"}},
		{rule: "scan", as: peterParker, ask: "POST /stocktakes/{st}/scans", body: `{"codes":["LIB-1","nix","LIB-1"]}`, status: 200, want: facts{"0.outcome": "found", "1.outcome": "unknown", "2.outcome": "again", "0.copy.book.identifier": "{emma}"}},
		{rule: "show", as: clarkKent, ask: "GET /stocktakes/{st}", status: 200, want: facts{"counts.found": 1, "counts.again": 1, "counts.unknown": 1, "swaps.length": 0}},
		{rule: "list", as: clarkKent, ask: "GET /stocktakes/{st}/copies?outcome=remaining", status: 200, want: facts{"0.outcome": "remaining"}},
		{rule: "list", as: clarkKent, ask: "GET /stocktakes/{st}/copies?outcome=found", status: 200, want: facts{"0.outcome": "found"}},
		{rule: "list", as: clarkKent, ask: "GET /stocktakes/{st}/copies?outcome=unknown", status: 200, want: facts{"0.code": "nix"}},
		{rule: "a spreadsheet", as: clarkKent, ask: "GET /stocktakes/{st}/copies?outcome=unknown&format=csv", status: 200, then: func(t *testing.T, _ *story, a reply) {
			if got := string(a.body); !strings.HasPrefix(got, "\ufeffcode,scannedAt\r\nnix,2026-") {
				t.Error(got)
			}
		}},
		{rule: "has all columns", as: clarkKent, ask: "GET /stocktakes/{st}/copies?outcome=lent&format=csv", status: 200, then: func(t *testing.T, _ *story, a reply) {
			if got := string(a.body); !strings.HasPrefix(got, "\ufeffidentifier,book.identifier,") || !strings.HasSuffix(got, "outcome,scannedAt\r\n") {
				t.Error(got)
			}
		}},
		{rule: "list", as: clarkKent, ask: "GET /stocktakes", status: 200, want: facts{"0.identifier": "{st}"}},
		{rule: "close", as: peterParker, ask: "POST /stocktakes/{st}/close", body: `{"markMissing":true}`, status: 200, want: facts{"state": "closed"}},
		{rule: "list", as: clarkKent, ask: "GET /stocktakes/{st}/copies?outcome=remaining", status: 200, want: facts{"0.outcome": "remaining", "0.state": "missing"}},
		{rule: "delete", as: peterParker, ask: "DELETE /stocktakes/{st}", status: 204},
	}...))
}

func TestScansInAStocktake(t *testing.T) {
	t.Parallel()
	const scan = "POST /stocktakes/{st}/scans"
	runSteps(t, twoCopies([]step{
		{rule: "readers have none", as: bruceWayne, ask: "GET /stocktakes", status: 403, code: "role_missing"},
		{rule: "admins start none", as: clarkKent, ask: "POST /stocktakes", body: `{"name":"All"}`, status: 403, code: "role_missing"},
		{rule: "it needs a name and shelves", as: peterParker, ask: "POST /stocktakes", body: `{"shelves":[]}`, status: 400, code: "invalid", then: names("name", "shelves")},
		{rule: "with names", as: peterParker, ask: "POST /stocktakes", body: `{"name":"A","shelves":["A 3",""]}`, status: 400, code: "invalid", then: names("shelves[1]")},
		{rule: "a shelf", as: peterParker, ask: "PUT /copies/{one}", body: `{"barcode":"LIB-1","shelf":"A 3"}`, status: 200},
		{rule: "twice is once, and empty shelves are fine", as: peterParker, ask: "POST /stocktakes", body: `{"name":"A","shelves":["A 3","B","A 3"]}`, status: 201, keep: "st", want: facts{"shelves.length": 2, "expected": 1, "remaining": 1, "away": 0, "marked": absent, "swaps": absent}},
		{rule: "another shelf has another", as: peterParker, ask: "POST /stocktakes", body: `{"name":"C","shelves":["C"]}`, status: 201, keep: "other"},
		{rule: "all shelves overlap", as: peterParker, ask: "POST /stocktakes", body: `{"name":"all"}`, status: 409, code: "stocktake_open"},
		{rule: "one shelf overlaps", as: peterParker, ask: "POST /stocktakes", body: `{"name":"B","shelves":["D","B"]}`, status: 409, code: "stocktake_open"},
		{rule: "a scan needs something", as: peterParker, ask: scan, body: `{}`, status: 400, code: "invalid", then: names("codes")},
		{rule: "not too much", as: peterParker, ask: scan, body: `{"codes":[` + strings.Repeat(`"x",`, 500) + `"x"]}`, status: 400, code: "invalid", then: names("codes")},
		{rule: "of some length", as: peterParker, ask: scan, body: `{"codes":["` + strings.Repeat("ä", 201) + `"],"copies":["x"]}`, status: 400, code: "invalid", then: names("copies[0]", "codes[0]")},
		{rule: "on a shelf of it", as: peterParker, ask: scan, body: `{"codes":["x"],"shelf":"C"}`, status: 400, code: "invalid", then: names("shelf")},
		{rule: "to one shelf", as: peterParker, ask: scan, body: `{"codes":["x"],"move":true}`, status: 400, code: "invalid", then: names("shelf")},
		{rule: "of a stocktake", as: peterParker, ask: "POST /stocktakes/{unknown}/scans", body: `{"codes":["x"]}`, status: 404, code: "stocktake_not_found"},
		{rule: "any code is a code", as: peterParker, ask: scan, body: `{"codes":[" \u0000a ","","\u0000a"],"copies":["{unknown}"]}`, status: 200, want: facts{"0.outcome": "unknown", "1.code": "", "2.code": "\x00a", "3.outcome": "unknown", "3.identifier": "{unknown}", "3.code": absent}},
		{rule: "and counts once", as: clarkKent, ask: "GET /stocktakes/{st}", status: 200, want: facts{"counts.unknown": 2, "counts.again": 0}},
		{rule: "an ISBN is no barcode", as: peterParker, ask: "POST /stocktakes/{other}/scans", body: `{"codes":["978-0-13-235088-4"]}`, status: 200, want: facts{"0.outcome": "unknown", "0.books.0.identifier": cleanCode}},
		{rule: "a page of them", as: clarkKent, ask: "GET /stocktakes/{st}/copies?outcome=unknown&limit=1", status: 200, want: facts{"0.code": "", "length": 1}},
		{rule: "a copy without a shelf is elsewhere", as: peterParker, ask: scan, body: `{"codes":["LIB-2"],"shelf":"A 3"}`, header: key("scan"), status: 200, then: replayed(false), want: facts{"0.outcome": "elsewhere", "0.shelf": absent, "0.copy.shelf": absent, "0.copy.seenAt": "2026-03-02T10:00:00Z"}},
		{rule: "again with a key gets the first answer", as: peterParker, ask: scan, body: `{"codes":["LIB-2"],"shelf":"A 3"}`, header: key("scan"), status: 200, then: replayed(true), want: facts{"0.outcome": "elsewhere"}},
		{rule: "again without one moves nothing", as: peterParker, ask: scan, body: `{"codes":["LIB-2"],"shelf":"A 3","move":true}`, status: 200, want: facts{"0.outcome": "again", "0.copy.shelf": absent}},
		{rule: "in another stocktake it moves", as: peterParker, ask: "POST /stocktakes/{other}/scans", body: `{"codes":["LIB-2"],"move":true}`, status: 200, want: facts{"0.outcome": "elsewhere", "0.copy.shelf": "C"}},
		{rule: "it gets lost", as: peterParker, ask: "PUT /copies/{one}", body: `{"barcode":"LIB-1","shelf":"A 3","state":"missing"}`, status: 200},
		{rule: "it was missing", as: peterParker, ask: scan, body: `{"copies":["{one}"]}`, status: 200, want: facts{"0.outcome": "was_missing", "0.wasMissing": true, "0.missingSince": "2026-03-02T10:00:00Z", "0.copy.state": "lendable", "0.copy.missingSince": absent, "0.identifier": absent}},
		{rule: "an outcome is needed", as: clarkKent, ask: "GET /stocktakes/{st}/copies", status: 400, code: "bad_query", then: names("outcome")},
		{rule: "not this one", as: clarkKent, ask: "GET /stocktakes/{st}/copies?outcome=again", status: 400, code: "bad_query", then: names("outcome")},
		{rule: "of a stocktake", as: clarkKent, ask: "GET /stocktakes/{unknown}/copies?outcome=found", status: 404, code: "stocktake_not_found"},
		{rule: "the end is said", as: peterParker, ask: "POST /stocktakes/{st}/close", body: `{}`, status: 400, code: "invalid", then: names("markMissing")},
		{rule: "of a stocktake", as: peterParker, ask: "POST /stocktakes/{unknown}/close", body: `{"markMissing":true}`, status: 404, code: "stocktake_not_found"},
		{rule: "it ends", as: peterParker, ask: "POST /stocktakes/{st}/close", body: `{"markMissing":false}`, status: 200, want: facts{"state": "closed", "marked": 0, "remaining": 0, "counts.was_missing": 1, "swaps": absent}},
		{rule: "once", as: peterParker, ask: "POST /stocktakes/{st}/close", body: `{"markMissing":false}`, status: 409, code: "closed"},
		{rule: "nothing is scanned then", as: peterParker, ask: scan, body: `{"codes":["x"]}`, status: 409, code: "closed"},
		{rule: "the newest is first", as: clarkKent, ask: "GET /stocktakes?limit=1", status: 200, want: facts{"length": 1}},
		{rule: "it goes", as: peterParker, ask: "DELETE /stocktakes/{st}", status: 204},
		{rule: "once", as: peterParker, ask: "DELETE /stocktakes/{st}", status: 404, code: "stocktake_not_found"},
	}...))
}

func TestAStocktakeProposesSwaps(t *testing.T) {
	t.Parallel()
	runSteps(t, twoCopies([]step{
		{rule: "a copy is lent", as: peterParker, ask: "POST /loans", body: `{"user":"{wayne}","barcode":"LIB-1"}`, status: 201, keep: "loan"},
		{rule: "it is away", as: peterParker, ask: "POST /stocktakes", body: `{"name":"All"}`, status: 201, keep: "st", want: facts{"away": 1}},
		{rule: "and here", as: peterParker, ask: "POST /stocktakes/{st}/scans", body: `{"codes":["LIB-1"]}`, status: 200, want: facts{"0.outcome": "lent", "0.copy.loan.identifier": "{loan}"}},
		{rule: "the reader has the other", as: clarkKent, ask: "GET /stocktakes/{st}", status: 200, want: facts{"swaps.length": 1, "swaps.0.loan": "{loan}", "swaps.0.scanned.barcode": "LIB-1", "swaps.0.free.barcode": "LIB-2", "swaps.0.free.book.identifier": "{emma}"}},
		{rule: "the loan moves", as: peterParker, ask: "POST /loans/{loan}/move", body: `{"barcode":"LIB-2"}`, status: 200},
		{rule: "and that is all", as: clarkKent, ask: "GET /stocktakes/{st}", status: 200, want: facts{"swaps.length": 0}},
	}...))
}
