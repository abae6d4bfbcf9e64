package httpapi

import (
	"net/http"

	"example.org/library"
	"example.org/library/api"
)

func (s *Server) showStatistics(x *exchange) error {
	in := x.query()
	q := library.StatisticsQuery{
		By:   choice(in, "by", library.Intervals),
		From: in.date("from"),
		To:   in.date("to"),
	}
	if err := in.err(); err != nil {
		return err
	}
	st, err := s.service.Statistics(x.r.Context(), x.actor, q)
	if err != nil {
		return in.judged(err)
	}
	return x.respond(http.StatusOK, wireStatistics(st))
}

func wireStatistics(st library.Statistics) api.Statistics {
	out := api.Statistics{
		Books: st.Books, Copies: st.Copies, OpenLoans: st.OpenLoans, OverdueLoans: st.OverdueLoans,
		WaitingHolds: st.WaitingHolds, ReadyHolds: st.ReadyHolds,
		Periods:       make([]api.Period, len(st.Periods)),
		MostBorrowed:  make([]api.BookCount, len(st.MostBorrowed)),
		NeverBorrowed: api.NeverBorrowed{Count: st.NeverBorrowedCount, Books: make([]api.BookRef, len(st.NeverBorrowed))},
	}
	for i, p := range st.Periods {
		out.Periods[i] = api.Period{From: p.From.String(), Loans: p.Loans, Returns: p.Returns}
	}
	for i, b := range st.MostBorrowed {
		out.MostBorrowed[i] = api.BookCount{Book: wireBookRef(b.Book), Loans: b.Loans}
	}
	for i, b := range st.NeverBorrowed {
		out.NeverBorrowed.Books[i] = wireBookRef(b)
	}
	return out
}
