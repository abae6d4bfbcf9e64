package httpapi

import (
	"net/http"

	"example.org/library"
	"example.org/library/api"
)

func (s *Server) showMe(x *exchange) error {
	me := api.Me{
		User: wireOwn(x.actor.User), Authorities: x.actor.Authorities, RolesFrom: api.RolesFromToken, LibraryName: s.name, Mail: s.service.Mail() != nil,
		Lookup: s.lookup != nil, CoverSource: s.fetches != nil,
		RolesClaim: x.identity.RolesClaim, RolesMissing: string(x.identity.RolesMissing),
	}
	if me.Authorities == nil {
		me.Authorities = []string{}
	}
	if x.actor.FromRecord {
		me.RolesFrom = api.RolesFromRecord
	}
	if s.signIn.Rules().Provisions {
		me.Provision = api.ProvisionLogin
	}
	return x.respond(http.StatusOK, me)
}

// wireOwn is wireUser without the words of staff about the person.
func wireOwn(u library.User) api.User {
	u.Note, u.Block = "", ""
	return wireUser(u)
}

func (s *Server) editMe(x *exchange) error {
	in, err := x.fields()
	if err != nil {
		return err
	}
	var wanted library.Preferences
	if locale := in.Word("locale"); locale != "" {
		wanted.Locale = &locale
	}
	if in.Has("reminders") {
		reminders := in.Boolean("reminders", true)
		wanted.Reminders = &reminders
	}
	if err := in.Err(wanted.Check()); err != nil {
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
	return x.noContent(s.service.ForgetHistory(x.r.Context(), x.actor))
}

func (s *Server) exportMe(x *exchange) error {
	if err := x.query().Err(); err != nil {
		return err
	}
	known, err := s.service.Export(x.r.Context(), x.actor)
	if err != nil {
		return err
	}
	return x.respond(http.StatusOK, api.Export{
		User: wireUser(known.User), Loans: each(known.Loans, wireLoan), Holds: each(known.Holds, wireHold), Notices: each(known.Notices, wireNotice),
	})
}

func (s *Server) showOpenAPI(x *exchange) error {
	x.w.Header().Set("Content-Type", "application/yaml")
	x.write(http.StatusOK, api.OpenAPI)
	return nil
}
