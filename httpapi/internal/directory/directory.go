// Package directory answers the requests of a directory of people (SCIM 2.0, see package scim). The server
// finds the caller, reads bodies, and writes answers and errors; here is what lies between.
//
// Start reading at [Handler.Routes].
package directory

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"example.org/library"
	"example.org/library/scim"
	"example.org/library/service"
)

// Handler answers requests for people and groups.
type Handler struct {
	Service    *service.Service
	ByUserName bool // the library's address is the userName
	HasSecret  bool // the directory may have a secret
}

// Request is a request whose caller is known.
type Request struct {
	Context context.Context
	Actor   library.Actor
	Query   url.Values
	Param   string // the last part of the path, where the route has one
	Base    string // address of the SCIM service, as the caller sees it
	Match   library.Precondition
	Body    func() ([]byte, error)
}

// Answer is an answer.
type Answer struct {
	Status        int
	Tag, Location string // "" for none
	Body          any
}

// Work is the kind of a route's work.
type Work int

// The kinds.
const (
	Static Work = iota + 1 // the database has no part in it
	Read
	Change
)

// Route is a method and a path below the address of the service.
type Route struct {
	Method, Pattern string
	Work            Work
	Handle          func(Request) (Answer, error)
}

var (
	errNotFound = &scim.Error{Status: http.StatusNotFound, Detail: "There is nothing at this path."}
	errNotDone  = &scim.Error{Status: http.StatusNotImplemented, Detail: "The library does not support this part of SCIM."}
)

// Routes returns the routes of a directory.
func (h *Handler) Routes() []Route {
	all := []Route{
		{http.MethodGet, "/ServiceProviderConfig", Static, func(r Request) (Answer, error) {
			return Answer{Status: http.StatusOK, Body: scim.ServiceProviderConfig(r.Base, h.HasSecret)}, nil
		}},
	}
	for path, list := range map[string]func(string) []map[string]any{"/ResourceTypes": scim.ResourceTypes, "/Schemas": scim.Schemas} {
		all = append(all, Route{http.MethodGet, path, Static, func(r Request) (Answer, error) { return listed(list(r.Base), len(list(r.Base)), 1) }},
			Route{http.MethodGet, path + "/{id}", Static, func(r Request) (Answer, error) { return oneOf(list(r.Base), r.Param) }})
	}
	for _, path := range []string{"/Bulk", "/Me", "/.search", "/Users/.search", "/Groups/.search"} {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
			all = append(all, Route{method, path, Static, func(Request) (Answer, error) { return Answer{}, errNotDone }})
		}
	}
	return append(append(all, h.users().routes()...), h.groups().routes()...)
}

// listed returns a page of resources.
func listed(resources []map[string]any, total, start int) (Answer, error) {
	return Answer{Status: http.StatusOK, Body: map[string]any{
		"schemas": []string{scim.ListResponse}, "totalResults": total, "startIndex": start, "itemsPerPage": len(resources), "Resources": resources,
	}}, nil
}

func oneOf(all []map[string]any, id string) (Answer, error) {
	for _, one := range all {
		if have, _ := one["id"].(string); strings.EqualFold(have, id) {
			return Answer{Status: http.StatusOK, Body: one}, nil
		}
	}
	return Answer{}, errNotFound
}
