package httpapi

import (
	"example.org/library/api"
	"example.org/library/search"
)

// showFacets answers with the facets of the books of a query.
func (s *Server) showFacets(x *exchange) error {
	if x.answerFromCache() {
		return nil
	}
	in := x.query()
	q := bookFilters(in)
	if err := in.Err(); err != nil {
		return err
	}
	if err := x.enter(); err != nil {
		return err
	}
	q, err := s.search.Correct(x.r.Context(), x.actor, q)
	if err != nil {
		return err
	}
	found, err := s.search.Facets(x.r.Context(), x.actor, q)
	if err != nil {
		return err
	}
	return x.answerAndCache(api.Facets{
		Total: found.Total, Exact: found.Exact,
		Subjects: wireCounts(found.Subjects), Languages: wireCounts(found.Languages), Kinds: wireCounts(found.Kinds), Decades: wireCounts(found.Decades),
		Availability: api.Availability{Available: found.Available, Unavailable: found.Unavailable},
	}, q.Corrected, true)
}

func wireCounts[T any](counts []search.FacetCount[T]) []api.FacetCount[T] {
	return each(counts, func(c search.FacetCount[T]) api.FacetCount[T] { return api.FacetCount[T](c) })
}
