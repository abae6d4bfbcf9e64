package httpapi

import (
	"errors"
	"net/http"

	"example.org/library/api"
	"example.org/library/internal/isbn"
	"example.org/library/lookup"
)

var (
	errBadISBN     = &problem{status: 400, code: "bad_isbn", message: "The path does not end with a valid ISBN."}
	errUnknownISBN = &problem{status: 404, code: "unknown_isbn", message: "No source knows this ISBN."}
	errLookupOff   = &problem{status: 404, code: "lookup_off", message: "This library asks no other catalogues: no source is set (--lookup)."}
)

// lookUpISBN asks other catalogues. It needs nothing of the database.
func (s *Server) lookUpISBN(x *exchange) error {
	if err := x.query().Err(); err != nil {
		return err
	}
	key := isbn.Proven(x.param)
	if key == "" {
		return errBadISBN
	}
	if s.lookup == nil {
		return errLookupOff
	}
	answers, err := s.lookup.Find(x.r.Context(), key)
	switch {
	case errors.Is(err, lookup.ErrUnknown):
		return errUnknownISBN
	case errors.Is(err, lookup.ErrFailed):
		return errSourceFailed
	case err != nil:
		return err
	}
	return x.respond(http.StatusOK, each(answers, func(a lookup.Answer) api.Lookup {
		return api.Lookup{Source: a.Source, Book: api.BookFields(a.Book)}
	}))
}
