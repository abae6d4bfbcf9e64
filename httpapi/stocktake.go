package httpapi

import (
	"context"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/httpapi/internal/input"
	"example.org/library/internal/validation"
	"example.org/library/stocktake"
)

func (s *Server) startStocktake(x *exchange) error {
	in, err := x.fields()
	if err != nil {
		return err
	}
	f := stocktake.Fields{Name: in.Text("name"), Shelves: in.Texts("shelves")}
	if err := in.Err(f.Normalize()); err != nil {
		return err
	}
	return change(x, func(ctx context.Context) (stocktake.Stocktake, error) { return s.stocktakes.Start(ctx, x.actor, f) },
		func(t stocktake.Stocktake) reply { return x.created("/stocktakes", t.ID, wireStocktake(t)) })
}

func (s *Server) listStocktakes(x *exchange) error {
	in := x.query()
	q := stocktake.Query{Limit: in.Limit("limit"), After: in.Cursor("cursor", library.ByStart)}
	if err := in.Err(); err != nil {
		return err
	}
	list, err := s.stocktakes.Stocktakes(x.r.Context(), x.actor, q)
	return listUncached(x, list, err, wireStocktake)
}

func (s *Server) showStocktake(x *exchange, id string) error {
	t, err := s.stocktakes.Stocktake(x.r.Context(), x.actor, id)
	return x.result(wireStocktake(t), err)
}

func (s *Server) scanInStocktake(x *exchange, id string) error {
	in, err := x.fields()
	if err != nil {
		return err
	}
	scans := stocktake.Scans{Codes: in.Texts("codes"), CopyIDs: in.References("copies"), Shelf: in.Text("shelf"), Move: in.Boolean("move", false)}
	if err := in.Err(scans.Normalize()); err != nil {
		return err
	}
	return change(x, func(ctx context.Context) ([]stocktake.Result, error) {
		return s.stocktakes.Scan(ctx, x.actor, id, scans)
	},
		func(results []stocktake.Result) reply { return done(each(results, x.wireScan)) })
}

func (s *Server) listStocktakeCopies(x *exchange, id string) error {
	in := x.query()
	q := stocktake.EntryQuery{StocktakeID: id, Outcome: input.Choice(in, "outcome", stocktake.Listed)}
	in.Require("outcome", string(q.Outcome))
	order := library.ByShelf
	if q.Outcome == stocktake.Unknown {
		order = library.ByCode
	}
	q.Limit, q.After = x.page(in, "stocktake", order)
	if err := in.Err(); err != nil {
		return err
	}
	list, err := s.stocktakes.Entries(x.r.Context(), x.actor, q)
	if q.Outcome == stocktake.Unknown {
		return listUncached(x, list, err, wireStocktakeCode)
	}
	return listUncached(x, list, err, wireEntry)
}

func (s *Server) closeStocktake(x *exchange, id string) error {
	in, err := x.fields()
	if err != nil {
		return err
	}
	markMissing, isAbsent := in.Flag("markMissing")
	if isAbsent {
		in.Refuse(validation.Required("markMissing"))
	}
	if err := in.Err(nil); err != nil {
		return err
	}
	return change(x, func(ctx context.Context) (stocktake.Stocktake, error) {
		return s.stocktakes.Close(ctx, x.actor, id, markMissing)
	}, func(t stocktake.Stocktake) reply { return done(wireStocktake(t)) })
}

func (s *Server) deleteStocktake(x *exchange, id string) error {
	return x.noContent(s.stocktakes.Delete(x.r.Context(), x.actor, id))
}

func wireStocktake(t stocktake.Stocktake) api.Stocktake {
	out := api.Stocktake{
		Identifier: t.ID, Name: t.Name, Shelves: t.Shelves, State: string(t.State()), StartedAt: instant(t.Started), ClosedAt: instant(t.Closed),
		Expected: t.Expected, Remaining: t.Remaining, Away: t.Away, Counts: make(map[string]int, len(stocktake.Outcomes)),
	}
	for _, o := range stocktake.Outcomes {
		out.Counts[string(o)] = t.Counts[o]
	}
	if t.State() == stocktake.Closed {
		out.Marked = &t.Marked
	}
	if t.Swaps != nil {
		out.Swaps = new(each(t.Swaps, func(w stocktake.Swap) api.Swap {
			return api.Swap{Loan: w.LoanID, Scanned: wireCopy(w.Scanned), Free: wireCopy(w.Free)}
		}))
	}
	return out
}

func (x *exchange) wireScan(r stocktake.Result) api.Scan {
	out := api.Scan{
		Code: r.Code, Identifier: r.CopyID, Outcome: string(r.Outcome), Copy: ifAny(r.Copy, wireCopy), Shelf: r.Shelf,
		WasMissing: !r.MissingSince.IsZero(), MissingSince: instant(r.MissingSince),
	}
	if len(r.Books) > 0 {
		out.Books = each(r.Books, x.wireBook)
	}
	return out
}

func wireEntry(e stocktake.Entry) api.StocktakeCopy {
	return api.StocktakeCopy{Copy: wireCopy(e.Copy), Outcome: string(e.Outcome), ScannedAt: instant(e.Scanned)}
}

func wireStocktakeCode(e stocktake.Entry) api.StocktakeCode {
	return api.StocktakeCode{Code: e.Code, ScannedAt: instant(e.Scanned)}
}
