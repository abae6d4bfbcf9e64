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
