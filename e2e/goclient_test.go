package e2e

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"example.org/library/api"
	"example.org/library/client"
	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// goClient is the Go client of a caller.
func (s *server) goClient(t *testing.T, c caller) *client.Client {
	t.Helper()
	token := s.idp.Mint(t, testidp.Claims{"email": c.email, "scope": c.scope}, testidp.ES256())
	out, err := client.New(s.base, client.StaticSource(client.Token{Access: token}))
	testkit.NoError(t, err)
	return out
}

// must is the value of a call that succeeds.
func must[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		testkit.NoError(t, err)
		return value
	}
}

// refused fails unless a call was refused with the code.
func refused(t *testing.T, err error, code string) {
	t.Helper()
	var e *client.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("the error is %v, want %s", err, code)
	}
}

// parties are the clients of those who use a library.
type parties struct{ wayne, banner, parker, kent *client.Client }

func startForGoClients(t *testing.T) parties {
	t.Helper()
	testkit.AwayFromMidnight()
	s := startOn(t, "sqlite:"+filepath.Join(t.TempDir(), "library.db"))
	return parties{s.goClient(t, reader), s.goClient(t, reader2), s.goClient(t, curator), s.goClient(t, admin)}
}

func TestTheGoClientAtTheDesk(t *testing.T) {
	t.Parallel()
	p, ctx := startForGoClients(t), t.Context()

	wayne, version, err := p.kent.User(ctx, bruceWayne)
	testkit.NoError(t, err)
	fields := client.UserFieldsOf(wayne)
	fields.Card, fields.Locale = "CARD-7", "de"
	if got := must[api.User](t)(p.kent.EditUser(ctx, bruceWayne, fields, version)); got.Card != "CARD-7" || got.Locale != "de" || !got.Reminders {
		t.Errorf("the user is %+v", got)
	}

	added := must[api.Copy](t)(p.parker.AddCopy(ctx, cleanCode, client.CopyFields{Barcode: "LIB-0042"}))
	_, err = p.parker.AddCopy(ctx, cleanCode, client.CopyFields{Barcode: "LIB-0042"})
	refused(t, err, "barcode_taken")
	shelved, version, err := p.parker.Copy(ctx, added.Identifier)
	testkit.NoError(t, err)
	edit := client.CopyFieldsOf(shelved)
	edit.Shelf = "B 7"
	must[api.Copy](t)(p.parker.EditCopy(ctx, added.Identifier, edit, version))
	_, err = p.parker.EditCopy(ctx, added.Identifier, edit, version)
	refused(t, err, "outdated")

	scanned := must[api.Code](t)(p.parker.Code(ctx, "CARD-7"))
	if scanned.Kind != api.CodeReader || scanned.Reader.Identifier != bruceWayne {
		t.Fatalf("the card is %+v", scanned)
	}
	loan := must[api.Loan](t)(p.parker.Lend(ctx, client.LoanFields{User: bruceWayne, Barcode: "LIB-0042"}))
	due := must[time.Time](t)(time.Parse(api.InstantLayout, loan.DueAt))
	if left := time.Until(due); left < 27*24*time.Hour || left > 29*24*time.Hour || loan.Copy.Barcode != "LIB-0042" || loan.Renewable || loan.RenewableFrom == "" {
		t.Errorf("the loan is %+v", loan)
	}
	readers := must[client.Page[api.Reader]](t)(p.parker.Readers(ctx, client.ReaderQuery{Card: "CARD-7"}))
	if len(readers.Items) != 1 || readers.Items[0].Loans != 1 {
		t.Errorf("the readers are %+v", readers)
	}
	copies := must[client.Page[api.Copy]](t)(p.parker.Copies(ctx, cleanCode))
	if copies.Total != 2 || copies.Items[1].Loan.User.Identifier != bruceWayne || copies.Items[1].Shelf != "B 7" {
		t.Errorf("the copies are %+v", copies)
	}
	refused(t, p.parker.DeleteCopy(ctx, added.Identifier, ""), "on_loan")
	must[api.Loan](t)(p.parker.ReturnLoan(ctx, loan.Identifier))
	if err := p.parker.DeleteCopy(ctx, added.Identifier, ""); err != nil {
		t.Error(err)
	}
	_, err = p.parker.Code(ctx, "LIB-0042")
	refused(t, err, "unknown_code")
	numbers := must[api.Statistics](t)(p.parker.Statistics(ctx, client.StatisticsQuery{By: "day"}))
	if today := numbers.Periods[len(numbers.Periods)-1]; today.Loans != 1 || today.Returns != 1 || numbers.MostBorrowed[0].Book.Identifier != cleanCode {
		t.Errorf("the numbers are %+v", numbers)
	}
}

func TestTheGoClientOfReaders(t *testing.T) {
	t.Parallel()
	p, ctx := startForGoClients(t), t.Context()

	rules, version, err := p.kent.Policy(ctx)
	testkit.NoError(t, err)
	rules.LoanDays = 14
	if got := must[api.Policy](t)(p.kent.EditPolicy(ctx, rules, version)); got.LoanDays != 14 || len(got.OverdueDays) != 3 {
		t.Errorf("the rules are %+v", got)
	}

	lent := must[api.Book](t)(p.wayne.Borrow(ctx, cleanCode))
	if lent.Loan == nil || lent.Loan.DueAt == "" || lent.Available != 0 || lent.Copies != 1 {
		t.Fatalf("the book is %+v", lent)
	}
	_, err = p.wayne.Renew(ctx, lent.Loan.Identifier)
	refused(t, err, "too_early")
	rules.LoanDays = 15
	must[api.Policy](t)(p.kent.EditPolicy(ctx, rules, ""))
	must[api.Loan](t)(p.wayne.Renew(ctx, lent.Loan.Identifier))
	_, err = p.banner.Borrow(ctx, cleanCode)
	refused(t, err, "already_borrowed")
	hold := must[api.Hold](t)(p.banner.PlaceHold(ctx, cleanCode))
	if hold.State != api.HoldWaiting || hold.Position != 1 {
		t.Errorf("the hold is %+v", hold)
	}
	_, err = p.wayne.Renew(ctx, lent.Loan.Identifier)
	refused(t, err, "awaited")
	_, err = p.wayne.Hold(ctx, hold.Identifier)
	refused(t, err, "hold_not_found")

	back := must[api.Loan](t)(p.parker.ReturnLoan(ctx, lent.Loan.Identifier))
	if back.Hold == nil || back.Hold.Identifier != hold.Identifier || back.Hold.User == nil {
		t.Errorf("the loan that came back is %+v", back)
	}
	if ready := must[api.Hold](t)(p.banner.Hold(ctx, hold.Identifier)); ready.State != api.HoldReady || ready.Until == "" || ready.Copy == nil {
		t.Errorf("the hold is %+v", ready)
	}
	_, err = p.wayne.Borrow(ctx, cleanCode)
	refused(t, err, "reserved")
	testkit.NoError(t, p.banner.CancelHold(ctx, hold.Identifier))
	refused(t, p.banner.CancelHold(ctx, hold.Identifier), "not_active")
	ended := must[client.Page[api.Hold]](t)(p.banner.Holds(ctx, client.HoldQuery{State: api.HoldsEnded}))
	if ended.Total != 1 || ended.Items[0].State != api.HoldCancelled {
		t.Errorf("the holds are %+v", ended)
	}

	if known := must[api.Export](t)(p.wayne.Export(ctx)); len(known.Loans) != 1 || known.Loans[0].ReturnedAt == "" || known.User.Identifier != bruceWayne {
		t.Errorf("what the library knows is %+v", known)
	}
	testkit.NoError(t, p.wayne.ForgetHistory(ctx))
	if past := must[client.Page[api.Loan]](t)(p.wayne.Loans(ctx, client.LoanQuery{State: api.LoansReturned})); past.Total != 0 {
		t.Errorf("the library still knows %+v", past)
	}
	no := false
	if me := must[api.Me](t)(p.wayne.EditMe(ctx, client.MeFields{Locale: "de", Reminders: &no})); me.Locale != "de" || me.Reminders {
		t.Errorf("the caller is %+v", me)
	}
}
