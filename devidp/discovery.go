package devidp

import "net/http"

// discovery answers with the discovery document (OpenID Connect Discovery, section 3).
func (p *Provider) discovery(w http.ResponseWriter, _ *http.Request) {
	confidential := []string{"client_secret_basic", "client_secret_post"}
	everybody := append(confidential[:2:2], "none")
	writeJSON(w, http.StatusOK, map[string]any{
		"issuer":                                p.issuer,
		"authorization_endpoint":                p.issuer + pathAuth,
		"token_endpoint":                        p.issuer + pathToken,
		"userinfo_endpoint":                     p.issuer + pathUserinfo,
		"jwks_uri":                              p.issuer + pathKeys,
		"end_session_endpoint":                  p.issuer + pathLogout,
		"revocation_endpoint":                   p.issuer + pathRevoke,
		"introspection_endpoint":                p.issuer + pathIntrospect,
		"response_types_supported":              []string{"code"},
		"response_modes_supported":              []string{"query"},
		"grant_types_supported":                 []string{grantCode, grantRefresh, grantClient, grantPassword},
		"subject_types_supported":               []string{"public"},
		"id_token_signing_alg_values_supported": []string{"RS256"},
		"dpop_signing_alg_values_supported":     []string{proofAlgorithm},
		"scopes_supported":                      append([]string{scopeOpenID, scopeOffline, scopeEmail, scopeProfile}, libraryScopes...),
		"claims_supported": []string{
			"iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "sid", "groups",
			"email", "email_verified", "name", "preferred_username", "given_name", "family_name",
		},
		"token_endpoint_auth_methods_supported":          everybody,
		"revocation_endpoint_auth_methods_supported":     everybody,
		"introspection_endpoint_auth_methods_supported":  confidential,
		"code_challenge_methods_supported":               []string{"S256"},
		"prompt_values_supported":                        prompts,
		"ui_locales_supported":                           locales,
		"authorization_response_iss_parameter_supported": true,
		"request_uri_parameter_supported":                false,
		"backchannel_logout_supported":                   true,
		"backchannel_logout_session_supported":           true,
	})
}

// keySet publishes the keys of present and future tokens.
func (p *Provider) keySet(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, p.keys.snapshot().published(p.now()))
}
