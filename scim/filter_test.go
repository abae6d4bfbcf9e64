package scim

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/internal/testkit"
)

var ada = Person{Base: "https://l.example/scim/v2"}.Doc(library.DirectoryUser{
	User: library.User{ID: "5b1ff9b0-0000-4000-8000-000000000001", UserFields: library.UserFields{Email: "ada@x.org", FirstName: "Ada", LastName: "King"}},
	Kept: []byte(`{"emails":[{"value":"ada@x.org","type":"work"}]}`), UserName: "ada",
})

var team = GroupDoc(library.DirectoryGroup{ID: "5b1ff9b0-0000-4000-8000-000000000002", DisplayName: "Team", Members: []string{"5b1ff9b0-0000-4000-8000-000000000001"}}, "https://l.example/scim/v2")

func FuzzFilter(f *testing.F) {
	for _, seed := range []string{
		`userName eq "x"`, `not (id pr) or emails[type eq "work" and value co "@"]`, `title pr`, `active eq true`, `meta.created gt "2020-01-01T00:00:00Z"`,
		`(((`, `emails[`, `a eq`, `urn:x:y eq 1`, `name.familyName sw "\u0000"`, `x eq "`, `not`, "\x00", `id eq {}`, `userName eq null`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		filter, err := Users.ParseFilter(text)
		if refused, is := errors.AsType[*Error](err); err != nil && (!is || refused.Type != InvalidFilter) {
			t.Fatal(err)
		}
		if err == nil {
			filter.Matches(ada)
			Key(filter)
		}
		if filter, err := Groups.ParseFilter(text); err == nil {
			filter.Matches(team)
			Asks(filter, "members")
		}
	})
}

func FuzzPatch(f *testing.F) {
	for _, seed := range [][2]string{
		{"emails[type eq \"work\"].value", `"x"`}, {"active", `"False"`}, {"name.familyName", `null`}, {"", `{"a":1}`}, {"emails", `[{"value":1}]`}, {"x[", `1`}, {"emails[primary eq true]", `{"value":"y"}`},
		{Enterprise + ":department", `"7b"`}, {Enterprise, `{"department":"7b"}`}, {"emails.type", `"home"`}, {"id", `"x"`}, {"urn:other:thing[x eq 1].y", `true`}, {"members", `[{"value":"x"}]`}, {"members[value eq \"x\"].value", `"y"`}, {"displayName", `""`},
	} {
		f.Add(seed[0], seed[1], "replace")
		f.Add(seed[0], seed[1], "remove")
	}
	before, err := json.Marshal(ada)
	testkit.NoError(f, err)
	f.Fuzz(func(t *testing.T, path, value, op string) {
		where, _ := json.Marshal(path)
		if !json.Valid([]byte(value)) {
			return
		}
		body := []byte(`{"Operations":[{"op":"` + strings.Trim(op, "\"\\\n") + `","path":` + string(where) + `,"value":` + value + `}]}`)
		if doc, err := Groups.Patch(team, body); err == nil {
			_, _ = Group(doc, library.DirectoryGroup{})
			Groups.ParseSelection("members", "").Show(doc)
		}
		doc, err := Users.Patch(ada, body)
		if err == nil {
			_, _ = Person{}.Record(doc, library.DirectoryUser{})
			Users.ParseSelection("", "").Show(doc)
		}
		if after, _ := json.Marshal(ada); string(after) != string(before) {
			t.Fatalf("a patch has changed the original: %s", after)
		}
	})
}

func TestAPatchChangesWhatItNames(t *testing.T) {
	t.Parallel()
	for patch, want := range map[string]string{
		`{"op":"add","path":"emails","value":[{"value":"b@x.org","type":"home","primary":true}]}`:                     `"emails":[{"type":"work","value":"ada@x.org"},{"primary":true,"type":"home","value":"b@x.org"}]`,
		`{"op":"add","path":"emails","value":[{"value":"ADA@x.org","type":"home"}]}`:                                  `"emails":[{"type":"home","value":"ADA@x.org"}]`,
		`{"op":"replace","path":"emails[type eq \"work\"]","value":{"value":"c@x.org"}}`:                              `"emails":[{"type":"work","value":"c@x.org"}]`,
		`{"op":"replace","path":"emails.value","value":"d@x.org"}`:                                                    `"emails":[{"type":"work","value":"d@x.org"}]`,
		`{"op":"Add","value":{"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User":{"department":"7b"}}}`:     `"department":"7b"`,
		`{"op":"add","path":"URN:ietf:params:scim:schemas:extension:enterprise:2.0:user:Department","value":"8"}`:     `"department":"8"`,
		`{"op":"add","path":"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User","value":{"department":"9"}}`: `"department":"9"`,
		`{"op":"replace","path":"name","value":{"familyName":"Byron"}}`:                                               `"name":{"familyName":"Byron","givenName":"Ada"}`,
		`{"op":"replace","value":{"Name.FamilyName":"Byron","nickName":"x","displayName":null}}`:                      `"name":{"familyName":"Byron","givenName":"Ada"}`,
	} {
		doc, err := Users.Patch(ada, []byte(`{"operations":[`+patch+`]}`))
		testkit.NoError(t, err)
		text, err := json.Marshal(doc)
		testkit.NoError(t, err)
		if !strings.Contains(string(text), want) {
			t.Errorf("%s\n%s\nwant %s", patch, text, want)
		}
	}
}

func TestNamesOfANewPerson(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"name":{"givenName":"A","familyName":"B"},"displayName":"C D"}`: "A|B",
		`{"displayName":"Ada Augusta King"}`:                              "Ada Augusta|King",
		`{"name":{"formatted":"Ada"}}`:                                    "Ada|Ada",
		`{"name":{"givenName":"A"},"displayName":"C D"}`:                  "A|D",
		`{}`: "a@b.org|a@b.org",
	} {
		doc, err := Users.ReadNew([]byte(body))
		testkit.NoError(t, err)
		doc["userName"] = "a@b.org"
		u, err := Person{}.Record(doc, library.DirectoryUser{})
		testkit.NoError(t, err)
		testkit.Equal(t, u.FirstName+"|"+u.LastName, want, body)
	}
}
