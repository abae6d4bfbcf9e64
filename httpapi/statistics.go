package httpapi

import (
	"example.org/library/api"
	"example.org/library/httpapi/internal/input"
	"example.org/library/statistics"
)

func (s *Server) showStatistics(x *exchange) error {
	in := x.query()
	q := statistics.Query{
		By:   input.Choice(in, "by", statistics.Intervals),
		From: in.Date("from"),
		To:   in.Date("to"),
	}
	x.takeSheet(in, "statistics")
	if err := in.Err(); err != nil {
		return err
	}
	st, err := s.statistics.Report(x.r.Context(), x.actor, q)
	if x.sheet != nil {
		return listUncached(x, listOf(st.Periods), in.Judged(err), wirePeriod)
	}
	return x.result(wireStatistics(st), in.Judged(err))
}

func wireStatistics(st statistics.Report) api.Statistics {
	return api.Statistics{
		Books: st.Books, Copies: st.Copies, OpenLoans: st.OpenLoans, OverdueLoans: st.OverdueLoans,
		WaitingHolds: st.WaitingHolds, ReadyHolds: st.ReadyHolds,
		Periods: each(st.Periods, wirePeriod),
		MostBorrowed: each(st.MostBorrowed, func(b statistics.BorrowedBook) api.BookCount {
			return api.BookCount{Book: wireBookRef(b.Book), Loans: b.Loans}
		}),
		NeverBorrowed: api.NeverBorrowed{Count: st.NeverBorrowedCount, Books: each(st.NeverBorrowed, wireBookRef)},
	}
}

func wirePeriod(p statistics.Period) api.Period {
	return api.Period{From: p.From.String(), Loans: p.Loans, Returns: p.Returns}
}
