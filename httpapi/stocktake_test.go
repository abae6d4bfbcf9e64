package httpapi_test

import (
	"strings"
	"testing"
)

func TestAStocktake(t *testing.T) {
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
