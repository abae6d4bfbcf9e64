package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testidp"
)

// The rows of the specification and the tests that hold them. Subtests of
// TestSpecification are named after their rows.
//
//	section 1  one binary manages books, users, loans   TestLendingJourney
//	           no passwords, no tokens of its own       TestSpecification/spec_1:_a_password_…
//	           stateless, no cookie, no CSRF token      TestSpecification/spec_1:_stateless…, and response.checkAlways on every answer
//	           no anonymous endpoint                    TestSpecification/spec_1:_no_anonymous…
//	           LIBRARY_USER, _CURATOR, _ADMIN           TestSpecification/spec_1:_role…
//	           listing users needs ROLE_LIBRARY_ADMIN   TestSpecification/spec_1:_listing_users…
//	           CORS origins, methods, headers, cred.    TestSpecificationOfCrossOrigin
//	section 2  lists are JSON arrays                    TestSpecification/spec_2:_…
//	           users are matched by e-mail              TestSpecification/spec_2:_users_…
//	           claims scope, email, iss, exp, aud       TestSpecificationOfTokens/spec_2:_…
//	           other claims are not required            TestSpecificationOfTokens/spec_2:_other_claims…
//	           error body in basic mode                 TestSpecificationOfBasicMode
//	           token response                           the identity provider's side: package devidp
//	section 4  GET books, GET users                     TestSpecification/spec_4:_…
//	           null is omitted                          TestSpecification/spec_4:_fields…, and response.checkAlways
//	           discovery, key set                       TestSpecification/spec_4:_discovery…
//	           token and authorization endpoint         the identity provider's side: package devidp
//	section 5  1 bearer token                           TestSpecification/spec_4:_…
//	           2 signature, iss, exp, aud               TestSpecificationOfTokens/spec_5.2:_…
//	           3 key set and issuer address             TestSpecification/spec_5.3:_…
//	           4 authorities                            TestSpecificationOfTokens/spec_5.4:_…, TestSpecificationOfAuthorities
//	           5 obtaining a token                      the identity provider's side: package devidp
//	           6 earlier mode                           TestSpecificationOfBasicMode
//	section 7  all rows                                 TestSpecificationOfErrors, TestSpecificationOfBasicMode

const nobody = "" // no token

func TestSpecification(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, database string) {
		s := startOn(t, database)

		t.Run("spec 1: a password in a body is not kept and not shown", func(t *testing.T) {
			r := s.as(t, admin).post("/users", map[string]any{
				"email": "lois.lane@example.com", "firstName": "Lois", "lastName": "Lane", "password": "s3cret-Word"}).want(201)
			if strings.Contains(string(r.body), "s3cret-Word") {
				t.Errorf("the password comes back: %s", r.body)
			}
		})
		t.Run("spec 1: stateless, POST without any CSRF token works, a cookie means nothing", func(t *testing.T) {
			s.as(t, reader).post("/books/"+pride+"/borrow", nil).want(200)
			s.as(t, reader).post("/books/"+pride+"/return", nil, "Referer", "https://elsewhere.example/").want(200)
			s.with(t, nobody).get("/books", "Cookie", "JSESSIONID=1; session="+s.as(t, admin).token).want(401)
		})
		t.Run("spec 1: no anonymous endpoint", func(t *testing.T) {
			for _, path := range []string{"", "/", "/books", "/books/" + pride, "/users", "/me", "/me/books", "/openapi.yaml", "/nothing", "/healthz"} {
				for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"} {
					s.with(t, nobody).call(method, path, nil).want(401).wantHeader("WWW-Authenticate", "Bearer")
				}
			}
		})
		t.Run("spec 1: role LIBRARY_USER lists, borrows and returns, and does no more", func(t *testing.T) {
			c := s.as(t, reader)
			c.get("/books").want(200)
			c.post("/books/"+cleanCode+"/borrow", nil).want(200)
			c.post("/books/"+cleanCode+"/return", nil).want(200)
			c.post("/books", book{Title: "No"}).want(403)
			c.put("/books/"+cleanCode, book{Title: "No"}).want(403)
			c.delete("/books/" + cleanCode).want(403)
			c.get("/users").want(403)
		})
		t.Run("spec 1: role LIBRARY_USER cannot return another's book", func(t *testing.T) {
			s.as(t, reader).post("/books/"+cleanCode+"/borrow", nil).want(200)
			s.as(t, reader2).post("/books/"+cleanCode+"/return", nil).want(403).wantCode("not_your_loan").wantHeader("WWW-Authenticate", "")
			s.as(t, reader).post("/books/"+cleanCode+"/return", nil).want(200)
		})
		t.Run("spec 1: role LIBRARY_CURATOR adds, edits and deletes books, and does no more", func(t *testing.T) {
			c := s.as(t, curator)
			added := into[book](c.post("/books", map[string]any{"title": "Draft"}).want(201))
			c.put("/books/"+added.Identifier, map[string]any{"title": "Final"}).want(200)
			c.delete("/books/" + added.Identifier).want(204)
			c.post("/books/"+cleanCode+"/borrow", nil).want(403)
			c.get("/users").want(403)
		})
		t.Run("spec 1: role LIBRARY_ADMIN lists, adds and removes users, and does no more", func(t *testing.T) {
			c := s.as(t, admin)
			c.get("/users").want(200)
			added := into[user](c.post("/users", map[string]any{"email": "a@b.example", "firstName": "A", "lastName": "B"}).want(201))
			c.delete("/users/" + added.Identifier).want(204)
			c.post("/books", map[string]any{"title": "No"}).want(403)
			c.post("/books/"+cleanCode+"/borrow", nil).want(403)
		})
		t.Run("spec 1: listing users requires the authority ROLE_LIBRARY_ADMIN", func(t *testing.T) {
			s.as(t, caller{admin.email, "library_user library_curator"}).get("/users").want(403)
			s.as(t, caller{reader.email, "library_admin"}).get("/users").want(200)
		})
		t.Run("spec 2: book and user lists are JSON arrays", func(t *testing.T) {
			if books := into[[]book](s.as(t, reader).get("/books").want(200)); len(books) != sampleBooks {
				t.Errorf("%d books, want %d", len(books), sampleBooks)
			}
			if users := into[[]user](s.as(t, admin).get("/users").want(200)); len(users) < sampleUsers {
				t.Errorf("%d users, want %d at least", len(users), sampleUsers)
			}
			if got := string(s.as(t, reader).get("/me/books").want(200).body); got != "[]" {
				t.Errorf("an empty list is %s", got)
			}
		})
		t.Run("spec 2: users are matched by e-mail address, without regard to ASCII case alone", func(t *testing.T) {
			me := into[user](s.as(t, caller{"Bruce.WAYNE@example.com", ""}).get("/me").want(200))
			if me.Identifier != bruceWayne || me.Email != reader.email {
				t.Errorf("found %+v", me)
			}
			s.as(t, caller{"bruce.wayne@e\u212Aample.com", ""}).get("/me").want(401)
		})
		t.Run("spec 4: GET books with a bearer token is 200 with a JSON array of books", func(t *testing.T) {
			r := s.as(t, reader).get("/books").want(200).wantHeader("Content-Type", "application/json")
			for _, b := range into[[]book](r) {
				if b.Identifier == "" || b.Title == "" || b.Borrowed == nil {
					t.Errorf("a book is not complete: %+v", b)
				}
			}
		})
		t.Run("spec 4: GET users as an admin is 200 with a JSON array of users", func(t *testing.T) {
			for _, u := range into[[]user](s.as(t, admin).get("/users").want(200)) {
				if u.Identifier == "" || u.Email == "" || u.FirstName == "" || u.LastName == "" {
					t.Errorf("a user is not complete: %+v", u)
				}
			}
		})
		t.Run("spec 4: fields whose value is null are omitted", func(t *testing.T) {
			r := s.as(t, curator).post("/books", map[string]any{"title": "Bare", "isbn": nil, "description": "  ", "authors": []string{}}).want(201)
			bare := into[map[string]any](r)
			if len(bare) != 3 { // identifier, title, borrowed
				t.Errorf("a book with a title alone is %s", r.body)
			}
			s.as(t, curator).delete("/books/" + bare["identifier"].(string)).want(204)
		})
		t.Run("spec 4: discovery document and key set are asked for by the service itself", func(t *testing.T) {
			if s.idp.Discoveries() != 1 || s.idp.Fetches() != 1 {
				t.Errorf("%d discoveries and %d fetches, want one each", s.idp.Discoveries(), s.idp.Fetches())
			}
		})
	})
}

func TestSpecificationOfConfiguration(t *testing.T) {
	t.Parallel()
	idp := testidp.New(t)
	s := startWith(t, idp, "--database", emptySQLite(t), "--sample-data", "--jwks-url", idp.KeysURL())
	t.Run("spec 5.3: the key-set address is configured; discovery is not needed then", func(t *testing.T) {
		s.as(t, reader).get("/books").want(200)
		if idp.Discoveries() != 0 {
			t.Error("the discovery document was asked for")
		}
	})
	t.Run("spec 5.3: the issuer address is configured; a token of another is refused", func(t *testing.T) {
		token := idp.Mint(t, testidp.Claims{"iss": idp.Issuer() + "/"})
		s.with(t, token).get("/books").want(401)
	})
}

func TestSpecificationOfCrossOrigin(t *testing.T) {
	t.Parallel()
	s := startOn(t, emptySQLite(t), "--client-origin", "shop.example:4200")
	preflight := func(t *testing.T, path, origin, method string) response {
		return s.with(t, nobody).call("OPTIONS", path, nil, "Origin", origin,
			"Access-Control-Request-Method", method, "Access-Control-Request-Headers", "authorization, x-anything")
	}
	t.Run("spec 1: the https and the http form of the client origin are allowed, on all paths", func(t *testing.T) {
		for _, origin := range []string{"http://shop.example:4200", "https://shop.example:4200"} {
			for _, path := range []string{"/books", "/users", "/me", "/no/such/path"} {
				preflight(t, path, origin, "GET").want(200).wantHeader("Access-Control-Allow-Origin", origin)
			}
			s.as(t, reader).get("/books", "Origin", origin).want(200).wantHeader("Access-Control-Allow-Origin", origin)
			s.with(t, nobody).get("/books", "Origin", origin).want(401).wantHeader("Access-Control-Allow-Origin", origin)
		}
	})
	t.Run("spec 1: methods GET, POST, PUT and DELETE are allowed, others are not", func(t *testing.T) {
		for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
			preflight(t, "/books", "http://shop.example:4200", method).want(200)
		}
		preflight(t, "/books", "http://shop.example:4200", "PATCH").want(403)
	})
	t.Run("spec 1: all headers and credentials are allowed", func(t *testing.T) {
		preflight(t, "/books", "http://shop.example:4200", "POST").want(200).
			wantHeader("Access-Control-Allow-Headers", "authorization, x-anything").
			wantHeader("Access-Control-Allow-Credentials", "true")
	})
	t.Run("spec 1: another origin is not allowed and reaches nothing", func(t *testing.T) {
		for _, origin := range []string{"http://evil.example:4200", "http://shop.example", "null", "http://shop.example:4200.evil.example"} {
			preflight(t, "/books", origin, "GET").want(403).wantHeader("Access-Control-Allow-Origin", "")
			s.as(t, reader).post("/books/"+cleanCode+"/borrow", nil, "Origin", origin).want(403)
		}
		if got := into[book](s.as(t, reader).get("/books/" + cleanCode)); *got.Borrowed {
			t.Error("the book is borrowed")
		}
	})
}

func TestSpecificationOfErrors(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, database string) {
		s := startOn(t, database)
		invalid := func(description string) string {
			return `Bearer error="invalid_token", error_description="` + description +
				`", error_uri="https://tools.ietf.org/html/rfc6750#section-3.1"`
		}
		t.Run("spec 7: bearer mode, no token sent → 401 WWW-Authenticate: Bearer", func(t *testing.T) {
			s.with(t, nobody).get("/books").want(401).wantHeader("WWW-Authenticate", "Bearer")
			s.with(t, nobody).get("/books", "Authorization", "Basic YTpi").want(401).wantHeader("WWW-Authenticate", "Bearer")
			s.with(t, nobody).get("/books?access_token="+s.as(t, reader).token).want(401).wantHeader("WWW-Authenticate", "Bearer")
		})
		t.Run("spec 7: token invalid, bad signature → 401 invalid_token", func(t *testing.T) {
			s.with(t, s.idp.Mint(t, nil, testidp.ForgedSignature())).get("/books").want(401).
				wantHeader("WWW-Authenticate", invalid("The token could not be verified: Invalid signature"))
		})
		t.Run("spec 7: token invalid, wrong issuer → 401 invalid_token", func(t *testing.T) {
			s.with(t, s.idp.Mint(t, testidp.Claims{"iss": "https://evil.example"})).get("/books").want(401).
				wantHeader("WWW-Authenticate", invalid("The iss claim is not valid"))
		})
		t.Run("spec 7: token invalid, expired → 401 invalid_token", func(t *testing.T) {
			at := time.Now().Add(-time.Second).Truncate(time.Second).UTC()
			s.with(t, s.idp.Mint(t, testidp.Claims{"exp": at.Unix()})).get("/books").want(401).
				wantHeader("WWW-Authenticate", invalid("Jwt expired at "+at.Format(time.RFC3339)))
		})
		t.Run("spec 7: token invalid, audience lacks library-service → 401 invalid_token", func(t *testing.T) {
			s.with(t, s.idp.Mint(t, testidp.Claims{"aud": []string{"account"}})).get("/books").want(401).
				wantHeader("WWW-Authenticate", invalid("The required audience 'library-service' is missing"))
		})
		t.Run("spec 7: no local user matches the email claim → authentication fails, bad credentials", func(t *testing.T) {
			r := s.as(t, caller{"nobody@example.com", "library_admin"}).get("/users").want(401).
				wantHeader("WWW-Authenticate", invalid("No user found for the email claim"))
			if got := r.failure().Message; got != "Bad credentials" {
				t.Errorf("message %q", got)
			}
		})
		t.Run("spec 7: authenticated caller lacks the required authority → 403", func(t *testing.T) {
			for _, c := range []caller{reader, curator, {admin.email, "email profile"}} {
				r := s.as(t, c).get("/users").want(403).wantCode("role_missing")
				want := `Bearer error="insufficient_scope"`
				if got := r.header.Get("WWW-Authenticate"); !strings.HasPrefix(got, want) || !strings.Contains(got, `scope="library_admin"`) {
					t.Errorf("WWW-Authenticate is %q", got)
				}
			}
		})
		t.Run("spec 7: valid token with the scope that maps to ROLE_LIBRARY_ADMIN calls GET users → 200", func(t *testing.T) {
			r := s.as(t, admin).get("/users").want(200)
			if got := len(into[[]user](r)); got != sampleUsers || r.header.Get("X-Total-Count") != "5" {
				t.Errorf("%d users, X-Total-Count %s", got, r.header.Get("X-Total-Count"))
			}
		})
		t.Run("two ways to send a token at once → 400", func(t *testing.T) {
			token := s.as(t, reader).token
			s.with(t, token).get("/books?access_token=" + token).want(400)
			req, _ := http.NewRequest("GET", s.base+"/books", nil)
			req.Header["Authorization"] = []string{"Bearer " + token, "Bearer " + token}
			r, err := s.send(t, req)
			if err != nil {
				t.Fatal(err)
			}
			r.want(400)
		})
	})
}
