package httpapi

import (
	"context"
	"net/http"

	"example.org/library"
	"example.org/library/api"
)

// listCopies answers with all copies of a book: there are no more of them than a
// page has.
func (s *Server) listCopies(x *exchange) error {
	id, err := x.identifier()
	if err != nil {
		return err
	}
	if err := x.query().err(); err != nil {
		return err
	}
	copies, err := s.service.Copies(x.r.Context(), x.actor, id)
	if err != nil {
		return err
	}
	return list(x, listOf(copies), wireCopy, "", x.answerWhole)
}

// listOf is a list of records that have been read already.
func listOf[T any](records []T) library.List[T] {
	return library.List[T]{Total: len(records), All: func(yield func(T, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}}
}

func (s *Server) showCopy(x *exchange) error {
	id, err := x.identifier()
	if err != nil {
		return err
	}
	c, err := s.service.Copy(x.r.Context(), x.actor, id)
	if err != nil {
		return err
	}
	return x.show(wireCopy(c), copyTag(c, x.actor))
}

func (s *Server) addCopy(x *exchange) error {
	bookID, err := x.identifier()
	if err != nil {
		return err
	}
	in, err := x.fields()
	if err != nil {
		return err
	}
	id, fields := in.identifier(), copyFields(&in)
	if err := in.err(fields.Check()); err != nil {
		return err
	}
	return change(x, func(ctx context.Context) (library.Copy, error) {
		return s.service.AddCopy(ctx, x.actor, bookID, id, fields)
	}, func(c library.Copy) reply { return x.created("/copies", c.ID, wireCopy(c)) })
}

func (s *Server) editCopy(x *exchange) error {
	id, in, err := x.edit()
	if err != nil {
		return err
	}
	fields := copyFields(&in)
	if err := in.err(fields.Check()); err != nil {
		return err
	}
	c, err := s.service.EditCopy(x.r.Context(), x.actor, id, fields, precondition(x.r.Header))
	if err != nil {
		return err
	}
	return x.respond(http.StatusOK, wireCopy(c))
}

func (s *Server) removeCopy(x *exchange) error {
	id, err := x.identifier()
	if err != nil {
		return err
	}
	if err := s.service.RemoveCopy(x.r.Context(), x.actor, id, precondition(x.r.Header)); err != nil {
		return err
	}
	return x.noContent()
}

func copyFields(in *fields) library.CopyFields {
	return library.CopyFields{
		Barcode: in.text("barcode"),
		Shelf:   in.text("shelf"),
		Note:    in.text("note"),
		State:   library.CopyState(in.word("state")),
	}
}

func wireCopy(c library.Copy) api.Copy {
	out := api.Copy{
		Identifier: c.ID,
		Barcode:    c.Barcode,
		Shelf:      c.Shelf,
		Note:       c.Note,
		State:      string(c.State),
		Hold:       wireHoldOf(c.Hold),
	}
	if c.Loan != nil {
		l := wireLoan(*c.Loan)
		out.Loan = &l
	}
	return out
}
