package httpapi

import (
	"context"
	"net/http"
	"strings"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/httpapi/internal/input"
	"example.org/library/internal/validation"
	"example.org/library/service"
)

// showVisitor greets the person with a card.
func (s *Server) showVisitor(x *exchange) error {
	in, err := x.fields()
	if err != nil {
		return err
	}
	card := cardIn(&in)
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
	card, barcode := cardIn(&in), barcodeIn(&in)
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
	barcode := barcodeIn(&in)
	if err := in.Err(nil); err != nil {
		return err
	}
	return change(x, func(ctx context.Context) (service.AtStation, error) {
		return s.service.ReturnAtStation(ctx, x.actor, barcode)
	}, func(l service.AtStation) reply {
		return done(api.StationReturn{Book: wireStationBook(l.Book), SetAside: l.SetAside})
	})
}

// cardIn reads a card. Any text may be one; the station learns that it is nobody's.
func cardIn(in *input.Fields) string {
	card := strings.TrimSpace(in.Text("card"))
	if card == "" && !in.IsWrong() {
		in.Refuse(validation.Required("card"))
	}
	return card
}

func barcodeIn(in *input.Fields) string {
	barcode := in.Code("barcode")
	if !in.Has("barcode") {
		in.Refuse(validation.Required("barcode"))
	}
	return barcode
}

func wireStationBook(b library.BookRef) api.StationBook {
	return api.StationBook{Title: b.Title, Authors: b.Authors}
}
