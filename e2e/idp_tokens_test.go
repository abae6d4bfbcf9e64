package e2e

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The table of the token endpoint's fields in the specification, row by row.

// tokenGrant is a column of the table.
type tokenGrant struct {
	name     string
	form     func(t *testing.T) url.Values // all required fields
	missing  map[string]string             // required field: error without it
	unused   map[string]string             // fields that change nothing
	response []string                      // fields of a good answer
}

// Without client_id or client_secret there is no client authentication, which
// RFC 6749, section 5.2, counts as one that failed.
func tokenGrants(idp *provider) []tokenGrant {
	session := []string{"access_token", "expires_in", "not-before-policy", "refresh_expires_in", "refresh_token", "scope", "session_state", "token_type"}
	return []tokenGrant{
		{
			name:    "client_credentials",
			form:    func(*testing.T) url.Values { return forClient("grant_type", "client_credentials") },
			missing: map[string]string{"grant_type": "invalid_request", "client_id": "invalid_client", "client_secret": "invalid_client"},
			unused:  map[string]string{"username": "ckent", "password": "kent", "code": "x", "redirect_uri": "http://localhost/x"},
			// No user, hence no session and nothing to refresh.
			response: []string{"access_token", "expires_in", "not-before-policy", "scope", "token_type"},
		},
		{
			name: "password",
			form: func(*testing.T) url.Values { return byPassword("bwayne", "") },
			missing: map[string]string{"grant_type": "invalid_request", "client_id": "invalid_client", "client_secret": "invalid_client",
				"username": "invalid_request", "password": "invalid_request"},
			unused:   map[string]string{"code": "x", "redirect_uri": "http://localhost/x"},
			response: session,
		},
		{
			name: "authorization_code",
			form: func(t *testing.T) url.Values { return byCode(idp.code(t, "bwayne", "")) },
			missing: map[string]string{"grant_type": "invalid_request", "client_id": "invalid_client", "client_secret": "invalid_client",
				"code": "invalid_request", "redirect_uri": "invalid_request"},
			unused:   map[string]string{"username": "ckent", "password": "kent", "scope": "openid library_admin"},
			response: session,
		},
	}
}

func TestIDPTokenFieldsRowByRow(t *testing.T) {
	t.Parallel()
	idp := startIDP(t)
	for _, g := range tokenGrants(idp) {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			for _, field := range slices.Sorted(maps.Keys(g.missing)) {
				for _, without := range []func(url.Values){
					func(form url.Values) { form.Del(field) },
					func(form url.Values) { form.Set(field, "") },
				} {
					form := g.form(t)
					without(form)
					wantRefusal(t, "without "+field, idp.ask(t, form), g.missing[field])
				}
			}
			form := g.form(t)
			for field, value := range g.unused {
				form.Set(field, value)
			}
			wantTokens(t, idp.ask(t, g.form(t)), g.response)
			wantTokens(t, idp.ask(t, form), g.response)
		})
	}
}

func TestIDPWrongTokenFields(t *testing.T) {
	t.Parallel()
	idp := startIDP(t)
	for _, c := range []struct{ field, value, grant, fault string }{
		{"grant_type", "implicit", "password", "unsupported_grant_type"},
		{"client_id", "nobody", "password", "invalid_client"},
		{"client_secret", "wrong", "client_credentials", "invalid_client"},
		{"scope", `a"b`, "client_credentials", "invalid_scope"},
		{"scope", `a"b`, "password", "invalid_scope"},
		{"username", "nobody", "password", "invalid_grant"},
		{"password", "wrong", "password", "invalid_grant"},
		{"code", "made up", "authorization_code", "invalid_grant"},
		{"redirect_uri", "http://localhost:9090/other", "authorization_code", "invalid_grant"},
	} {
		grants := tokenGrants(idp)
		form := grants[slices.IndexFunc(grants, func(g tokenGrant) bool { return g.name == c.grant })].form(t)
		form.Set(c.field, c.value)
		wantRefusal(t, c.grant+" with another "+c.field, idp.ask(t, form), c.fault)
	}
	public := byPassword("bwayne", "")
	public.Set("client_id", "library-web")
	public.Del("client_secret")
	wantRefusal(t, "a grant that is not the client's", idp.ask(t, public), "unauthorized_client")
	used := byCode(idp.code(t, "bwayne", ""))
	idp.grant(t, used)
	wantRefusal(t, "a code for the second time", idp.ask(t, used), "invalid_grant")

	resp, err := idp.client.Post(idp.at("token"), "application/json", strings.NewReader(`{"grant_type":"password"}`))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusBadRequest {
		t.Errorf("a body that is not a form: %d", resp.StatusCode)
	}
}

func TestIDPGivesAnIDTokenWhenOpenIDIsAskedFor(t *testing.T) {
	t.Parallel()
	idp := startIDP(t)
	withID := []string{"access_token", "expires_in", "id_token", "not-before-policy", "refresh_expires_in", "refresh_token", "scope", "session_state", "token_type"}
	wantTokens(t, idp.ask(t, byPassword("bwayne", "openid")), withID)
	wantTokens(t, idp.ask(t, byCode(idp.code(t, "bwayne", "openid"))), withID)
	if got := idp.grant(t, forClient("grant_type", "client_credentials", "scope", "openid")).text("id_token"); got != "" {
		t.Error("an ID token that speaks of nobody")
	}
}

// wantRefusal checks an answer against RFC 6749, section 5.2.
func wantRefusal(t *testing.T, what string, a tokenAnswer, fault string) {
	t.Helper()
	status := http.StatusBadRequest
	if fault == "invalid_client" {
		status = http.StatusUnauthorized
	}
	if a.status != status || a.text("error") != fault {
		t.Errorf("%s: %d %v, want %d %s", what, a.status, a.fields, status, fault)
	}
	if diff := cmp.Diff([]string{"error", "error_description"}, a.names()); diff != "" {
		t.Errorf("%s: fields:\n%s", what, diff)
	}
	wantTokenHeaders(t, a)
}

var uuidPattern = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// wantTokens checks an answer against the table of the token response.
func wantTokens(t *testing.T, a tokenAnswer, names []string) {
	t.Helper()
	if diff := cmp.Diff(names, a.names()); diff != "" || a.status != http.StatusOK {
		t.Errorf("%d %v; fields:\n%s", a.status, a.fields, diff)
		return
	}
	if a.fields["expires_in"] != 300.0 || a.text("token_type") != "bearer" || strings.Count(a.text("access_token"), ".") != 2 {
		t.Errorf("token response %v", a.fields)
	}
	if _, isNumber := a.fields["not-before-policy"].(float64); !isNumber {
		t.Errorf("not-before-policy is %v", a.fields["not-before-policy"])
	}
	if !strings.HasSuffix(strings.TrimSuffix(a.text("scope"), " openid"), " email profile") || strings.Contains(a.text("scope"), "library_admin") {
		t.Errorf("scope %q", a.text("scope"))
	}
	if slices.Contains(names, "session_state") && (!uuidPattern.MatchString(a.text("session_state")) || a.fields["refresh_expires_in"] != 1800.0) {
		t.Errorf("session of the token response %v", a.fields)
	}
	wantTokenHeaders(t, a)
}

func wantTokenHeaders(t *testing.T, a tokenAnswer) {
	t.Helper()
	if a.header.Get("Cache-Control") != "no-store" || !strings.HasPrefix(a.header.Get("Content-Type"), "application/json") {
		t.Errorf("headers %v", a.header)
	}
}
