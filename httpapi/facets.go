package httpapi

import (
	"net/http"

	"example.org/library/api"
	"example.org/library/finding"
	"example.org/library/httpapi/internal/responsecache"
)

// showFacets says what the books of a query are about.
func (s *Server) showFacets(x *exchange) error {
	in := x.query()
	q := bookFilters(in)
	if err := in.Err(); err != nil {
		return err
	}
	q, err := s.finding.Correct(x.r.Context(), x.actor, q)
	if err != nil {
		return err
	}
	if q.Corrected != "" {
		setHeaders(x.w.Header(), &responsecache.Response{Corrected: correctedField(q.Corrected)})
	}
	found, err := s.finding.Facets(x.r.Context(), x.actor, q)
	if err != nil {
		return err
	}
	return x.respond(http.StatusOK, api.Facets{
		Total: found.Total, Exact: found.Exact,
		Subjects: wireCounts(found.Subjects), Languages: wireCounts(found.Languages), Decades: wireCounts(found.Decades),
		Availability: api.Availability{Available: found.Available, Unavailable: found.Unavailable},
	})
}

func wireCounts[T any](counts []finding.FacetCount[T]) []api.FacetCount[T] {
	return each(counts, func(c finding.FacetCount[T]) api.FacetCount[T] { return api.FacetCount[T](c) })
}
