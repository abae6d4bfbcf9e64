package e2e

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"example.org/library/internal/pgtest"
)

// importResult is what became of one book of an import.
type importResult struct{ Outcome, Identifier, Code string }

const (
	catalogueSize = 10_000
	importSize    = 500
)

// catalogue is books as another library might hand them over: most with an
// ISBN, some with title and authors alone, a few with identifiers of their own.
func catalogue(n int) []map[string]any {
	books := make([]map[string]any, n)
	for i := range books {
		b := map[string]any{
			"title":       fmt.Sprintf("Volume %d of the Ännals", i),
			"authors":     []string{fmt.Sprintf("Author %d", i%700), "Somebody Else"},
			"description": fmt.Sprintf("What happened in the year %d, told at some length and with %d figures.", 1000+i%1000, i),
		}
		switch {
		case i%10 < 7:
			b["isbn"] = fmt.Sprintf("978-%d-%09d", i%10, i)
		case i%10 == 9:
			b["identifier"] = fmt.Sprintf("00000000-0000-4000-8000-%012x", i)
		}
		books[i] = b
	}
	return books
}

// importAll imports in batches and counts the outcomes.
func (c session) importAll(query string, books []map[string]any) map[string]int {
	c.t.Helper()
	outcomes := map[string]int{}
	for batch := range slices.Chunk(books, importSize) {
		r, err := c.try("POST", "/imports/books"+query, batch)
		if err != nil || r.status != 200 {
			c.t.Errorf("import: %d, %v\n%.500s", r.status, err, r.body)
			return outcomes
		}
		for _, result := range into[[]importResult](r) {
			outcomes[result.Outcome]++
		}
	}
	return outcomes
}

func wantOutcomes(t *testing.T, what string, got map[string]int, want string) {
	t.Helper()
	if got[want] != catalogueSize || len(got) != 1 {
		t.Errorf("%s: outcomes %v, want %d times %s", what, got, catalogueSize, want)
	}
}

func TestACatalogueIsImportedOnce(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, database string) {
		s := startOn(t, database)
		curator, books := s.as(t, curator), catalogue(catalogueSize)
		wantOutcomes(t, "a rehearsal", curator.importAll("?dryRun=true", books), "added")
		began := time.Now()
		wantOutcomes(t, "the first time", curator.importAll("", books), "added")
		t.Logf("%d books in %v", catalogueSize, time.Since(began))
		tag := curator.get("/books?limit=1").want(200).wantHeader("X-Total-Count", fmt.Sprint(catalogueSize+sampleBooks)).header.Get("ETag")
		wantOutcomes(t, "the second time", curator.importAll("", books), "unchanged")
		wantOutcomes(t, "the third time", curator.importAll("?update=true", books), "unchanged")
		if again := curator.get("/books?limit=1").want(200).header.Get("ETag"); again != tag {
			t.Error("an import that changed nothing changed the list")
		}

		for _, b := range books {
			b["description"] = "Told anew."
		}
		wantOutcomes(t, "another edition", curator.importAll("", books), "differs")
		wantOutcomes(t, "its rehearsal", curator.importAll("?update=true&dryRun=true", books), "updated")
		wantOutcomes(t, "its import", curator.importAll("?update=true", books), "updated")
		curator.get("/books?q=anew&limit=1").want(200).wantHeader("X-Total-Count", fmt.Sprint(catalogueSize))
		if n := count(t, database, `SELECT count(*) FROM books`); n != catalogueSize+sampleBooks {
			t.Errorf("%d books in the database", n)
		}
	})
}

// mustImportOnce lets several import the same catalogue at once, while a reader
// borrows and returns.
func mustImportOnce(t *testing.T, database string, servers []*server) {
	t.Helper()
	const size = 2000
	books, total := catalogue(size), map[string]int{}
	var wg sync.WaitGroup
	var mu sync.Mutex
	for i := range 4 {
		curator := servers[i%len(servers)].as(t, curator)
		wg.Go(func() {
			outcomes := curator.importAll("", books)
			mu.Lock()
			defer mu.Unlock()
			for outcome, n := range outcomes {
				total[outcome] += n
			}
		})
	}
	done, slowest := make(chan struct{}), time.Duration(0)
	lending := sync.WaitGroup{}
	lending.Go(func() {
		reader := servers[0].as(t, reader)
		for {
			for _, path := range []string{"/borrow", "/return"} {
				began := time.Now()
				if r, err := reader.try("POST", "/books/"+cleanCode+path, nil); err != nil || r.status != 200 {
					t.Errorf("%s: %d, %v", path, r.status, err)
				}
				slowest = max(slowest, time.Since(began))
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	wg.Wait()
	close(done)
	lending.Wait()
	t.Logf("the longest wait of a reader was %v", slowest)
	if total["added"] != size || total["unchanged"] != 3*size || len(total) != 2 {
		t.Errorf("outcomes %v, want %d added and %d unchanged", total, size, 3*size)
	}
	if n := count(t, database, `SELECT count(*) FROM books`); n != size+sampleBooks {
		t.Errorf("%d books in the database, want %d", n, size+sampleBooks)
	}
}

func TestImportersAtOnceDoNotDouble(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, database string) {
		mustImportOnce(t, database, []*server{startOn(t, database)})
	})
}

func TestImportersAtOnceOnTwoServersDoNotDouble(t *testing.T) {
	t.Parallel()
	database := pgtest.URL(t)
	mustImportOnce(t, database, startSeveral(t, database, 2))
}
