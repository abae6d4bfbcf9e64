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
func (c session) importAll(query string, books []map[string]any, size int) map[string]int {
	c.t.Helper()
	outcomes := map[string]int{}
	for batch := range slices.Chunk(books, size) {
		r, err := c.try("POST", "/imports/books"+query, batch)
		if err != nil || r.Status != 200 {
			c.t.Errorf("import: %d, %v\n%.500s", r.Status, err, r.Body)
			return outcomes
		}
		for _, result := range into[[]importResult](r) {
			outcomes[result.Outcome]++
		}
	}
	return outcomes
}

// mustImportOnce lets several import the same catalogue at once, while a reader
// borrows and returns.
func mustImportOnce(t *testing.T, database string, servers []*server) {
	t.Helper()
	const size = 400
	books, total := catalogue(size), map[string]int{}
	var wg sync.WaitGroup
	var mu sync.Mutex
	for i := range 4 {
		curator := servers[i%len(servers)].as(t, curator)
		wg.Go(func() {
			outcomes := curator.importAll("", books, 50)
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
				if r, err := reader.try("POST", "/books/"+cleanCode+path, nil); err != nil || r.Status != 200 {
					t.Errorf("%s: %d, %v", path, r.Status, err)
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
