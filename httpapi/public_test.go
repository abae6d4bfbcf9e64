package httpapi_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/httpapi"
	"example.org/library/internal/testkit"
)

// publicRoutes is what strangers may ask where the catalogue is public, with a status that says
// that they were let in. All other routes are for people with a token.
var publicRoutes = map[string]int{
	"GET /books":            200,
	"GET /books/{id}":       200,
	"GET /books/facets":     200,
	"GET /suggestions":      200,
	"GET /books/{id}/cover": 200,
}

// publicly makes the catalogue public, for as many as a test has.
func publicly(s *setup) { s.publicRate = 10_000 }

// TestStrangersReadThePublicCatalogueAndNothingElse asks for every route, with and without the
// setting, with no token, a good one and bad ones. A new route is for people with a token
// until it is in the table.
func TestStrangersReadThePublicCatalogueAndNothingElse(t *testing.T) {
	t.Parallel()
	for _, isPublic := range []bool{false, true} {
		t.Run(fmt.Sprintf("public=%v", isPublic), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(s *setup) {
				if isPublic {
					publicly(s)
				}
			})
			w.send(t, putCover(peterParker, onePixel)).want(t, 204, "")
			open := maps.Clone(publicRoutes)
			for _, r := range httpapi.Routes() {
				status, forStrangers := open[r.Method+" "+r.Pattern]
				delete(open, r.Method+" "+r.Pattern)
				if !isPublic || !forStrangers {
					status = 401
				}
				w.checkEveryCaller(t, r, status)
			}
			if len(open) > 0 {
				t.Errorf("there are no such routes: %v", open)
			}
			for _, r := range []request{{path: "/nowhere"}, {path: "/books", method: http.MethodPatch}, {path: "/"}} {
				w.send(t, r).want(t, 401, "missing_token")
			}
		})
	}
}

// checkEveryCaller asks for a route as a stranger, who is to get that status, and as others who
// show something.
func (w *world) checkEveryCaller(t *testing.T, r httpapi.RouteInfo, status int) {
	t.Helper()
	ask := request{method: r.Method, path: fill(r.Pattern, cleanCode), body: bodyFor(r.Method)}
	if r.Pattern == "/suggestions" {
		ask.path += "?q=clean"
	}
	code := ""
	if status == 401 {
		code = "missing_token"
	}
	w.send(t, ask).want(t, status, code)
	if r.Method == http.MethodGet {
		head := ask
		head.method = http.MethodHead
		if a := w.send(t, head); a.status != status {
			t.Errorf("HEAD %s without a token: %d, want %d", r.Pattern, a.status, status)
		}
	}
	for _, sent := range []string{"", "Bearer", "Bearer no.token.atall", "Basic YTpi", "Bearer " + w.idp.Token(t, "nobody@example.com", "library_user")} {
		bad := ask
		bad.header = http.Header{"Authorization": {sent}}
		if a := w.send(t, bad); a.status != 401 {
			t.Errorf("%s %s with %.12q: %d, want 401", r.Method, r.Pattern, sent, a.status)
		}
	}
	ask.token = w.idp.Token(t, bruceBanner, "email profile") // which gives no role
	if a := w.send(t, ask); a.status == 401 || status < 400 && a.status != status {
		t.Errorf("%s %s with a good token: %d", r.Method, r.Pattern, a.status)
	}
}

// TestStrangersLearnNothingOfPeople asks everything that strangers can ask, in a library in
// which people borrow and wait, and compares it with what a user without a role gets.
func TestStrangersLearnNothingOfPeople(t *testing.T) {
	t.Parallel()
	for database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			s := newStory(t, database, publicly)
			for _, st := range []step{
				{as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200},
				{as: bruceBanner, ask: "POST /books/{clean}/holds", status: 201},
				{as: bruceWayne, ask: "POST /books/{patterns}/borrow", status: 200},
			} {
				s.make(t, st)
			}
			nobody := s.idp.Token(t, clarkKent, "email profile") // has no role, no loan and no hold
			for _, route := range slices.Sorted(maps.Keys(publicRoutes)) {
				pattern := strings.TrimPrefix(route, "GET ")
				for _, path := range append(pathsOf(httpapi.RouteInfo{Pattern: pattern}), pattern+"?available=false", pattern+"?limit=2", pattern+"?q=bruce") {
					path = s.fill(t, path)
					if strings.Contains(path, "{") {
						continue
					}
					stranger, user := s.send(t, request{path: path}), s.send(t, request{token: nobody, path: path})
					if stranger.status != user.status || stranger.status == 200 && string(stranger.body) != string(user.body) {
						t.Errorf("%s: a stranger gets\n%d %s\nand a user without a role\n%d %s", path, stranger.status, stranger.body, user.status, user.body)
					}
					for _, secret := range []string{wayneID, bannerID, "Wayne", "Banner", "Bruce", "@", "borrowedBy", `"loan"`, `"hold"`} {
						if strings.Contains(withoutPath(stranger), secret) {
							t.Errorf("%s says %s: %s", path, secret, stranger.body)
						}
					}
				}
			}
		})
	}
}

// TestAStrangerGetsNoAnswerOfAPerson has both ask for the same, so that caches have it.
func TestAStrangerGetsNoAnswerOfAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, publicly)
	w.send(t, request{as: bruceWayne, method: http.MethodPost, path: "/books/" + cleanCode + "/borrow"}).want(t, 200, "")
	for range 2 {
		for _, path := range []string{"/books", "/books/" + cleanCode} {
			for _, as := range []string{bruceWayne, peterParker, ""} {
				a := w.send(t, request{as: as, path: path}).want(t, 200, "")
				if own := strings.Contains(string(a.body), `"borrowedBy"`); own != (as != "") {
					t.Errorf("%s as %q: %s", path, as, a.body)
				}
			}
		}
	}
}

func TestStrangersTogetherHaveARate(t *testing.T) {
	t.Parallel()
	allow, now := httpapi.RateLimit(3), time.Now()
	for i, want := range []struct {
		after time.Duration
		ok    bool
	}{{0, true}, {300, true}, {600, true}, {999, false}, {1000, true}, {1299, false}, {1300, true}, {1400, false}, {5000, true}, {5000, true}, {5000, true}, {5000, false}} {
		if got := allow(now.Add(want.after * time.Millisecond)); got != want.ok {
			t.Errorf("number %d: %v", i, got)
		}
	}
	w := newWorld(t, func(s *setup) { s.publicRate = 1 })
	began, answered := time.Now(), 0
	for range 20 {
		switch a := w.send(t, request{path: "/books?limit=1"}); a.status {
		case 200:
			answered++
		default:
			if a.want(t, 503, "overloaded"); a.header.Get("Retry-After") != "1" {
				t.Errorf("Retry-After is %q", a.header.Get("Retry-After"))
			}
		}
		w.send(t, request{as: bruceWayne, path: "/books?limit=1"}).want(t, 200, "")
	}
	if most := 1 + int(time.Since(began)/time.Second); answered < 1 || answered > most {
		t.Errorf("%d strangers were answered, %d may be", answered, most)
	}
}

// strangersWait is a store in which what strangers ask for takes until the end.
type strangersWait struct {
	library.Store
	waiting, most atomic.Int64
	own           atomic.Int64 // what others asked for
	goOn          chan struct{}
}

func (s *strangersWait) BooksInBatch(ctx context.Context, q library.BookQuery, b library.BookBatch) ([]library.Book, error) {
	if q.Viewer != "" {
		s.own.Add(1)
		return s.Store.BooksInBatch(ctx, q, b)
	}
	s.most.Store(max(s.most.Load(), s.waiting.Add(1)))
	<-s.goOn
	s.waiting.Add(-1)
	return s.Store.BooksInBatch(ctx, q, b)
}

// TestAFloodOfStrangersTakesNoPlaceOfPeople has a crowd whose questions never end.
func TestAFloodOfStrangersTakesNoPlaceOfPeople(t *testing.T) {
	t.Parallel()
	store := &strangersWait{goOn: make(chan struct{})}
	w := newWorld(t, publicly, func(s *setup) {
		s.store = func(under library.Store) library.Store { store.Store = under; return store }
	})
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() { w.send(t, request{path: fmt.Sprintf("/books?limit=%d", i+1)}) })
	}
	places := int64(w.api().PublicPlaces())
	testkit.Eventually(t, "the places of strangers are taken", func() bool { return store.waiting.Load() == places })
	for i := range 50 { // none of which waits for one of them
		w.send(t, request{as: bruceWayne, path: fmt.Sprintf("/books?limit=%d", i+1)}).want(t, 200, "")
	}
	if store.waiting.Load() != places || w.api().Placed() != 0 {
		t.Errorf("%d strangers are being worked for, %d other places are taken", store.waiting.Load(), w.api().Placed())
	}
	close(store.goOn)
	all.Wait()
	if store.most.Load() > places {
		t.Errorf("%d strangers were worked for at once, of %d places", store.most.Load(), places)
	}
}

// TestPeopleAndStrangersHaveTheirOwnPlaces fills those of the others.
func TestPeopleAndStrangersHaveTheirOwnPlaces(t *testing.T) {
	t.Parallel()
	w := newWorld(t, publicly)
	giveBack := w.api().FillPublicPlaces()
	w.send(t, request{path: "/books"}).want(t, 503, "overloaded")
	w.send(t, request{as: bruceWayne, path: "/books"}).want(t, 200, "")
	giveBack()
	defer w.api().FillPlaces()()
	w.send(t, request{path: "/books?limit=2"}).want(t, 200, "")
	w.send(t, request{as: bruceWayne, path: "/books?limit=2"}).want(t, 503, "overloaded")
}

// TestWhatStrangersAskForDropsNothingThatPeopleUse fills the cache of strangers several times.
func TestWhatStrangersAskForDropsNothingThatPeopleUse(t *testing.T) {
	t.Parallel()
	store := &strangersWait{goOn: make(chan struct{})}
	close(store.goOn)
	w := newWorld(t, publicly, stopClock, func(s *setup) {
		s.store = func(under library.Store) library.Store { store.Store = under; return store }
	})
	for range 20 {
		added("/books", peterParker, `{"title":"Long","description":"`+strings.Repeat("x", 9_900)+`"}`)(t, w)
	}
	ask := request{as: bruceWayne, path: "/books?limit=3"}
	w.send(t, ask).want(t, 200, "")
	before := store.own.Load()
	for i := range 120 { // of 200 kB
		// Not by w.send: it would hold megabytes against the contract.
		resp, err := w.server.Client().Get(fmt.Sprintf("%s%s/books?limit=%d", w.server.URL, w.base, 100+i))
		testkit.NoError(t, err)
		testkit.NoError(t, testkit.Err(io.Copy(io.Discard, resp.Body)))
		resp.Body.Close()
		testkit.Equal(t, resp.StatusCode, 200)
	}
	w.send(t, ask).want(t, 200, "")
	if again := store.own.Load() - before; again > 0 {
		t.Errorf("the library was asked %d times for what was in the cache", again)
	}
}
