package httpapi_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

// sent is a request of a directory, as its documentation shows it. In path and body, {user}, {other} and
// {group} are identifiers. The answer has each of the given texts.
type sent struct {
	method, path, body string
	status             int
	has                []string
}

const (
	userSchema  = `"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"]`
	groupSchema = `"schemas":["urn:ietf:params:scim:schemas:core:2.0:Group"]`
	enterprise  = `urn:ietf:params:scim:schemas:extension:enterprise:2.0:User`
)

// entra returns the requests that are the same with and without the flag aadOptscim062020.
func entra(patches ...sent) []sent {
	return append([]sent{
		{"GET", `/Users?filter=` + url.QueryEscape(`userName eq "Test_User_ab6490ee"`), ``, 200, []string{`"totalResults":0`, `"Resources":[]`}},
		{"POST", `/Users`, `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User","` + enterprise + `"],"externalId":"0a21f0f2","userName":"Test_User_ab6490ee","active":true,
			"emails":[{"primary":true,"type":"work","value":"Test_User_fd0ea19b@testuser.com"}],"meta":{"resourceType":"User"},"name":{"formatted":"givenName familyName","familyName":"familyName","givenName":"givenName"},"roles":[]}`,
			201, []string{`"userName":"Test_User_ab6490ee"`, `"externalId":"0a21f0f2"`, `"active":true`}},
		{"GET", `/Users?filter=` + url.QueryEscape(`externalId eq "0a21f0f2"`), ``, 200, []string{`"totalResults":1`}},
		{"PATCH", `/Users/{user}`, patchOf(`{"op":"Replace","path":"userName","value":"5b50642d@contoso.com"}`), 200, []string{`"userName":"5b50642d@contoso.com"`}},
		{"POST", `/Groups`, `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:Group","http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"],"externalId":"8aa1a0c0","displayName":"displayName","meta":{"resourceType":"Group"}}`,
			201, []string{`"displayName":"displayName"`, `"externalId":"8aa1a0c0"`}},
		{"GET", `/Groups?excludedAttributes=members&filter=` + url.QueryEscape(`displayName eq "displayName"`), ``, 200, []string{`"totalResults":1`}},
		{"PATCH", `/Groups/{group}`, patchOf(`{"op":"Replace","path":"displayName","value":"updatedDisplayName"}`), 200, []string{`"displayName":"updatedDisplayName"`}},
		{"PATCH", `/Groups/{group}`, patchOf(`{"op":"Add","path":"members","value":[{"$ref":null,"value":"{user}"}]}`), 200, []string{`"value":"{user}"`}},
		{"GET", `/Groups?excludedAttributes=members&filter=` + url.QueryEscape(`id eq "{group}" and members eq "{user}"`), ``, 200, []string{`"totalResults":1`}},
	}, patches...)
}

var directories = map[string][]sent{
	"Entra ID": entra(
		sent{"PATCH", `/Users/{user}`, patchOf(`{"op":"Replace","path":"emails[type eq \"work\"].value","value":"updatedEmail@microsoft.com"}`, `{"op":"Replace","path":"name.familyName","value":"updatedFamilyName"}`,
			`{"op":"Add","path":"nickName","value":"Babs"}`, `{"op":"Add","path":"`+enterprise+`:department","value":"7b"}`, `{"op":"Add","path":"`+enterprise+`:manager","value":[{"$ref":"http://x/scim/Users/a6","value":"a6"}]}`),
			200, []string{`"value":"updatedEmail@microsoft.com"`, `"familyName":"updatedFamilyName"`, `"department":"7b"`}},
		sent{"PATCH", `/Groups/{group}`, patchOf(`{"op":"Remove","path":"members","value":[{"$ref":null,"value":"{user}"}]}`), 200, []string{`"displayName":"updatedDisplayName"`}},
		sent{"PATCH", `/Users/{user}`, patchOf(`{"op":"Replace","path":"active","value":"False"}`), 200, []string{`"active":false`}},
		sent{"PATCH", `/Users/{user}`, patchOf(`{"op":"Replace","path":"active","value":"True"}`), 200, []string{`"active":true`}},
		sent{"DELETE", `/Users/{user}`, ``, 204, nil}, sent{"DELETE", `/Groups/{group}`, ``, 204, nil}),
	"Entra ID with aadOptscim062020": entra(
		sent{"PATCH", `/Users/{user}`, patchOf(`{"op":"replace","path":"emails[type eq \"work\"].value","value":"TestBcwqnm@test.microsoft.com"}`,
			`{"op":"replace","value":{"displayName":"Bjfe","name.givenName":"Kkom","name.familyName":"Unua","`+enterprise+`:employeeNumber":"Aklq","`+enterprise+`:department":"7b"}}`),
			200, []string{`"value":"TestBcwqnm@test.microsoft.com"`, `"displayName":"Bjfe"`, `"givenName":"Kkom"`, `"familyName":"Unua"`, `"department":"7b"`}},
		sent{"PATCH", `/Users/{user}`, patchOf(`{"op":"add","value":{"nickName":"Babs"}}`, `{"op":"add","path":"emails[type eq \"home\"].value","value":"home@microsoft.com"}`), 200, []string{`"type":"home"`}},
		sent{"PATCH", `/Groups/{group}`, patchOf(`{"op":"remove","path":"members[value eq \"{user}\"]"}`), 200, []string{`"displayName":"updatedDisplayName"`}},
		sent{"PATCH", `/Users/{user}`, patchOf(`{"op":"replace","path":"active","value":false}`), 200, []string{`"active":false`}},
		sent{"DELETE", `/Users/{user}`, ``, 204, nil}),
	"Okta": {
		{"GET", `/Users?startIndex=1&count=100&filter=` + url.QueryEscape(`userName eq "test.user@okta.local"`), ``, 200, []string{`"totalResults":0`}},
		{"POST", `/Users`, `{` + userSchema + `,"userName":"test.user@okta.local","name":{"givenName":"Test","familyName":"User"},"emails":[{"primary":true,"value":"test.user@okta.local","type":"work"}],
			"displayName":"Test User","locale":"en-US","externalId":"00ujl29u0le5T6Aj10h7","groups":[],"password":"1mz050nq","active":true}`, 201, []string{`"displayName":"Test User"`, `"active":true`}},
		{"PUT", `/Users/{user}`, `{` + userSchema + `,"id":"{user}","userName":"test.user@okta.local","name":{"givenName":"Another","middleName":"Excited","familyName":"User"},"emails":[{"primary":true,"value":"test.user@okta.local","type":"work","display":"test.user@okta.local"}],
			"active":true,"groups":[],"meta":{"resourceType":"User"}}`, 200, []string{`"givenName":"Another"`}},
		{"POST", `/Groups`, `{` + groupSchema + `,"displayName":"Test SCIMv2","members":[]}`, 201, []string{`"displayName":"Test SCIMv2"`}},
		{"PATCH", `/Groups/{group}`, patchOf(`{"op":"add","path":"members","value":[{"value":"{user}","display":"test.user@okta.local"}]}`), 200, []string{`"value":"{user}"`}},
		{"PATCH", `/Groups/{group}`, patchOf(`{"op":"replace","value":{"id":"{group}","displayName":"Test SCIMv2 renamed"}}`), 200, []string{`"displayName":"Test SCIMv2 renamed"`, `"value":"{user}"`}},
		{"PATCH", `/Groups/{group}`, patchOf(`{"op":"remove","path":"members[value eq \"{user}\"]"}`, `{"op":"add","path":"members","value":[{"value":"{other}","display":"o"}]}`), 200, []string{`"value":"{other}"`}},
		{"PUT", `/Groups/{group}`, `{` + groupSchema + `,"id":"{group}","displayName":"Test SCIMv2","members":[{"value":"{user}","display":"test.user@okta.local"}]}`, 200, []string{`"value":"{user}"`}},
		{"PATCH", `/Users/{user}`, patchOf(`{"op":"replace","value":{"active":false}}`), 200, []string{`"active":false`}},
		{"DELETE", `/Groups/{group}`, ``, 204, nil},
	},
	"authentik": {
		{"GET", `/ServiceProviderConfig`, ``, 200, []string{`"patch":{"supported":true}`}},
		{"POST", `/Users`, `{` + userSchema + `,"userName":"akadmin","name":{"formatted":"Ada King","givenName":"Ada","familyName":"King"},"displayName":"Ada King","active":true,"photos":[],"locale":"en",
			"emails":[{"primary":true,"type":"other","value":"ada@example.org"}],"externalId":"a1b2c3"}`, 201, []string{`"userName":"akadmin"`, `"type":"other"`}},
		{"PUT", `/Users/{user}`, `{` + userSchema + `,"id":"{user}","userName":"akadmin","name":{"formatted":"Ada Byron","givenName":"Ada","familyName":"Byron"},"displayName":"Ada Byron","active":true,"emails":[{"primary":true,"type":"other","value":"ada@example.org"}],"externalId":"a1b2c3"}`, 200, []string{`"familyName":"Byron"`}},
		{"POST", `/Groups`, `{` + groupSchema + `,"displayName":"authentik Admins","externalId":"7f3a"}`, 201, []string{`"externalId":"7f3a"`}},
		{"PATCH", `/Groups/{group}`, patchOf(`{"op":"add","path":"members","value":[{"value":"{user}"},{"value":"{other}"}]}`), 200, []string{`"value":"{user}"`, `"value":"{other}"`}},
		{"PATCH", `/Groups/{group}`, patchOf(`{"op":"remove","path":"members","value":[{"value":"{other}"}]}`), 200, []string{`"value":"{user}"`}},
		{"PATCH", `/Groups/{group}`, patchOf(`{"op":"replace","value":{"id":"{group}",` + groupSchema + `,"displayName":"authentik Admins","externalId":"7f3a"}}`), 200, []string{`"value":"{user}"`}},
		{"DELETE", `/Users/{user}`, ``, 204, nil},
	},
	"OneLogin": {
		{"GET", `/Users?filter=` + url.QueryEscape(`userName eq "jdoe@example.org"`), ``, 200, []string{`"totalResults":0`}},
		{"POST", `/Users`, `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User","` + enterprise + `"],"userName":"jdoe@example.org","name":{"givenName":"J","familyName":"Doe"},"emails":[{"value":"jdoe@example.org","type":"work","primary":true}],"title":"Dr","` + enterprise + `":{"department":"IT","manager":{"managerId":"","displayName":""}}}`,
			201, []string{`"department":"IT"`, `"active":true`}},
		{"GET", `/Groups?startIndex=1&count=100`, ``, 200, []string{`"totalResults":0`}},
		{"POST", `/Groups`, `{` + groupSchema + `,"displayName":"Staff"}`, 201, nil},
		{"PATCH", `/Groups/{group}`, patchOf(`{"op":"add","path":"members","value":[{"value":"{user}"}]}`), 200, []string{`"value":"{user}"`}},
		{"PATCH", `/Groups/{group}`, patchOf(`{"op":"replace","path":"members","value":[{"value":"{other}"}]}`), 200, []string{`"value":"{other}"`}},
		{"PATCH", `/Users/{user}`, patchOf(`{"op":"replace","path":"active","value":false}`), 200, []string{`"active":false`}},
		{"PUT", `/Users/{user}`, `{` + userSchema + `,"userName":"jdoe@example.org","active":true,"emails":[{"value":"jdoe@example.org","type":"work","primary":true}]}`, 200, []string{`"active":true`}},
	},
}

func TestRequestsAsDirectoriesDocumentThem(t *testing.T) {
	t.Parallel()
	for name, requests := range directories {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, withSCIM)
			ids := map[string]string{"{other}": bannerID, "{user}": "", "{group}": ""}
			filled := func(text string) string {
				for key, id := range ids {
					text = strings.NewReplacer(key, id, url.QueryEscape(key), id).Replace(text)
				}
				return text
			}
			for _, r := range requests {
				a := w.wantSCIM(t, r.status, "", r.method, filled(r.path), filled(r.body))
				if id, is := a.get("id").(string); is && r.status == 201 {
					ids["{"+strings.ToLower(a.get("meta", "resourceType").(string))+"}"] = id
				}
				text, err := json.Marshal(a.body)
				testkit.NoError(t, err)
				for _, want := range r.has {
					if !strings.Contains(string(text), filled(want)) {
						t.Errorf("%s %s %s: no %s in %s", r.method, r.path, r.body, want, text)
					}
				}
			}
		})
	}
}
