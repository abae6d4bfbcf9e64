package httpapi

import (
	"net/http"

	"example.org/library/api"
)

func (s *Server) showMe(x *exchange) error {
	authorities := x.actor.Authorities
	if authorities == nil {
		authorities = []string{}
	}
	return x.respond(http.StatusOK, api.Me{User: wireUser(x.actor.User), Authorities: authorities})
}

func (s *Server) showOpenAPI(x *exchange) error {
	x.w.Header()["Content-Type"] = contentYAML
	x.write(http.StatusOK, api.OpenAPI)
	return nil
}
