package httpapi

import (
	"example.org/library/api"
	"example.org/library/search"
)

// suggest completes a question. The words of a question are bounded as in a search.
func (s *Server) suggest(x *exchange) error {
	if x.answerFromCache() {
		return nil
	}
	in := x.query()
	typed := in.Text("q")
	in.Words("q", typed)
	if err := in.Err(); err != nil {
		return err
	}
	if err := x.enter(); err != nil {
		return err
	}
	found, err := s.search.Suggestions(x.r.Context(), x.actor, typed)
	if err != nil {
		return in.Judged(err)
	}
	return x.answerAndCache(each(found, func(s search.Suggestion) api.Suggestion {
		return api.Suggestion{Kind: string(s.Kind), Value: s.Value, Book: s.BookID}
	}), "", false)
}
