package httpapi

import (
	"net/http"

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

func (s *Server) showOpenAPI(x *exchange) error {
	x.w.Header().Set("Content-Type", "application/yaml")
	x.write(http.StatusOK, api.OpenAPI)
	return nil
}
