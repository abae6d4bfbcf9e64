package httpapi

import (
	"example.org/library"
	"example.org/library/api"
)

func (s *Server) listReaders(x *exchange) error {
	in := x.query()
	var q library.ReaderQuery
	q.UserQuery, q.Email = in.People("q")
	q.Limit, q.After = in.Limit("limit"), in.Cursor("cursor", library.ByLastName)
	q.Group, q.Category, q.Active = in.Name("group", library.MaxGroup), in.Name("category", library.MaxCategory), in.Boolean("active")
	q.Card = in.Code("card")
	if err := in.Err(); err != nil {
		return err
	}
	readers, err := s.service.Readers(x.r.Context(), x.actor, q)
	return listUncached(x, readers, err, wireReader)
}

func wireReader(r library.Reader) api.Reader {
	return api.Reader{
		Person:   api.Person{Identifier: r.ID, FirstName: r.FirstName, LastName: r.LastName, Group: r.Group},
		Category: r.Category, Note: r.Note, Block: r.Block,
		Card: r.Card, Active: !r.Inactive, Loans: r.Loans, Overdue: r.Overdue, Unreachable: r.Unreachable,
	}
}

func (s *Server) showReader(x *exchange, id string) error {
	r, err := s.service.Reader(x.r.Context(), x.actor, id)
	if err != nil {
		return err
	}
	return x.show(wireReader(r), tag(r.Version))
}

func (s *Server) editReader(x *exchange, id string) error {
	in, err := x.fields() // people edit the record as they have read it
	if err != nil {
		return err
	}
	fields := library.ReaderFields{Card: in.Text("card"), Note: in.Text("note"), Block: in.Text("block")}
	if err := in.Err(fields.Check()); err != nil {
		return err
	}
	r, err := s.service.EditReader(x.r.Context(), x.actor, id, fields, precondition(x.r.Header))
	return x.result(wireReader(r), err)
}
