package httpapi

import (
	"context"
	"net/http"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/httpapi/internal/input"
	"example.org/library/internal/validation"
	"example.org/library/service"
)

// lendBatch lends copies to a class, to people, or to one person.
func (s *Server) lendBatch(x *exchange) error {
	in, err := x.fields()
	if err != nil {
		return err
	}
	what := batchLending(&in)
	if err := in.Err(nil); err != nil {
		return err
	}
	return change(x, func(ctx context.Context) (library.Lent, error) { return s.service.LendBatch(ctx, x.actor, what) },
		func(l library.Lent) reply { return done(wireLent(l, what.DryRun)) })
}

func batchLending(in *input.Fields) service.BatchLending {
	l := service.BatchLending{
		BookID: in.Reference("book"), Group: in.Name("group", library.MaxGroup), Users: in.References("users"), User: in.Reference("user"),
		Barcodes: in.Codes("barcodes"), CopyIDs: in.References("copies"), DryRun: in.Boolean("dryRun", false), Due: in.Date("dueAt"),
	}
	in.ExactlyOne("group", "users", "user")
	in.ExactlyOne("barcodes", "copies")
	in.Distinct("users", l.Users, library.MaxBatchPeople)
	in.Distinct("barcodes", l.Barcodes, library.MaxBatch)
	in.Distinct("copies", l.CopyIDs, library.MaxBatch)
	if in.Has("group") && l.Group == "" && !in.IsWrong() {
		in.Refuse(validation.Required("group"))
	}
	switch several := in.Boolean("several", false); {
	case in.Has("user") && !several:
		in.Refuse(library.Detail{Field: "several", Code: validation.CodeRequired, Message: "must be true for one user"})
	case several && !in.Has("user"):
		in.Refuse(library.Detail{Field: "several", Code: validation.CodeTooMany, Message: "is for one user alone"})
	}
	return l
}

func wireLent(l library.Lent, dryRun bool) api.BatchLoans {
	out := api.BatchLoans{
		Loans: each(l.Loans, wireLoan), Skipped: each(l.Skipped, wireSkipped),
		Left: each(l.Left, func(c library.Copy) api.CopyRef { return api.CopyRef{Identifier: c.ID, Barcode: c.Barcode} }),
	}
	for i := range out.Loans {
		if dryRun {
			out.Loans[i].Identifier = ""
		}
	}
	return out
}

func wireSkipped(s library.Skipped) api.Skipped {
	return api.Skipped{
		User: api.Person{Identifier: s.Person.ID, FirstName: s.Person.FirstName, LastName: s.Person.LastName}, Code: s.Why.Code, Rule: s.Why.Rule,
	}
}

// returnBatch ends loans with copies that come back to the desk together.
func (s *Server) returnBatch(x *exchange) error {
	in, err := x.fields()
	if err != nil {
		return err
	}
	what := service.BatchReturning{Group: in.Name("group", library.MaxGroup)}
	in.ObjectsOr("barcodes", "barcode", func(one *input.Fields) {
		if !one.Has("barcode") {
			one.Refuse(validation.Required("barcode"))
		}
		what.Copies = append(what.Copies, service.Returning{Barcode: one.Word("barcode"), LoanID: one.Reference("loan")})
	})
	switch {
	case len(what.Copies) == 0 && !in.IsWrong():
		in.Refuse(validation.Required("barcodes"))
	case len(what.Copies) > library.MaxBatch:
		in.Refuse(validation.TooMany("barcodes", library.MaxBatch))
	}
	if err := in.Err(nil); err != nil {
		return err
	}
	return change(x, func(ctx context.Context) ([]service.BatchReturned, error) {
		return s.service.ReturnBatch(ctx, x.actor, what)
	}, func(results []service.BatchReturned) reply { return done(each(results, wireBatchReturn)) })
}

func wireBatchReturn(r service.BatchReturned) api.BatchReturn {
	if r.Refused == nil {
		return api.BatchReturn{Barcode: r.Barcode, Status: http.StatusOK, Loan: new(wireReturned(r.Loan))}
	}
	out := api.BatchReturn{Barcode: r.Barcode, Status: statusOf[r.Refused.Kind], Code: r.Refused.Code}
	if r.Refused.Candidates != nil {
		out.Candidates = each(r.Refused.Candidates, wireLoan)
	}
	return out
}
