package httpapi_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/httpapi"
	"example.org/library/internal/testkit"
	"example.org/library/service"
	"example.org/library/stocktake"
)

// writes is a request for each route that changes the library. {id} is what
// prepare makes for it.
var writes = map[string][]struct{ query, body string }{
	"POST /books":                  {{"", `{"title":"New"}`}},
	"PUT /books/{id}":              {{"", `{"title":"Edited"}`}},
	"DELETE /books/{id}":           {{"", ""}},
	"PUT /books/{id}/cover":        {{"", string(onePixel)}},
	"POST /books/{id}/cover/fetch": {{"", ""}},
	"DELETE /books/{id}/cover":     {{"", ""}},
	"POST /books/{id}/borrow":      {{"", ""}},
	"POST /books/{id}/return":      {{"", ""}},
	"POST /imports/books":          {{"", `[{"title":"Imported"}]`}, {"?dryRun=true", `[{"title":"Imported"}]`}},
	"POST /imports/users":          {{"", `[{"email":"imported@example.com","firstName":"I","lastName":"I"}]`}, {"?dryRun=true", `[{"email":"imported@example.com"}]`}},
	"POST /users":                  {{"", `{"email":"new@example.com","firstName":"N","lastName":"N","roles":["LIBRARY_ADMIN"]}`}},
	"PUT /users/{id}":              {{"", `{"email":"edited@example.com","firstName":"E","lastName":"E"}`}},
	"DELETE /users/{id}":           {{"", ""}},
	"PUT /readers/{id}":            {{"", `{"note":"New"}`}},
	"DELETE /users/{id}/subject":   {{"", ""}},
	"POST /books/{id}/copies":      {{"", `{"shelf":"New"}`}},
	"PUT /copies/{id}":             {{"", `{"shelf":"Edited"}`}},
	"DELETE /copies/{id}":          {{"", ""}},
	"POST /books/{id}/holds":       {{"", ""}},
	"PUT /holds/{id}":              {{"", `{"fetched":true}`}},
	"DELETE /holds/{id}":           {{"", ""}},
	"POST /loans":                  {{"", `{"book":"{id}"}`}, {"", `{"user":"` + wayneID + `","book":"{id}"}`}},
	"POST /loans/{id}/move":        {{"", `{"barcode":"{id}"}`}},
	"POST /copies/{id}/seen":       {{"", ""}},
	"POST /loans/{id}/claim":       {{"", ""}},
	"DELETE /loans/{id}/claim":     {{"", ""}},
	"POST /loans/{id}/lost":        {{"", ""}},
	"POST /returns":                {{"", `{"barcode":"{id}"}`}},
	"POST /loans/batch":            {{"", `{"users":["` + wayneID + `"],"barcodes":["{id}"]}`}, {"", `{"users":["` + wayneID + `"],"barcodes":["{id}"],"dryRun":true}`}},
	"POST /returns/batch":          {{"", `{"barcodes":["{id}"]}`}},
	"POST /loans/{id}/renew":       {{"", ""}},
	"POST /loans/{id}/return":      {{"", ""}},
	"DELETE /loans/{id}/return":    {{"", ""}},
	"POST /stocktakes":             {{"", `{"name":"New","shelves":["{id}"]}`}},
	"DELETE /stocktakes/{id}":      {{"", ""}},
	"POST /stocktakes/{id}/scans":  {{"", `{"codes":["New"]}`}},
	"POST /stocktakes/{id}/close":  {{"", `{"markMissing":true}`}},
	"POST /notices/{id}/retry":     {{"", ""}},
	"POST /notices/resume":         {{"", ""}},
	"PUT /policy":                  {{"", `{"maxLoans":999}`}},
	"PUT /me":                      {{"", `{"locale":"de"}`}},
	"DELETE /me/history":           {{"", ""}},
}

// changesNothing reports whether a POST only looks: a test mail, and a trial of a policy.
func changesNothing(route httpapi.RouteInfo) bool {
	return route.Pattern == testMailPath || route.Pattern == "/policy/trial"
}

// cannotHappen reports whether somebody who sends a request cannot lose their
// standing that way: nobody is removed who has a book or waits for one, and what
// everybody may do needs no role.
func cannotHappen(route httpapi.RouteInfo, l loss) bool {
	if l.name == "removed" {
		return strings.HasSuffix(route.Pattern, "/return") || strings.HasPrefix(route.Pattern, "/returns") || strings.HasSuffix(route.Pattern, "/move") || strings.HasSuffix(route.Pattern, "/claim") || strings.HasSuffix(route.Pattern, "/lost") || strings.HasSuffix(route.Pattern, "/renew") || route.Pattern == "/holds/{id}"
	}
	return l.name == "demoted" && strings.HasPrefix(route.Pattern, "/me")
}

// prepare makes a record for the request and returns its identifier: a book that
// is free, lent to the caller or, if it is to be held, to somebody else; the copy
// of a book; a loan or a hold of the caller; or a user.
func (s *standing) prepare(t *testing.T, route httpapi.RouteInfo, caller library.User) string {
	t.Helper()
	ctx := t.Context()
	b := library.Book{ID: library.NewID(), BookFields: library.BookFields{Title: "Given", ISBN: "978-0-306-40615-7"}.Complete(), Created: time.Now(), Version: "v1", Stock: library.Stock{Copies: 1}}
	s.tx(t, func(tx library.Tx) error { return tx.AddBook(ctx, b) })
	reader := library.Actor{User: caller, Authorities: []string{library.RoleUser.Authority()}}
	yesterday := func() time.Time { return time.Now().AddDate(0, 0, -1) } // what is lent can be renewed
	past := service.New(s.store, service.WithClock(yesterday))            // past the gate
	must := func(err error) {
		t.Helper()
		testkit.NoError(t, err)
	}
	curator := library.Actor{User: s.actor(t, peterParker).User, Authorities: []string{library.RoleCurator.Authority()}}
	switch {
	case route.Pattern == "/loans/batch": // the same
		copies, err := s.store.Copies(ctx, b.ID)
		must(err)
		must(testkit.Err(past.EditCopy(ctx, curator, copies[0].ID, library.CopyFields{Barcode: b.ID}, nil)))
	case strings.HasPrefix(route.Pattern, "/returns"): // the copy has the identifier as its barcode
		lent, err := past.Borrow(ctx, reader, b.ID)
		must(err)
		must(testkit.Err(past.EditCopy(ctx, curator, lent.Loan.CopyID, library.CopyFields{Barcode: b.ID}, nil)))
	case strings.HasSuffix(route.Pattern, "/move"): // another copy has the identifier of the loan as its barcode
		lent, err := past.Borrow(ctx, reader, b.ID)
		must(err)
		must(testkit.Err(past.AddCopy(ctx, curator, b.ID, library.NewID(), library.CopyFields{Barcode: lent.Loan.ID})))
		return lent.Loan.ID
	case strings.HasSuffix(route.Pattern, "/claim"), strings.HasSuffix(route.Pattern, "/lost"):
		lent, err := past.Borrow(ctx, reader, b.ID)
		must(err)
		return lent.Loan.ID
	case strings.HasSuffix(route.Pattern, "/cover"):
		_, err := past.SetCover(ctx, curator, b.ID, library.CoverPictures{Large: []byte("l"), Small: []byte("s")})
		must(err)
	case strings.HasSuffix(route.Pattern, "/return") || strings.HasSuffix(route.Pattern, "/renew"):
		lent, err := past.Borrow(ctx, reader, b.ID)
		must(err)
		if route.Method == http.MethodDelete { // it must be returned
			_, err := past.Return(ctx, reader, b.ID)
			must(err)
		}
		if strings.HasPrefix(route.Pattern, "/loans/") {
			return lent.Loan.ID
		}
	case strings.Contains(route.Pattern, "/holds"):
		_, err := past.Borrow(ctx, s.actor(t, bruceWayne), b.ID)
		must(err)
		if route.Pattern == "/holds/{id}" {
			h, err := past.PlaceHold(ctx, reader, b.ID, "")
			must(err)
			if route.Method == http.MethodPut { // it must be ready
				_, err := past.Return(ctx, s.actor(t, bruceWayne), b.ID)
				must(err)
			}
			return h.ID
		}
	case strings.HasSuffix(route.Pattern, "/retry"):
		n := library.Notice{ID: library.NewID(), Kind: library.NoticeOverdue, State: library.NoticeFailed, About: library.NewID(), Person: library.Person{ID: caller.ID}, Book: library.BookRef{ID: b.ID, Title: b.Title}, Created: time.Now()}
		s.tx(t, func(tx library.Tx) error { return tx.AddNotices(ctx, []library.Notice{n}) })
		return n.ID
	case strings.HasPrefix(route.Pattern, "/stocktakes/"):
		taken, err := s.stocktakes.Start(ctx, curator, stocktake.Fields{Name: "Given", Shelves: []string{b.ID}})
		must(err)
		return taken.ID
	case strings.HasPrefix(route.Pattern, "/copies/"):
		copies, err := s.store.Copies(ctx, b.ID)
		must(err)
		return copies[0].ID
	case strings.HasPrefix(route.Pattern, "/users/"), strings.HasPrefix(route.Pattern, "/readers/"):
		s.count++
		u := caller
		u.ID, u.Email = library.NewID(), "given"+strconv.Itoa(s.count)+"@example.com"
		s.tx(t, func(tx library.Tx) error { return tx.AddUser(ctx, u) })
		return u.ID
	}
	return b.ID
}
