package httpapi

import (
	"cmp"
	"context"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/httpapi/internal/input"
	"example.org/library/internal/validation"
)

func (s *Server) listHolds(x *exchange) error {
	in := x.query()
	q := library.HoldQuery{
		Filter: input.Choice(in, "state", library.HoldFilters),
		UserID: in.Identifier("user"), BookID: in.Identifier("book"),
	}
	q.Limit, q.After = x.page(in, "holds", q.Filter.Order())
	if err := in.Err(); err != nil {
		return err
	}
	holds, err := s.service.Holds(x.r.Context(), x.actor, q)
	return listUncached(x, holds, err, wireHold)
}

func (s *Server) showHold(x *exchange, id string) error {
	h, err := s.service.Hold(x.r.Context(), x.actor, id)
	return x.result(wireHold(h), err)
}

// placeHold reserves for the caller, or for a user whom a curator names. The body is optional.
func (s *Server) placeHold(x *exchange, id string) error {
	in, err := x.optionalFields()
	if err != nil {
		return cmp.Or(x.actor.MayCirculate(), err)
	}
	if in.Has("user") && !x.isCaller(in, "user") && !x.actor.Has(library.RoleCurator) {
		return library.MissingRole(library.RoleCurator)
	}
	userID := in.Reference("user")
	if err := in.Err(nil); err != nil {
		return err
	}
	return change(x, func(ctx context.Context) (library.Hold, error) { return s.service.PlaceHold(ctx, x.actor, id, userID) },
		func(h library.Hold) reply { return x.created("/holds", h.ID, wireHold(h)) })
}

func (s *Server) editHold(x *exchange, id string) error {
	in, err := x.edit(id)
	if err != nil {
		return err
	}
	fetched, missing := in.Boolean("fetched", false), []library.Detail(nil)
	if !in.Has("fetched") {
		missing = append(missing, validation.Required("fetched"))
	}
	if err := in.Err(missing); err != nil {
		return err
	}
	h, err := s.service.FetchHold(x.r.Context(), x.actor, id, fetched)
	return x.result(wireHold(h), err)
}

func (s *Server) cancelHold(x *exchange, id string) error {
	return x.noContent(s.service.CancelHold(x.r.Context(), x.actor, id))
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
