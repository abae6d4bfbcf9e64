package httpapi

import (
	"context"
	"net/http"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/internal/validation"
)

func (s *Server) listHolds(x *exchange) error {
	in := x.query()
	q := library.HoldQuery{
		Filter: choice(in, "state", library.HoldFilters),
		UserID: in.identifier("user"),
		BookID: in.identifier("book"),
		Limit:  in.limit("limit"),
	}
	q.After = in.cursor("cursor", q.Filter.Order())
	if err := in.err(); err != nil {
		return err
	}
	holds, err := s.service.Holds(x.r.Context(), x.actor, q)
	if err != nil {
		return err
	}
	return list(x, holds, wireHold, "", x.answerWhole)
}

func (s *Server) showHold(x *exchange) error {
	id, err := x.identifier()
	if err != nil {
		return err
	}
	h, err := s.service.Hold(x.r.Context(), x.actor, id)
	if err != nil {
		return err
	}
	return x.respond(http.StatusOK, wireHold(h))
}

func (s *Server) placeHold(x *exchange) error {
	id, err := x.identifier()
	if err != nil {
		return err
	}
	return change(x, func(ctx context.Context) (library.Hold, error) { return s.service.PlaceHold(ctx, x.actor, id) },
		func(h library.Hold) reply { return x.created("/holds", h.ID, wireHold(h)) })
}

func (s *Server) editHold(x *exchange) error {
	id, in, err := x.edit()
	if err != nil {
		return err
	}
	fetched, missing := in.boolean("fetched", false), []library.Detail(nil)
	if !in.has("fetched") {
		missing = append(missing, validation.Required("fetched"))
	}
	if err := in.err(missing); err != nil {
		return err
	}
	h, err := s.service.FetchHold(x.r.Context(), x.actor, id, fetched)
	if err != nil {
		return err
	}
	return x.respond(http.StatusOK, wireHold(h))
}

func (s *Server) cancelHold(x *exchange) error {
	id, err := x.identifier()
	if err != nil {
		return err
	}
	if err := s.service.CancelHold(x.r.Context(), x.actor, id); err != nil {
		return err
	}
	return x.noContent()
}

func wireHold(h library.Hold) api.Hold {
	return api.Hold{
		Identifier: h.ID,
		Book:       wireBookRef(h.Book),
		User:       wirePerson(h.Holder),
		State:      string(h.State),
		Position:   h.Position,
		Copy:       wireCopyRef(h.CopyID, h.Barcode),
		Until:      instant(h.Until),
		FetchedAt:  instant(h.Fetched),
		CreatedAt:  instant(h.Created),
		EndedAt:    instant(h.Ended),
	}
}

// wireHoldOf is nil if there is no hold.
func wireHoldOf(h *library.Hold) *api.Hold {
	if h == nil {
		return nil
	}
	out := wireHold(*h)
	return &out
}
