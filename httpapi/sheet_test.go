package httpapi_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/library/api"
	"example.org/library/internal/testkit"
)

var berlin, _ = time.LoadLocation("Europe/Berlin")

// flat returns the members of a record of JSON as a spreadsheet has them, in Berlin.
func flat(v any, name string, cells map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		for member, value := range v {
			flat(value, strings.TrimPrefix(name+"."+member, "."), cells)
		}
	case []any:
		texts := make([]string, len(v))
		for i := range v {
			texts[i] = fmt.Sprint(v[i])
		}
		cells[name] = strings.Join(texts, "; ")
	case string:
		if at, err := time.Parse(time.RFC3339, v); err == nil {
			v = at.In(berlin).Format(time.DateTime)
		}
		cells[name] = v
	default:
		cells[name] = fmt.Sprint(v)
	}
}

// sheetIsList compares a spreadsheet with the same list of JSON.
func sheetIsList(t *testing.T, s *story, path string, sheet reply, comma rune) {
	t.Helper()
	body, marked := strings.CutPrefix(string(sheet.body), "\ufeff")
	r := csv.NewReader(strings.NewReader(body))
	r.Comma = comma
	rows, err := r.ReadAll()
	testkit.NoError(t, err)
	if !marked || strings.Count(body, "\r\n") < len(rows) {
		t.Errorf("%s begins with %.20q", path, sheet.body)
	}
	list := s.send(t, request{as: clarkKent, path: s.fill(t, path)}).want(t, 200, "")
	if got, want := sheet.header.Get("X-Total-Count"), list.header.Get("X-Total-Count"); want != "" && got != want {
		t.Errorf("%s: %s in all, want %s", path, got, want)
	}
	var records []any
	if err := json.Unmarshal(list.body, &records); err != nil {
		records = find(list.value(t), "periods").([]any)
	}
	if len(records) == 0 || len(rows) != len(records)+1 {
		t.Fatalf("%s: %d lines of %d records", path, len(rows), len(records))
	}
	for i, row := range rows[1:] {
		want, got := map[string]string{}, map[string]string{}
		flat(records[i], "", want)
		for j, cell := range row {
			if cell != "" {
				got[rows[0][j]] = cell
			}
		}
		maps.DeleteFunc(want, func(name, cell string) bool { return cell == "" && slices.Contains(rows[0], name) })
		if !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

func TestListsAreSpreadsheets(t *testing.T) {
	t.Parallel()
	asCSV := func(path string, comma rune) step {
		separator := "?"
		if strings.Contains(path, "?") {
			separator = "&"
		}
		ask := "GET " + path + separator + "format=csv"
		if comma == ';' {
			ask += "&separator=;"
		}
		return step{rule: path, as: clarkKent, ask: ask, status: 200, then: func(t *testing.T, s *story, a reply) { sheetIsList(t, s, path, a, comma) }}
	}
	headed := func(heading string) func(*testing.T, *story, reply) {
		return func(t *testing.T, _ *story, a reply) {
			if got, _, _ := strings.Cut(string(a.body), "\r\n"); got != "\ufeff"+heading {
				t.Errorf("the heading is %q", got)
			}
			for name, want := range map[string]string{"Content-Type": "text/csv; charset=utf-8", "Link": "", "Vary": "Origin, Authorization, Accept",
				"Content-Disposition": `attachment; filename="loans-2026-03-03.csv"`} {
				if got := a.header.Get(name); got != want {
					t.Errorf("%s is %q", name, got)
				}
			}
		}
	}
	const heading = "identifier,book.identifier,book.title,book.authors,copy.identifier,copy.barcode,copy.shelf,user.identifier,user.firstName,user.lastName,user.group," +
		"borrowedAt,dueAt,returnedAt,renewals,overdue,renewable,renewableFrom,claimedAt,lost,rule,several"
	runSteps(t, []step{
		{rule: "a library in Berlin", as: clarkKent, ask: "PUT /policy", body: `{"loanDays":28,"renewals":2,"holdDays":7,"historyDays":28,"timeZone":"Europe/Berlin"}`, status: 200},
		{rule: "has a book", as: peterParker, ask: "POST /books", body: `{"title":"a,\"b\"; c","authors":["A; B","C"],"copies":2}`, status: 201, keep: "book"},
		{rule: "lent", as: bruceWayne, ask: "POST /books/{book}/borrow", status: 200},
		{rule: "returned", as: bruceWayne, ask: "POST /books/{book}/return", status: 200},
		{rule: "lent again", as: bruceWayne, ask: "POST /books/{book}/borrow", status: 200},
		{rule: "and its other copy", as: bruceBanner, ask: "POST /books/{book}/borrow", status: 200},
		{rule: "and reserved", as: peterParker, ask: "POST /books/{book}/holds", body: `{"user":"{kent}"}`, status: 201},
		{rule: "one with a note is kept", as: peterParker, ask: "POST /books/{book}/copies", body: `{"shelf":"A 1","state":"missing","note":"a\nb"}`, status: 201},
		{rule: "stock is taken", as: peterParker, ask: "POST /stocktakes", body: `{"name":"All"}`, status: 201, keep: "st"},
		{rule: "with a wrong code", as: peterParker, ask: "POST /stocktakes/{st}/scans", body: `{"codes":["nix"]}`, status: 200},
		asCSV("/stocktakes/{st}/copies?outcome=remaining", ';'), asCSV("/stocktakes/{st}/copies?outcome=unknown", ','),
		asCSV("/loans", ','), asCSV("/loans?state=returned", ';'), asCSV("/holds", ';'), asCSV("/users", ','), asCSV("/users?q=wayne", ','), asCSV("/copies", ','), asCSV("/copies?state=missing", ';'),
		asCSV("/statistics?by=day&from=2026-02-27", ','), asCSV("/statistics", ';'),
		{rule: "the name has the day of the library", at: "2026-03-02T23:30:00Z", as: bruceWayne, ask: "GET /loans", header: field("Accept", "text/csv"), status: 200, then: headed(heading)},
		{rule: "all columns are there without a record", as: clarkKent, ask: "GET /loans?state=overdue&format=csv", status: 200, then: headed(heading)},
		{rule: "a reader gets what is the reader's", as: bruceBanner, ask: "GET /loans?format=csv", status: 200, then: func(t *testing.T, _ *story, a reply) {
			if text := string(a.body); !strings.Contains(text, "Banner") || strings.Contains(text, "Wayne") {
				t.Error(text)
			}
		}},
		{rule: "and no more", as: bruceWayne, ask: "GET /users?format=csv", status: 403, code: "role_missing"},
		{rule: "HEAD tells its size", as: clarkKent, ask: "HEAD /loans?format=csv", status: 200, then: func(t *testing.T, _ *story, a reply) {
			if a.header.Get("Content-Type") != "text/csv; charset=utf-8" || len(a.body) > 0 {
				t.Error(a.header)
			}
		}},
		{rule: "it is always whole", as: clarkKent, ask: "GET /loans?format=csv&limit=1&cursor=x", status: 400, code: "bad_query", then: names("limit", "cursor")},
		{rule: "also by Accept", as: clarkKent, ask: "GET /copies?limit=1", header: field("Accept", "text/csv"), status: 400, code: "bad_query", then: names("limit")},
		{rule: "JSON has no separator", as: clarkKent, ask: "GET /holds?separator=,", status: 400, code: "bad_query", then: names("separator")},
		{rule: "of two kinds", as: clarkKent, ask: "GET /holds?format=csv&separator=tab", status: 400, code: "bad_query", then: names("separator")},
		{rule: "there is no other format", as: clarkKent, ask: "GET /users?format=xlsx", status: 400, code: "bad_query", then: names("format")},
		{rule: "statistics have no pages", as: clarkKent, ask: "GET /statistics?format=csv&limit=1", status: 400, code: "bad_query", then: names("limit")},
		{rule: "other lists are JSON", as: peterParker, ask: "GET /readers", header: field("Accept", "text/csv"), status: 200, want: facts{"length": 4}},
		{rule: "and know no format", as: peterParker, ask: "GET /books?format=csv", status: 400, code: "bad_query", then: names("format")},
	})
}

func TestAcceptAsksForASpreadsheet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for accept, isCSV := range map[string]bool{
		"text/csv": true, "text/csv, application/json;q=0.9": true, "text/csv;q=0.9, */*;q=0.8": true, "text/csv; charset=utf-8": true, "TEXT/CSV": true, "application/json, text/csv": true,
		"": false, "*/*": false, "text/*": false, "application/json": false, "text/csv;q=0.8, application/json": false, "text/csv;q=0": false, "text/csv;q=0.5, */*": false, "text/csv;q=x": false,
	} {
		for format, want := range map[string]bool{"": isCSV, "?format=csv": true, "?format=json": false} {
			a := w.send(t, request{as: clarkKent, path: "/loans" + format, header: http.Header{"Accept": {accept}}}).want(t, 200, "")
			if got := strings.HasPrefix(a.header.Get("Content-Type"), "text/csv"); got != want || !strings.Contains(a.header.Get("Vary"), "Accept") {
				t.Errorf("Accept: %s with %s: %v", accept, format, a.header)
			}
		}
	}
}

func TestReturnedLoansOfSomeDays(t *testing.T) {
	t.Parallel()
	const list = "GET /loans?state=returned"
	lent := func(at, book string) []step {
		return []step{
			{rule: "lent", at: at, as: bruceWayne, ask: "POST /books/{" + book + "}/borrow", status: 200},
			{rule: "and returned", as: bruceWayne, ask: "POST /books/{" + book + "}/return", status: 200},
		}
	}
	of := func(days string, titles ...string) step {
		want := facts{"length": len(titles)}
		for i, title := range titles {
			want[fmt.Sprint(i, ".book.title")] = title
		}
		return step{rule: days, as: bruceWayne, ask: list + days, status: 200, want: want}
	}
	const first, second = "Clean Code", "Design Patterns"
	runSteps(t, slices.Concat(
		[]step{{rule: "a library in Berlin", as: clarkKent, ask: "PUT /policy", body: `{"loanDays":28,"renewals":2,"holdDays":7,"historyDays":28,"timeZone":"Europe/Berlin"}`, status: 200}},
		lent("2026-03-02T22:59:59Z", "clean"), lent("2026-03-02T23:00:00Z", "patterns"),
		[]step{
			of("", second, first), of("&from=2026-03-02", second, first), of("&from=2026-03-03", second), of("&to=2026-03-02", first), of("&to=2026-03-03", second, first),
			of("&from=2026-03-03&to=2026-03-03", second), of("&from=2026-03-04"), of("&to=2026-03-01"), of("&from=0001-01-01&to=9999-12-31", second, first),
			{rule: "one is counted", as: bruceWayne, ask: list + "&from=2026-03-03&limit=1", status: 200, then: inAll("1")},
			{rule: "from after to", as: bruceWayne, ask: list + "&from=2026-03-03&to=2026-03-02", status: 400, code: "bad_query", then: names("to")},
			{rule: "no day", as: bruceWayne, ask: list + "&from=today", status: 400, code: "bad_query", then: names("from")},
			{rule: "only of returned ones", as: bruceWayne, ask: "GET /loans?from=2026-03-03&to=2026-03-03", status: 400, code: "bad_query", then: names("from", "to")},
		}))
}

// TestALongListIsAWholeSpreadsheet reads more copies than are sent at once, in the order of the pages.
func TestALongListIsAWholeSpreadsheet(t *testing.T) {
	t.Parallel()
	onEachDatabase(t, func(t *testing.T, w *world) {
		for i := range 4 {
			w.send(t, request{as: peterParker, method: http.MethodPost, path: "/books", body: fmt.Sprintf(`{"title":"Same %d","copies":999}`, i/2)}).want(t, 201, "")
		}
		a := w.send(t, request{as: clarkKent, path: "/copies?format=csv"}).want(t, 200, "")
		rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(a.body), "\ufeff"))).ReadAll()
		testkit.NoError(t, err)
		var got, want []string
		for _, row := range rows[1:] {
			got = append(got, row[0])
		}
		for _, c := range walk[api.Copy](t, w, clarkKent, "/copies?limit=1000", 1000) {
			want = append(want, c.Identifier)
		}
		if len(want) < 3996 || !slices.Equal(got, want) {
			t.Errorf("%d copies, want %d in the same order", len(got), len(want))
		}
	})
}
