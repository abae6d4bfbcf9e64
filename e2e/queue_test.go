package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
)

// hold is a place in a queue, as its users see it.
type hold struct {
	Identifier, State, Until string
	Position                 int
	User                     person
}

// inLine is a reader who waits for a book.
type inLine struct {
	hold
	reader          int // by number
	asked, answered time.Duration
	session         session
	userIdentifier  string
}

// mustServeInOrder lets a crowd ask for three copies of a book at once. Three get
// one, the others wait in the order in which they were answered, and are served in
// that order as one copy after the other comes back.
func mustServeInOrder(t *testing.T, database string, servers []*server) {
	t.Helper()
	const copies = 3
	ids, sessions := addReaders(t, servers, crowd)
	desk := servers[0].as(t, curator)
	b := into[book](desk.post("/books", map[string]any{"title": "Emma", "copies": copies}).want(201))

	answers := atOnce(t, sessions, "/books/"+b.Identifier+"/borrow")
	var has, waits []int // readers by number
	for i, r := range answers {
		switch {
		case r.Status == http.StatusOK:
			has = append(has, i)
		case r.Status == http.StatusConflict && r.failure().Code == "already_borrowed":
			waits = append(waits, i)
		default:
			t.Fatalf("reader %d: %d %s", i, r.Status, r.Body)
		}
	}
	if len(has) != copies || len(waits) != crowd-copies {
		t.Fatalf("%d have a copy, %d were refused", len(has), len(waits))
	}

	queue := placeHolds(t, b.Identifier, ids, sessions, waits)
	wantQueue(t, servers, b.Identifier, queue)
	for n, next := range queue {
		serve(t, desk, b.Identifier, sessions[has[0]], n%2 == 0, next)
		has = append(has[1:], next.reader)
	}
	for _, i := range has {
		sessions[i].post("/books/"+b.Identifier+"/return", nil).want(200)
	}
	wantEverybodyOnce(t, database, b.Identifier)
}

// persist asks again while the answer is that nothing was done because there is too much
// to do: on a busy machine a crowd takes longer than a caller may wait.
func (c session) persist(method, path string) (response, error) {
	for {
		r, err := c.try(method, path, nil)
		if err != nil || r.Status != http.StatusServiceUnavailable || r.failure().Code == "outcome_unknown" {
			return r, err
		}
		if !testkit.Busy() {
			return r, fmt.Errorf("%d %s, and nobody else keeps this machine busy", r.Status, r.Body)
		}
	}
}

// atOnce lets everybody post to a path at the same moment.
func atOnce(t *testing.T, sessions []session, path string) []response {
	t.Helper()
	answers := make([]response, len(sessions))
	signal := make(chan struct{})
	var wg sync.WaitGroup
	for i := range sessions {
		wg.Go(func() {
			<-signal
			var err error
			if answers[i], err = sessions[i].persist("POST", path); err != nil {
				t.Errorf("reader %d: %v", i, err)
			}
		})
	}
	close(signal)
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return answers
}

// placeHolds lets those who were refused reserve the book, many at a time, and
// returns them by their place. Who was answered before somebody else asked has a
// better place.
func placeHolds(t *testing.T, bookID string, ids []string, sessions []session, waits []int) []inLine {
	t.Helper()
	queue := make([]inLine, len(waits))
	began := time.Now()
	inParallel(40, len(waits), func(n int) {
		i := waits[n]
		asked := time.Since(began)
		r, err := sessions[i].persist("POST", "/books/"+bookID+"/holds")
		if err != nil || r.Status != http.StatusCreated {
			t.Errorf("reader %d: %v %d %s", i, err, r.Status, r.Body)
			return
		}
		queue[n] = inLine{into[hold](r), i, asked, time.Since(began), sessions[i], ids[i]}
	})
	if t.Failed() {
		t.FailNow()
	}
	slices.SortFunc(queue, func(a, b inLine) int { return a.Position - b.Position })
	for n, one := range queue {
		if one.Position != n+1 || one.State != "waiting" {
			t.Fatalf("place %d: %+v", n+1, one.hold)
		}
		for _, later := range queue[n+1:] {
			if later.answered < one.asked {
				t.Errorf("place %d was asked for after place %d had been given", one.Position, later.Position)
			}
		}
	}
	return queue
}

// wantQueue compares what every process says of the queue with what was answered.
func wantQueue(t *testing.T, servers []*server, bookID string, queue []inLine) {
	t.Helper()
	for _, s := range servers {
		listed := into[[]hold](s.as(t, curator).get("/holds?book=" + bookID).want(200))
		if len(listed) != len(queue) {
			t.Fatalf("%d in the list, %d in the queue", len(listed), len(queue))
		}
		for n, h := range listed {
			if h.Identifier != queue[n].Identifier || h.User.Identifier != queue[n].userIdentifier || h.Position != n+1 {
				t.Errorf("place %d is %+v, but was given to %+v", n+1, h, queue[n].hold)
			}
		}
	}
}

// serve takes a copy back, at the desk or not, and gives it to who is next, after
// nobody else could have it.
func serve(t *testing.T, desk session, bookID string, from session, atDesk bool, next inLine) {
	t.Helper()
	if atDesk {
		own := into[[]struct{ Identifier string }](from.get("/loans?book=" + bookID).want(200))
		if len(own) != 1 {
			t.Fatalf("%d loans of one reader", len(own))
		}
		back := into[struct{ Hold *hold }](desk.post("/loans/"+own[0].Identifier+"/return", nil).want(200))
		if back.Hold == nil || back.Hold.Identifier != next.Identifier || back.Hold.User.Identifier != next.userIdentifier {
			t.Fatalf("the answer to the desk sets it aside for %+v, next is %+v", back.Hold, next.hold)
		}
	} else {
		from.post("/books/"+bookID+"/return", nil).want(200)
	}
	from.post("/books/"+bookID+"/borrow", nil).want(409).wantCode("reserved")
	ready := into[[]hold](desk.get("/holds?state=ready&book=" + bookID).want(200))
	if len(ready) != 1 || ready[0].Identifier != next.Identifier || ready[0].Until == "" {
		t.Fatalf("set aside for %+v, want %+v", ready, next.hold)
	}
	next.session.post("/books/"+bookID+"/borrow", nil).want(200)
	if h := into[hold](next.session.get("/holds/" + next.Identifier).want(200)); h.State != "fulfilled" {
		t.Errorf("who has the book is still %s", h.State)
	}
}

// wantEverybodyOnce looks into the database when all is over.
func wantEverybodyOnce(t *testing.T, database, bookID string) {
	t.Helper()
	for query, want := range map[string]int{
		`SELECT count(*) FROM loans WHERE returned_at IS NOT NULL`:                                  crowd,
		`SELECT count(DISTINCT user_id) FROM loans`:                                                 crowd,
		`SELECT count(*) FROM loans WHERE returned_at IS NULL`:                                      0,
		`SELECT count(*) FROM holds WHERE state = 'fulfilled'`:                                      crowd - 3,
		`SELECT count(*) FROM holds WHERE ended_at IS NULL`:                                         0,
		`SELECT available FROM stock s JOIN books b ON b.seq = s.seq WHERE b.id = '` + bookID + `'`: 3,
	} {
		if n := count(t, database, query); n != want {
			t.Errorf("%s: %d, want %d", query, n, want)
		}
	}
}

func TestTwoHundredReadersAreServedInOrder(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, database string) {
		mustServeInOrder(t, database, []*server{startOn(t, database)})
	})
}

func TestTwoHundredReadersAreServedInOrderAcrossThreeProcessesOnPostgreSQL(t *testing.T) {
	t.Parallel()
	database := pgtest.URL(t)
	mustServeInOrder(t, database, startSeveral(t, database, 3))
}
