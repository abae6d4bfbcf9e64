package httpapi

import (
	"example.org/library/api"
	"example.org/library/service"
)

// showCode answers with the copy, the book or the reader of a scanned code.
func (s *Server) showCode(x *exchange) error {
	if err := x.query().Err(); err != nil {
		return err
	}
	found, err := s.service.Scan(x.r.Context(), x.actor, x.param)
	return x.result(x.wireCode(found), err)
}

func (x *exchange) wireCode(found service.Scanned) api.Code {
	switch {
	case found.Copy != nil:
		return api.Code{Kind: api.CodeCopy, Copy: ifAny(found.Copy, wireCopy), Book: ifAny(found.Book, x.wireBook)}
	case found.Reader != nil:
		return api.Code{Kind: api.CodeReader, Reader: ifAny(found.Reader, wireReader)}
	}
	return api.Code{Kind: api.CodeBook, Books: each(found.Books, x.wireBook)}
}
