package e2e

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// Under the race detector there are fewer, because it makes each many times slower.
var crowd = testkit.Enough(scaled(200))

// addReaders adds readers through the API and returns their identifiers and
// sessions, those of one after another on one server after another.
func addReaders(t *testing.T, servers []*server, n int) ([]string, []session) {
	t.Helper()
	ids, sessions := make([]string, n), make([]session, n)
	admin := servers[0].as(t, admin)
	inParallel(8, n, func(i int) {
		email := fmt.Sprintf("reader-%d@example.com", i)
		r, err := admin.try("POST", "/users", map[string]any{"email": email, "firstName": "Reader", "lastName": fmt.Sprint(i)})
		if err != nil || r.Status != http.StatusCreated {
			t.Errorf("reader %d: %v %s", i, err, r.Body)
			return
		}
		ids[i] = into[user](r).Identifier
		sessions[i] = servers[i%len(servers)].as(t, caller{email, "library_user"})
	})
	if t.Failed() {
		t.FailNow()
	}
	return ids, sessions
}

// inParallel calls do for 0 to n-1 in a number of goroutines.
func inParallel(goroutines, n int, do func(i int)) {
	var wg sync.WaitGroup
	work := make(chan int)
	for range goroutines {
		wg.Go(func() {
			for i := range work {
				do(i)
			}
		})
	}
	for i := range n {
		work <- i
	}
	close(work)
	wg.Wait()
}

// mustHaveOneWinner lets a crowd borrow one book at the same moment.
func mustHaveOneWinner(t *testing.T, database string, servers []*server) {
	t.Helper()
	ids, sessions := addReaders(t, servers, crowd)
	answers := atOnce(t, sessions, "/books/"+cleanCode+"/borrow")

	winner, statuses := "", map[int]int{}
	for i, r := range answers {
		statuses[r.Status]++
		if r.Status == http.StatusOK {
			winner = ids[i]
		}
	}
	if statuses[200] != 1 || statuses[409] != crowd-1 {
		t.Fatalf("statuses and how often: %v; want one 200 and %d times 409", statuses, crowd-1)
	}
	for _, s := range servers {
		for _, c := range []caller{admin, curator} {
			b := into[book](s.as(t, c).get("/books/" + cleanCode).want(200))
			if b.BorrowedBy == nil || b.BorrowedBy.Identifier != winner {
				t.Errorf("borrowed by %+v, but the one who got 200 is %s", b.BorrowedBy, winner)
			}
		}
	}
	if n := count(t, database, `SELECT count(*) FROM loans`); n != 1 {
		t.Errorf("%d loans in the database, want 1", n)
	}
	if n := count(t, database, `SELECT count(*) FROM loans WHERE returned_at IS NULL AND user_id = '`+winner+`'`); n != 1 {
		t.Errorf("%d open loans of the winner, want 1", n)
	}
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

// startSeveral starts servers on one database at the same time; each of them
// migrates it and wants to add the samples.
func startSeveral(t *testing.T, database string, n int) []*server {
	t.Helper()
	idp := testidp.New(t)
	servers := make([]*server, n)
	var wg sync.WaitGroup
	for i := range servers {
		wg.Go(func() {
			servers[i] = startWith(t, idp, "--database", database, "--sample-data")
		})
	}
	wg.Wait()
	if n := count(t, database, `SELECT count(*) FROM users`); n != sampleUsers {
		t.Fatalf("%d users at the start, want %d", n, sampleUsers)
	}
	return servers
}

func TestOneOfTwoHundredParallelBorrowersWinsAcrossThreeProcessesOnPostgreSQL(t *testing.T) {
	t.Parallel()
	database := pgtest.URL(t)
	mustHaveOneWinner(t, database, startSeveral(t, database, 3))
}

func TestOneOfTwoHundredParallelBorrowersWinsAcrossTwoProcessesOnOneSQLiteFile(t *testing.T) {
	t.Parallel()
	database := emptySQLite(t)
	mustHaveOneWinner(t, database, startSeveral(t, database, 2))
}

// TestWhatOneProcessWritesTheOtherReadsAtOnce is for answers that are kept in
// memory: they must not outlive what another process does.
func TestWhatOneProcessWritesTheOtherReadsAtOnce(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, database string) {
		servers := startSeveral(t, database, 2)
		here, there := servers[0], servers[1]
		writer, borrower, watcher := here.as(t, curator), here.as(t, reader), there.as(t, admin)
		for i := range 30 {
			title := fmt.Sprintf("Edition %d", i)
			writer.put("/books/"+pride, map[string]any{"title": title}).want(200)
			if b := into[book](watcher.get("/books/" + pride).want(200)); b.Title != title {
				t.Fatalf("round %d: the other process still says %q", i, b.Title)
			}
			lending := []string{"borrow", "return"}[i%2]
			borrower.post("/books/"+pride+"/"+lending, nil).want(200)
			if lent := into[[]book](watcher.get("/books?borrowed=true").want(200)); len(lent) != (i+1)%2 {
				t.Fatalf("round %d: the other process lists %d borrowed books after %s", i, len(lent), lending)
			}
		}
		added := into[user](watcher.post("/users", map[string]any{"email": "short@example.com", "firstName": "S", "lastName": "L"}).want(201))
		guest := here.as(t, caller{"short@example.com", ""})
		guest.get("/me").want(200)
		watcher.delete("/users/" + added.Identifier).want(204)
		guest.get("/me").want(401)
	})
}
