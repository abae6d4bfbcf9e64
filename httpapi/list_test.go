package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library"
	"example.org/library/api"
)

func titles(books []api.Book) []string {
	var out []string
	for _, b := range books {
		out = append(out, b.Title)
	}
	return out
}

func TestFilters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lent(cleanCode, bruceWayne)(t, w)
	for _, c := range []struct {
		query string
		want  []string
	}{
		{"q=clean", []string{"Clean Code"}},
		{"q=CLEAN+cod", []string{"Clean Code"}},
		{"q=%20%20", nil},
		{"q=lean", []string{}},
		{"q=etranger", []string{"L'Étranger"}},
		{"q=%C3%A9trang", []string{"L'Étranger"}},
		{"q=language+kernighan", []string{"The C Programming Language", "The Go Programming Language"}},
		{"q=language+ritchie", []string{"The C Programming Language"}},
		{"q=9780132350884", []string{"Clean Code"}},
		{"q=0132350882", []string{"Clean Code"}},
		{"author=kernighan", []string{"The C Programming Language", "The Go Programming Language"}},
		{"author=brian+donovan", []string{"The Go Programming Language"}},
		{"author=clean", []string{}},
		{"isbn=978-0-13-235088-4", []string{"Clean Code"}},
		{"isbn=9780132350884", []string{"Clean Code"}},
		{"isbn=0-13-235088-2", []string{"Clean Code"}},
		{"isbn=0132350882", []string{"Clean Code"}},
		{"isbn=978%E2%80%930%E2%80%9313%E2%80%93235088%E2%80%934", []string{"Clean Code"}},
		{"isbn=978013235088", []string{}},
		{"identifier=f9bf", []string{"Clean Code"}},
		{"identifier=F9BF70D6-E56D", []string{"Clean Code"}},
		{"identifier=f9bf70d6-e56d-4cab-be6b-294cd05f599f&q=clean", []string{"Clean Code"}},
		{"identifier=f9bf&q=pattern", []string{}},
		{"identifier=f9be", []string{}},
		{"borrowed=true", []string{"Clean Code"}},
		{"borrowed=false&q=code", []string{}},
		{"borrowed=true&q=code&author=martin&isbn=0132350882&sort=-created&limit=5", []string{"Clean Code"}},
		{"sort=created&limit=2", []string{"Clean Code", "Design Patterns"}},
		{"sort=-created&limit=2", []string{"Pride and Prejudice", "L'Étranger"}},
	} {
		a := w.send(t, request{as: bruceWayne, path: "/books?" + c.query}).want(t, 200, "")
		got := a.books(t)
		if c.want == nil {
			if len(got) != 10 {
				t.Errorf("%s: %d books, want all 10", c.query, len(got))
			}
			continue
		}
		if diff := cmp.Diff(c.want, append([]string{}, titles(got)...)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.query, diff)
		}
		if total := a.header.Get("X-Total-Count"); !strings.Contains(c.query, "limit") && total != fmt.Sprint(len(got)) {
			t.Errorf("%s: X-Total-Count %s, want %d", c.query, total, len(got))
		}
	}
}

func TestSearchingUsers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for query, want := range map[string]string{"bruce": "Banner,Wayne", "BRUCE+way": "Wayne", "kent": "Kent", "placeholder": "Client", "zzz": ""} {
		var names []string
		for _, u := range w.send(t, request{as: clarkKent, path: "/users?q=" + query}).want(t, 200, "").users(t) {
			names = append(names, u.LastName)
		}
		if got := strings.Join(names, ","); got != want {
			t.Errorf("q=%s: %s, want %s", query, got, want)
		}
	}
}

func TestQueryFaultsNameTheParameter(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	byTitle := w.send(t, request{as: bruceWayne, path: "/books?limit=1"}).want(t, 200, "")
	cursor := nextPage(t, byTitle).Query().Get("cursor")
	for _, c := range []struct{ query, field string }{
		{"limit=0", "limit"}, {"limit=-1", "limit"}, {"limit=1001", "limit"}, {"limit=ten", "limit"}, {"limit=", "limit"},
		{"limit=1.0", "limit"}, {"limit=01", "limit"}, {"limit=%2B1", "limit"}, {"limit=99999999999999999999", "limit"}, {"limit=1&limit=2", "limit"},
		{"sort=author", "sort"}, {"sort=", "sort"}, {"sort=Title", "sort"}, {"sort=title&sort=title", "sort"}, {"sort=--title", "sort"},
		{"borrowed=yes", "borrowed"}, {"borrowed=", "borrowed"}, {"borrowed=TRUE", "borrowed"}, {"borrowed=1", "borrowed"},
		{"cursor=", "cursor"}, {"cursor=xyz", "cursor"}, {"cursor=" + cursor + "&sort=created", "cursor"}, {"cursor=" + cursor + "=", "cursor"}, {"cursor=" + cursor[1:], "cursor"},
		{"q=%00", "q"}, {"q=%ff", "q"}, {"q=a%0Ab", "q"}, {"q=" + strings.Repeat("a", 1001), "q"}, {"q=" + manyWords(33), "q"}, {"q=a&q=b", "q"},
		{"q=" + strings.ReplaceAll(manyWords(33), "+", "-"), "q"}, {"q=" + strings.ReplaceAll(manyWords(33), "+", "."), "q"}, {"q=a+" + strings.ReplaceAll(manyWords(32), "+", "'"), "q"},
		{"author=%01", "author"}, {"author=" + manyWords(33), "author"},
		{"isbn=" + strings.Repeat("9", 21), "isbn"}, {"isbn=---", "isbn"}, {"isbn=%00", "isbn"},
		{"identifier=f9b", "identifier"}, {"identifier=f9bf70d6e56d", "identifier"}, {"identifier=clean", "identifier"}, {"identifier=f9bf%25", "identifier"},
		{"identifier=" + cleanCode + "0", "identifier"}, {"identifier=f9bf&identifier=f9bf", "identifier"},
		{"colour=red", "colour"}, {"Q=a", "Q"}, {"page=1", "page"}, {"=1", ""}, {"title=x", "title"},
		{"q=%zz", "query"}, {"a;b", "query"},
	} {
		a := w.send(t, request{as: bruceWayne, path: "/books?" + c.query})
		if a.status != 400 || a.code() != "bad_query" || !slices.Contains(a.fields(), c.field) {
			t.Errorf("%.60s: %d %s names %q, want %q", c.query, a.status, a.code(), a.fields(), c.field)
		}
	}
	for _, separator := range []string{"+", "-", "."} {
		w.send(t, request{as: bruceWayne, path: "/books?q=" + strings.ReplaceAll(manyWords(32), "+", separator)}).want(t, 200, "")
	}
	several := w.send(t, request{as: bruceWayne, path: "/books?limit=0&sort=x&colour=red"}).want(t, 400, "bad_query")
	if diff := cmp.Diff([]string{"sort", "limit", "colour"}, several.fields()); diff != "" {
		t.Errorf("several problems (-want +got)\n%s", diff)
	}
	for _, query := range []string{"sort=title", "borrowed=true", "limit=0", "cursor=" + cursor, "q=%00", "x=1"} {
		a := w.send(t, request{as: clarkKent, path: "/users?" + query}).want(t, 400, "bad_query")
		name, _, _ := strings.Cut(query, "=")
		if diff := cmp.Diff([]string{name}, a.fields()); diff != "" {
			t.Errorf("users, %s (-want +got)\n%s", query, diff)
		}
	}
}

func manyWords(n int) string {
	var words []string
	for i := range n {
		words = append(words, fmt.Sprintf("w%d", i))
	}
	return strings.Join(words, "+")
}

// nextPage is where the Link of a page leads, nil on the last page.
func nextPage(t *testing.T, a reply) *url.URL {
	t.Helper()
	link := a.header.Get("Link")
	if link == "" {
		return nil
	}
	address, ok := strings.CutSuffix(link, `>; rel="next"`)
	u, err := url.Parse(strings.TrimPrefix(address, "<"))
	if !ok || err != nil {
		t.Fatalf("Link %q", link)
	}
	return u
}

// walk follows the links from the first page to the last and returns the
// records of all pages, as they were sent.
func walk[T any](t *testing.T, w *world, as, path string, limit int) (all []T) {
	t.Helper()
	for range 1000 {
		a := w.send(t, request{as: as, path: path}).want(t, 200, "")
		page := decode[[]T](t, a)
		all = append(all, page...)
		next := nextPage(t, a)
		if next == nil {
			return all
		}
		if len(page) != limit {
			t.Fatalf("%s: %d records on a page that is not the last, want %d", path, len(page), limit)
		}
		path = strings.TrimPrefix(next.String(), w.base)
	}
	t.Fatal("there is no last page")
	return nil
}

func TestThePagesTogetherAreTheWholeList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, title := range []string{"Same", "Same", "Same", "same", "SAME", "sàme", "Z&=?#% \"<>", "日本語", "𝄞"} {
		w.addBooks(t, library.BookFields{Title: title, Description: "common"})
	}
	for _, query := range []string{"", "sort=-title", "sort=created", "sort=-created", "q=common", "q=same&sort=-title", "borrowed=false", "q=nothing"} {
		whole := w.send(t, request{as: bruceWayne, path: "/books?" + query}).want(t, 200, "")
		if nextPage(t, whole) != nil {
			t.Errorf("%s: the whole list has a next page", query)
		}
		for _, limit := range []int{1, 2, 3, 7, 1000} {
			path := fmt.Sprintf("/books?%s&limit=%d", query, limit)
			if diff := cmp.Diff(whole.books(t), walk[api.Book](t, w, bruceWayne, strings.Replace(path, "?&", "?", 1), limit)); diff != "" && len(whole.books(t)) > 0 {
				t.Errorf("%s (-whole +pages)\n%s", path, diff)
			}
			page := w.send(t, request{as: bruceWayne, path: strings.Replace(path, "?&", "?", 1)})
			if got, want := page.header.Get("X-Total-Count"), whole.header.Get("X-Total-Count"); got != want {
				t.Errorf("%s: X-Total-Count %s, want %s", path, got, want)
			}
		}
	}
	whole := w.send(t, request{as: clarkKent, path: "/users"}).want(t, 200, "")
	for _, limit := range []int{1, 2, 4, 5} {
		if diff := cmp.Diff(whole.users(t), walk[api.User](t, w, clarkKent, fmt.Sprintf("/users?limit=%d", limit), limit)); diff != "" {
			t.Errorf("users, limit %d (-whole +pages)\n%s", limit, diff)
		}
	}
}

func TestAPageThatIsJustFullIsTheLast(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.send(t, request{as: bruceWayne, path: "/books?limit=10"}).want(t, 200, "")
	if nextPage(t, a) != nil || len(a.books(t)) != 10 {
		t.Errorf("%d books, Link %q", len(a.books(t)), a.header.Get("Link"))
	}
}

func TestALongListIsSentWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := strings.Repeat("word ", 1000)
	for i := range 600 {
		w.addBooks(t, library.BookFields{Title: fmt.Sprintf("Book %04d", i), Description: long})
	}
	a := w.send(t, request{as: bruceWayne, path: "/books"}).want(t, 200, "")
	if got := len(a.books(t)); got != 610 || a.header.Get("X-Total-Count") != "610" {
		t.Errorf("%d books, X-Total-Count %s, want 610", got, a.header.Get("X-Total-Count"))
	}
	if a.tag() == "" || a.header.Get("Content-Length") != "" {
		t.Errorf("ETag %q, Content-Length %q: want a tag and no length", a.tag(), a.header.Get("Content-Length"))
	}
	if got := w.ifNoneMatch(t, bruceWayne, "/books", a.tag()); got != 304 {
		t.Errorf("If-None-Match gives %d, want 304", got)
	}
	head := w.send(t, request{as: bruceWayne, method: http.MethodHead, path: "/books"})
	if head.status != 200 || head.tag() != a.tag() || head.header.Get("X-Total-Count") != "610" {
		t.Errorf("HEAD: %d, %v", head.status, head.header)
	}
}
