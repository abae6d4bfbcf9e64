package api

import (
	"net/url"
	"strings"
)

// ResourceMetadata leads a client from the library's address to the identity provider, with
// scopes and audience (RFC 9728).
type ResourceMetadata struct {
	Resource             string   `json:"resource"`
	AuthorizationServers []string `json:"authorization_servers"`
	BearerMethods        []string `json:"bearer_methods_supported"`
	Scopes               []string `json:"scopes_supported,omitempty"`
	LoginAudience        string   `json:"login_audience,omitempty"` // the parameter audience of some providers; not in the RFC
	Name                 string   `json:"resource_name,omitempty"`
	DPoPAlgorithms       []string `json:"dpop_signing_alg_values_supported,omitempty"`
	DPoPRequired         bool     `json:"dpop_bound_access_tokens_required,omitempty"`
}

// ResourceMetadataPath goes between host and path of the library's address.
const ResourceMetadataPath = "/.well-known/oauth-protected-resource"

// ResourceMetadataAddress is where the metadata of the library at an address are.
func ResourceMetadataAddress(resource string) string {
	u, err := url.Parse(resource)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host + ResourceMetadataPath + strings.TrimSuffix(u.EscapedPath(), "/")
}
