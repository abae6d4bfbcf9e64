package httpapi

import (
	"net/http"

	"example.org/library/api"
	"example.org/library/finding"
)

// suggest says what somebody may be typing. The words of a question are bounded as in a search.
func (s *Server) suggest(x *exchange) error {
	in := x.query()
	typed := in.Text("q")
	in.Words("q", typed)
	if err := in.Err(); err != nil {
		return err
	}
	found, err := s.finding.Suggestions(x.r.Context(), x.actor, typed)
	if err != nil {
		return in.Judged(err)
	}
	return x.respond(http.StatusOK, each(found, func(s finding.Suggestion) api.Suggestion {
		return api.Suggestion{Kind: string(s.Kind), Value: s.Value, Book: s.BookID}
	}))
}
