package e2e

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// The service behind the built-in provider: the same program as behind any
// other, told nothing but the issuer and the origin of its web client.

func TestIDPTokensOpenWhatTheirRolesAllow(t *testing.T) {
	t.Parallel()
	idp := startIDP(t)
	for _, authorities := range []string{"scope", "groups"} {
		t.Run(authorities, func(t *testing.T) {
			t.Parallel()
			s := idp.library(t, "--client-origin", "app.example:443", "--authorities", authorities)
			checkRoles(t, idp, s)
		})
	}
}

func checkRoles(t *testing.T, idp *provider, s *server) {
	as := func(username string) session { t.Helper(); return s.with(t, idp.login(t, username)) }
	byCode := s.with(t, idp.grant(t, byCode(idp.code(t, "bwayne", ""))).text("access_token"))
	service := s.with(t, idp.grant(t, forClient("grant_type", "client_credentials")).text("access_token"))
	title := struct {
		Title string `json:"title"`
	}{"Added"}

	s.with(t, "").get("/books").want(401).wantHeader("WWW-Authenticate", "Bearer")
	for _, c := range []session{as("bwayne"), as("bbanner"), as("pparker"), as("ckent"), byCode, service} {
		if books := into[[]book](c.get("/books", "Origin", "https://app.example:443").want(200)); len(books) < sampleBooks {
			t.Errorf("%d books", len(books))
		}
	}
	as("bwayne").get("/books", "Origin", "http://localhost:4200").want(403)

	as("bwayne").get("/users").want(403)
	byCode.get("/users").want(403)
	as("pparker").get("/users").want(403)
	service.get("/users").want(403)
	if users := into[[]user](as("ckent").get("/users").want(200)); len(users) != sampleUsers {
		t.Errorf("%d users", len(users))
	}

	as("bwayne").post("/books/"+cleanCode+"/borrow", nil).want(200)
	as("bbanner").post("/books/"+cleanCode+"/borrow", nil).want(409)
	byCode.post("/books/"+cleanCode+"/return", nil).want(200) // the same person, another login
	as("ckent").post("/books/"+cleanCode+"/borrow", nil).want(403)

	as("bwayne").post("/books", title).want(403)
	as("pparker").post("/books", title).want(201)
	service.post("/books", title).want(201)
}

func TestIDPGivesNobodyAScopeForAsking(t *testing.T) {
	t.Parallel()
	idp := startIDP(t)
	s := idp.library(t)
	const asked = "openid library_admin library_curator"
	first := idp.grant(t, byPassword("bwayne", asked))
	codeTokens := idp.grant(t, byCode(idp.code(t, "bwayne", asked)))
	atExchange := byCode(idp.code(t, "bwayne", ""))
	atExchange.Set("scope", asked)
	refresh := func(a tokenAnswer, scope string) url.Values {
		return forClient("grant_type", "refresh_token", "refresh_token", a.text("refresh_token"), "scope", scope)
	}
	for grant, a := range map[string]tokenAnswer{
		"password":           first,
		"authorization_code": codeTokens,
		"code, at exchange":  idp.grant(t, atExchange),
		"refresh":            idp.grant(t, refresh(codeTokens, "")),
		"client_credentials": idp.grant(t, forClient("grant_type", "client_credentials", "scope", "library_admin")),
	} {
		if strings.Contains(a.text("scope"), "library_admin") {
			t.Errorf("%s: granted %q", grant, a.text("scope"))
		}
		c := s.with(t, a.text("access_token"))
		c.get("/books").want(200)
		c.get("/users").want(403)
		if grant != "client_credentials" {
			c.post("/books", `{"title":"Mine"}`).want(403)
		}
	}
	if a := idp.ask(t, refresh(first, "library_admin")); a.status != http.StatusBadRequest || a.text("error") != "invalid_scope" {
		t.Errorf("refresh for more than there was: %d %v", a.status, a.fields)
	}
}
