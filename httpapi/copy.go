package httpapi

import (
	"context"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/httpapi/internal/input"
	"example.org/library/service"
)

// listCopies answers with all copies of a book: there are no more of them than a
// page has.
func (s *Server) listCopies(x *exchange, id string) error {
	if err := x.query().Err(); err != nil {
		return err
	}
	copies, err := s.service.Copies(x.r.Context(), x.actor, id)
	return listUncached(x, listOf(copies), err, wireCopy)
}

// listAllCopies answers with the copies of all books, by shelf.
func (s *Server) listAllCopies(x *exchange) error {
	in := x.query()
	q := library.CopyQuery{
		State: input.Choice(in, "state", library.CopyStates), Shelf: in.Shelf("shelf"), BookID: in.Identifier("book"),
		NeverLent: in.Boolean("neverLent"),
	}
	q.Limit, q.After = x.page(in, "copies", library.ByShelf)
	seenBefore := in.Date("seenBefore")
	if err := in.Err(); err != nil {
		return err
	}
	copies, err := s.service.AllCopies(x.r.Context(), x.actor, q, seenBefore)
	return listUncached(x, copies, err, wireCopy)
}

// listOf returns a list of records in memory.
func listOf[T any](records []T) service.List[T] {
	return service.List[T]{Total: len(records), All: func(yield func(T, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}}
}

func (s *Server) showCopy(x *exchange, id string) error {
	c, err := s.service.Copy(x.r.Context(), x.actor, id)
	if err != nil {
		return err
	}
	return x.show(wireCopy(c), copyTag(c, x.actor))
}

func (s *Server) addCopy(x *exchange, bookID string) error {
	in, err := x.fields()
	if err != nil {
		return err
	}
	id, fields := in.Identifier(), copyFields(&in)
	if err := in.Err(fields.Check()); err != nil {
		return err
	}
	return change(x, func(ctx context.Context) (library.Copy, error) {
		return s.service.AddCopy(ctx, x.actor, bookID, id, fields)
	}, func(c library.Copy) reply { return x.created("/copies", c.ID, wireCopy(c)) })
}

func (s *Server) editCopy(x *exchange, id string) error {
	in, err := x.edit(id)
	if err != nil {
		return err
	}
	fields := copyFields(&in)
	if err := in.Err(fields.Check()); err != nil {
		return err
	}
	c, err := s.service.EditCopy(x.r.Context(), x.actor, id, fields, precondition(x.r.Header))
	return x.result(wireCopy(c), err)
}

func (s *Server) removeCopy(x *exchange, id string) error {
	return x.noContent(s.service.RemoveCopy(x.r.Context(), x.actor, id, precondition(x.r.Header)))
}

func copyFields(in *input.Fields) library.CopyFields {
	return library.CopyFields{
		Barcode: in.Text("barcode"),
		Shelf:   in.Text("shelf"),
		Note:    in.Text("note"),
		State:   library.CopyState(in.Word("state")),
	}
}

func wireCopy(c library.Copy) api.Copy {
	var book *api.BookRef
	if c.Book.ID != "" {
		book = new(wireBookRef(c.Book))
	}
	return api.Copy{
		Identifier: c.ID,
		Book:       book,
		Barcode:    c.Barcode,
		Shelf:      c.Shelf,
		Note:       c.Note,
		State:      string(c.State),
		Loan:       ifAny(c.Loan, wireLoan),
		Hold:       ifAny(c.Hold, wireHold),

		SeenAt:       instant(c.Seen),
		MissingSince: instant(c.MissingSince),
	}
}

// seeCopy records that somebody has a copy in hand.
func (s *Server) seeCopy(x *exchange, id string) error {
	return change(x, func(ctx context.Context) (service.SeenCopy, error) { return s.service.SeeCopy(ctx, x.actor, id) },
		func(c service.SeenCopy) reply { return done(wireSeen(c)) })
}

func wireSeen(c service.SeenCopy) api.Copy {
	out := wireCopy(c.Copy)
	if !c.WasMissing.IsZero() {
		out.WasMissing, out.MissingSince = true, instant(c.WasMissing)
	}
	return out
}
