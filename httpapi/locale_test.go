package httpapi_test

import (
	"net/http"
	"testing"

	"example.org/library/internal/testidp"
	"example.org/library/signin"
)

func TestNewPeopleGetTheLanguageOfTheLibrary(t *testing.T) {
	t.Parallel()
	const put, people = "PUT /policy", "POST /imports/users"
	runSteps(t, []step{
		{rule: "which is English by default", as: clarkKent, ask: "POST /users", body: `{"email":"a@b.c","firstName":"A","lastName":"B"}`, status: 201, want: facts{"locale": "en"}},
		{rule: "one that there is not is refused", as: clarkKent, ask: put, body: `{"locale":"fr"}`, status: 400, code: "invalid", then: names("locale")},
		{rule: "and what is no text", as: clarkKent, ask: put, body: `{"locale":7}`, status: 400, code: "invalid", then: names("locale")},
		{rule: "given a German library", as: clarkKent, ask: put, body: `{"locale":"de"}`, status: 200, want: facts{"locale": "de"}},
		{rule: "everybody sees it", as: bruceWayne, ask: "GET /policy", status: 200, want: facts{"locale": "de"}},
		{rule: "new people are German", as: clarkKent, ask: "POST /users", body: `{"email":"b@b.c","firstName":"B","lastName":"B"}`, status: 201, keep: "new", want: facts{"locale": "de"}},
		{rule: "unless it is said", as: clarkKent, ask: "POST /users", body: `{"email":"c@b.c","firstName":"C","lastName":"B","locale":"en"}`, status: 201, keep: "said", want: facts{"locale": "en"}},
		{rule: "an edit without a language takes the library's", as: clarkKent, ask: "PUT /users/{said}", body: `{"email":"c@b.c","firstName":"C","lastName":"B"}`, status: 200, want: facts{"locale": "de"}},
		{rule: "those who are there keep theirs", as: bruceWayne, ask: "GET /me", status: 200, want: facts{"locale": "en"}},
		{rule: "an import adds Germans", as: clarkKent, ask: people, body: `[{"email":"d@b.c","firstName":"D","lastName":"B"}]`, status: 200, keep: "imported:0.identifier"},
		{rule: "whose rows do not say it", as: clarkKent, ask: "GET /users/{imported}", status: 200, want: facts{"locale": "de"}},
		{rule: "another language for an import", as: clarkKent, ask: people + "?locale=en&update=true", body: `[{"email":"e@b.c","firstName":"E","lastName":"B"},{"email":"d@b.c","group":"7a"}]`, status: 200, keep: "english:0.identifier"},
		{rule: "is that of those who are added", as: clarkKent, ask: "GET /users/{english}", status: 200, want: facts{"locale": "en"}},
		{rule: "and not of those who are there", as: clarkKent, ask: "GET /users/{imported}", status: 200, want: facts{"locale": "de", "group": "7a"}},
		{rule: "and one of ours", as: clarkKent, ask: people + "?locale=fr", body: `[{"email":"f@b.c","firstName":"F","lastName":"B"}]`, status: 400, code: "bad_query"},
		{rule: "what is left out takes its default", as: clarkKent, ask: put, body: `{}`, status: 200, want: facts{"locale": "en"}},
	})
}

func TestAFirstLoginBringsItsLanguage(t *testing.T) {
	t.Parallel()
	withSignIn(t, signin.Rules{Provisions: true}, func(t *testing.T, o organisation) {
		for claim, want := range map[string]string{"de-DE": "de", "DE_at": "de", "en": "en", "fr-CH": "en", "": "en"} {
			claims := testidp.Claims{"locale": claim}
			if me := o.me(o.as("s"+claim, "s"+want+claim+"@example.com", claims)); me.Locale != want {
				t.Errorf("locale %q makes %q", claim, me.Locale)
			}
		}
		o.send(t, request{as: clarkKent, method: http.MethodPut, path: "/policy", body: `{"locale":"de"}`}).want(t, 200, "")
		if me := o.me(o.as("later", "later@example.com", testidp.Claims{"locale": 7})); me.Locale != "de" {
			t.Errorf("without a language of its own: %q", me.Locale)
		}
	})
}
