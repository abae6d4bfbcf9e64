package httpapi_test

import (
	"strings"
	"testing"
)

func TestCuratorsWriteNotesAndBlocks(t *testing.T) {
	t.Parallel()
	const show, edit, reason = "GET /readers/{wayne}", "PUT /readers/{wayne}", "The reader is blocked: Two books are lost."
	runSteps(t, []step{
		{rule: "the desk sees a person", as: peterParker, ask: show, status: 200, want: facts{"identifier": "{wayne}", "note": absent, "block": absent, "loans": 0, "email": absent}},
		{rule: "admins do not", as: clarkKent, ask: show, status: 403, code: "role_missing"},
		{rule: "nor edit at the desk", as: clarkKent, ask: edit, body: `{}`, status: 403, code: "role_missing"},
		{rule: "nor readers", as: bruceWayne, ask: edit, body: `{}`, status: 403, code: "role_missing"},
		{rule: "nobody", as: peterParker, ask: "GET /readers/{unknown}", status: 404, code: "user_not_found"},
		{rule: "to edit", as: peterParker, ask: "PUT /readers/{unknown}", body: `{}`, status: 404, code: "user_not_found"},
		{rule: "every fault is named", as: peterParker, ask: edit, status: 400, code: "invalid", then: names("card", "note", "block"),
			body: `{"card":"a b","note":"` + strings.Repeat("x", 1001) + `","block":"two\nlines"}`},
		{rule: "given a loan", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200},
		{rule: "that can be renewed", as: clarkKent, ask: "PUT /policy", body: `{"loanDays":30}`, status: 200},
		{rule: "a block, a note with lines, a card, and what is ignored", as: peterParker, ask: edit, body: `{"block":"Two books are lost.","note":" one\n\ttwo ","card":"CARD-1","firstName":"X","loans":7}`, status: 200,
			want: facts{"firstName": "Bruce", "block": "Two books are lost.", "note": "one\n\ttwo", "card": "CARD-1", "loans": 1}},
		{rule: "the card is scanned", as: peterParker, ask: "GET /codes/CARD-1", status: 200, want: facts{"reader.block": "Two books are lost.", "reader.note": "one\n\ttwo"}},
		{rule: "admins see it, too", as: clarkKent, ask: "GET /users/{wayne}", status: 200, want: facts{"block": "Two books are lost."}},
		{rule: "the person does not", as: bruceWayne, ask: "GET /me", status: 200, want: facts{"block": absent, "note": absent}},
		{rule: "but in what the library knows", as: bruceWayne, ask: "GET /me/export", status: 200, want: facts{"user.block": "Two books are lost.", "user.note": "one\n\ttwo", "loans.0.user.block": absent}},
		{rule: "nothing is renewable", as: bruceWayne, ask: "GET /loans", status: 200, keep: "loan:0.identifier", want: facts{"0.renewable": false, "0.renewableFrom": absent}},
		{rule: "or renewed", as: bruceWayne, ask: "POST /loans/{loan}/renew", status: 409, code: "blocked", want: facts{"message": "This is not possible at the moment; please ask at the desk."}},
		{rule: "the desk hears why", as: peterParker, ask: "POST /loans/{loan}/renew", status: 409, code: "blocked", want: facts{"message": reason}},
		{rule: "nothing is borrowed, not even again", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 409, code: "blocked"},
		{rule: "nor reserved", as: bruceWayne, ask: "POST /books/{clean}/holds", status: 409, code: "blocked"},
		{rule: "nor lent, before everything else", as: peterParker, ask: "POST /loans", body: `{"user":"{wayne}","book":"{clean}"}`, status: 409, code: "blocked", want: facts{"message": reason}},
		{rule: "nor a copy", as: peterParker, ask: "GET /books/{clean}/copies", status: 200, keep: "copy:0.identifier"},
		{rule: "in the hand", as: bruceWayne, ask: "POST /loans", body: `{"copy":"{copy}"}`, status: 409, code: "blocked"},
		{rule: "the policy comes first", as: clarkKent, ask: "PUT /policy", body: `{"loanDays":30,"selfBorrow":false}`, status: 200},
		{rule: "for those who help themselves", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 409, code: "desk_only"},
		{rule: "an edit by an admin leaves both", as: clarkKent, ask: "PUT /users/{wayne}", body: `{"email":"bruce.wayne@example.com","firstName":"Bruce","lastName":"Wayne","card":"CARD-1"}`, status: 200, want: facts{"block": "Two books are lost.", "note": "one\n\ttwo"}},
		{rule: "unless they are empty", as: clarkKent, ask: "PUT /users/{wayne}", body: `{"email":"bruce.wayne@example.com","firstName":"Bruce","lastName":"Wayne","card":"CARD-1","note":""}`, status: 200, want: facts{"note": absent, "block": "Two books are lost."}},
		{rule: "a return works", as: bruceWayne, ask: "POST /loans/{loan}/return", status: 200},
		{rule: "what is left out is cleared", as: peterParker, ask: edit, body: `{"note":"x"}`, status: 200, want: facts{"block": absent, "card": absent, "note": "x"}},
		{rule: "a card is one person's", as: clarkKent, ask: "PUT /users/{banner}", body: `{"email":"bruce.banner@example.com","firstName":"B","lastName":"B","card":"CARD-2"}`, status: 200},
		{rule: "also at the desk", as: peterParker, ask: edit, body: `{"card":"CARD-2"}`, status: 409, code: "card_taken"},
		{rule: "a curator's own note", as: peterParker, ask: "PUT /readers/{parker}", body: `{"note":"good"}`, status: 409, code: "self"},
		{rule: "is not the curator's, but the card is", as: peterParker, ask: "PUT /readers/{parker}", body: `{"card":"CARD-3"}`, status: 200, want: facts{"card": "CARD-3"}},
		{rule: "imports bring both", as: clarkKent, ask: "POST /imports/users?update=true", body: `[{"email":"bruce.wayne@example.com","block":"B","note":""}]`, status: 200, want: facts{"0.outcome": "updated"}},
		{rule: "and clear none", as: peterParker, ask: show, status: 200, want: facts{"block": "B", "note": "x"}},
		{rule: "a tag", as: peterParker, ask: show, status: 200, then: func(t *testing.T, s *story, a reply) {
			path, tag := s.fill(t, "/readers/{wayne}"), a.tag()
			put := func(tag string) reply {
				return s.send(t, request{as: peterParker, method: "PUT", path: path, body: `{"note":"y"}`, header: field("If-Match", tag)})
			}
			if got := s.ifNoneMatch(t, peterParker, path, tag); tag == "" || got != 304 {
				t.Errorf("If-None-Match: %s gives %d", tag, got)
			}
			put(tag).want(t, 200, "")
			put(tag).want(t, 412, "outdated")
		}},
	})
}
