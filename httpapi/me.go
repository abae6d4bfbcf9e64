package httpapi

import (
	"net/http"

	"example.org/library"
	"example.org/library/api"
)

func (s *Server) showMe(x *exchange) error {
	me := api.Me{
		User: wireUser(x.actor.User), Authorities: x.actor.Authorities, RolesFrom: api.RolesFromToken, LibraryName: s.name,
	}
	if me.Authorities == nil {
		me.Authorities = []string{}
	}
	if x.actor.FromRecord {
		me.RolesFrom = api.RolesFromRecord
	}
	return x.respond(http.StatusOK, me)
}

func (s *Server) editMe(x *exchange) error {
	in, err := x.fields()
	if err != nil {
		return err
	}
	var wanted library.Preferences
	if locale := in.word("locale"); locale != "" {
		wanted.Locale = &locale
	}
	if in.has("reminders") {
		reminders := in.boolean("reminders", true)
		wanted.Reminders = &reminders
	}
	if err := in.err(wanted.Check()); err != nil {
		return err
	}
	edited, err := s.service.EditMe(x.r.Context(), x.actor, wanted)
	if err != nil {
		return err
	}
	x.actor.User = edited
	return s.showMe(x)
}

func (s *Server) forgetHistory(x *exchange) error {
	if err := s.service.ForgetHistory(x.r.Context(), x.actor); err != nil {
		return err
	}
	return x.noContent()
}

func (s *Server) exportMe(x *exchange) error {
	if err := x.query().err(); err != nil {
		return err
	}
	known, err := s.service.Export(x.r.Context(), x.actor)
	if err != nil {
		return err
	}
	out := api.Export{User: wireUser(known.User), Loans: make([]api.Loan, len(known.Loans)), Holds: make([]api.Hold, len(known.Holds))}
	for i, l := range known.Loans {
		out.Loans[i] = wireLoan(l)
	}
	for i, h := range known.Holds {
		out.Holds[i] = wireHold(h)
	}
	return x.respond(http.StatusOK, out)
}

func (s *Server) showOpenAPI(x *exchange) error {
	x.w.Header().Set("Content-Type", "application/yaml")
	x.write(http.StatusOK, api.OpenAPI)
	return nil
}
