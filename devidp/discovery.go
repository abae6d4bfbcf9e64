package devidp

import "net/http"

// metadata is the discovery document (OpenID Connect Discovery, section 3).
type metadata struct {
	Issuer                string   `json:"issuer"`
	AuthorizationEndpoint string   `json:"authorization_endpoint"`
	TokenEndpoint         string   `json:"token_endpoint"`
	UserinfoEndpoint      string   `json:"userinfo_endpoint"`
	KeySet                string   `json:"jwks_uri"`
	EndSessionEndpoint    string   `json:"end_session_endpoint"`
	RevocationEndpoint    string   `json:"revocation_endpoint"`
	IntrospectionEndpoint string   `json:"introspection_endpoint"`
	DeviceEndpoint        string   `json:"device_authorization_endpoint"`
	ResponseTypes         []string `json:"response_types_supported"`
	ResponseModes         []string `json:"response_modes_supported"`
	GrantTypes            []string `json:"grant_types_supported"`
	SubjectTypes          []string `json:"subject_types_supported"`
	IDTokenAlgorithms     []string `json:"id_token_signing_alg_values_supported"`
	Scopes                []string `json:"scopes_supported"`
	Claims                []string `json:"claims_supported"`
	TokenAuthMethods      []string `json:"token_endpoint_auth_methods_supported"`
	RevocationAuthMethods []string `json:"revocation_endpoint_auth_methods_supported"`
	IntrospectAuthMethods []string `json:"introspection_endpoint_auth_methods_supported"`
	ChallengeMethods      []string `json:"code_challenge_methods_supported"`
	Prompts               []string `json:"prompt_values_supported"`
	Languages             []locale `json:"ui_locales_supported"`
	IssuerParameter       bool     `json:"authorization_response_iss_parameter_supported"`
	ClaimsParameter       bool     `json:"claims_parameter_supported"`
	RequestParameter      bool     `json:"request_parameter_supported"`
	RequestURIParameter   bool     `json:"request_uri_parameter_supported"`
}

func (p *Provider) discovery(w http.ResponseWriter, _ *http.Request) {
	confidential := []string{"client_secret_basic", "client_secret_post"}
	everybody := append(confidential[:2:2], "none")
	writeJSON(w, http.StatusOK, metadata{
		Issuer:                p.issuer,
		AuthorizationEndpoint: p.issuer + pathAuth,
		TokenEndpoint:         p.issuer + pathToken,
		UserinfoEndpoint:      p.issuer + pathUserinfo,
		KeySet:                p.issuer + pathKeys,
		EndSessionEndpoint:    p.issuer + pathLogout,
		RevocationEndpoint:    p.issuer + pathRevoke,
		IntrospectionEndpoint: p.issuer + pathIntrospect,
		DeviceEndpoint:        p.issuer + pathDeviceAuth,
		ResponseTypes:         []string{"code"},
		ResponseModes:         []string{"query"},
		GrantTypes:            []string{grantCode, grantRefresh, grantClient, grantPassword, grantDevice},
		SubjectTypes:          []string{"public"},
		IDTokenAlgorithms:     []string{"RS256"},
		Scopes:                append([]string{scopeOpenID, scopeEmail, scopeProfile}, libraryScopes...),
		Claims: []string{
			"iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "sid", "groups",
			"email", "email_verified", "name", "preferred_username", "given_name", "family_name",
		},
		TokenAuthMethods:      everybody,
		RevocationAuthMethods: everybody,
		IntrospectAuthMethods: confidential,
		ChallengeMethods:      []string{"S256"},
		Prompts:               prompts,
		Languages:             locales,
		IssuerParameter:       true,
	})
}

// keySet publishes the keys that tokens are signed with, now or soon.
func (p *Provider) keySet(w http.ResponseWriter, _ *http.Request) {
	set := struct {
		Keys []jwk `json:"keys"`
	}{}
	for _, key := range p.keys.snapshot().published(p.now()) {
		set.Keys = append(set.Keys, key.jwk())
	}
	writeJSON(w, http.StatusOK, set)
}
