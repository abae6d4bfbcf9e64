package httpapi_test

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/auth"
	"example.org/library/internal/testkit"
	"example.org/library/service"
	"example.org/library/sqlstore"
)

// withGroupRoles lets groups of the directory give roles.
func withGroupRoles(s *setup) {
	withSCIM(s)
	s.scim.LocalRoles, s.auth.Authorities = true, auth.ModeLocal
	s.roles = library.GroupRoles{"Staff": {library.RoleCurator}, "g-readers": {library.RoleUser}, "IT": {library.RoleAdmin}}
}

func (w *world) addGroup(t testing.TB, name string, members ...string) string {
	t.Helper()
	a := w.wantSCIM(t, 201, "", "POST", "/Groups", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:Group"],"displayName":"`+name+`","members":`+membersOf(members...)+`}`)
	id, _ := a.get("id").(string)
	return id
}

func membersOf(ids ...string) string {
	var list []string
	for _, id := range ids {
		list = append(list, `{"value":"`+id+`"}`)
	}
	return `[` + strings.Join(list, ",") + `]`
}

// wantMembers expects a group to have these members alone.
func (w *world) wantMembers(t testing.TB, group string, want ...string) scimAnswer {
	t.Helper()
	a := w.wantSCIM(t, 200, "", "GET", "/Groups/"+group, "")
	list, _ := a.get("members").([]any)
	var got []string
	for i := range list {
		got = append(got, a.get("members", i, "value").(string))
	}
	slices.Sort(want)
	testkit.Diff(t, want, got)
	return a
}

// wantRoles expects a user to have these roles alone.
func (w *world) wantRoles(t testing.TB, id string, want ...library.Role) {
	t.Helper()
	u, err := w.store.User(t.Context(), id)
	testkit.NoError(t, err)
	if !slices.Equal(want, u.Roles) {
		t.Fatalf("%s has %v, want %v", u.Email, u.Roles, want)
	}
}

func TestGroupsOfADirectory(t *testing.T) {
	t.Parallel()
	for database, open := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, withSCIM, func(s *setup) { s.open = open })
			a := w.wantSCIM(t, 201, "", "POST", "/Groups", `{"displayName":"Class 7b","externalId":"x","members":[{"value":"`+wayneID+`","display":"B"},{"value":"`+strings.ToUpper(wayneID)+`"}]}`)
			id, _ := a.get("id").(string)
			one := "/Groups/" + id
			testkit.Equal(t, a.header.Get("Location"), a.get("meta", "location").(string))
			testkit.Equal(t, a.header.Get("Etag"), a.get("meta", "version").(string))
			if a.get("meta", "resourceType") != "Group" || a.get("externalId") != "x" || a.get("schemas", 0) != "urn:ietf:params:scim:schemas:core:2.0:Group" {
				t.Errorf("%v", a.body)
			}
			person := w.wantSCIM(t, 200, "", "GET", "/Users/"+bannerID, "").header.Get("Etag")
			tag := w.wantMembers(t, id, wayneID).header.Get("Etag")
			for _, step := range []struct {
				operation string
				want      []string
			}{
				{`{"op":"Add","path":"members","value":[{"$ref":null,"value":"` + bannerID + `"}]}`, []string{wayneID, bannerID}},
				{`{"op":"add","path":"members","value":[{"value":"` + bannerID + `"}]}`, []string{wayneID, bannerID}},
				{`{"op":"remove","path":"members","value":[{"value":"` + kentID + `"}]}`, []string{wayneID, bannerID}},
				{`{"op":"Remove","path":"members","value":[{"$ref":null,"value":"` + wayneID + `"}]}`, []string{bannerID}},
				{`{"op":"add","value":{"members":[{"value":"` + wayneID + `"}]}}`, []string{wayneID, bannerID}},
				{`{"op":"remove","path":"members[value eq \"` + bannerID + `\"]"}`, []string{wayneID}},
				{`{"op":"replace","path":"members","value":[{"value":"` + kentID + `","display":"C"},{"value":"` + bannerID + `"}]}`, []string{kentID, bannerID}},
				{`{"op":"add","path":"members"}`, []string{kentID, bannerID}},
				{`{"op":"add","path":"members","value":null}`, []string{kentID, bannerID}},
				{`{"op":"replace","value":{"members":null}}`, []string{kentID, bannerID}},
				{`{"op":"remove","path":"members","value":{"value":"` + wayneID + `"}}`, []string{kentID, bannerID}},
				{`{"op":"remove","path":"members","value":"` + kentID + `"}`, []string{bannerID}},
				{`{"op":"remove","path":"members"}`, nil},
				{`{"op":"add","path":"urn:ietf:params:scim:schemas:core:2.0:Group:members","value":{"value":"` + wayneID + `"}}`, []string{wayneID}},
			} {
				w.wantSCIM(t, 200, "", "PATCH", one, patchOf(step.operation))
				w.wantMembers(t, id, step.want...)
			}
			testkit.Equal(t, w.wantSCIM(t, 200, "", "GET", "/Users/"+bannerID, "").header.Get("Etag"), person)
			w.wantSCIM(t, 412, "", "PATCH", one, patchOf(`{"op":"remove","path":"members"}`), "If-Match", tag)
			renamed := w.wantSCIM(t, 200, "", "PATCH", one, patchOf(`{"op":"replace","value":{"id":"`+id+`","displayName":"Class 8b"}}`))
			if renamed.get("displayName") != "Class 8b" || renamed.get("externalId") != "x" || renamed.get("members", 0, "value") != wayneID {
				t.Errorf("%v", renamed.body)
			}
			w.wantSCIM(t, 304, "", "GET", one, "", "If-None-Match", renamed.header.Get("Etag"))
			put := w.wantSCIM(t, 200, "", "PUT", one, `{"displayName":"Class 8b","members":`+membersOf(wayneID, bannerID)+`}`)
			testkit.Equal(t, put.get("externalId"), nil)
			w.wantSCIM(t, 204, "", "DELETE", "/Users/"+bannerID, "")
			testkit.Equal(t, w.wantMembers(t, id, wayneID).header.Get("Etag") == put.header.Get("Etag"), false)
			w.wantSCIM(t, 400, "invalidValue", "PATCH", one, patchOf(`{"op":"add","path":"members","value":[{"value":"`+bannerID+`"}]}`))
			w.send(t, request{as: clarkKent, method: "DELETE", path: "/users/" + wayneID}).want(t, 204, "")
			w.wantMembers(t, id)
			w.wantSCIM(t, 204, "", "DELETE", one, "")
			w.wantSCIM(t, 404, "", "DELETE", one, "")
			w.wantSCIM(t, 404, "", "GET", one, "")
		})
	}
}

func TestRefusalsAboutGroupsChangeNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withSCIM)
	id := w.addGroup(t, "A", wayneID)
	w.wantSCIM(t, 201, "", "POST", "/Groups", `{"displayName":"A","externalId":"e"}`) // names are not unique
	one := "/Groups/" + id
	before := w.wantMembers(t, id, wayneID).header.Get("Etag")
	long := strings.Repeat("x", 256)
	for _, c := range []struct {
		status             int
		scimType           string
		method, path, body string
	}{
		{400, "invalidSyntax", "POST", "/Groups", `{`}, {400, "invalidValue", "POST", "/Groups", `{}`}, {400, "invalidValue", "POST", "/Groups", `{"displayName":""}`},
		{400, "invalidValue", "POST", "/Groups", `{"displayName":"` + long + `"}`}, {400, "invalidValue", "POST", "/Groups", `{"displayName":"B","externalId":"` + long + `"}`},
		{409, "uniqueness", "POST", "/Groups", `{"displayName":"B","externalId":"e"}`}, {409, "uniqueness", "PUT", one, `{"displayName":"A","externalId":"e"}`},
		{400, "invalidValue", "POST", "/Groups", `{"displayName":"B","members":[{"value":"` + unknownID + `"}]}`},
		{400, "invalidValue", "PATCH", one, patchOf(`{"op":"add","path":"members","value":[{"value":"` + bannerID + `"},{"value":"` + id + `"}]}`)},
		{400, "invalidValue", "PATCH", one, patchOf(`{"op":"add","path":"members","value":[{"display":"x"}]}`)}, {400, "invalidValue", "PATCH", one, patchOf(`{"op":"add","path":"members","value":[{"value":7}]}`)},
		{400, "mutability", "PATCH", one, patchOf(`{"op":"remove","path":"displayName"}`)}, {400, "mutability", "PUT", one, `{"id":"x","displayName":"A"}`},
		{400, "noTarget", "PATCH", one, patchOf(`{"op":"remove","value":{"members":[{"value":"` + wayneID + `"}]}}`)}, {400, "invalidPath", "PATCH", one, patchOf(`{"op":"remove","path":"members[value eq"}`)},
		{400, "invalidFilter", "GET", "/Groups?filter=displayName", ""}, {404, "", "GET", "/Groups/nobody", ""}, {404, "", "PATCH", "/Groups/" + unknownID, patchOf()}, {501, "", "POST", "/Groups/.search", "{}"},
	} {
		w.wantSCIM(t, c.status, c.scimType, c.method, c.path, c.body)
	}
	w.wantSCIM(t, 200, "", "PATCH", one, patchOf(`{"op":"replace","path":"nickName","value":"x"}`, `{"op":"add","path":"members","value":[{"value":"`+wayneID+`"}]}`))
	testkit.Equal(t, w.wantMembers(t, id, wayneID).header.Get("Etag"), before)
}

func TestListsOfGroups(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withSCIM)
	id := w.addGroup(t, "Class 7b", wayneID)
	w.addGroup(t, "Staff", kentID, wayneID)
	w.addGroup(t, "Empty")
	for filter, want := range map[string]float64{
		`displayName eq "CLASS 7B"`: 1, `displayName ne "staff"`: 2, `members.value eq "` + wayneID + `"`: 2, `members[value eq "` + kentID + `"]`: 1, `members eq "` + kentID + `"`: 1,
		`id eq "` + id + `" and members eq "` + kentID + `"`: 0, `externalId pr`: 0, `not (members pr)`: 1, `meta.created gt "2020-01-01T00:00:00Z"`: 3, `title pr`: 0, `id eq "nobody"`: 0,
	} {
		a := w.wantSCIM(t, 200, "", "GET", "/Groups?excludedAttributes=members&filter="+url.QueryEscape(filter), "")
		testkit.Equal(t, a.get("totalResults"), any(want), filter)
		testkit.Equal(t, a.get("Resources", 0, "members"), nil)
	}
	a := w.wantSCIM(t, 200, "", "GET", "/Groups?startIndex=2&count=1", "")
	if a.get("totalResults") != 3.0 || a.get("Resources", 0, "displayName") != "Staff" || a.get("Resources", 1) != nil || a.get("Resources", 0, "members", 1, "value") == nil {
		t.Errorf("%v", a.body)
	}
	a = w.wantSCIM(t, 200, "", "GET", "/Groups/"+id+"?attributes=members.value", "")
	if a.get("members", 0, "value") != wayneID || a.get("members", 0, "type") != nil || a.get("displayName") != nil || a.get("id") != id {
		t.Errorf("%v", a.body)
	}
	w.wantSCIM(t, 200, "", "GET", "/Schemas/urn:ietf:params:scim:schemas:core:2.0:Group", "")
	w.wantSCIM(t, 200, "", "GET", "/ResourceTypes/Group", "")
}

func TestGroupsGiveTheRolesOfTheMap(t *testing.T) {
	t.Parallel()
	for database, open := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, withGroupRoles, func(s *setup) { s.open = open })
			w.addGroup(t, "staff", wayneID) // not byte for byte
			w.wantRoles(t, wayneID, library.RoleUser)
			staff := w.addGroup(t, "Staff", wayneID, parkerID)
			w.wantRoles(t, wayneID, library.RoleCurator)
			readers := w.wantSCIM(t, 201, "", "POST", "/Groups", `{"displayName":"Readers","externalId":"g-readers","members":`+membersOf(wayneID)+`}`).get("id").(string)
			w.wantRoles(t, wayneID, library.RoleUser, library.RoleCurator)
			w.wantSCIM(t, 200, "", "PATCH", "/Groups/"+staff, patchOf(`{"op":"replace","path":"displayName","value":"Others"}`))
			w.wantRoles(t, wayneID, library.RoleUser)
			w.wantRoles(t, parkerID)
			w.wantSCIM(t, 200, "", "PATCH", "/Groups/"+staff, patchOf(`{"op":"replace","path":"externalId","value":"IT"}`))
			w.wantRoles(t, parkerID, library.RoleAdmin)
			w.wantSCIM(t, 204, "", "DELETE", "/Groups/"+readers, "")
			w.wantRoles(t, wayneID, library.RoleAdmin)
			w.wantSCIM(t, 204, "", "DELETE", "/Users/"+parkerID, "")
			w.wantRoles(t, parkerID)
			w.wantRoles(t, bannerID, library.RoleUser) // never was in such a group
			for _, c := range []struct {
				roles  string
				status int
				code   string
			}{{``, 200, ""}, {`,"roles":["LIBRARY_ADMIN","LIBRARY_ADMIN"]`, 200, ""}, {`,"roles":[]`, 409, "managed"}, {`,"roles":["LIBRARY_USER","LIBRARY_ADMIN"]`, 409, "managed"}} {
				w.send(t, request{as: clarkKent, method: "PUT", path: "/users/" + wayneID, body: `{` + wayneRecord + c.roles + `}`}).want(t, c.status, c.code)
			}
			for row, want := range map[string]string{`"roles":["LIBRARY_USER"]`: `"outcome":"invalid"`, `"group":"7b"`: `"outcome":"updated"`} {
				r := w.send(t, request{as: clarkKent, method: "POST", path: "/imports/users?update=true&roles=LIBRARY_USER", body: `[{"email":"` + bruceWayne + `",` + row + `}]`})
				if !strings.Contains(string(r.body), want) || strings.Contains(want, "invalid") != strings.Contains(string(r.body), `"code":"managed"`) {
					t.Errorf("%s: %s", row, r.body)
				}
			}
			w.wantRoles(t, wayneID, library.RoleAdmin)
		})
	}
}

func TestGroupsLeaveTheLibraryAnAdmin(t *testing.T) {
	t.Parallel()
	for database, open := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, withGroupRoles, func(s *setup) { s.open = open })
			it := w.addGroup(t, "IT", kentID)
			one := "/Groups/" + it
			for _, c := range [][3]string{
				{"PATCH", one, patchOf(`{"op":"remove","path":"members"}`)}, {"PATCH", one, patchOf(`{"op":"replace","path":"displayName","value":"Else"}`)},
				{"PUT", one, `{"displayName":"IT","members":` + membersOf(wayneID[:35]+"0") + `}`}, {"PUT", one, `{"displayName":"IT"}`}, {"DELETE", one, ""}, {"DELETE", "/Users/" + kentID, ""},
			} {
				if a := w.scim(t, c[0], c[1], c[2]); a.status != 409 && a.status != 400 {
					t.Errorf("%v: %d", c, a.status)
				}
				w.wantMembers(t, it, kentID)
				w.wantRoles(t, kentID, library.RoleAdmin)
			}
			restarted := func(roles library.GroupRoles) error {
				return service.New(w.store, service.WithGroupRoles(roles)).AssignGroupRoles(t.Context())
			}
			for _, roles := range []library.GroupRoles{{}, {"it": {library.RoleAdmin}}} {
				if err := restarted(roles); !errors.Is(err, library.ErrLastAdmin) {
					t.Errorf("%v: %v", roles, err)
				}
			}
			w.wantRoles(t, kentID, library.RoleAdmin)
			w.wantSCIM(t, 200, "", "PATCH", one, patchOf(`{"op":"replace","path":"members","value":`+membersOf(wayneID)+`}`)) // another one
			w.wantRoles(t, kentID)
			testkit.NoError(t, restarted(library.GroupRoles{"IT": {library.RoleUser, library.RoleAdmin}}))
			w.wantRoles(t, wayneID, library.RoleUser, library.RoleAdmin)
			testkit.NoError(t, restarted(nil)) // groups give nothing any more
			w.wantRoles(t, wayneID, library.RoleUser, library.RoleAdmin)
		})
	}
}

func TestStreamsOfAllProcessesEndWhenADirectoryTakesAccess(t *testing.T) {
	t.Parallel()
	for database, open := range addresses {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			address := open(t)
			process := func(s *setup) { s.open = func(t testing.TB) *sqlstore.Store { return openStore(t, address) } }
			w, other := newWorld(t, withGroupRoles, process), newWorld(t, withGroupRoles, process)
			staff := w.addGroup(t, "Staff", wayneID, bannerID)
			for id, c := range map[string]struct{ email, path, body string }{
				wayneID:  {bruceWayne, "/Users/" + wayneID, `{"op":"replace","path":"active","value":false}`},
				bannerID: {bruceBanner, "/Groups/" + staff, `{"op":"remove","path":"members[value eq \"` + bannerID + `\"]"}`},
			} {
				stream := other.listen(t, request{token: other.token(t, c.email)})
				stream.wantBare("ready")
				w.wantSCIM(t, 200, "", "PATCH", c.path, patchOf(c.body))
				stream.WantEnd()
				if status := other.send(t, request{token: other.token(t, c.email), method: "DELETE", path: "/books/" + unknownID}).status; status != 401 && status != 403 {
					t.Errorf("%s: %d", id, status)
				}
			}
		})
	}
}

func TestAGroupOfTenThousand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withGroupRoles)
	const people = 10_000
	ids := make([]string, people)
	testkit.NoError(t, w.store.Tx(t.Context(), func(tx library.Tx) error {
		for i := range ids {
			ids[i] = library.NewID()
			u := library.User{ID: ids[i], Version: library.NewVersion(), UserFields: library.UserFields{Email: fmt.Sprintf("p%d@example.org", i), FirstName: "P", LastName: "P"}}
			if err := tx.AddUser(t.Context(), u); err != nil {
				return err
			}
		}
		return nil
	}))
	group := w.addGroup(t, "Staff", ids...)
	w.wantRoles(t, ids[people-1], library.RoleCurator)
	w.wantSCIM(t, 200, "", "PATCH", "/Groups/"+group+"?excludedAttributes=members", patchOf(`{"op":"remove","path":"members[value eq \"`+ids[0]+`\"]"}`))
	w.wantMembers(t, group, ids[1:]...)
	w.wantRoles(t, ids[0])
}
