package httpapi

import (
	"cmp"
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
		UserID: in.Identifier("user"), BookID: in.Identifier("book"), Group: in.Name("group", library.MaxGroup),
	}
	if q.Filter == library.ReturnedLoans {
		q.From, q.To = in.Days("from", "to")
	}
	refuse(in, "is the day of a return, which only returned loans have", "from", "to")
	q.Limit, q.After = x.page(in, "loans", q.Filter.Order())
	if err := in.Err(); err != nil {
		return err
	}
	loans, err := s.service.Loans(x.r.Context(), x.actor, q)
	if q.Filter == library.ClaimedLoans && x.actor.IsStaff() {
		return listUncached(x, loans, err, wireClaimed)
	}
	return listUncached(x, loans, err, wireLoan)
}

// wireClaimed is a claimed loan with the shelf to look on.
func wireClaimed(l library.Loan) api.Loan {
	out := wireLoan(l)
	if out.Copy != nil {
		out.Copy.Shelf = l.Shelf
	}
	return out
}

func (s *Server) showLoan(x *exchange, id string) error {
	l, err := s.service.Loan(x.r.Context(), x.actor, id)
	return x.result(wireLoan(l), err)
}

// lend lends at the desk, or to the caller.
func (s *Server) lend(x *exchange) error {
	in, err := x.fields()
	if err != nil {
		return cmp.Or(x.actor.MayCirculate(), err)
	}
	if err := x.mayLend(in); err != nil {
		return err
	}
	what := x.lending(&in)
	if err := in.Err(nil); err != nil {
		return err
	}
	return change(x, func(ctx context.Context) (service.LentLoan, error) { return s.service.Lend(ctx, x.actor, what) },
		func(l service.LentLoan) reply {
			out := wireLoan(l.Loan)
			out.Swapped = l.Swapped
			return x.created("/loans", l.ID, out)
		})
}

// mayLend judges the caller before the rest of the body: the desk is the curators', and
// readers lend to themselves alone.
func (x *exchange) mayLend(in input.Fields) error {
	atDesk := in.Has("user") && !x.isCaller(in, "user") || in.Has("swap") && !in.IsFalse("swap") || in.Has("several") && !in.IsFalse("several")
	if atDesk && !x.actor.Has(library.RoleCurator) {
		return library.MissingRole(library.RoleCurator)
	}
	return x.actor.MayCirculate()
}

// isCaller reports whether a member is the caller's own identifier.
func (x *exchange) isCaller(in input.Fields, name string) bool {
	return in.Reference(name) == x.actor.User.ID
}

// lending reads what is lent to whom: exactly one of a book, a copy and a barcode. Without a
// user it is the caller, who then needs the role of a reader.
func (x *exchange) lending(in *input.Fields) service.Lending {
	l := service.Lending{UserID: in.Reference("user"), BookID: in.Reference("book"), Swap: in.Boolean("swap", false), Several: in.Boolean("several", false)}
	l.CopyID, l.Barcode = in.Reference("copy"), in.Code("barcode")
	switch {
	case !x.actor.Has(library.RoleCurator):
		l.UserID = ""
	case !in.Has("user") && !x.actor.Has(library.RoleUser), !in.Has("user") && (l.Swap || l.Several):
		in.Refuse(validation.Required("user"))
	}
	in.ExactlyOne("book", "copy", "barcode")
	if l.Swap && in.Has("book") {
		in.Refuse(library.Detail{Field: "swap", Code: validation.CodeTooMany, Message: "needs a copy or a barcode, not a book"})
	}
	return l
}

func (s *Server) renewLoan(x *exchange, id string) error {
	return change(x, func(ctx context.Context) (library.Loan, error) { return s.service.Renew(ctx, x.actor, id) },
		func(l library.Loan) reply { return done(wireLoan(l)) })
}

func (s *Server) returnLoan(x *exchange, id string) error {
	in, err := x.optionalFields()
	if err != nil {
		return err
	}
	asClaimed := in.Boolean("asClaimed", false)
	if in.IsWrong() || asClaimed {
		if err := cmp.Or(x.actor.Authorize(library.Curate), in.Err(nil)); err != nil {
			return err
		}
	}
	end := s.service.ReturnLoan
	if asClaimed {
		end = s.service.ReturnClaimed
	}
	return change(x, func(ctx context.Context) (service.ReturnedLoan, error) { return end(ctx, x.actor, id) },
		func(l service.ReturnedLoan) reply { return done(wireReturned(l)) })
}

func (s *Server) undoReturn(x *exchange, id string) error {
	return change(x, func(ctx context.Context) (library.Loan, error) { return s.service.UndoReturn(ctx, x.actor, id) },
		func(l library.Loan) reply { return done(wireLoan(l)) })
}

func (s *Server) claimLoan(x *exchange, id string) error {
	return change(x, func(ctx context.Context) (library.Loan, error) { return s.service.Claim(ctx, x.actor, id) },
		func(l library.Loan) reply { return done(wireLoan(l)) })
}

func (s *Server) unclaimLoan(x *exchange, id string) error {
	return x.noContent(s.service.Unclaim(x.r.Context(), x.actor, id))
}

func (s *Server) loseLoan(x *exchange, id string) error {
	return change(x, func(ctx context.Context) (library.Loan, error) { return s.service.LoseLoan(ctx, x.actor, id) },
		func(l library.Loan) reply { return done(wireLoan(l)) })
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
		ClaimedAt:     instant(l.Claimed),
		Lost:          l.Lost,
		Rule:          l.Rule,
		Several:       l.Several,
	}
}

func wireBookRef(b library.BookRef) api.BookRef {
	return api.BookRef{Identifier: b.ID, Title: b.Title, Authors: b.Authors}
}

// wireCopyRef returns nil for a deleted copy.
func wireCopyRef(id, barcode string) *api.CopyRef {
	if id == "" {
		return nil
	}
	return &api.CopyRef{Identifier: id, Barcode: barcode}
}

// wirePerson returns nil for a forgotten person.
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
