package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/api"
	"example.org/library/client"
	"example.org/library/internal/testkit"
)

const (
	aLoan   = `{"identifier":"` + bookID + `","book":{"title":"Clean Code"},"borrowedAt":"2026-11-15T10:00:00Z","renewals":0,"overdue":false,"renewable":true}`
	aHold   = `{"identifier":"` + bookID + `","book":{"title":"Clean Code"},"state":"waiting","position":1,"createdAt":"2026-11-15T10:00:00Z"}`
	aCopy   = `{"identifier":"` + bookID + `","barcode":"B1","state":"lendable"}`
	aPolicy = `{"loanDays":28,"closedWeekdays":[],"closedDates":[],"overdueDays":[1]}`
)

// read makes a call of a method that returns one value.
func read[T any](method func(*client.Client, context.Context) (T, error)) func(context.Context, *client.Client) error {
	return func(ctx context.Context, c *client.Client) error { _, err := method(c, ctx); return err }
}

// with makes a call of a method that takes one value and returns one.
func with[A, T any](method func(*client.Client, context.Context, A) (T, error), a A) func(context.Context, *client.Client) error {
	return func(ctx context.Context, c *client.Client) error { _, err := method(c, ctx, a); return err }
}

// at makes a call of a method about a record of which the version is known.
func at[A, T any](method func(*client.Client, context.Context, A) (T, client.Version, error), a A) func(context.Context, *client.Client) error {
	return func(ctx context.Context, c *client.Client) error { _, _, err := method(c, ctx, a); return err }
}

func TestEachCallOfLendingIsTheRequestOfTheContract(t *testing.T) {
	t.Parallel()
	three, yes, no := 3, true, false
	type cl = *client.Client
	checkCalls(t, []call{
		{"books that can be borrowed", with(cl.Books, client.BookQuery{Available: &yes}), "GET /books?available=true", "[]"},
		{"books that cannot", with(cl.Books, client.BookQuery{Available: &no}), "GET /books?available=false", "[]"},
		{"a book with several copies", with(cl.AddBook, client.BookFields{BookFields: api.BookFields{Title: "T"}, Copies: &three}), `POST /books {"title":"T","copies":3}`, aBook},

		{"loans", with(cl.Loans, client.LoanQuery{}), "GET /loans", "[]"},
		{"some loans", with(cl.Loans, client.LoanQuery{State: api.LoansOverdue, User: "u", Book: "b", Limit: 7, Cursor: "z"}),
			"GET /loans?book=b&cursor=z&limit=7&state=overdue&user=u", "[]"},
		{"a loan", with(cl.Loan, bookID), "GET /loans/" + bookID, aLoan},
		{"a name stays one piece of the path", with(cl.Loan, "../x"), "GET /loans/..%2Fx", aLoan},
		{"lend a book", with(cl.Lend, client.LoanFields{User: "u", Book: "b"}), `POST /loans {"user":"u","book":"b"}`, aLoan},
		{"lend a copy", with(cl.Lend, client.LoanFields{User: "u", Copy: "c"}), `POST /loans {"user":"u","copy":"c"}`, aLoan},
		{"lend what was scanned", with(cl.Lend, client.LoanFields{User: "u", Barcode: "B1"}), `POST /loans {"user":"u","barcode":"B1"}`, aLoan},
		{"lend to oneself", with(cl.Lend, client.LoanFields{Barcode: "B1"}), `POST /loans {"barcode":"B1"}`, aLoan},
		{"lend a copy that somebody has by the records", with(cl.Lend, client.LoanFields{User: "u", Barcode: "B1", Swap: true}), `POST /loans {"user":"u","barcode":"B1","swap":true}`, aLoan},
		{"a person at a station", with(cl.Visitor, "C1"), `POST /station/readers {"card":"C1"}`, `{"firstName":"Jane","loans":0,"overdue":0,"ready":[]}`},
		{"lend at a station", func(ctx context.Context, c cl) error { return testkit.Err(c.LendAtStation(ctx, "C1", "B1")) }, `POST /station/loans {"card":"C1","barcode":"B1"}`, `{"book":{"title":"Emma"}}`},
		{"return at a station", with(cl.ReturnAtStation, "B1"), `POST /station/returns {"barcode":"B1"}`, `{"book":{"title":"Emma"},"setAside":false}`},
		{"return what was scanned", with(cl.ReturnCopy, client.ReturnFields{Barcode: "B1"}), `POST /returns {"barcode":"B1"}`, aLoan},
		{"return a copy for a loan", with(cl.ReturnCopy, client.ReturnFields{Copy: "c", Loan: "l"}), `POST /returns {"copy":"c","loan":"l"}`, aLoan},
		{"move a loan", func(ctx context.Context, c *client.Client) error {
			_, err := c.MoveLoan(ctx, bookID, client.MoveFields{Barcode: "B1"})
			return err
		}, "POST /loans/" + bookID + `/move {"barcode":"B1"}`, aLoan},
		{"exchange two copies", func(ctx context.Context, c *client.Client) error {
			_, err := c.MoveLoan(ctx, bookID, client.MoveFields{Copy: "c", Swap: true})
			return err
		}, "POST /loans/" + bookID + `/move {"copy":"c","swap":true}`, aLoan},
		{"renew", with(cl.Renew, bookID), "POST /loans/" + bookID + "/renew", aLoan},
		{"return a loan", with(cl.ReturnLoan, bookID), "POST /loans/" + bookID + "/return", aLoan},

		{"holds", with(cl.Holds, client.HoldQuery{}), "GET /holds", "[]"},
		{"some holds", with(cl.Holds, client.HoldQuery{State: api.HoldsEnded, User: "u", Book: "b", Limit: 7, Cursor: "z"}),
			"GET /holds?book=b&cursor=z&limit=7&state=ended&user=u", "[]"},
		{"a hold", with(cl.Hold, bookID), "GET /holds/" + bookID, aHold},
		{"place a hold", with(cl.PlaceHold, bookID), "POST /books/" + bookID + "/holds", aHold},
		{"place a hold for somebody", func(ctx context.Context, c *client.Client) error {
			_, err := c.PlaceHoldFor(ctx, bookID, "u")
			return err
		},
			"POST /books/" + bookID + `/holds {"user":"u"}`, aHold},
		{"cancel a hold", func(ctx context.Context, c *client.Client) error { return c.CancelHold(ctx, bookID) }, "DELETE /holds/" + bookID, ""},

		{"copies", with(cl.Copies, bookID), "GET /books/" + bookID + "/copies", "[]"},
		{"a copy", at(cl.Copy, bookID), "GET /copies/" + bookID, aCopy},
		{"add a copy of which nothing is said", func(ctx context.Context, c *client.Client) error {
			_, err := c.AddCopy(ctx, bookID, client.CopyFields{})
			return err
		}, "POST /books/" + bookID + "/copies {}", aCopy},
		{"edit a copy", func(ctx context.Context, c *client.Client) error {
			f := client.CopyFieldsOf(api.Copy{Identifier: bookID, Barcode: "B1", Shelf: "S", Note: "N", State: api.CopyLost})
			_, err := c.EditCopy(ctx, bookID, f, `"v1"`)
			return err
		}, "PUT /copies/" + bookID + ` "v1" {"barcode":"B1","shelf":"S","note":"N","state":"lost"}`, aCopy},
		{"delete a copy", func(ctx context.Context, c *client.Client) error { return c.DeleteCopy(ctx, bookID, `"v1"`) },
			"DELETE /copies/" + bookID + ` "v1"`, ""},

		{"a code", with(cl.Code, "978-0-13-235088-4"), "GET /codes/978-0-13-235088-4", `{"kind":"book","books":[` + aBook + `]}`},
		{"a code that is none stays one piece of the path", with(cl.Code, "a/b?c"), "GET /codes/a%2Fb%3Fc", `{"kind":"copy"}`},
		{"readers", with(cl.Readers, client.ReaderQuery{Words: "a b", Card: "C1", Limit: 7, Cursor: "z"}), "GET /readers?card=C1&cursor=z&limit=7&q=a+b", "[]"},

		{"the policy", func(ctx context.Context, c *client.Client) error { _, _, err := c.Policy(ctx); return err }, "GET /policy", aPolicy},
		{"edit the policy: a nil list is empty, or it would take its default", func(ctx context.Context, c *client.Client) error {
			_, err := c.EditPolicy(ctx, api.Policy{LoanDays: 14, HoldDays: 7, TimeZone: "UTC", HistoryDays: new(int)}, `"v1"`)
			return err
		}, `PUT /policy "v1" {"loanDays":14,"renewals":0,"maxLoans":0,"maxHolds":0,"blockOverdue":false,"holdDays":7,"historyDays":0,` +
			`"timeZone":"UTC","closedWeekdays":[],"closedDates":[],"dueSoonDays":0,"overdueDays":[],"selfBorrow":false,"selfReturn":false,"noticeWanted":false,"rules":[]}`, aPolicy},
		{"statistics", with(cl.Statistics, client.StatisticsQuery{}), "GET /statistics", "{}"},
		{"statistics of a time", with(cl.Statistics, client.StatisticsQuery{By: "week", From: "2026-01-01", To: "2026-02-01"}),
			"GET /statistics?by=week&from=2026-01-01&to=2026-02-01", "{}"},

		{"the caller's language", with(cl.EditMe, client.MeFields{Locale: "de"}), `PUT /me {"locale":"de"}`, aUser},
		{"no reminders", with(cl.EditMe, client.MeFields{Reminders: &no}), `PUT /me {"reminders":false}`, aUser},
		{"forget the caller's history", func(ctx context.Context, c *client.Client) error { return c.ForgetHistory(ctx) }, "DELETE /me/history", ""},
		{"the caller's data", read(cl.Export), "GET /me/export", `{"user":` + aUser + `,"loans":[` + aLoan + `],"holds":[` + aHold + `]}`},
	})
}

func TestAUserIsWrittenAgainWithWhatWasReadExceptTheRoles(t *testing.T) {
	t.Parallel()
	read := api.User{
		Identifier: bookID, Email: "a@example.com", FirstName: "A", LastName: "B", Roles: []string{"LIBRARY_USER"},
		Card: "C1", Locale: "de", Reminders: false, Group: "7b",
	}
	checkCalls(t, []call{{"a user", func(ctx context.Context, c *client.Client) error {
		_, err := c.EditUser(ctx, bookID, client.UserFieldsOf(read), "")
		return err
	}, "PUT /users/" + bookID + ` {"identifier":"` + bookID + `","email":"a@example.com","firstName":"A","lastName":"B","card":"C1","locale":"de","reminders":false,"group":"7b"}`, aUser}})
}

func TestAReturnAtTheDeskSaysForWhomTheCopyIsSetAside(t *testing.T) {
	t.Parallel()
	c := service(t, func(w http.ResponseWriter, r *http.Request) {
		answer(w, http.StatusOK, `{"identifier":"l","book":{"title":"T"},"copy":{"identifier":"c"},"borrowedAt":"2026-11-15T10:00:00Z",
			"returnedAt":"2026-11-15T11:00:00Z","renewals":2,"overdue":false,"renewable":false,
			"hold":{"identifier":"h","book":{"title":"T"},"user":{"identifier":"u","firstName":"Bruce","lastName":"Wayne"},
				"state":"ready","copy":{"identifier":"c"},"until":"2026-11-22T22:59:59Z","createdAt":"2026-11-14T10:00:00Z"}}`)
	})
	got, err := c.ReturnLoan(t.Context(), "l")
	book, shelved := api.BookRef{Title: "T"}, &api.CopyRef{Identifier: "c"}
	want := api.Loan{
		Identifier: "l", Book: book, Copy: shelved, BorrowedAt: "2026-11-15T10:00:00Z", ReturnedAt: "2026-11-15T11:00:00Z", Renewals: 2,
		Hold: &api.Hold{
			Identifier: "h", Book: book, User: &api.Person{Identifier: "u", FirstName: "Bruce", LastName: "Wayne"},
			State: api.HoldReady, Copy: shelved, Until: "2026-11-22T22:59:59Z", CreatedAt: "2026-11-14T10:00:00Z",
		},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestTheDeskIsToldToWhichLoansACopyMayBelong(t *testing.T) {
	t.Parallel()
	c := service(t, func(w http.ResponseWriter, r *http.Request) {
		answer(w, http.StatusConflict, `{"status":409,"code":"not_borrowed","message":"Nobody has it.","candidates":[`+aLoan+`]}`)
	})
	got, err := c.ReturnCopy(t.Context(), client.ReturnFields{Barcode: "B1"})
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Code != "not_borrowed" || len(refused.Candidates) != 1 || refused.Candidates[0].Identifier != bookID || got.Identifier != "" {
		t.Errorf("got %+v, %+v", got, err)
	}
}

func TestLoansHoldsAndReadersAreWalkedPageByPage(t *testing.T) {
	t.Parallel()
	c := service(t, pages)
	seen := 0
	for _, err := range c.AllLoans(t.Context(), client.LoanQuery{}) {
		testkit.NoError(t, err)
		seen++
	}
	for _, err := range c.AllHolds(t.Context(), client.HoldQuery{}) {
		testkit.NoError(t, err)
		seen++
	}
	for _, err := range c.AllReaders(t.Context(), client.ReaderQuery{}) {
		testkit.NoError(t, err)
		seen++
	}
	testkit.Equal(t, seen, 9, "records")
}

func TestTheCalendarIsAFile(t *testing.T) {
	t.Parallel()
	kind, accepted := "text/calendar; charset=utf-8", ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		accepted = r.Method + " " + r.URL.Path + " " + r.Header.Get("Accept")
		w.Header().Set("Content-Type", kind)
		io.WriteString(w, "BEGIN:VCALENDAR\r\n")
	}))
	t.Cleanup(server.Close)
	c, err := client.New(server.URL, client.StaticSource(client.Token{Access: "x"}))
	testkit.NoError(t, err)
	file, err := c.Calendar(t.Context())
	testkit.NoError(t, err)
	testkit.Equal(t, string(file), "BEGIN:VCALENDAR\r\n")
	testkit.Equal(t, accepted, "GET /me/calendar text/calendar")
	for _, kind = range []string{"text/html", "application/json", ""} {
		if _, err := c.Calendar(t.Context()); err == nil || !strings.Contains(err.Error(), "is not the library service") {
			t.Errorf("%q: %v", kind, err)
		}
	}
}
