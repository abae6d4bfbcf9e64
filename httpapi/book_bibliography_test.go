package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/api"
)

func TestWhatMoreIsKnownOfABook(t *testing.T) {
	t.Parallel()
	post := func(body string) request {
		return request{as: peterParker, method: http.MethodPost, path: "/books", body: body}
	}
	subjects := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`"s%d"`, i))
		}
		return strings.Join(all, ",")
	}
	play(t, []scenario{
		{rule: "everything is kept as typed", status: 201,
			ask: post(`{"title":"T","subtitle":" S ","publisher":"P","series":"R","volume":"1","published":1999,"language":"deu","subjects":["A","Bé"]}`),
			then: isBook(api.Book{BookFields: api.BookFields{Title: "T", Subtitle: "S", Publisher: "P", Series: "R", Volume: "1", Published: 1999, Language: "de",
				Subjects: []string{"A", "Bé"}}})},
		{rule: "blank and null are absent", status: 201,
			ask:  post(`{"title":"T","subtitle":" ","publisher":null,"series":"","volume":" ","published":null,"language":"","subjects":[" ",""]}`),
			then: isBook(api.Book{BookFields: api.BookFields{Title: "T"}})},
		{rule: "a bibliographic code is kept as the one of two letters", ask: post(`{"title":"T","language":"ger"}`), status: 201,
			then: isBook(api.Book{BookFields: api.BookFields{Title: "T", Language: "de"}})},
		{rule: "a language without two letters has three", ask: post(`{"title":"T","language":"grc"}`), status: 201,
			then: isBook(api.Book{BookFields: api.BookFields{Title: "T", Language: "grc"}})},
		{rule: "a subject is there once, without regard to case and accents", status: 201, ask: post(`{"title":"T","subjects":["Été","ete"," ETE","x"]}`),
			then: isBook(api.Book{BookFields: api.BookFields{Title: "T", Subjects: []string{"Été", "x"}}})},
		{rule: "thirty subjects are enough", ask: post(`{"title":"T","subjects":[` + subjects(30) + `,"S0"," "]}`), status: 201},
		{rule: "thirty-one are too many", ask: post(`{"title":"T","subjects":[` + subjects(31) + `]}`), status: 400, code: "invalid", then: complainsAbout("subjects")},
		{rule: "a volume is one of a series", ask: post(`{"title":"T","volume":"2"}`), status: 400, code: "invalid", then: complainsAbout("series")},
		{rule: "unknown languages", ask: post(`{"title":"T","language":"xxx"}`), status: 400, code: "invalid", then: complainsAbout("language")},
		{rule: "languages in capitals", ask: post(`{"title":"T","language":"DE"}`), status: 400, code: "invalid", then: complainsAbout("language")},
		{rule: "the year 0", ask: post(`{"title":"T","published":0}`), status: 400, code: "invalid", then: complainsAbout("published")},
		{rule: "the year 10000", ask: post(`{"title":"T","published":10000}`), status: 400, code: "invalid", then: complainsAbout("published")},
		{rule: "half a year", ask: post(`{"title":"T","published":1999.5}`), status: 400, code: "invalid", then: complainsAbout("published")},
		{rule: "a year in quotation marks", ask: post(`{"title":"T","published":"1999"}`), status: 400, code: "invalid", then: complainsAbout("published")},
		{rule: "control characters and long texts", status: 400, code: "invalid",
			ask:  post(`{"title":"T","subtitle":"\u0001","publisher":"` + strings.Repeat("x", 256) + `","series":"a\nb","volume":"` + strings.Repeat("1", 21) + `","subjects":["a\tb","` + strings.Repeat("x", 101) + `"]}`),
			then: complainsAbout("subtitle", "publisher", "series", "volume", "subjects[0]", "subjects[1]")},
		{rule: "what is left out is cleared", given: edited(cleanCode, `{"title":"T","subtitle":"S","series":"R","volume":"1","published":1999,"subjects":["A"]}`),
			ask: request{as: peterParker, method: http.MethodPut, path: bookPath, body: `{"title":"T"}`}, status: 200,
			then: isBook(api.Book{Identifier: cleanCode, BookFields: api.BookFields{Title: "T"}})},
	})
}

// Two books of which more is known than of those that a library starts with.
const (
	dune = `{"title":"Dune","published":1965,"language":"en","series":"Dune Chronicles","subjects":["Science fiction","Désert"]}`
	cave = `{"title":"Die Höhle","published":2005,"language":"de","subjects":["science FICTION"]}`
)

func TestBooksAreFilteredByWhatIsKnownOfThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, body := range []string{dune, cave} {
		w.send(t, request{as: peterParker, method: http.MethodPost, path: "/books", body: body}).want(t, 201, "")
	}
	for _, c := range []struct {
		query string
		want  []string
	}{
		{"language=eng", []string{"Dune"}}, {"language=ger", []string{"Die Höhle"}}, {"language=fr", nil},
		{"subject=SCIENCE+fiction", []string{"Die Höhle", "Dune"}}, {"subject=science", nil},
		{"subject=science+fiction&subject=desert", []string{"Dune"}},
		{"series=dune+chroniclés", []string{"Dune"}}, {"series=dune", nil},
		{"from=1966", []string{"Die Höhle"}}, {"to=1965", []string{"Dune"}}, {"from=1965&to=2005", []string{"Die Höhle", "Dune"}},
		{"sort=published&limit=2", []string{"Dune", "Die Höhle"}}, {"sort=-published&limit=2", []string{"Die Höhle", "Dune"}},
		{"q=chronicles+desert", []string{"Dune"}}, {"q=1965", nil},
		{"subject=&series=+", nil},
		{"subject=%CC%81", nil}, {"series=%CC%81", nil}, {"subject=desert&subject=%CC%81", nil},
	} {
		a := w.send(t, request{as: bruceWayne, path: "/books?" + strings.ReplaceAll(c.query, "é", url.QueryEscape("é"))}).want(t, 200, "")
		var titles []string
		for _, b := range decode[[]api.Book](t, a) {
			titles = append(titles, b.Title)
		}
		if c.query == "subject=&series=+" {
			if len(titles) < 3 {
				t.Errorf("blank filters count as absent: %q", titles)
			}
			continue
		}
		if diff := cmp.Diff(c.want, titles); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.query, diff)
		}
	}
	for _, query := range []string{"language=xxx", "language=DE", "from=0", "to=10000", "from=x", "sort=year", "series=" + strings.Repeat("x", 256), "subject=" + strings.Repeat("x", 101)} {
		w.send(t, request{as: bruceWayne, path: "/books?" + query}).want(t, 400, "bad_query")
	}
}
