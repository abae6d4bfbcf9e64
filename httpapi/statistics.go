package httpapi

import (
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
	return x.result(wireStatistics(st), in.judged(err))
}

func wireStatistics(st library.Statistics) api.Statistics {
	return api.Statistics{
		Books: st.Books, Copies: st.Copies, OpenLoans: st.OpenLoans, OverdueLoans: st.OverdueLoans,
		WaitingHolds: st.WaitingHolds, ReadyHolds: st.ReadyHolds,
		Periods: each(st.Periods, func(p library.Period) api.Period {
			return api.Period{From: p.From.String(), Loans: p.Loans, Returns: p.Returns}
		}),
		MostBorrowed: each(st.MostBorrowed, func(b library.BorrowedBook) api.BookCount {
			return api.BookCount{Book: wireBookRef(b.Book), Loans: b.Loans}
		}),
		NeverBorrowed: api.NeverBorrowed{Count: st.NeverBorrowedCount, Books: each(st.NeverBorrowed, wireBookRef)},
	}
}
