//go:build keycloak

package keycloak

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

const clientSecret = "9584640c-3804-4dcd-997b-93593cfb9ea7" // of library-client

// atKeycloak sends to Keycloak.
var atKeycloak = newClient()

// tokens is the answer of the token endpoint.
type tokens struct {
	Access         string `json:"access_token"`
	Refresh        string `json:"refresh_token"`
	ID             string `json:"id_token"`
	Type           string `json:"token_type"`
	Scope          string
	SessionState   string `json:"session_state"`
	ExpiresIn      int    `json:"expires_in"`
	RefreshExpires int    `json:"refresh_expires_in"`
	Error          string
}

func endpoint(name string) string { return issuer + "/protocol/openid-connect/" + name }

// form makes a form of name, value, name, value.
func form(pairs ...string) url.Values {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return v
}

func postForm(client *http.Client, address string, fields url.Values) (response, error) {
	req, err := http.NewRequest("POST", address, strings.NewReader(fields.Encode()))
	if err != nil {
		return response{}, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return testkit.Send(client, req)
}

// ask asks the token endpoint; the answer may be a refusal.
func ask(t testing.TB, fields url.Values) response {
	t.Helper()
	r, err := postForm(atKeycloak, endpoint("token"), fields)
	testkit.NoError(t, err)
	r.T = t
	return r
}

func obtain(t testing.TB, fields url.Values) tokens {
	t.Helper()
	return into[tokens](ask(t, fields).WantStatus(200))
}

// passwords of the users of the realm.
var passwords = map[string]string{"bwayne": "wayne", "bbanner": "banner", "pparker": "parker", "ckent": "kent"}

// passwordGrant is the form of the password grant; more are further fields.
func passwordGrant(user string, more ...string) url.Values {
	return form(append([]string{"grant_type", "password", "client_id", "library-client", "client_secret", clientSecret,
		"username", user, "password", passwords[user]}, more...)...)
}

func clientCredentials(more ...string) url.Values {
	return form(append([]string{"grant_type", "client_credentials", "client_id", "library-client", "client_secret", clientSecret}, more...)...)
}

func refreshGrant(refreshToken string, more ...string) url.Values {
	return form(append([]string{"grant_type", "refresh_token", "client_id", "library-client", "client_secret", clientSecret,
		"refresh_token", refreshToken}, more...)...)
}

// accessOf returns an access token of that user.
func accessOf(t testing.TB, user string) string {
	t.Helper()
	return obtain(t, passwordGrant(user)).Access
}

// claims are what the tests look at in a token.
type claims struct {
	Scope, Email, Typ string
	Verified          bool `json:"email_verified"`
	Groups            []string
	Aud               any
	Exp, Iat          int64
}

func claimsOf(t testing.TB, token string) claims { return decode[claims](t, token, 1) }

// header is the first part of a token.
type header struct{ Alg, Typ, Kid string }

func headerOf(t testing.TB, token string) header { return decode[header](t, token, 0) }

func decode[T any](t testing.TB, token string, part int) T {
	t.Helper()
	var v T
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("a token of %d parts", len(parts))
	}
	b, err := base64.RawURLEncoding.DecodeString(parts[part])
	if err == nil {
		err = json.Unmarshal(b, &v)
	}
	testkit.NoError(t, err)
	return v
}

// libraryScopes returns those of the scopes that mean something to the service.
func libraryScopes(scope string) []string {
	return slices.DeleteFunc(strings.Fields(scope), func(s string) bool { return !strings.HasPrefix(strings.ToLower(s), "library") })
}

// administer calls the admin API of Keycloak below the realm.
func administer(t testing.TB, method, path string, body any) response {
	t.Helper()
	server, realm, _ := strings.Cut(issuer, "/realms/")
	r, err := postForm(atKeycloak, server+"/realms/master/protocol/openid-connect/token",
		form("grant_type", "password", "client_id", "admin-cli", "username", adminUser, "password", adminPassword))
	testkit.NoError(t, err)
	r.T = t
	token := into[tokens](r.WantStatus(200)).Access
	text := []byte{}
	if body != nil {
		if text, err = json.Marshal(body); err != nil {
			t.Fatal(err)
		}
	}
	req, err := http.NewRequest(method, server+"/admin/realms/"+realm+path, strings.NewReader(string(text)))
	testkit.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	if r, err = testkit.Send(atKeycloak, req); err != nil {
		t.Fatal(err)
	}
	r.T = t
	return r
}

type object = map[string]any

// idOf finds the identifier of something in a list of the admin API by the
// value of one of its members.
func idOf(t testing.TB, list, member, value string) string {
	t.Helper()
	for _, o := range into[[]object](administer(t, "GET", list, nil).WantStatus(200)) {
		if o[member] == value {
			return fmt.Sprint(o["id"])
		}
	}
	t.Fatalf("%s: there is none whose %s is %s", list, member, value)
	return ""
}

// createdID is the identifier of what a POST to the admin API made.
func createdID(r response) string {
	r.T.Helper()
	location := r.WantStatus(201).Header.Get("Location")
	return location[strings.LastIndex(location, "/")+1:]
}

// tokenOfNewClient adds a client for the password grant with those default
// scopes for the time of a test. It returns a token of that user from it, with all
// roles of the user if one of the scopes is roles.
func tokenOfNewClient(t testing.TB, user string, attributes map[string]string, scopes ...string) string {
	t.Helper()
	const name = "made-by-a-test"
	id := createdID(administer(t, "POST", "/clients", object{
		"clientId": name, "publicClient": true, "directAccessGrantsEnabled": true, "fullScopeAllowed": slices.Contains(scopes, "roles"),
		"defaultClientScopes": scopes, "optionalClientScopes": []string{}, "attributes": attributes,
	}))
	defer func() { administer(t, "DELETE", "/clients/"+id, nil).WantStatus(204) }()
	return obtain(t, form("grant_type", "password", "client_id", name, "username", user, "password", passwords[user])).Access
}
