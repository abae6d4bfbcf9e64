package httpapi

import (
	"cmp"
	"context"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/httpapi/internal/input"
	"example.org/library/service"
)

// returnCopy ends a loan with the copy in hand: the caller's own, or any at the desk.
func (s *Server) returnCopy(x *exchange) error {
	in, err := x.fields()
	if err != nil {
		return cmp.Or(x.actor.MayCirculate(), err)
	}
	if (in.Has("loan") || in.Has("asClaimed") && !in.IsFalse("asClaimed")) && !x.actor.Has(library.RoleCurator) {
		return library.MissingRole(library.RoleCurator)
	}
	if err := x.actor.MayCirculate(); err != nil {
		return err
	}
	what := service.Returning{LoanID: in.Reference("loan"), AsClaimed: in.Boolean("asClaimed", false)}
	what.CopyID, what.Barcode = inHand(&in)
	if err := in.Err(nil); err != nil {
		return err
	}
	return change(x, func(ctx context.Context) (service.ReturnedLoan, error) {
		return s.service.ReturnCopy(ctx, x.actor, what)
	},
		func(l service.ReturnedLoan) reply { return done(wireReturned(l)) })
}

// moveLoan gives a loan another copy of its book.
func (s *Server) moveLoan(x *exchange, id string) error {
	in, err := x.fields()
	if err != nil {
		return err
	}
	to := service.Moving{Swap: in.Boolean("swap", false)}
	to.CopyID, to.Barcode = inHand(&in)
	if err := in.Err(nil); err != nil {
		return err
	}
	return change(x, func(ctx context.Context) (library.Loan, error) { return s.service.MoveLoan(ctx, x.actor, id, to) },
		func(l library.Loan) reply { return done(wireLoan(l)) })
}

// inHand reads a copy: exactly one of its identifier and its barcode.
func inHand(in *input.Fields) (copyID, barcode string) {
	copyID, barcode = in.Reference("copy"), in.Code("barcode")
	in.ExactlyOne("copy", "barcode")
	return copyID, barcode
}

func wireReturned(l service.ReturnedLoan) api.Loan {
	out := wireLoan(l.Loan)
	out.Hold, out.Swapped = ifAny(l.SetAside, wireHold), l.Swapped
	return out
}
