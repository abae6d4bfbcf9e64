package httpapi_test

import (
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

func (w *world) emailOf(t testing.TB, id string) string {
	t.Helper()
	a := w.send(t, request{as: clarkKent, path: "/users/" + id}).want(t, 200, "")
	_, email, _ := strings.Cut(string(a.body), `"email":"`)
	email, _, _ = strings.Cut(email, `"`)
	return email
}

func TestTheAddressFollowsTheUserNameWhileNoEmailsAreSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withSCIM)
	rename := func(id, to string) string {
		w.wantSCIM(t, 200, "", "PATCH", "/Users/"+id, patchOf(`{"op":"replace","path":"userName","value":"`+to+`"}`))
		return w.emailOf(t, id)
	}
	id := w.addPerson(t, "ada@x.org", "")
	testkit.Equal(t, rename(id, "ada.l@x.org"), "ada.l@x.org")
	w.wantSCIM(t, 200, "", "PATCH", "/Users/"+id, patchOf(`{"op":"add","path":"displayName","value":"Ada"}`))
	testkit.Equal(t, rename(id, "lovelace@x.org"), "lovelace@x.org")
	testkit.Equal(t, rename(id, "no address"), "lovelace@x.org")
	w.send(t, request{as: clarkKent, method: "PUT", path: "/users/" + id, body: `{"email":"desk@x.org","firstName":"A","lastName":"B"}`}).want(t, 200, "")
	w.wantSCIM(t, 200, "", "PATCH", "/Users/"+id, patchOf(`{"op":"add","path":"displayName","value":"Ada"}`))
	testkit.Equal(t, w.emailOf(t, id), "desk@x.org")
	sent := `{"userName":"other@x.org","emails":[{"value":"desk@x.org","type":"work","primary":true}]}`
	w.wantSCIM(t, 200, "", "PUT", "/Users/"+id, sent)
	testkit.Equal(t, w.emailOf(t, id), "desk@x.org")
	testkit.Equal(t, rename(id, "third@x.org"), "desk@x.org")
}

func TestEmailsThatNobodySentShowTheAddressOfNow(t *testing.T) {
	t.Parallel()
	for _, byUserName := range []bool{false, true} {
		w := newWorld(t, withSCIM, func(s *setup) { s.scim.ByUserName = byUserName })
		id := w.addPerson(t, "ada@x.org", "")
		w.wantSCIM(t, 200, "", "PATCH", "/Users/"+id, patchOf(`{"op":"add","path":"displayName","value":"Ada"}`))
		a := w.wantSCIM(t, 200, "", "PATCH", "/Users/"+id, patchOf(`{"op":"replace","path":"userName","value":"lovelace@x.org"}`))
		testkit.Equal(t, a.get("emails", 0, "value"), any("lovelace@x.org"))
		testkit.Equal(t, w.emailOf(t, id), "lovelace@x.org")
	}
}

func TestANewPersonIsCalledAsTheWholeNameSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withSCIM)
	name := func(a scimAnswer) string {
		first, _ := a.get("name", "givenName").(string)
		last, _ := a.get("name", "familyName").(string)
		return first + "|" + last
	}
	a := w.wantSCIM(t, 201, "", "POST", "/Users", `{"userName":"bruce.wayne@example.com","displayName":"The Dark Knight"}`)
	testkit.Equal(t, name(a), "The Dark|Knight")
	a = w.wantSCIM(t, 200, "", "PUT", "/Users/"+wayneID, `{"userName":"bruce.wayne@example.com","displayName":"Robin"}`)
	testkit.Equal(t, name(a), "The Dark|Knight")
	a = w.wantSCIM(t, 201, "", "POST", "/Users", `{"userName":"peter.parker@example.com","name":{"givenName":"Spider"}}`)
	testkit.Equal(t, name(a), "Spider|Parker")
	a = w.wantSCIM(t, 201, "", "POST", "/Users", `{"userName":"ada@x.org","name":{"formatted":"Ada"}}`)
	testkit.Equal(t, name(a), "Ada|Ada")
	a = w.wantSCIM(t, 201, "", "POST", "/Users", `{"userName":"bob@x.org","name":{"familyName":"B"}}`)
	testkit.Equal(t, name(a), "bob@x.org|B")
}

func TestAnAttributeIsNamedOnceAtAnyDepth(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withSCIM)
	for _, body := range []string{
		`{"userName":"a@x.org","name":{"givenName":"A","GIVENNAME":"B"}}`,
		`{"userName":"a@x.org","emails":[{"value":"a@x.org","Value":"b@x.org"}]}`,
	} {
		w.wantSCIM(t, 400, "invalidSyntax", "POST", "/Users", body)
	}
	for _, body := range []string{`{"Operations":[],"operations":[]}`, patchOf(`{"op":"add","OP":"remove","path":"displayName","value":"x"}`)} {
		w.wantSCIM(t, 400, "invalidSyntax", "PATCH", "/Users/"+wayneID, body)
	}
}

func TestASchemaStandsForItsAttributes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withSCIM)
	const core, extension = "urn:ietf:params:scim:schemas:core:2.0:User", "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
	id := w.addPerson(t, "ada@x.org", `,"`+extension+`":{"department":"7b"}`)
	for query, want := range map[string][2]bool{ // the user name, the department
		"attributes=" + extension: {false, true}, "attributes=" + strings.ToUpper(extension) + ",userName": {true, true}, "attributes=" + core: {true, false},
		"excludedAttributes=" + extension: {true, false}, "excludedAttributes=" + core: {false, true}, "excludedAttributes=urn:other": {true, true},
	} {
		a := w.wantSCIM(t, 200, "", "GET", "/Users/"+id+"?"+query, "")
		testkit.Equal(t, [2]bool{a.get("userName") != nil, a.get(extension, "department") == "7b"}, want, query)
		testkit.Equal(t, a.get("id"), any(id), query)
	}
}

func TestAnOperationWithoutAValue(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withSCIM)
	id := w.addPerson(t, "ada@x.org", `,"userType":"teacher","externalId":"x1"`)
	for _, add := range []string{`{"op":"add","path":"userType"}`, `{"op":"add","path":"externalId","value":null}`} {
		a := w.wantSCIM(t, 200, "", "PATCH", "/Users/"+id, patchOf(add))
		testkit.Equal(t, a.get("userType"), any("teacher"))
		testkit.Equal(t, a.get("externalId"), any("x1"))
	}
	a := w.wantSCIM(t, 200, "", "PATCH", "/Users/"+id, patchOf(`{"op":"replace","path":"userType","value":null}`))
	testkit.Equal(t, a.get("userType"), nil)
	group := w.addGroup(t, "A", id)
	for _, bad := range []string{`{"op":"replace","path":"members"}`, `{"op":"replace","path":"members","value":null}`, `{"op":"remove","path":"members","value":5}`} {
		w.wantSCIM(t, 400, "invalidValue", "PATCH", "/Groups/"+group, patchOf(bad))
		w.wantMembers(t, group, id)
	}
}

func TestTheLanguageOfADirectory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withSCIM)
	id := w.addPerson(t, "ada@x.org", `,"preferredLanguage":"de-AT"`)
	for _, c := range []struct{ sent, locale string }{{"en-GB", "en"}, {"de", "de"}, {"en_US", "de"}, {"fr", "de"}, {"EN", "en"}} {
		a := w.wantSCIM(t, 200, "", "PATCH", "/Users/"+id, patchOf(`{"op":"replace","path":"preferredLanguage","value":"`+c.sent+`"}`))
		testkit.Equal(t, a.get("preferredLanguage"), any(c.sent))
		record := w.send(t, request{as: clarkKent, path: "/users/" + id}).want(t, 200, "")
		if !strings.Contains(string(record.body), `"locale":"`+c.locale+`"`) {
			t.Errorf("%s: %s, want %s", c.sent, record.body, c.locale)
		}
	}
}

func TestAPersonBroughtBackByAnAdminIsTheDirectorysAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withSCIM)
	id := w.addPerson(t, "ada@x.org", "")
	w.wantSCIM(t, 204, "", "DELETE", "/Users/"+id, "")
	w.send(t, request{as: clarkKent, method: "PUT", path: "/users/" + id, body: `{"email":"ada@x.org","firstName":"A","lastName":"B","active":true}`}).want(t, 200, "")
	w.wantSCIM(t, 200, "", "GET", "/Users/"+id, "")
	w.wantSCIM(t, 409, "uniqueness", "POST", "/Users", `{"userName":"ada@x.org","externalId":"other"}`)
}
