package httpapi

import (
	"example.org/library"
	"example.org/library/api"
	"example.org/library/httpapi/internal/input"
	"example.org/library/internal/calendar"
	"example.org/library/service"
)

// policyRules reads the rules of a policy. A rule without a name or a value is refused by the domain.
func policyRules(in *input.Fields) (rules []library.PolicyRule) {
	in.Objects("rules", func(one *input.Fields) {
		r := library.PolicyRule{
			Name: one.Text("name"), Categories: one.Texts("categories"), Kinds: one.Texts("kinds"),
			LoanDays: input.Optional(one, "loanDays", one.Integer), Renewals: input.Optional(one, "renewals", one.Integer),
			MaxLoans: input.Optional(one, "maxLoans", one.Integer), MaxHolds: input.Optional(one, "maxHolds", one.Integer),
			SelfBorrow: input.Optional(one, "selfBorrow", one.Boolean), Holds: input.Optional(one, "holds", one.Boolean),
			Lend: input.Optional(one, "lend", one.Boolean),
		}
		if one.Has("kinds") && r.Kinds == nil {
			r.Kinds = library.BookKinds // of a wrong type, which is refused; a rule with kinds needs no categories
		}
		if one.Has("until") {
			until, _ := calendar.ParseDate(one.Text("until")) // the domain refuses another text
			r.Until = &until
		}
		rules = append(rules, r)
	})
	return rules
}

func wireRule(r library.PolicyRule) api.PolicyRule {
	out := api.PolicyRule{
		Name: r.Name, Categories: r.Categories, Kinds: r.Kinds, LoanDays: r.LoanDays, Renewals: r.Renewals,
		MaxLoans: r.MaxLoans, MaxHolds: r.MaxHolds, SelfBorrow: r.SelfBorrow, Holds: r.Holds, Lend: r.Lend,
	}
	if r.Until != nil {
		out.Until = r.Until.String()
	}
	return out
}

// showEffective answers with the policy for one person, the caller if none is named, and one book.
func (s *Server) showEffective(x *exchange) error {
	in := x.query()
	user, book := in.Identifier("user"), in.Identifier("book")
	in.Require("book", book)
	if err := in.Err(); err != nil {
		return err
	}
	e, err := s.service.Effective(x.r.Context(), x.actor, user, book)
	return x.result(wireEffective(e), err)
}

func wireEffective(e service.Effective) api.EffectivePolicy {
	out := api.EffectivePolicy{
		User: e.Reader.ID, Book: e.BookID,
		LoanDays: wireRuled(e.LoanDays), Renewals: wireRuled(e.Renewals),
		SelfBorrow: wireRuled(e.SelfBorrow), Holds: wireRuled(e.Holds),
		MaxLoans:        api.RuledLimit{Ruled: wireRuled(e.MaxLoans), Count: e.Reader.Loans},
		MaxHolds:        api.RuledLimit{Ruled: wireRuled(e.MaxHolds), Count: e.Reader.Holds},
		MaxLoansOfKinds: wireKindsLimit(e.MaxLoansOfKinds, e.Reader.LoansOfKind),
		MaxHoldsOfKinds: wireKindsLimit(e.MaxHoldsOfKinds, e.Reader.HoldsOfKind),
		DueAt:           instant(e.Due.Value), Rule: e.Due.Rule,
	}
	if e.Until.Rule != "" {
		out.Until = &api.Ruled[string]{Value: e.Until.Value.String(), Rule: e.Until.Rule}
	}
	if e.Lend.Rule != "" {
		out.Lend = new(wireRuled(e.Lend))
	}
	return out
}

func wireRuled[T any](t library.Ruled[T]) api.Ruled[T] { return api.Ruled[T](t) }

func wireKindsLimit(l *library.KindsLimit, ofKind map[string]int) *api.RuledLimit {
	if l == nil {
		return nil
	}
	return &api.RuledLimit{Ruled: wireRuled(l.Ruled), Kinds: l.Kinds, Count: l.Count(ofKind)}
}
