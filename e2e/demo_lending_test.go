package e2e

import (
	"regexp"
	"testing"
)

// demoBooks are those of the demonstration: the samples and its second shelf.
const demoBooks = sampleBooks + 6

// lent is what this test reads of books, loans and holds.
type lent struct {
	Identifier, Title, State string
	Copies, Available        int
	Waiting, Position        int
	Overdue                  bool
	Book, User               struct{ Title, LastName string }
	Copy                     struct{ Barcode string }
}

// by is who signs in to the demonstration with a sample login.
func (d *demonstration) by(t testing.TB, username string) session {
	t.Helper()
	return d.with(t, (&provider{d.server, d.issuer}).login(t, username))
}

// The ten samples are free, with one copy each; beside them there is a shelf on
// which something is going on.
func TestDemoHasAShelfOnWhichSomethingIsGoingOn(t *testing.T) {
	t.Parallel()
	d := startDemo(t, "--ephemeral")
	bruce, desk := d.by(t, "bwayne"), d.by(t, "pparker")

	shelf := map[string]lent{}
	free := 0
	for _, b := range into[[]lent](bruce.get("/books").want(200)) {
		shelf[b.Title] = b
		if b.Copies == 1 && b.Available == 1 {
			free++
		}
	}
	if len(shelf) != demoBooks || free != sampleBooks+1 {
		t.Errorf("%d books, of which %d are free with one copy", len(shelf), free)
	}
	if several := shelf["Frankenstein"]; several.Copies != 3 || several.Available != 1 {
		t.Errorf("several copies: %+v", several)
	}
	if queue := shelf["Jane Eyre"]; queue.Waiting != 3 || queue.Available != 0 {
		t.Errorf("a queue: %+v", queue)
	}
	overdue := into[[]lent](desk.get("/loans?state=overdue").want(200))
	if len(overdue) != 1 || overdue[0].User.LastName != "Banner" || overdue[0].Book.Title != "Dracula" || !overdue[0].Overdue {
		t.Errorf("overdue: %+v", overdue)
	}
	ready := into[[]lent](bruce.get("/holds?state=ready").want(200))
	if len(ready) != 1 || ready[0].Book.Title != "Moby-Dick" {
		t.Fatalf("ready for Bruce Wayne: %+v", ready)
	}
	if mine := into[[]book](bruce.get("/me/books").want(200)); len(mine) != 0 {
		t.Errorf("Bruce Wayne has %v", mine)
	}
	bruce.post("/books/"+shelf["Moby-Dick"].Identifier+"/borrow", nil).want(200)
	bruce.post("/books/"+shelf["Dracula"].Identifier+"/borrow", nil).want(409).wantCode("already_borrowed")
}

// What is printed for the desk can be scanned there.
func TestDemoPrintsCodesForTheDesk(t *testing.T) {
	t.Parallel()
	d := startDemo(t, "--ephemeral")
	desk := d.by(t, "pparker")
	kinds := map[string]int{}
	for _, code := range regexp.MustCompile(`\b[RB]\d{4}\b`).FindAllString(d.text, -1) {
		kinds[into[struct{ Kind string }](desk.get("/codes/"+code).want(200)).Kind]++
	}
	if kinds["reader"] != 2 || kinds["copy"] != 2 { // the first and the last of each
		t.Errorf("%v in:\n%s", kinds, d.text)
	}
	desk.get("/codes/R0008").want(404).wantCode("unknown_code")
	desk.get("/codes/B0023").want(404).wantCode("unknown_code")
	// Clean Code, to Bruce Wayne, and back.
	loan := into[lent](desk.post("/loans", map[string]string{"user": bruceWayne, "barcode": "B0001"}).want(201))
	if loan.Book.Title != "Clean Code" || loan.User.LastName != "Wayne" || loan.Copy.Barcode != "B0001" {
		t.Errorf("lent at the desk: %+v", loan)
	}
	desk.post("/loans/"+loan.Identifier+"/return", nil).want(200)
}
