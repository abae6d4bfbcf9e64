package e2e

import "testing"

// The service behind the built-in provider: the same program as behind any other,
// configured with nothing but the issuer and the origin of its web client.

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
