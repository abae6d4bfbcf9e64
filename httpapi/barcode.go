package httpapi

import (
	"net/http"

	"example.org/library"
	"example.org/library/api"
)

// showCode answers with what a scanner has read.
func (s *Server) showCode(x *exchange) error {
	if err := x.query().err(); err != nil {
		return err
	}
	found, err := s.service.Scan(x.r.Context(), x.actor, x.param)
	if err != nil {
		return err
	}
	return x.respond(http.StatusOK, x.wireCode(found))
}

func (x *exchange) wireCode(found library.Scanned) api.Code {
	switch {
	case found.Copy != nil:
		c, b := wireCopy(*found.Copy), x.wireBook(*found.Book)
		return api.Code{Kind: api.CodeCopy, Copy: &c, Book: &b}
	case found.Reader != nil:
		r := wireReader(*found.Reader)
		return api.Code{Kind: api.CodeReader, Reader: &r}
	}
	out := api.Code{Kind: api.CodeBook}
	for _, b := range found.Books {
		out.Books = append(out.Books, x.wireBook(b))
	}
	return out
}
