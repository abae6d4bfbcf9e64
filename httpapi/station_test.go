package httpapi_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/auth"
	"example.org/library/httpapi"
)

// door is the account of the station in the stories below.
const door = "door@example.com"

// withStation returns the beginning of the stories of stations: one, two books, and people with cards.
func withStation(more ...step) []step {
	return append(twoCopies(
		step{rule: "a station", as: clarkKent, ask: "POST /users", body: `{"email":"door@example.com","firstName":"Front","lastName":"Door","card":"CARD-9","station":true}`,
			status: 201, keep: "station", want: facts{"station": true}},
		step{rule: "a reader with a card", as: clarkKent, ask: "PUT /users/{wayne}", body: `{` + wayneRecord + `,"card":"CARD-1"}`, status: 200, want: facts{"station": false}},
		step{rule: "and another one", as: clarkKent, ask: "PUT /users/{banner}",
			body: `{"email":"bruce.banner@example.com","firstName":"Bruce","lastName":"Banner","roles":["LIBRARY_USER"],"card":"CARD-2"}`, status: 200},
	), more...)
}

// everything is a token that says more than a station may do.
const everything = "library_user library_curator library_admin email profile"

const (
	stationReaders = "POST /station/readers"
	stationLoans   = "POST /station/loans"
	stationReturns = "POST /station/returns"
)

// only fails unless the answer has these members alone.
func only(names ...string) func(*testing.T, *story, reply) {
	return func(t *testing.T, _ *story, a reply) {
		t.Helper()
		got := slices.Sorted(maps.Keys(a.value(t).(map[string]any)))
		if !slices.Equal(got, names) {
			t.Errorf("the members are %q, want %q", got, names)
		}
		if a.header.Get("Location") != "" {
			t.Errorf("Location: %s", a.header.Get("Location"))
		}
	}
}

// withoutChallenge fails if the answer has a challenge.
func withoutChallenge(t *testing.T, _ *story, a reply) {
	t.Helper()
	if c := a.header.Get("WWW-Authenticate"); c != "" {
		t.Errorf("WWW-Authenticate: %s", c)
	}
}

// isOfStations reports whether a route is for stations, with tests here and not with those of people.
func isOfStations(r httpapi.RouteInfo) bool { return r.Permission == library.Serve }

func TestPeopleBorrowWithTheirCardAtAStation(t *testing.T) {
	t.Parallel()
	runSteps(t, withStation([]step{
		{rule: "it greets with the first name alone", as: door, ask: stationReaders, body: `{"card":" CARD-1\t"}`, status: 200, then: only("firstName", "loans", "overdue", "ready"),
			want: facts{"firstName": "Bruce", "loans": 0, "overdue": 0, "ready.length": 0}},
		{rule: "it lends", as: door, ask: stationLoans, body: `{"card":"CARD-1","barcode":" LIB-1 "}`, status: 201, then: only("book", "dueAt"),
			want: facts{"book.title": "Emma", "book.authors": absent, "book.identifier": absent, "dueAt": "2026-03-30T23:59:59Z"}},
		{rule: "to the person with the card", as: bruceWayne, ask: "GET /loans", status: 200, want: facts{"0.copy.barcode": "LIB-1", "0.user.identifier": "{wayne}"}},
		{rule: "who has one now", as: door, ask: stationReaders, body: `{"card":"CARD-1"}`, status: 200, want: facts{"loans": 1}},
		{rule: "and has it", as: door, ask: stationLoans, body: `{"card":"CARD-1","barcode":"LIB-1"}`, status: 409, code: "has_it", want: facts{"message": "You have a copy of this book already."}},
		{rule: "another person does not get that copy", as: door, ask: stationLoans, body: `{"card":"CARD-2","barcode":"LIB-1"}`, status: 409, code: "copy_on_loan"},
		{rule: "a copy of a book with one", as: peterParker, ask: "POST /books", body: `{"title":"Persuasion","authors":["Jane Austen"],"copies":0}`, status: 201, keep: "p"},
		{rule: "with a barcode", as: peterParker, ask: "POST /books/{p}/copies", body: `{"barcode":"LIB-3"}`, status: 201, keep: "three"},
		{rule: "is lent with its authors", as: door, ask: stationLoans, body: `{"card":"CARD-1","barcode":"LIB-3"}`, status: 201, want: facts{"book.authors.0": "Jane Austen"}},
		{rule: "and is borrowed for others", as: door, ask: stationLoans, body: `{"card":"CARD-2","barcode":"LIB-3"}`, status: 409, code: "already_borrowed"},
		{rule: "somebody waits for it", as: bruceBanner, ask: "POST /books/{p}/holds", status: 201, keep: "hold"},
		{rule: "it comes back, of nobody", as: door, ask: stationReturns, body: `{"barcode":"LIB-3"}`, status: 200, then: only("book", "setAside"),
			want: facts{"book.title": "Persuasion", "book.authors.0": "Jane Austen", "book.identifier": absent, "setAside": true}},
		{rule: "and waits to be fetched by staff", as: peterParker, ask: "GET /holds/{hold}", status: 200, want: facts{"state": "ready", "fetchedAt": absent}},
		{rule: "it is reserved", as: door, ask: stationLoans, body: `{"card":"CARD-1","barcode":"LIB-3"}`, status: 409, code: "reserved"},
		{rule: "and named to the person whose it is", as: door, ask: stationReaders, body: `{"card":"CARD-2"}`, status: 200, want: facts{"ready.0": "Persuasion", "ready.length": 1}},
		{rule: "who borrows it", as: door, ask: stationLoans, body: `{"card":"CARD-2","barcode":"LIB-3"}`, status: 201},
		{rule: "and so fulfils the hold", as: peterParker, ask: "GET /holds/{hold}", status: 200, want: facts{"state": "fulfilled"}},
		{rule: "a copy that nobody has is left to the desk", as: door, ask: stationReturns, body: `{"barcode":"LIB-2"}`, status: 409, code: "not_borrowed", want: facts{"candidates": absent}},
		{rule: "also when somebody has the other one", as: bruceWayne, ask: "GET /loans", status: 200, want: facts{"0.copy.barcode": "LIB-1", "length": 1}},
		{rule: "one without a queue goes back to the shelf", as: door, ask: stationReturns, body: `{"barcode":"LIB-1"}`, status: 200, want: facts{"setAside": false}},
		{rule: "a missing copy", as: peterParker, ask: "PUT /copies/{three}", body: `{"barcode":"LIB-3"}`, status: 200},
		{rule: "that nobody has", as: peterParker, ask: "POST /returns", body: `{"barcode":"LIB-3"}`, status: 200},
		{rule: "and is looked for", as: peterParker, ask: "PUT /copies/{three}", body: `{"barcode":"LIB-3","state":"missing"}`, status: 200},
		{rule: "is not given back", as: door, ask: stationReturns, body: `{"barcode":"LIB-3"}`, status: 409, code: "not_borrowed"},
		{rule: "but found", as: peterParker, ask: "GET /copies/{three}", status: 200, want: facts{"state": "lendable"}},
		{rule: "missing again", as: peterParker, ask: "PUT /copies/{three}", body: `{"barcode":"LIB-3","state":"missing"}`, status: 200},
		{rule: "it is lent", as: door, ask: stationLoans, body: `{"card":"CARD-1","barcode":"LIB-3"}`, status: 201},
		{rule: "without due dates", as: clarkKent, ask: "PUT /policy", body: `{"loanDays":0}`, status: 200},
		{rule: "none is named", as: door, ask: stationLoans, body: `{"card":"CARD-1","barcode":"LIB-2"}`, status: 201, then: only("book")},
	}...))
}

func TestAStationIsRefusedInOneOrder(t *testing.T) {
	t.Parallel()
	runSteps(t, withStation([]step{
		{rule: "a card is needed", as: door, ask: stationReaders, body: `{}`, status: 400, code: "invalid", then: names("card")},
		{rule: "as text", as: door, ask: stationReaders, body: `{"card":5}`, status: 400, code: "invalid", then: names("card")},
		{rule: "that is not null", as: door, ask: stationReaders, body: `{"card":null}`, status: 400, code: "invalid", then: names("card")},
		{rule: "nor white space", as: door, ask: stationReaders, body: `{"card":" \t\u00a0"}`, status: 400, code: "invalid", then: names("card")},
		{rule: "for a loan, too, with a barcode", as: door, ask: stationLoans, body: `{"card":""}`, status: 400, code: "invalid", then: names("card", "barcode")},
		{rule: "and for a return", as: door, ask: stationReturns, body: `{"barcode":null}`, status: 400, code: "invalid", then: names("barcode")},
		{rule: "a body is JSON", as: door, ask: stationReturns, body: `[`, status: 400, code: "malformed_body"},
		{rule: "any other text is an unknown card", as: door, ask: stationReaders, body: `{"card":"a/\u0000 ;ß` + strings.Repeat("x", 100) + `"}`, status: 404, code: "unknown_card"},
		{rule: "as is the card of a station", as: door, ask: stationLoans, body: `{"card":"CARD-9","barcode":"LIB-9"}`, status: 404, code: "unknown_card"},
		{rule: "then the barcode is looked at", as: door, ask: stationLoans, body: `{"card":"CARD-1","barcode":"LIB-9"}`, status: 404, code: "unknown_code"},
		{rule: "of a return, too", as: door, ask: stationReturns, body: `{"barcode":"LIB-9"}`, status: 404, code: "unknown_code"},
		{rule: "any other text is an unknown barcode", as: door, ask: stationReturns, body: `{"barcode":"https://example.org/\u0000 ;ß` + strings.Repeat("x", 100) + `"}`, status: 404, code: "unknown_code"},
		{rule: "for a loan, too", as: door, ask: stationLoans, body: `{"card":"CARD-1","barcode":"a b"}`, status: 404, code: "unknown_code"},
		{rule: "somebody is switched off", as: clarkKent, ask: "PUT /users/{banner}", body: `{"email":"bruce.banner@example.com","firstName":"B","lastName":"B","card":"CARD-2","active":false}`, status: 200},
		{rule: "and has no card", as: door, ask: stationReaders, body: `{"card":"CARD-2"}`, status: 404, code: "unknown_card"},
		{rule: "with lending at the desk", as: clarkKent, ask: "PUT /policy", body: `{"selfBorrow":false,"selfReturn":false,"maxLoans":1}`, status: 200},
		{rule: "a station does not lend", as: door, ask: stationLoans, body: `{"card":"CARD-1","barcode":"LIB-1"}`, status: 409, code: "desk_only"},
		{rule: "nor take back", as: door, ask: stationReturns, body: `{"barcode":"LIB-1"}`, status: 409, code: "desk_only"},
		{rule: "but not what is not there", as: door, ask: stationReturns, body: `{"barcode":"LIB-9"}`, status: 404, code: "unknown_code"},
		{rule: "with a limit", as: clarkKent, ask: "PUT /policy", body: `{"maxLoans":1}`, status: 200},
		{rule: "and a reader with as many", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200},
		{rule: "it is worded for the person", as: door, ask: stationLoans, body: `{"card":"CARD-1","barcode":"LIB-1"}`, status: 409, code: "loan_limit",
			want: facts{"message": "You may have one book at a time; return one first."}},
	}...))
}

func TestAStationRepeatsAnAnswerToTheSameKey(t *testing.T) {
	t.Parallel()
	loan := `{"card":"CARD-1","barcode":"LIB-1"}`
	runSteps(t, withStation([]step{
		{rule: "a loan", as: door, ask: stationLoans, body: loan, header: key("a"), status: 201, then: replayed(false)},
		{rule: "is made once", as: door, ask: stationLoans, body: loan, header: key("a"), status: 201, then: replayed(true), want: facts{"book.title": "Emma", "dueAt": "2026-03-30T23:59:59Z"}},
		{rule: "a return", as: door, ask: stationReturns, body: `{"barcode":"LIB-1"}`, header: key("b"), status: 200, then: replayed(false)},
		{rule: "is made once, too", as: door, ask: stationReturns, body: `{"barcode":"LIB-1"}`, header: key("b"), status: 200, then: replayed(true), want: facts{"setAside": false}},
		{rule: "a key is passed over for a card", as: door, ask: stationReaders, body: `{"card":"CARD-1"}`, header: key("a"), status: 200, then: replayed(false)},
		{rule: "whatever it is", as: door, ask: stationReaders, body: `{"card":"CARD-1"}`, header: key(""), status: 200},
		{rule: "a person who is forgotten", as: bruceWayne, ask: "DELETE /me/history", status: 204},
		{rule: "takes the answer along", as: door, ask: stationReturns, body: `{"barcode":"LIB-1"}`, header: key("b"), status: 409, code: "answer_forgotten"},
	}...))
}

func TestAStationTriesFiveUnknownCardsAMinute(t *testing.T) {
	t.Parallel()
	retry := func(seconds int) func(*testing.T, *story, reply) {
		return func(t *testing.T, _ *story, a reply) {
			if got := a.header.Get("Retry-After"); got != strconv.Itoa(seconds) {
				t.Errorf("Retry-After: %s, want %d", got, seconds)
			}
		}
	}
	unknown := step{as: door, ask: stationReaders, body: `{"card":"X"}`, status: 404, code: "unknown_card"}
	at := func(st step, rule, clock string) step {
		st.rule, st.at = rule, "2026-03-02T10:00:"+clock+"Z"
		return st
	}
	runSteps(t, withStation([]step{
		{rule: "another station", as: clarkKent, ask: "POST /users", body: `{"email":"back@example.com","firstName":"Back","lastName":"Door","station":true}`, status: 201},
		at(unknown, "an unknown card", "00"), at(unknown, "counts again", "10"),
		at(step{as: door, ask: stationLoans, body: `{"card":"Y","barcode":"LIB-1"}`, status: 404, code: "unknown_card"}, "at a loan, too", "20"),
		at(step{as: door, ask: stationLoans, body: `{"card":"Y","barcode":"LIB-9"}`, status: 404, code: "unknown_card"}, "of an unknown copy, too", "30"),
		at(step{as: door, ask: stationReaders, body: `{"card":"CARD-1"}`, status: 200}, "a known card does not count", "30"),
		at(unknown, "the fifth", "40"),
		at(step{as: door, ask: stationReaders, body: `{"card":"CARD-1"}`, status: 429, code: "too_many_tries", then: retry(19)}, "then no card is looked up", "41.5"),
		at(step{as: door, ask: stationLoans, body: `{"card":"CARD-1","barcode":"LIB-1"}`, status: 429, code: "too_many_tries", then: retry(19)}, "and nothing is lent", "41.5"),
		at(step{as: door, ask: stationLoans, body: `{"card":""}`, status: 400, code: "invalid"}, "a mistake comes before that", "41.5"),
		{rule: "nothing was lent", as: bruceWayne, ask: "GET /loans", status: 200, want: facts{"length": 0}},
		{rule: "other stations are not concerned", as: "back@example.com", ask: stationLoans, body: `{"card":"CARD-1","barcode":"LIB-1"}`, status: 201},
		at(step{as: door, ask: stationReturns, body: `{"barcode":"LIB-1"}`, status: 200}, "and returns go on", "42"),
		at(step{as: door, ask: stationReaders, body: `{"card":"Z"}`, status: 429, code: "too_many_tries", then: retry(1)}, "what is refused does not count", "59.5"),
		{rule: "after a minute", at: "2026-03-02T10:01:00Z", as: door, ask: stationReaders, body: `{"card":"CARD-1"}`, status: 200},
		{rule: "the oldest no longer counts", at: "2026-03-02T10:01:00Z", as: door, ask: stationReaders, body: `{"card":"X"}`, status: 404, code: "unknown_card"},
		{rule: "but the others do", at: "2026-03-02T10:01:00Z", as: door, ask: stationReaders, body: `{"card":"X"}`, status: 429, code: "too_many_tries", then: retry(10)},
	}...))
}

func TestARestartIsNoWayAroundUnknownCards(t *testing.T) {
	t.Parallel()
	for database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			a := newAcquainted(t, database, "")
			a.admin(t, http.MethodPost, "/users", `{"email":"door@example.com","firstName":"Front","lastName":"Door","station":true}`, 201)
			for i := range 6 {
				status, code := 404, "unknown_card"
				if i == 5 {
					status, code = 429, "too_many_tries"
				}
				w := []*world{a.here, a.elsewhere}[i%2]
				w.send(t, request{as: door, method: http.MethodPost, path: "/station/readers", body: `{"card":"X"}`}).want(t, status, code)
			}
		})
	}
}

func TestAStationTriesNoMoreCardsAtOnce(t *testing.T) {
	t.Parallel()
	onEachDatabase(t, func(t *testing.T, w *world) {
		w.send(t, request{as: clarkKent, method: http.MethodPost, path: "/users", body: `{"email":"door@example.com","firstName":"Front","lastName":"Door","station":true}`}).want(t, 201, "")
		codes := make(chan string)
		const tries = 20
		for i := range tries {
			go func() {
				a := w.send(t, request{as: door, method: http.MethodPost, path: "/station/readers", body: fmt.Sprintf(`{"card":"X%d"}`, i)})
				codes <- fmt.Sprint(find(a.value(t), "code"))
			}()
		}
		counts := map[string]int{}
		for range tries {
			counts[<-codes]++
		}
		if counts["unknown_card"] != 5 || counts["too_many_tries"] != tries-5 {
			t.Errorf("answers: %v", counts)
		}
	})
}

// TestAStationMayDoThreeThings asks every route with a token that says more.
func TestAStationMayDoThreeThings(t *testing.T) {
	t.Parallel()
	for _, mode := range []auth.Mode{"", auth.ModeLocal} {
		t.Run("roles "+string(mode), func(t *testing.T) {
			t.Parallel()
			s := newStory(t, "sqlite", func(c *setup) { c.auth.Authorities = mode })
			for _, st := range withStation() {
				s.make(t, st)
			}
			s.make(t, step{as: clarkKent, ask: "PUT /users/{station}", status: 200,
				body: `{"email":"door@example.com","firstName":"Front","lastName":"Door","roles":["LIBRARY_USER","LIBRARY_CURATOR","LIBRARY_ADMIN"]}`, want: facts{"station": true}})
			own := []string{"GET /me", "GET /policy", stationReaders, stationLoans, stationReturns}
			for _, r := range httpapi.Routes() {
				name := r.Method + " " + r.Pattern
				for _, method := range methodsOf(r.Method) {
					path := fill(r.Pattern, s.names["clean"])
					for _, scope := range []string{everything, "email"} {
						a := s.send(t, request{token: s.idp.Token(t, door, scope), method: method, path: path, body: bodyFor(method), header: key("k")})
						if isOwn := slices.Contains(own, name); isOwn == (a.status == 403) {
							t.Errorf("%s %s with %q: status %d", method, path, scope, a.status)
						} else if isOwn {
							continue
						}
						withoutChallenge(t, s, a)
						if method != http.MethodHead {
							a.want(t, 403, "station")
						}
					}
				}
				if strings.HasPrefix(r.Pattern, "/station/") {
					for _, person := range []string{bruceWayne, peterParker, clarkKent} {
						a := s.send(t, request{token: s.idp.Token(t, person, everything), method: r.Method, path: r.Pattern, body: `{"card":"CARD-1","barcode":"LIB-1"}`}).want(t, 403, "no_station")
						withoutChallenge(t, s, a)
					}
				}
			}
			s.make(t, step{as: door, scope: everything, ask: "GET /nothing", status: 404, code: "no_such_path"})
			s.make(t, step{as: door, scope: everything, ask: "GET /station/loans", status: 405, code: "method_not_allowed"})
			s.make(t, step{as: door, scope: everything, ask: "GET /me", status: 200, want: facts{"station": true, "authorities.length": 0, "roles.length": 3}})
		})
	}
}

func methodsOf(method string) []string {
	if method == http.MethodGet {
		return []string{method, http.MethodHead}
	}
	return []string{method}
}

func TestAUserBecomesAStation(t *testing.T) {
	t.Parallel()
	edit := func(more string) string { return `{` + wayneRecord + more + `}` }
	const lend = "POST /loans"
	runSteps(t, []step{
		{rule: "true or false", as: clarkKent, ask: "PUT /users/{wayne}", body: edit(`,"station":"true"`), status: 400, code: "invalid", then: names("station")},
		{rule: "and not null", as: clarkKent, ask: "PUT /users/{wayne}", body: edit(`,"station":null`), status: 400, code: "invalid", then: names("station")},
		{rule: "as a new user", as: clarkKent, ask: "POST /users", body: `{"email":"x@example.com","firstName":"X","lastName":"X","station":null}`, status: 400, code: "invalid", then: names("station")},
		{rule: "none by default", as: clarkKent, ask: "POST /users", body: `{"email":"x@example.com","firstName":"X","lastName":"X"}`, status: 201, want: facts{"station": false}},
		{rule: "an admin does not become one", as: clarkKent, ask: "PUT /users/{kent}", body: `{"email":"clark.kent@example.com","firstName":"Clark","lastName":"Kent","station":true}`, status: 409, code: "self"},
		{rule: "a loan", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200},
		{rule: "is in the way", as: clarkKent, ask: "PUT /users/{wayne}", body: edit(`,"station":true`), status: 409, code: "user_has_books"},
		{rule: "until it ends", as: bruceWayne, ask: "POST /books/{clean}/return", status: 200},
		{rule: "a hold", as: bruceBanner, ask: "POST /books/{clean}/borrow", status: 200},
		{rule: "of one's own", as: bruceWayne, ask: "POST /books/{clean}/holds", status: 201, keep: "hold"},
		{rule: "is, too", as: clarkKent, ask: "PUT /users/{wayne}", body: edit(`,"station":true`), status: 409, code: "user_has_books"},
		{rule: "until it is cancelled", as: bruceWayne, ask: "DELETE /holds/{hold}", status: 204},
		{rule: "then the person becomes one", as: clarkKent, ask: "PUT /users/{wayne}", body: edit(`,"station":true,"card":"CARD-1"`), status: 200, want: facts{"station": true}},
		{rule: "and stays one", as: clarkKent, ask: "PUT /users/{wayne}", body: edit(`,"card":"CARD-1"`), status: 200, want: facts{"station": true}},
		{rule: "also in an import", as: clarkKent, ask: "POST /imports/users?update=true", body: `[{"email":"bruce.wayne@example.com","group":"7B","station":false},{"email":"new@example.com","firstName":"N","lastName":"N","station":"yes"}]`,
			status: 200, want: facts{"0.outcome": "updated", "1.outcome": "added"}},
		{rule: "which makes none", as: clarkKent, ask: "GET /users?q=new", status: 200, want: facts{"0.station": false}},
		{rule: "it is listed", as: clarkKent, ask: "GET /users/{wayne}", status: 200, want: facts{"station": true, "group": "7B"}},
		{rule: "but no reader", as: peterParker, ask: "GET /readers?q=wayne", status: 200, want: facts{"length": 0}},
		{rule: "its card is nobody's", as: peterParker, ask: "GET /codes/CARD-1", status: 404, code: "unknown_code"},
		{rule: "it borrows nothing", as: bruceWayne, ask: lend, body: `{"book":"{patterns}"}`, status: 403, code: "station", then: withoutChallenge},
		{rule: "not at the desk either", as: peterParker, ask: lend, body: `{"user":"{wayne}","book":"{patterns}"}`, status: 404, code: "user_not_found"},
		{rule: "nor reserves", as: peterParker, ask: "POST /books/{clean}/holds", body: `{"user":"{wayne}"}`, status: 404, code: "user_not_found"},
		{rule: "nor has rules", as: peterParker, ask: "GET /policy/effective?user={wayne}&book={patterns}", status: 404, code: "user_not_found"},
		{rule: "switched off", as: clarkKent, ask: "PUT /users/{wayne}", body: edit(`,"active":false`), status: 200},
		{rule: "it is unknown", as: bruceWayne, ask: stationReaders, body: `{"card":"X"}`, status: 401, code: "unknown_user"},
		{rule: "a person again", as: clarkKent, ask: "PUT /users/{wayne}", body: edit(`,"active":true,"station":false`), status: 200},
		{rule: "who reads", as: bruceWayne, ask: "GET /loans", status: 200},
	})
}

func TestTheLastAdminDoesNotBecomeAStation(t *testing.T) {
	t.Parallel()
	runStepsIn(t, func(c *setup) { c.auth.Authorities = auth.ModeLocal }, []step{
		{rule: "a second admin", as: clarkKent, ask: "PUT /users/{wayne}", body: `{"email":"bruce.wayne@example.com","firstName":"B","lastName":"W","roles":["LIBRARY_ADMIN"]}`, status: 200},
		{rule: "makes a station of the first", as: bruceWayne, ask: "PUT /users/{kent}", body: `{"email":"clark.kent@example.com","firstName":"C","lastName":"K","station":true}`, status: 200},
		{rule: "which is no admin any more", as: bruceWayne, ask: "PUT /users/{wayne}", body: `{"email":"bruce.wayne@example.com","firstName":"B","lastName":"W","roles":[]}`, status: 409, code: "last_admin"},
	})
}
