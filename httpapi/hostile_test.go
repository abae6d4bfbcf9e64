package httpapi_test

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// hostileValues are strings that a database, or the language of its search
// index, may stumble over.
var hostileValues = []string{
	"\x00", "a\x00b", "\x00@\x00", "x@y\x00", "\x01", "\x7f", "\u0085", "\u2028", "\ufeff", "\ufffd", "\uffff", "\U0010ffff", "\xff", "\xed\xa0\x80", "\xc0\x80",
	"'", `"`, `\`, `'; DROP TABLE books; --`, `"*`, "a:*", "a & !b", "NEAR(a b)", "title:a", "-a", "%", "_", "^a", "{}", "$1", "?1", ":a",
	"½", "²", "١٢٣", "ŉ", "ﷺ", "a\u0301\u0301\u0301", "\u200d", "\u202e", "𝄞", strings.Repeat("é", 300), strings.Repeat("𝄞", 255), strings.Repeat("a-", 400),
	"----", "0000", "ffffffff-", "9780132350884", "978-0-13-235088-4", "X", strings.Repeat("9", 20), "1e999", "-1", "9223372036854775808",
}

func TestNoValueOfACallerMakesADatabaseFail(t *testing.T) {
	t.Parallel()
	for database, open := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(s *setup) { s.open = open })
			for _, value := range hostileValues {
				for where, r := range hostileRequests(t, w, value) {
					if a := w.send(t, r); a.status >= 500 {
						t.Errorf("%q as %s: %d %s", value, where, a.status, a.body)
					}
				}
			}
			if failed := w.log.events(t, "internal error"); len(failed) > 0 {
				t.Errorf("in the log: %v", failed)
			}
		})
	}
}

// hostileRequests puts a value into every place from which one can get to the
// database.
func hostileRequests(t *testing.T, w *world, value string) map[string]request {
	t.Helper()
	text, err := json.Marshal(value)
	testkit.NoError(t, err)
	q, body := url.QueryEscape(value), string(text)
	cursor := func(o string, key, key2 string) string {
		c, err := json.Marshal(map[string]any{"o": o, "k": key, "l": key2, "t": 1, "i": cleanCode})
		testkit.NoError(t, err)
		return base64.RawURLEncoding.EncodeToString(c)
	}
	requests := map[string]request{
		"q":                 {as: bruceWayne, path: "/books?q=" + q},
		"author":            {as: bruceWayne, path: "/books?author=" + q},
		"isbn":              {as: bruceWayne, path: "/books?isbn=" + q},
		"identifier":        {as: bruceWayne, path: "/books?identifier=" + q},
		"sort":              {as: bruceWayne, path: "/books?sort=" + q},
		"cursor":            {as: bruceWayne, path: "/books?cursor=" + q},
		"q, page":           {as: bruceWayne, path: "/books?limit=1&q=" + q},
		"title of a cursor": {as: bruceWayne, path: "/books?cursor=" + cursor("title", value, "")},
		"name of a cursor":  {as: clarkKent, path: "/users?cursor=" + cursor("name", value, value)},
		"q of users":        {as: clarkKent, path: "/users?q=" + q},
		"path":              {as: bruceWayne, path: "/books/" + url.PathEscape(value)},
		"e-mail claim":      {token: w.idp.Mint(t, testidp.Claims{"email": value}), path: "/me"},
		"name":              {as: clarkKent, method: http.MethodPost, path: "/users", body: `{"email":"a@b","firstName":` + body + `,"lastName":` + body + `}`},
		"e-mail":            {as: clarkKent, method: http.MethodPost, path: "/users", body: `{"email":` + body + `,"firstName":"A","lastName":"B"}`},
		"book":              {as: peterParker, method: http.MethodPost, path: "/books", body: `{"title":` + body + `,"isbn":` + body + `,"description":` + body + `,"authors":[` + body + `]}`},
		"loans":             {as: clarkKent, path: "/loans?state=" + q + "&user=" + q},
		"cursor of loans":   {as: clarkKent, path: "/loans?cursor=" + cursor("due", value, value)},
		"cursor of holds":   {as: clarkKent, path: "/holds?cursor=" + cursor("place", value, value)},
		"card":              {as: peterParker, path: "/readers?card=" + q},
		"q of readers":      {as: peterParker, path: "/readers?limit=1&q=" + q},
		"cursor of readers": {as: peterParker, path: "/readers?cursor=" + cursor("name", value, value)},
		"code":              {as: peterParker, path: "/codes/" + url.PathEscape(value)},
		"from":              {as: clarkKent, path: "/statistics?from=" + q},
		"barcode":           {as: peterParker, method: http.MethodPost, path: "/loans", body: `{"user":"` + wayneID + `","barcode":` + body + `}`},
		"copy":              {as: peterParker, method: http.MethodPost, path: bookPath + "/copies", body: `{"barcode":` + body + `,"shelf":` + body + `,"note":` + body + `}`},
		"card of a user":    {as: clarkKent, method: http.MethodPost, path: "/users", body: `{"email":"c@d","firstName":"A","lastName":"B","card":` + body + `}`},
		"time zone":         {as: clarkKent, method: http.MethodPut, path: "/policy", body: `{"timeZone":` + body + `}`},
		"language":          {as: bruceWayne, method: http.MethodPut, path: "/me", body: `{"locale":` + body + `}`},
		"import":            {as: peterParker, method: http.MethodPost, path: "/imports/books", body: `[{"title":` + body + `,"isbn":` + body + `}]`},
	}
	if !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		requests["Last-Event-ID"] = request{as: bruceWayne, path: "/events", header: field("Last-Event-ID", value)}
		requests["If-Match"] = request{as: peterParker, method: http.MethodPut, path: bookPath, body: `{"title":"T"}`, header: field("If-Match", value)}
	}
	return requests
}

func TestAnAddressThatNobodyCanHaveIsUnknown(t *testing.T) {
	t.Parallel()
	for database, open := range databases {
		w := newWorld(t, func(s *setup) { s.open = open })
		for _, email := range []string{"\x00", "bruce.wayne@example.com\x00", "\x00bruce.wayne@example.com", "a\nb@c"} {
			a := w.send(t, request{token: w.idp.Mint(t, testidp.Claims{"email": email}), path: "/me"}).want(t, 401, "unknown_user")
			if got := a.header.Get("WWW-Authenticate"); !strings.HasPrefix(got, invalidToken+"No user found for the email claim") {
				t.Errorf("%s: %q: WWW-Authenticate %q", database, email, got)
			}
		}
	}
}

func TestNoPositionMakesADatabaseFail(t *testing.T) {
	t.Parallel()
	extremes := []int64{0, 1, math.MaxInt64, math.MinInt64, -1}
	for _, open := range databases {
		w := newWorld(t, func(s *setup) { s.open = open })
		for _, major := range extremes {
			for _, minor := range extremes {
				p := library.Position{TxID: major, Seq: minor, Nonce: major}
				w.send(t, request{as: bruceWayne, path: "/events", header: field("Last-Event-ID", p.String())}).want(t, 200, "")
			}
		}
	}
}
