package httpapi

import (
	"context"
	"net/http"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/service"
)

// showVisitor greets the person with a card.
func (s *Server) showVisitor(x *exchange) error {
	in, err := x.fields()
	if err != nil {
		return err
	}
	card := in.Label("card")
	if err := in.Err(nil); err != nil {
		return err
	}
	v, err := s.service.Visit(x.r.Context(), x.actor, card)
	return x.result(api.Visitor{FirstName: v.FirstName, Loans: v.Loans, Overdue: v.Overdue, Ready: v.Ready}, err)
}

// lendAtStation lends the copy in hand to the person with a card.
func (s *Server) lendAtStation(x *exchange) error {
	in, err := x.fields()
	if err != nil {
		return err
	}
	card, barcode := in.Label("card"), in.Label("barcode")
	if err := in.Err(nil); err != nil {
		return err
	}
	return change(x, func(ctx context.Context) (service.AtStation, error) {
		return s.service.LendAtStation(ctx, x.actor, card, barcode)
	}, func(l service.AtStation) reply {
		return reply{status: http.StatusCreated, value: api.StationLoan{Book: wireStationBook(l.Book), DueAt: instant(l.Due)}}
	})
}

// returnAtStation ends the loan of the copy in hand, of nobody in particular.
func (s *Server) returnAtStation(x *exchange) error {
	in, err := x.fields()
	if err != nil {
		return err
	}
	barcode := in.Label("barcode")
	if err := in.Err(nil); err != nil {
		return err
	}
	return change(x, func(ctx context.Context) (service.AtStation, error) {
		return s.service.ReturnAtStation(ctx, x.actor, barcode)
	}, func(l service.AtStation) reply {
		return done(api.StationReturn{Book: wireStationBook(l.Book), SetAside: l.SetAside})
	})
}

func wireStationBook(b library.BookRef) api.StationBook {
	return api.StationBook{Title: b.Title, Authors: b.Authors}
}
