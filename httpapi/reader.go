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
	q.Group = in.Group("group")
	q.Card = in.Code("card")
	if err := in.Err(); err != nil {
		return err
	}
	readers, err := s.service.Readers(x.r.Context(), x.actor, q)
	return listUncached(x, readers, err, wireReader)
}

func wireReader(r library.Reader) api.Reader {
	return api.Reader{
		Person: api.Person{Identifier: r.ID, FirstName: r.FirstName, LastName: r.LastName, Group: r.Group},
		Card:   r.Card, Loans: r.Loans, Overdue: r.Overdue, Unreachable: r.Unreachable,
	}
}
