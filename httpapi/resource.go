package httpapi

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"example.org/library/api"
	"example.org/library/auth"
	"example.org/library/auth/dpop"
)

// Resource describes the library to everybody, so that a client finds the identity
// provider by the library's address (RFC 9728).
type Resource struct {
	Issuer        string
	PublicURL     string   // of the API with its base path, "" for the address of each request
	LoginScopes   []string // to ask the provider for
	LoginAudience string   // the provider's parameter audience, "" for none
}

// ResourcePath is where they are, before the path of the API.
const ResourcePath = api.ResourceMetadataPath

// resource is the one anonymous answer of the API.
type resource struct {
	metadata api.ResourceMetadata // without the address
	public   string
	basePath string
	paths    []string // where it is asked for
}

func newResource(cfg Config, modes challenges) *resource {
	if cfg.Resource == nil {
		return nil
	}
	c := *cfg.Resource
	r := &resource{basePath: cfg.BasePath, public: strings.TrimSuffix(c.PublicURL, "/"), metadata: api.ResourceMetadata{
		AuthorizationServers: []string{c.Issuer}, BearerMethods: []string{"header"},
		Scopes: c.LoginScopes, LoginAudience: c.LoginAudience, Name: cfg.Name,
	}}
	if modes.dpop != dpop.Off {
		r.metadata.DPoPAlgorithms = auth.Algorithms()
		r.metadata.DPoPRequired = modes.dpop == dpop.Required
	}
	r.paths = []string{api.ResourceMetadataPath + cfg.BasePath}
	if u, err := url.Parse(r.public); err == nil && r.public != "" {
		r.paths = append(r.paths, api.ResourceMetadataPath+u.EscapedPath()) // a proxy may change the path, or not
	}
	return r
}

// address returns the address of the API for a caller.
func (r *resource) address(from *http.Request) string {
	if r.public != "" {
		return r.public
	}
	scheme := "http://"
	if from.TLS != nil {
		scheme = "https://"
	}
	return scheme + strings.ToLower(from.Host) + r.basePath
}

// isAsked reports whether a request is for the metadata.
func (r *resource) isAsked(from *http.Request) bool {
	return r != nil && (from.Method == http.MethodGet || from.Method == http.MethodHead) && slices.Contains(r.paths, rawPath(from))
}

var resourceRoute = &route{pattern: api.ResourceMetadataPath}

// serve answers with the metadata.
func (r *resource) serve(x *exchange) error {
	x.route = resourceRoute
	metadata := r.metadata
	metadata.Resource = r.address(x.r)
	return x.respond(http.StatusOK, metadata)
}

// parameter returns the part of challenges about the metadata, "" if there are none.
func (r *resource) parameter(from *http.Request) string {
	if r == nil {
		return ""
	}
	address := api.ResourceMetadataAddress(r.address(from))
	if address == "" || strings.ContainsAny(address, `"\`) {
		return "" // of a malformed Host
	}
	return `resource_metadata="` + address + `"`
}
