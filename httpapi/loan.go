package httpapi

import (
	"context"
	"time"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/httpapi/internal/input"
	"example.org/library/internal/validation"
	"example.org/library/service"
)

func (s *Server) listLoans(x *exchange) error {
	in := x.query()
	q := library.LoanQuery{
		Filter: input.Choice(in, "state", library.LoanFilters),
		UserID: in.Identifier("user"), BookID: in.Identifier("book"), Group: in.Group("group"), Limit: in.Limit("limit"),
	}
	q.After = in.Cursor("cursor", q.Filter.Order())
	if err := in.Err(); err != nil {
		return err
	}
	loans, err := s.service.Loans(x.r.Context(), x.actor, q)
	return listUncached(x, loans, err, wireLoan)
}

func (s *Server) showLoan(x *exchange, id string) error {
	l, err := s.service.Loan(x.r.Context(), x.actor, id)
	return x.result(wireLoan(l), err)
}

func (s *Server) lendAtDesk(x *exchange) error {
	in, err := x.fields()
	if err != nil {
		return err
	}
	what := lending(&in)
	if err := in.Err(nil); err != nil {
		return err
	}
	return change(x, func(ctx context.Context) (library.Loan, error) { return s.service.Lend(ctx, x.actor, what) },
		func(l library.Loan) reply { return x.created("/loans", l.ID, wireLoan(l)) })
}

// lending reads to whom something is lent at the desk, and what: exactly one of a
// book, a copy and a barcode.
func lending(in *input.Fields) service.Lending {
	l := service.Lending{
		UserID: in.Reference("user"), BookID: in.Reference("book"), CopyID: in.Reference("copy"), Barcode: in.Code("barcode"),
	}
	if !in.Has("user") {
		in.Refuse(validation.Required("user"))
	}
	var given []string
	for _, name := range []string{"book", "copy", "barcode"} {
		if in.Has(name) {
			given = append(given, name)
		}
	}
	if len(given) == 0 {
		in.Refuse(library.Detail{Field: "book", Code: validation.CodeRequired, Message: "is required, or copy or barcode in its place"})
	}
	if len(given) > 1 {
		for _, name := range given {
			in.Refuse(library.Detail{Field: name, Code: validation.CodeTooMany, Limit: 1, Message: "is not all that is given; only one of book, copy and barcode may be"})
		}
	}
	return l
}

func (s *Server) renewLoan(x *exchange, id string) error {
	return change(x, func(ctx context.Context) (library.Loan, error) { return s.service.Renew(ctx, x.actor, id) },
		func(l library.Loan) reply { return done(wireLoan(l)) })
}

func (s *Server) returnLoan(x *exchange, id string) error {
	return change(x, func(ctx context.Context) (service.ReturnedLoan, error) { return s.service.ReturnLoan(ctx, x.actor, id) },
		func(l service.ReturnedLoan) reply {
			out := wireLoan(l.Loan)
			out.Hold = ifAny(l.SetAside, wireHold)
			return done(out)
		})
}

func wireLoan(l library.Loan) api.Loan {
	return api.Loan{
		Identifier: l.ID,
		Book:       wireBookRef(l.Book),
		Copy:       wireCopyRef(l.CopyID, l.Barcode),
		User:       wirePerson(l.Borrower),
		BorrowedAt: instant(l.Since),
		DueAt:      instant(l.Due),
		ReturnedAt: instant(l.Returned),
		Renewals:   l.Renewals,
		Overdue:    l.Overdue,
		Renewable:  l.Renewable,

		RenewableFrom: instant(l.RenewableFrom),
	}
}

func wireBookRef(b library.BookRef) api.BookRef {
	return api.BookRef{Identifier: b.ID, Title: b.Title, Authors: b.Authors}
}

// wireCopyRef is nil for a copy that is gone.
func wireCopyRef(id, barcode string) *api.CopyRef {
	if id == "" {
		return nil
	}
	return &api.CopyRef{Identifier: id, Barcode: barcode}
}

// wirePerson is nil for a person who is forgotten.
func wirePerson(p library.Person) *api.Person {
	if p.ID == "" {
		return nil
	}
	return &api.Person{Identifier: p.ID, FirstName: p.FirstName, LastName: p.LastName, Group: p.Group}
}

// instant is a time on the wire, "" for the zero one.
func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(api.InstantLayout)
}
