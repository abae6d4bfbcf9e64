package e2e

import (
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testidp"
)

// The rows of the specification and the tests that hold them. Here is one walk
// through each section, with the program itself; the tables that go through a
// section rule by rule are those of the packages. Subtests of TestSpecification
// are named after their rows.
//
//	section 1  one binary manages books, users, loans   TestTheJourneyOfAReader, TestScripts
//	           no passwords, no tokens of its own       TestSpecification/spec_1:_a_password_…
//	           stateless, no cookie, no CSRF token      TestSpecification/spec_1:_stateless…, and response.checkAlways on every answer
//	           no anonymous endpoint                    httpapi: TestWithoutATokenEverythingIs401
//	           LIBRARY_USER, _CURATOR, _ADMIN           TestIDPTokensOpenWhatTheirRolesAllow; httpapi: TestEachRouteNamesTheScopeThatIsMissing
//	           listing users needs ROLE_LIBRARY_ADMIN   TestSpecificationOfErrors; httpapi: TestOnlyAdminsSeeAndChangeUsers
//	           CORS origins, methods, headers, cred.    TestSpecificationOfCrossOrigin; httpapi: TestPreflightsOfTheClient and others
//	section 2  lists are JSON arrays                    TestSpecification/spec_2:_…
//	           users are matched by e-mail              httpapi: TestAnswersToCredentials
//	           claims scope, email, iss, exp, aud       auth: TestClaims; httpapi: TestAnswersToCredentials
//	           other claims are not required            auth: TestClaims
//	           error body in basic mode                 TestSpecificationOfBasicMode
//	           token response                           devidp: TestTokenResponseHasExactlyTheFieldsOfItsGrant
//	section 4  GET books, GET users                     TestSpecification/spec_4:_…
//	           null is omitted                          TestSpecification/spec_4:_fields…, and response.checkAlways
//	           discovery, key set                       TestSpecification/spec_4:_discovery…
//	           token and authorization endpoint         devidp: TestEachRequiredFieldOfATokenRequestIsRequired, TestCodeFlow
//	section 5  1 bearer token                           TestSpecification/spec_4:_…
//	           2 signature, iss, exp, aud               TestSpecificationOfErrors; auth: TestClaims
//	           3 key set and issuer address             TestSpecificationOfConfiguration
//	           4 authorities                            TestTheFirstAdminCanWorkInEveryMode; auth, httpapi: TestAuthorities
//	           5 obtaining a token                      TestIDPTokensOpenWhatTheirRolesAllow; devidp
//	           6 earlier mode                           TestSpecificationOfBasicMode
//	section 7  all rows                                 TestSpecificationOfErrors, TestSpecificationOfBasicMode

const nobody = "" // no token

func TestSpecification(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, database string) {
		s := startOn(t, database)

		t.Run("spec 1: a password in a body is not kept and not shown", func(t *testing.T) {
			r := s.as(t, admin).post("/users", map[string]any{
				"email": "lois.lane@example.com", "firstName": "Lois", "lastName": "Lane", "password": "s3cret-Word"}).want(201)
			if strings.Contains(string(r.Body), "s3cret-Word") {
				t.Errorf("the password comes back: %s", r.Body)
			}
		})
		t.Run("spec 1: stateless, POST without any CSRF token works, a cookie means nothing", func(t *testing.T) {
			s.as(t, reader).post("/books/"+pride+"/borrow", nil).want(200)
			s.as(t, reader).post("/books/"+pride+"/return", nil, "Referer", "https://elsewhere.example/").want(200)
			s.with(t, nobody).get("/books", "Cookie", "JSESSIONID=1; session="+s.as(t, admin).token).want(401)
		})
		t.Run("spec 2: an empty list is a JSON array, too", func(t *testing.T) {
			if got := string(s.as(t, reader).get("/me/books").want(200).Body); got != "[]" {
				t.Errorf("an empty list is %s", got)
			}
		})
		t.Run("spec 4: GET books with a bearer token is 200 with a JSON array of books", func(t *testing.T) {
			books := into[[]book](s.as(t, reader).get("/books").want(200).wantHeader("Content-Type", "application/json"))
			if len(books) != sampleBooks {
				t.Errorf("%d books, want %d", len(books), sampleBooks)
			}
			for _, b := range books {
				if b.Identifier == "" || b.Title == "" || b.Borrowed == nil {
					t.Errorf("a book is not complete: %+v", b)
				}
			}
		})
		t.Run("spec 4: GET users as an admin is 200 with a JSON array of users", func(t *testing.T) {
			users := into[[]user](s.as(t, admin).get("/users").want(200))
			if len(users) != sampleUsers+1 { // and Lois Lane
				t.Errorf("%d users, want %d", len(users), sampleUsers+1)
			}
			for _, u := range users {
				if u.Identifier == "" || u.Email == "" || u.FirstName == "" || u.LastName == "" {
					t.Errorf("a user is not complete: %+v", u)
				}
			}
		})
		t.Run("spec 4: fields whose value is null are omitted", func(t *testing.T) {
			r := s.as(t, curator).post("/books", map[string]any{"title": "Bare", "isbn": nil, "description": "  ", "authors": []string{}}).want(201)
			if len(into[map[string]any](r)) != 6 { // identifier, title, kind, borrowed, and how many copies there are and can be had
				t.Errorf("a book with a title alone is %s", r.Body)
			}
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
}

func TestSpecificationOfCrossOrigin(t *testing.T) {
	t.Parallel()
	s := startOn(t, emptySQLite(t), "--client-origin", "shop.example:4200")
	preflight := func(origin string) response {
		return s.with(t, nobody).call("OPTIONS", "/books", nil, "Origin", origin,
			"Access-Control-Request-Method", "PUT", "Access-Control-Request-Headers", "authorization, x-anything")
	}
	for _, origin := range []string{"http://shop.example:4200", "https://shop.example:4200"} {
		preflight(origin).want(200).
			wantHeader("Access-Control-Allow-Origin", origin).
			wantHeader("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE").
			wantHeader("Access-Control-Allow-Headers", "authorization, x-anything").
			wantHeader("Access-Control-Allow-Credentials", "true")
		s.as(t, reader).get("/books", "Origin", origin).want(200).wantHeader("Access-Control-Allow-Origin", origin)
	}
	preflight("http://localhost:4200").want(403).wantHeader("Access-Control-Allow-Origin", "")
	s.as(t, reader).post("/books/"+cleanCode+"/borrow", nil, "Origin", "http://localhost:4200").want(403)
}

func TestSpecificationOfErrors(t *testing.T) {
	t.Parallel()
	s := startOn(t, emptySQLite(t))
	expired := time.Now().Add(-time.Second).Truncate(time.Second).UTC()
	for _, c := range []struct {
		rule, token, challenge string
	}{
		{"no token sent", nobody, ""},
		{"token invalid, bad signature", s.idp.Mint(t, nil, testidp.ForgedSignature()), "The token could not be verified: Invalid signature"},
		{"token invalid, wrong issuer", s.idp.Mint(t, testidp.Claims{"iss": "https://evil.example"}), "The iss claim is not valid"},
		{"token invalid, expired", s.idp.Mint(t, testidp.Claims{"exp": expired.Unix()}), "Jwt expired at " + expired.Format(time.RFC3339)},
		{"token invalid, audience lacks library-service", s.idp.Mint(t, testidp.Claims{"aud": []string{"account"}}),
			"The required audience 'library-service' is missing"},
		{"no local user matches the email claim", s.idp.Mint(t, testidp.Claims{"email": "nobody@example.com"}), "No user found for the email claim"},
	} {
		t.Run("spec 7: "+c.rule+" → 401", func(t *testing.T) {
			want := "Bearer"
			if c.challenge != "" {
				want = `Bearer error="invalid_token", error_description="` + c.challenge + `", error_uri="https://tools.ietf.org/html/rfc6750#section-3.1"`
			}
			s.with(t, c.token).get("/books").want(401).wantHeader("WWW-Authenticate", want)
		})
	}
	t.Run("spec 7: authenticated caller lacks the required authority → 403", func(t *testing.T) {
		r := s.as(t, caller{admin.email, "email profile"}).get("/users").want(403).wantCode("role_missing")
		got := r.Header.Get("WWW-Authenticate")
		if !strings.HasPrefix(got, `Bearer error="insufficient_scope"`) || !strings.Contains(got, `scope="library_admin"`) {
			t.Errorf("WWW-Authenticate is %q", got)
		}
	})
	t.Run("spec 7: valid token with the scope that maps to ROLE_LIBRARY_ADMIN calls GET users → 200", func(t *testing.T) {
		s.as(t, caller{reader.email, "library_admin"}).get("/users").want(200).wantHeader("X-Total-Count", "5")
	})
}
