package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"example.org/library/internal/testkit"
)

// inputs are values of requests about which the contract and the service must
// think alike.
var inputs = []string{
	`"x"`, `" x "`, `"\tx\n"`, `"x\ty"`, `"x\ny"`, `"x\u0000"`, `"\u0001"`, `"x\u007fy"`, `"x\u0085y"`, `"\u0085x"`, `"\u00a0x\u3000"`, `"x\u2028y"`, `"\u200b"`, `"é𝄞"`,
	`""`, `" "`, `"\n"`, `"\u2003"`, `null`, `1`, `true`, `{}`, `[]`, `["x"]`, `[""]`, `[null]`, `["x\u0000"]`, `[1]`, `["LIBRARY_USER"]`, `["LIBRARY_USER","LIBRARY_USER"]`, `["ROLE"]`,
	`"a@b"`, `" a@b "`, `"a@"`, `"@b"`, `"@"`, `"a@b@c"`, `"a b@c"`, `"a@b\u0000"`, `"a\u00a0b@c"`, `"ä@ö"`, `"ab"`,
	`"f9bf70d6-e56d-4cab-be6b-294cd05f599e"`, `"F9BF70D6-E56D-4CAB-BE6B-294CD05F599D"`, `"f9bf70d6e56d4cabbe6b294cd05f599f"`, `"{9bf70d6-e56d-4cab-be6b-294cd05f599f}"`, `"f9bf70d6"`,
	`"` + strings.Repeat("𝄞", 20) + `"`, `"` + strings.Repeat("x", 21) + `"`, `"` + strings.Repeat("x", 100) + `"`, `"` + strings.Repeat("x", 101) + `"`,
	`"` + strings.Repeat("é", 255) + `"`, `"` + strings.Repeat("é", 256) + `"`, `"` + strings.Repeat("x", 10_000) + `"`, `"` + strings.Repeat("x", 10_001) + `"`,
	`"a@` + strings.Repeat("x", 252) + `"`, `"a@` + strings.Repeat("x", 253) + `"`,
	`" de "`, `"DE"`, `"lost"`, `" reference\t"`, `"monday"`, `"LIB-0042"`, `"a..b"`, `"a.b.c."`, `"."`, `"a b"`, `"a/b"`, `"a;b"`, `"a%b"`, `"a?b"`, `"a#b"`, `"!$&'()*+,:<=>@[]^_{|}~"`,
	`0`, `-1`, `1.5`, `2.0`, `3e1`, `60`, `61`, `400`, `999`, `1000`, `3650`, `3651`, `1e300`, `[1]`, `[0]`, `[1,2,3,4,5,6]`, `["monday"]`, `["Monday"]`, `["2026-02-28"]`, `["2026-02-29"]`,
}

func TestTheContractAndTheServiceAgreeAboutBodies(t *testing.T) {
	t.Parallel()
	c, err := theContract()
	testkit.NoError(t, err)
	for _, body := range []struct {
		method, pattern, as string
		members             []string // each is given each value
		rest                string
	}{
		{"POST", "/books", peterParker, []string{"identifier", "isbn", "description", "authors", "copies", "borrowed", "other"}, `,"title":"T"`},
		{"POST", "/books", peterParker, []string{"title"}, ``},
		{"PUT", "/books/{id}", peterParker, []string{"copies", "available", "borrowed"}, `,"title":"T"`},
		{"POST", "/users", clarkKent, []string{"identifier", "roles", "card", "locale", "reminders", "password"}, `,"email":"a@b","firstName":"A","lastName":"B"`},
		{"POST", "/users", clarkKent, []string{"email"}, `,"firstName":"A","lastName":"B"`},
		{"POST", "/users", clarkKent, []string{"firstName"}, `,"email":"a@b","lastName":"B"`},
		{"POST", "/users", clarkKent, []string{"lastName"}, `,"email":"a@b","firstName":"A"`},
		{"POST", "/books/{id}/copies", peterParker, []string{"identifier", "barcode", "shelf", "note", "state", "loan"}, ``},
		{"POST", "/loans", peterParker, []string{"user"}, `,"book":"` + cleanCode + `"`},
		{"POST", "/loans", peterParker, []string{"book", "copy", "barcode", "other"}, `,"user":"` + wayneID + `"`},
		{"POST", "/loans", peterParker, []string{"copy", "barcode"}, `,"user":"` + wayneID + `","book":"` + cleanCode + `"`},
		{"PUT", "/me", bruceWayne, []string{"locale", "reminders", "card"}, ``},
		{"PUT", "/policy", clarkKent, []string{
			"loanDays", "renewals", "maxLoans", "maxHolds", "blockOverdue", "holdDays", "historyDays",
			"closedWeekdays", "closedDates", "dueSoonDays", "overdueDays", "selfBorrow", "selfReturn", "noticeWanted",
		}, ``},
	} {
		for _, member := range body.members {
			t.Run(body.method+" "+body.pattern+" "+member, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				operation := c.doc.Paths.Find(body.pattern).GetOperation(body.method)
				schema := operation.RequestBody.Value.Content["application/json"].Schema
				for _, input := range inputs {
					text := `{"` + member + `":` + input + body.rest + `}`
					a := w.send(t, request{as: body.as, method: body.method, path: strings.ReplaceAll(body.pattern, "{id}", cleanCode), body: text})
					agree(t, c, schema, decodeJSON(t, text), text, a.status != 400)
				}
			})
		}
	}
}

func TestTheContractAndTheServiceAgreeAboutParameters(t *testing.T) {
	t.Parallel()
	c, err := theContract()
	testkit.NoError(t, err)
	w := newWorld(t)
	for _, parameter := range c.doc.Paths.Find("/books").Get.Parameters {
		p := parameter.Value
		if p.Name != "q" && p.Name != "author" && p.Name != "identifier" {
			continue
		}
		values := []string{"----", "f9bf", "f9b", "F9BF70D6", "f9bf70d6-", "f9bf70d6e", "f9bf70d6-e56d-4cab-be6b-294cd05f599f", "f9bf70d6-e56d-4cab-be6b-294cd05f599f0", "f9bf-", "-f9bf", "zzzz"}
		for _, input := range inputs {
			var value string
			if json.Unmarshal([]byte(input), &value) == nil && len(value) < 5000 {
				values = append(values, value)
			}
		}
		for _, value := range values {
			a := w.send(t, request{as: bruceWayne, path: "/books?" + p.Name + "=" + url.QueryEscape(value)})
			agree(t, c, p.Schema, value, p.Name+"="+value, a.status != 400)
		}
	}
}

func TestAnImportJudgesRowsThatTheContractLetsThrough(t *testing.T) {
	t.Parallel()
	c, err := theContract()
	testkit.NoError(t, err)
	w := newWorld(t)
	schema := c.doc.Paths.Find("/imports/books").Post.RequestBody.Value.Content["application/json"].Schema
	for _, input := range append(inputs, `{"title":""}`, `{"title":1}`, `{"title":"T","authors":null}`) {
		text := `[` + input + `]`
		a := w.send(t, request{as: peterParker, method: http.MethodPost, path: "/imports/books", body: text})
		agree(t, c, schema, decodeJSON(t, text), text, a.status != 400)
	}
}

func TestTheContractFileIsWhatItSaysAboutItself(t *testing.T) {
	t.Parallel()
	c, err := theContract()
	testkit.NoError(t, err)
	w := newWorld(t)
	a := w.send(t, request{as: bruceWayne, path: "/openapi.yaml"}).want(t, 200, "")
	doc, err := openapi3.NewLoader().LoadFromData(a.body)
	testkit.NoError(t, err)
	text, err := json.Marshal(doc)
	testkit.NoError(t, err)
	media := c.doc.Paths.Find("/openapi.yaml").Get.Responses.Status(200).Value.Content[a.header.Get("Content-Type")]
	if media == nil {
		t.Fatalf("Content-Type %q is not declared", a.header.Get("Content-Type"))
	}
	agree(t, c, media.Schema, decodeJSON(t, string(text)), "/openapi.yaml", true)
}

// agree holds what the contract says about a value against what the service
// does with it.
func agree(t *testing.T, c *contract, schema *openapi3.SchemaRef, value any, text string, accepted bool) {
	t.Helper()
	if err := c.validate(schema, value); (err == nil) != accepted {
		t.Errorf("%.80q: accepted: %v, but the contract says %v", text, accepted, err)
	}
}

func decodeJSON(t *testing.T, text string) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	testkit.NoError(t, err)
	return value
}
