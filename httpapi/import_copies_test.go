package httpapi_test

import "testing"

func TestImportsBringCopies(t *testing.T) {
	t.Parallel()
	const run, update, dry = "POST /imports/books", "POST /imports/books?update=true", "POST /imports/books?update=true&dryRun=true"
	const emma = `{"title":"Emma","isbn":"978-0-14-143958-7","copies":3,"barcode":["E-1","E-2"],"shelf":" A 1 "}`
	runSteps(t, []step{
		{rule: "a dry run says what would happen", as: peterParker, ask: dry, body: `[` + emma + `,{"title":"Other","barcode":["E-2"]}]`, status: 200, want: facts{
			"0.outcome": "added", "1.outcome": "invalid", "1.code": "barcode_taken", "1.details.0.field": "barcode"}},
		{rule: "a new book gets its copies", as: peterParker, ask: run, body: `[` + emma + `,{"title":"Other","barcode":["E-2"]},{"title":"None","copies":0},{"title":"Threefold","barcode":["T-1","T-2","T-3"],"copies":1},{"title":"Shelved","shelf":"B"}]`,
			status: 200, keep: "emma:0.identifier", want: facts{"0.outcome": "added", "1.outcome": "invalid", "1.code": "barcode_taken", "2.outcome": "added", "3.outcome": "added", "4.outcome": "added"}},
		{rule: "as many as it says, all on the shelf", as: peterParker, ask: "GET /books/{emma}/copies", status: 200, want: facts{
			"length": 3, "0.barcode": "E-1", "1.barcode": "E-2", "2.barcode": absent, "0.shelf": "A 1", "2.shelf": "A 1"}},
		{rule: "which readers see", as: bruceWayne, ask: "GET /books/{emma}", status: 200, want: facts{"copies": 3, "available": 3, "shelves.0": "A 1"}},
		{rule: "or none", as: bruceWayne, ask: "GET /books?q=none", status: 200, want: facts{"0.copies": 0}},
		{rule: "at least one for each barcode", as: bruceWayne, ask: "GET /books?q=threefold", status: 200, want: facts{"0.copies": 3}},
		{rule: "and one if nothing is said", as: bruceWayne, ask: "GET /books?q=shelved", status: 200, want: facts{"0.copies": 1, "0.shelves.0": "B"}},
		{rule: "the same again changes nothing", as: peterParker, ask: update, body: `[` + emma + `]`, status: 200, want: facts{"0.outcome": "unchanged"}},
		{rule: "a barcode that nobody has is a difference", as: peterParker, ask: run, body: `[{"title":"Emma","isbn":"978-0-14-143958-7","barcode":["E-1","E-9"],"shelf":"C"}]`, status: 200, want: facts{
			"0.outcome": "differs", "0.code": "book_differs", "0.details.0.field": "barcode"}},
		{rule: "and becomes a copy when the book is updated", as: peterParker, ask: update, body: `[{"title":"Emma","isbn":"978-0-14-143958-7","barcode":["E-1","E-9"],"shelf":"C"}]`, status: 200, want: facts{"0.outcome": "updated"}},
		{rule: "no copy was removed or moved", as: peterParker, ask: "GET /books/{emma}/copies", status: 200, want: facts{
			"length": 4, "0.barcode": "E-1", "0.shelf": "A 1", "3.barcode": "E-9", "3.shelf": "C"}},
		{rule: "a barcode of another book is a bad row", as: peterParker, ask: update, body: `[{"title":"Emma","isbn":"978-0-14-143958-7","barcode":["T-1"]}]`, status: 200, want: facts{"0.outcome": "invalid", "0.code": "barcode_taken"}},
		{rule: "so is one that is twice in the file", as: peterParker, ask: update, body: `[{"title":"Twice","barcode":["X-1","X-1"]},{"title":"A","barcode":["X-2"]},{"title":"B","barcode":["X-2"]}]`, status: 200, want: facts{
			"0.outcome": "invalid", "0.code": "barcode_taken", "1.outcome": "added", "2.outcome": "invalid", "2.code": "barcode_taken"}},
		{rule: "what is wrong is named", as: peterParker, ask: run, body: `[{"title":"Bad","copies":1000,"barcode":["a b"],"shelf":"x\u0000"},{"title":"Bad","copies":"many","barcode":"E"}]`, status: 200, want: facts{
			"0.outcome": "invalid", "0.details.0.field": "copies", "0.details.1.field": "barcode", "0.details.2.field": "shelf", "1.outcome": "invalid"}},
		{rule: "given somebody who waits", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200},
		{rule: "for the only copy", as: bruceBanner, ask: "POST /books/{clean}/holds", status: 201, keep: "hold"},
		{rule: "a copy that an import brings", as: peterParker, ask: update, body: `[{"identifier":"{clean}","title":"Clean Code","barcode":["C-1"]}]`, status: 200, want: facts{"0.outcome": "updated"}},
		{rule: "is set aside for them", as: bruceBanner, ask: "GET /holds/{hold}", status: 200, want: facts{"state": "ready", "copy.barcode": "C-1"}},
	})
}

func TestTablesBringCopies(t *testing.T) {
	t.Parallel()
	for database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			s := newStory(t, database)
			answer := s.send(t, request{as: peterParker, method: "POST", path: "/imports/books", header: field("Content-Type", "text/csv"),
				body: "title,copies,barcode,shelf\nEmma,3,E-1; E-2,A 1\nBad,many,,\nOther,,E-1,\nPlain,,,\n"}).want(t, 200, "")
			s.check(t, answer, facts{
				"results.0.outcome": "added", "results.0.book.copies": 3, "results.0.book.barcode.1": "E-2", "results.0.book.shelf": "A 1",
				"results.1.outcome": "invalid", "results.1.code": "copies_number", "results.2.code": "barcode_taken", "results.3.outcome": "added"})
			s.check(t, s.send(t, request{as: bruceWayne, path: "/books?q=emma"}), facts{"0.copies": 3, "0.shelves.0": "A 1"})
			s.check(t, s.send(t, request{as: bruceWayne, path: "/books?q=plain"}), facts{"0.copies": 1, "0.shelves": absent})
		})
	}
}

func TestABarcodeTwiceInTwoPartsOfATableIsReported(t *testing.T) {
	t.Parallel()
	for database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			s := newStory(t, database)
			for _, part := range []struct {
				query, rows string
				want        facts
			}{
				{"part=more", "First,B-1\n", facts{"results.0.outcome": "added", "next.line": 3}},
				{"part=more&line=3", "Other,B-2\n", facts{"results.0.outcome": "added"}},
				{"part=last&line=4", "Last,B-3; B-1\n", facts{"results.0.outcome": "invalid", "results.0.code": "barcode_taken", "results.0.line": 4, "results.0.details.0.field": "barcode"}},
			} {
				answer := s.send(t, importingTable("?"+part.query, "text/csv", "title,barcode\n"+part.rows)).want(t, 200, "")
				s.check(t, answer, part.want)
			}
			s.check(t, s.send(t, request{as: bruceWayne, path: "/books?q=last"}), facts{"length": 0})
		})
	}
}
