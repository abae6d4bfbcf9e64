package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// preset is a configuration for a known identity provider, in which only what nobody
// else can know is left to fill in. docs/providers.md explains each.
type preset struct {
	name, title string
	values      []presetValue
}

// presetValue is a line of it. What is to be filled in stands in angle brackets.
type presetValue struct{ flag, value, comment string }

const (
	threeGroups   = "LIBRARY_USER=<GROUP OF READERS>;LIBRARY_CURATOR=<GROUP OF CURATORS>;LIBRARY_ADMIN=<GROUP OF ADMINS>"
	aboutGroups   = "your groups, as they are called in the token; in them %2C is a comma, %3B a semicolon and %3D an equals sign"
	aboutIssuer   = "exactly as in the discovery document, with or without a slash at the end"
	aboutClientID = "the client of the browser, as the provider calls it"
	aboutMetadata = "so that 'library login --server ADDRESS' finds the provider, and what to ask it for"
	clientID      = "<CLIENT-ID>"
	zitadelScopes = "openid email profile urn:zitadel:iam:org:projects:roles urn:zitadel:iam:org:project:id:<PROJECT-ID>:aud"
)

var presets = []preset{
	{"keycloak", "Keycloak", []presetValue{
		{"issuer", "https://<KEYCLOAK HOST>/realms/<REALM>", "the realm"},
		{"authorities", "groups", ""},
		{"authorities-claim", "realm_access.roles", "the realm roles library_user, library_curator and library_admin"},
	}},
	{"entra", "Microsoft Entra ID", []presetValue{
		{"issuer", "https://login.microsoftonline.com/<TENANT-ID>/v2.0", "Directory (tenant) ID, on the overview of the app registration"},
		{"audience", clientID + ",api://" + clientID, "Application (client) ID, on the same page"},
		{"email-claim", "upn", "the optional claim of access tokens"},
		{"authorities", "groups", ""},
		{"authorities-claim", "roles", "the app roles library_user, library_curator and library_admin"},
		{"web-client-id", clientID, aboutClientID},
		{"web-scopes", "openid profile api://" + clientID + "/library", "the scope under Expose an API"},
	}},
	{"okta", "Okta", []presetValue{
		{"issuer", "https://<OKTA DOMAIN>/oauth2/default", "the custom authorization server; the other one has tokens that cannot be read"},
		{"audience", "api://default", ""},
		{"authorities", "groups", ""},
		{"role-map", threeGroups, aboutGroups},
		{"web-client-id", clientID, aboutClientID},
	}},
	{"auth0", "Auth0", []presetValue{
		{"issuer", "https://<AUTH0 DOMAIN>/", aboutIssuer},
		{"audience", "<API IDENTIFIER>", "the identifier of the API; also the default audience of the tenant"},
		{"email-claim", "https://library.example/email", "claims that the Action adds"},
		{"authorities", "groups", ""},
		{"authorities-claim", "https://library.example/roles", "the roles library_user, library_curator and library_admin"},
		{"resource-metadata", "true", aboutMetadata},
		{"login-audience", "<API IDENTIFIER>", "what they ask the provider for"},
		{"web-client-id", clientID, aboutClientID},
	}},
	{"google", "Google Workspace", []presetValue{
		{"issuer", "https://accounts.google.com", ""},
		{"tokens", "id", "its access tokens cannot be read"},
		{"audience", clientID, "the OAuth client, which ends in .apps.googleusercontent.com"},
		{"authorities", "local", "its tokens have no groups: who may do what is in the library's own records"},
		{"require-verified-email", "true", ""},
	}},
	{"authentik", "Authentik", []presetValue{
		{"issuer", "https://<AUTHENTIK HOST>/application/o/<SLUG>/", aboutIssuer},
		{"audience", clientID, ""},
		{"authorities", "groups", ""},
		{"role-map", threeGroups, aboutGroups},
		{"web-client-id", clientID, aboutClientID},
	}},
	{"zitadel", "Zitadel", []presetValue{
		{"issuer", "https://<ZITADEL HOST>", ""},
		{"audience", "<PROJECT-ID>", "the resource id of the project"},
		{"authorities", "groups", ""},
		{"authorities-claim", "urn:zitadel:iam:org:project:<PROJECT-ID>:roles", "the project's roles library_user, library_curator and library_admin"},
		{"userinfo", "on", "its access tokens have no e-mail address"},
		{"web-client-id", clientID, aboutClientID},
		{"web-scopes", zitadelScopes, ""},
		{"resource-metadata", "true", aboutMetadata},
		{"login-scopes", zitadelScopes, "what they ask the provider for"},
	}},
	{"dex", "Dex", []presetValue{
		{"issuer", "https://<DEX HOST>", aboutIssuer},
		{"tokens", "id", "its access tokens are ID tokens"},
		{"audience", "library-web,library-cli", "the clients, because tokens are for nobody else"},
		{"authorities", "groups", ""},
		{"role-map", threeGroups, aboutGroups},
		{"web-scopes", "openid email profile groups", ""},
		{"resource-metadata", "true", aboutMetadata},
		{"login-scopes", "openid email profile groups", "what they ask the provider for"},
	}},
	{"cognito", "Amazon Cognito", []presetValue{
		{"issuer", "https://cognito-idp.<REGION>.amazonaws.com/<USER POOL ID>", "such as eu-central-1 and eu-central-1_AbCdEfGhI"},
		{"audience", clientID, "the app client"},
		{"audience-claim", "client_id", "its access tokens have no aud"},
		{"authorities", "groups", ""},
		{"authorities-claim", "cognito:groups", "the groups library_user, library_curator and library_admin"},
		{"userinfo", "on", "its access tokens have no e-mail address"},
		{"web-client-id", clientID, aboutClientID},
	}},
}

func presetNames() []string {
	names := []string{""}
	for _, p := range presets {
		names = append(names, p.name)
	}
	return names
}

// presetFor is a setting: the provider for whom the configuration is printed.
func presetFor(into *string) setting {
	names := presetNames()
	return setting{flag: "for", notKept: true, usage: "with --print-config: a configuration for this identity provider with only your values to fill in: " + strings.Join(names[1:], ", "),
		set: valid(into, "one of "+strings.Join(names[1:], ", "), func(v string) (string, bool) { return v, slices.Contains(names, v) })}
}

// print writes the preset as a file for --config. Settings that were given win.
func (p preset) print(out io.Writer, settings []setting, values map[string]given) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# The configuration of 'library serve' for %s. Put your values where <...> stands.\n", p.title)
	for _, v := range append(slices.Clone(p.values), presetValue{"bootstrap-user", "<YOUR E-MAIL ADDRESS>", "the first admin, of an empty library"}) {
		at := slices.IndexFunc(settings, func(s setting) bool { return s.flag == v.flag })
		s := settings[at]
		if got := values[v.flag].text; got != s.value {
			v.value = got
		}
		comment := ""
		if v.comment != "" {
			comment = "  # " + v.comment
		}
		fmt.Fprintf(&b, "%s = %s%s\n", v.flag, s.toTOML(v.value), comment)
	}
	_, err := out.Write(b.Bytes())
	return err
}

var toFillIn = regexp.MustCompile(`<[A-Z][A-Z0-9 -]*>`)

// checkFilledIn says what of a preset was not filled in.
func checkFilledIn(value string) error {
	if left := toFillIn.FindString(value); left != "" {
		return errors.New("still has " + left + " in it; put your value there")
	}
	return nil
}
