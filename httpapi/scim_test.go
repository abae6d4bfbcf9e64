package httpapi_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"example.org/library/httpapi"
	"example.org/library/internal/testkit"
)

const scimSecret = "the secret of the directory"

// withSCIM lets a directory in.
func withSCIM(s *setup) {
	s.scim = &httpapi.SCIM{Secrets: [][sha256.Size]byte{sha256.Sum256([]byte("another")), sha256.Sum256([]byte(scimSecret))}}
}

type scimAnswer struct {
	status int
	header http.Header
	body   map[string]any
}

// get returns a value by the names on the way to it.
func (a scimAnswer) get(names ...any) any {
	var v any = a.body
	for _, name := range names {
		switch n := name.(type) {
		case int:
			list, _ := v.([]any)
			if n >= len(list) {
				return nil
			}
			v = list[n]
		case string:
			inner, _ := v.(map[string]any)
			v = inner[n]
		}
	}
	return v
}

// scim asks as the directory.
func (w *world) scim(t testing.TB, method, path, body string, header ...string) scimAnswer {
	t.Helper()
	req, err := http.NewRequest(method, w.server.URL+w.base+"/scim/v2"+path, strings.NewReader(body))
	testkit.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+scimSecret)
	if body != "" {
		req.Header.Set("Content-Type", "application/scim+json; charset=utf-8")
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := w.server.Client().Transport.RoundTrip(req)
	testkit.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	testkit.NoError(t, err)
	a := scimAnswer{status: resp.StatusCode, header: resp.Header}
	if len(text) > 0 {
		testkit.NoError(t, json.Unmarshal(text, &a.body))
		if got := resp.Header.Get("Content-Type"); got != "application/scim+json" {
			t.Errorf("%s %s: Content-Type %q", method, path, got)
		}
	}
	if a.status >= 400 && (a.get("schemas", 0) != "urn:ietf:params:scim:api:messages:2.0:Error" || a.get("status") != fmt.Sprint(a.status) || a.get("detail") == "") {
		t.Errorf("%s %s: %d with %s", method, path, a.status, text)
	}
	return a
}

// wantSCIM expects a status and, of a refusal, the scimType.
func (w *world) wantSCIM(t testing.TB, status int, scimType, method, path, body string, header ...string) scimAnswer {
	t.Helper()
	a := w.scim(t, method, path, body, header...)
	got, _ := a.get("scimType").(string)
	if a.status != status || got != scimType {
		t.Fatalf("%s %s %s: %d %q, want %d %q: %v", method, path, body, a.status, got, status, scimType, a.body)
	}
	return a
}

func (w *world) addPerson(t testing.TB, userName, more string) string {
	t.Helper()
	a := w.wantSCIM(t, 201, "", "POST", "/Users", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"userName":"`+userName+`"`+more+`}`)
	id, _ := a.get("id").(string)
	return id
}

func patchOf(operations ...string) string {
	return `{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[` + strings.Join(operations, ",") + `]}`
}

func TestADirectoryMakesChangesAndRemovesAPerson(t *testing.T) {
	t.Parallel()
	for database, open := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, withSCIM, func(s *setup) { s.open = open })
			a := w.wantSCIM(t, 201, "", "POST", "/Users", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"userName":"Ada","externalId":"x1",
				"name":{"givenName":"Ada","familyName":"King"},"displayName":"Countess","emails":[{"value":"home@example.org","type":"home"},{"value":"ada@example.org","type":"work"}],
				"userType":"teacher","preferredLanguage":"de-AT","title":"Dr","urn:ietf:params:scim:schemas:extension:enterprise:2.0:User":{"department":"7b","manager":{"value":"x"}}}`)
			id, _ := a.get("id").(string)
			testkit.Equal(t, a.header.Get("Location"), a.get("meta", "location").(string))
			testkit.Equal(t, a.header.Get("Etag"), a.get("meta", "version").(string))
			if a.get("title") != nil || a.get("userType") != "teacher" || a.get("preferredLanguage") != "de-AT" || a.get("displayName") != "Countess" || a.get("active") != true {
				t.Errorf("%v", a.body)
			}
			u := w.send(t, request{as: clarkKent, path: "/users/" + id}).want(t, 200, "")
			for _, want := range []string{`"email":"ada@example.org"`, `"firstName":"Ada"`, `"lastName":"King"`, `"group":"7b"`, `"category":"teacher"`, `"locale":"de"`} {
				if !strings.Contains(string(u.body), want) {
					t.Errorf("no %s in %s", want, u.body)
				}
			}
			w.wantSCIM(t, 200, "", "PATCH", "/Users/"+id, patchOf(`{"op":"Replace","path":"active","value":"False"}`))
			testkit.Equal(t, w.wantSCIM(t, 200, "", "PUT", "/Users/"+id, `{"userName":"ada","emails":[{"value":"ada@example.org"}]}`).get("active"), any(false))
			put := w.wantSCIM(t, 200, "", "GET", "/Users/"+id, "")
			if put.get("externalId") != nil || put.get("displayName") != nil || put.get("name", "familyName") != "King" {
				t.Errorf("after PUT: %v", put.body)
			}
			w.wantSCIM(t, 204, "", "DELETE", "/Users/"+id, "")
			w.wantSCIM(t, 404, "", "DELETE", "/Users/"+id, "")
			w.wantSCIM(t, 404, "", "GET", "/Users/"+id, "")
			found := w.wantSCIM(t, 200, "", "GET", "/Users?filter="+url.QueryEscape(`userName eq "ada"`), "")
			testkit.Equal(t, found.get("totalResults"), any(0.0))
			if u := w.send(t, request{as: clarkKent, path: "/users/" + id}).want(t, 200, ""); !strings.Contains(string(u.body), `"active":false`) {
				t.Errorf("%s", u.body)
			}
			testkit.Equal(t, w.addPerson(t, "ada@example.org", ""), id)
			again := w.wantSCIM(t, 200, "", "GET", "/Users/"+id, "")
			testkit.Equal(t, again.get("active"), any(true))
		})
	}
}

func TestARecordIsAdoptedOnce(t *testing.T) {
	t.Parallel()
	for database, open := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, withSCIM, func(s *setup) { s.open = open })
			var all sync.WaitGroup
			status := make(chan int, 16)
			for range 16 {
				all.Go(func() {
					status <- w.scim(t, "POST", "/Users", `{"userName":"bw","emails":[{"value":"Bruce.Wayne@example.com"}]}`).status
				})
			}
			all.Wait()
			close(status)
			count := map[int]int{}
			for s := range status {
				count[s]++
			}
			if count[201] != 1 || count[409] != 15 {
				t.Errorf("%v", count)
			}
			a := w.wantSCIM(t, 200, "", "GET", "/Users/"+wayneID, "")
			testkit.Equal(t, a.get("name", "givenName"), any("Bruce"))
			w.wantSCIM(t, 409, "uniqueness", "POST", "/Users", `{"userName":"BW","emails":[{"value":"other@example.org"}]}`)
			w.wantSCIM(t, 409, "uniqueness", "POST", "/Users", `{"userName":"peter.parker@example.com","emails":[{"value":"other@example.org"}]}`)
		})
	}
}

// TestSwitchingOffInEveryForm has the bodies of Entra ID without and with aadOptscim062020, Okta, authentik and
// OneLogin.
func TestSwitchingOffInEveryForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withSCIM)
	for i, body := range []string{
		patchOf(`{"op":"Replace","path":"active","value":"False"}`),
		patchOf(`{"op":"replace","path":"active","value":false}`),
		patchOf(`{"op":"replace","value":{"active":false}}`),
		patchOf(`{"op":"replace","value":{"name.familyName":"X","active":"false"}}`),
		patchOf(`{"op":"REPLACE","path":"urn:ietf:params:scim:schemas:core:2.0:User:Active","value":false}`),
		patchOf(`{"op":"add","value":{"urn:ietf:params:scim:schemas:core:2.0:User":{"ACTIVE":"FALSE"}}}`),
		patchOf(`{"op":"replace","path":"title","value":"x"}`, `{"op":"remove","path":"phoneNumbers[type eq \"mobile\"].value"}`, `{"op":"replace","path":"active","value":false}`),
	} {
		id := w.addPerson(t, fmt.Sprintf("p%d@example.org", i), "")
		testkit.Equal(t, w.wantSCIM(t, 200, "", "PATCH", "/Users/"+id, body).get("active"), any(false), body)
	}
	token := w.token(t, bruceWayne)
	stream := w.listen(t, request{token: token})
	stream.wantBare("ready")
	w.wantSCIM(t, 200, "", "PATCH", "/Users/"+wayneID, patchOf(`{"op":"replace","path":"active","value":false}`))
	stream.WantEnd()
	w.send(t, request{token: token, path: "/me"}).want(t, 401, "unknown_user")
}

func TestRefusalsOfADirectoryChangeNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withSCIM)
	id := w.addPerson(t, "a@example.org", `,"externalId":"e"`)
	w.addPerson(t, "b@example.org", `,"externalId":"f"`)
	before := w.wantSCIM(t, 200, "", "GET", "/Users/"+id, "").get("meta", "version")
	one := "/Users/" + id
	for _, c := range []struct {
		status             int
		scimType           string
		method, path, body string
	}{
		{400, "invalidSyntax", "POST", "/Users", `{`}, {400, "invalidSyntax", "POST", "/Users", `{"userName":"x","userName":"y"}`}, {400, "invalidSyntax", "POST", "/Users", `[]`},
		{400, "invalidSyntax", "POST", "/Users", `{"userName":"c@d.e","USERNAME":"f@g.h"}`},
		{400, "invalidValue", "POST", "/Users", `{"userName":"c@d.e","emails":[` + strings.Repeat(`{"value":"c@d.e"},`, 20) + `{"value":"c@d.e"}]}`},
		{400, "invalidValue", "POST", "/Users", `{}`}, {400, "invalidValue", "POST", "/Users", `{"userName":"no address"}`},
		{400, "invalidValue", "POST", "/Users", `{"userName":"c@d.e","name":{"givenName":"` + strings.Repeat("x", 101) + `"}}`},
		{400, "invalidValue", "POST", "/Users", `{"userName":"c@d.e","active":null}`}, {400, "invalidValue", "POST", "/Users", `{"userName":"c@d.e","active":"maybe"}`},
		{400, "invalidValue", "POST", "/Users", `{"userName":7}`}, {400, "invalidValue", "POST", "/Users", `{"userName":"c@d.e","emails":[{"type":"work"}]}`},
		{409, "uniqueness", "POST", "/Users", `{"userName":"A@EXAMPLE.org"}`}, {409, "uniqueness", "POST", "/Users", `{"userName":"c@d.e","externalId":"e"}`},
		{409, "uniqueness", "PUT", one, `{"userName":"b@example.org"}`}, {409, "uniqueness", "PATCH", one, patchOf(`{"op":"add","path":"externalId","value":"f"}`)},
		{400, "mutability", "PUT", one, `{"userName":"a@example.org","id":"x"}`}, {400, "mutability", "PATCH", one, patchOf(`{"op":"replace","path":"id","value":"x"}`)},
		{400, "invalidSyntax", "PATCH", one, `{}`}, {400, "invalidSyntax", "PATCH", one, `{"Operations":{}}`}, {400, "invalidSyntax", "PATCH", one, patchOf(`{"op":"move","path":"active"}`)},
		{400, "noTarget", "PATCH", one, patchOf(`{"op":"remove"}`)}, {400, "invalidPath", "PATCH", one, patchOf(`{"op":"remove","path":"emails["}`)}, {400, "invalidPath", "PATCH", one, patchOf(`{"op":"replace","path":"a b","value":"x"}`)},
		{400, "mutability", "PATCH", one, patchOf(`{"op":"remove","path":"active"}`)}, {400, "mutability", "PATCH", one, patchOf(`{"op":"remove","path":"name.familyName"}`)},
		{400, "mutability", "PATCH", one, patchOf(`{"op":"remove","path":"emails"}`)},
		{400, "invalidValue", "PATCH", one, patchOf(`{"op":"replace","path":"active","value":null}`)}, {400, "invalidValue", "PATCH", one, patchOf(`{"op":"replace","path":"displayName","value":"kept?"}`, `{"op":"replace","path":"active","value":"maybe"}`)},
		{400, "invalidFilter", "GET", "/Users?filter=userName", ""}, {400, "invalidFilter", "GET", "/Users?filter=" + url.QueryEscape(strings.Repeat("(", 51)+`id pr`+strings.Repeat(")", 51)), ""},
		{400, "invalidValue", "GET", "/Users?count=many", ""},
		{404, "", "GET", "/Users/nobody", ""}, {404, "", "GET", "/nowhere", ""}, {404, "", "GET", "/Schemas/x", ""}, {405, "", "POST", "/Schemas", ""}, {405, "", "POST", one, "{}"},
		{501, "", "POST", "/Bulk", "{}"}, {501, "", "GET", "/Me", ""}, {501, "", "POST", "/.search", "{}"},
	} {
		w.wantSCIM(t, c.status, c.scimType, c.method, c.path, c.body)
	}
	w.wantSCIM(t, 412, "", "PUT", one, `{"userName":"a@example.org"}`, "If-Match", `"x"`)
	w.wantSCIM(t, 415, "", "POST", "/Users", `{}`, "Content-Type", "text/plain")
	w.wantSCIM(t, 413, "", "POST", "/Users", `{"userName":"`+strings.Repeat("x", 4<<20)+`"}`)
	w.wantSCIM(t, 304, "", "GET", one, "", "If-None-Match", before.(string))
	w.wantSCIM(t, 200, "", "PUT", one, `{"userName":"a@example.org"}`, "If-Match", "*")
}

func TestTheLastAdminIsNotSwitchedOffByADirectory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withSCIM, func(s *setup) { s.scim.LocalRoles = true })
	for _, body := range []string{patchOf(`{"op":"replace","path":"active","value":false}`)} {
		w.wantSCIM(t, 409, "", "PATCH", "/Users/"+kentID, body)
	}
	w.wantSCIM(t, 409, "", "DELETE", "/Users/"+kentID, "")
	testkit.Equal(t, w.wantSCIM(t, 200, "", "GET", "/Users/"+kentID, "").get("active"), any(true))
}

func TestWhoMayUseSCIM(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withSCIM)
	bearer := func(token string) []string { return []string{"Authorization", "Bearer " + token} }
	w.wantSCIM(t, 200, "", "GET", "/Users", "", bearer(w.token(t, clarkKent))...)
	w.wantSCIM(t, 200, "", "GET", "/Schemas", "", bearer("another")...)
	if a := w.wantSCIM(t, 403, "", "GET", "/Users", "", bearer(w.token(t, bruceWayne))...); !strings.Contains(a.header.Get("WWW-Authenticate"), "library_admin") {
		t.Errorf("%v", a.header)
	}
	w.wantSCIM(t, 409, "", "DELETE", "/Users/"+kentID, "", bearer(w.token(t, clarkKent))...)
	w.wantSCIM(t, 400, "", "GET", "/Users?access_token=x", "")
	w.send(t, request{token: "thesecretofthedirectory", path: "/me"}).want(t, 401, "malformed_token")
	tried := 0
	for range 50 {
		a := w.scim(t, "GET", "/Users", "", bearer("wrong")...)
		if a.status == 429 {
			testkit.Equal(t, a.header.Get("Retry-After"), "1")
			tried++
		}
		w.wantSCIM(t, 200, "", "GET", "/Users?count=0", "")
	}
	if tried == 0 {
		t.Error("a wrong secret can be tried without end")
	}
	off := newWorld(t)
	off.send(t, request{as: clarkKent, path: "/scim/v2/Users"}).want(t, 404, "no_such_path")
}

func TestListsOfPeopleForADirectory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withSCIM)
	id := w.addPerson(t, "ada", `,"externalId":"X","emails":[{"value":"ada@x.org","type":"work","primary":true},{"value":"home@x.org","type":"home"}],"department":"7b"`)
	for filter, want := range map[string]bool{
		`userName eq "ADA"`: true, `userName ne "ada"`: false, `externalId eq "X"`: true, `externalId eq "x"`: false, `id eq "` + id + `"`: true,
		`emails[type eq "work" and value co "@x"]`: true, `emails.value sw "HOME"`: true, `emails eq "home@x.org"`: true, `emails[type eq "home" and primary eq true]`: false,
		`name.familyName pr and not (active eq false)`: true, `title pr`: false, `title eq "x" or department eq "7B"`: true, `meta.created gt "2020-01-01T00:00:00Z"`: true, `meta.lastModified lt "2020-01-01T00:00:00Z"`: false,
		`urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department ew "B"`: true, `(userName ge "ada" AND userName le "ada")`: true, `active eq "True"`: true, `displayName eq null`: true,
	} {
		a := w.wantSCIM(t, 200, "", "GET", "/Users?x=y&filter="+url.QueryEscape(filter+` and userName sw "ad"`), "")
		testkit.Equal(t, a.get("totalResults") == 1.0, want, filter)
	}
	a := w.wantSCIM(t, 200, "", "GET", "/Users?startIndex=2&count=2&attributes=userName,name.familyName,unknown", "")
	if a.get("totalResults") != 6.0 || a.get("itemsPerPage") != 2.0 || a.get("startIndex") != 2.0 || a.get("Resources", 0, "active") != nil || a.get("Resources", 0, "name", "givenName") != nil || a.get("Resources", 0, "name", "familyName") == nil {
		t.Errorf("%v", a.body)
	}
	a = w.wantSCIM(t, 200, "", "GET", "/Users/"+id+"?excludedAttributes=emails,meta", "")
	if a.get("emails") != nil || a.get("meta") != nil || a.get("userName") != "ada" || a.get("id") != id {
		t.Errorf("%v", a.body)
	}
	if a := w.wantSCIM(t, 200, "", "GET", "/Users?startIndex=-1&count=-1", ""); a.get("startIndex") != 1.0 || a.get("itemsPerPage") != 0.0 || a.get("Resources") == nil {
		t.Errorf("%v", a.body)
	}
}

func TestEmailsOfADirectory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withSCIM)
	id := w.addPerson(t, "ada", `,"emails":[{"value":"ada@x.org","type":"work"},{"value":"home@x.org","type":"home"}]`)
	a := w.wantSCIM(t, 200, "", "PATCH", "/Users/"+id, patchOf(`{"op":"replace","path":"emails[type eq \"work\"].value","value":"new@x.org"}`, `{"op":"add","path":"emails[type eq \"other\"].value","value":"third@x.org"}`, `{"op":"remove","path":"emails[type eq \"home\"]"}`))
	if a.get("emails", 0, "value") != "new@x.org" || a.get("emails", 1, "value") != "third@x.org" || a.get("emails", 1, "type") != "other" || a.get("emails", 2) != nil {
		t.Errorf("%v", a.body)
	}
	w.send(t, request{as: clarkKent, method: "PUT", path: "/users/" + id, body: `{"email":"desk@x.org","firstName":"A","lastName":"B"}`}).want(t, 200, "")
	a = w.wantSCIM(t, 200, "", "GET", "/Users/"+id, "")
	if a.get("emails", 0, "value") != "desk@x.org" || a.get("name", "givenName") != "A" || a.get("userName") != "ada" {
		t.Errorf("%v", a.body)
	}
}
