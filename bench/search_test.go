package bench

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/pgtest"
	"example.org/library/internal/testidp"
)

var searchBooks = flag.Int("books", 300, "how many books the library has in which many search")

// The description of a book has one word of each shelf of words, so that each word is in a tenth
// of all books. There are as many as sixteen readers need for some seconds.
const (
	shelves       = 60
	wordsOnAShelf = 10
)

// commonWord is one of them. All are equally long, so that none begins with another.
func commonWord(i int) string {
	const consonants, vowels = "bdfgklmnprst", "aeiou"
	syllable := func(i int) string { return consonants[i/5%12:][:1] + vowels[i%5:][:1] }
	return syllable(i) + syllable(i/60+7) + syllable(i*7+3) + "n"
}

// describedBook is the i-th book of a library of common words.
func describedBook(i int) library.Book {
	b := generated(i)
	random := rand.New(rand.NewPCG(uint64(i), 0))
	var words []string
	for shelf := range shelves {
		words = append(words, commonWord(shelf*wordsOnAShelf+random.IntN(wordsOnAShelf)))
	}
	b.Description = strings.Join(words, " ")
	return b
}

// question is the i-th that is asked: one common word after the other, and then two at a time.
func question(i int) string {
	const words = shelves * wordsOnAShelf
	if i < words {
		return commonWord(i * 7 % words)
	}
	return commonWord(i%words) + " " + commonWord((i+i/words)%words)
}

// TestSearchingComparedWithPeers lets sixteen readers search for six seconds (of a period of one)
// for common words that nobody has asked for yet. They wait for their answers, and those who are
// refused ask again.
func TestSearchingComparedWithPeers(t *testing.T) {
	idp := testidp.New(t)
	var all []*contender
	for _, name := range []string{"sqlite", "postgres"} {
		database := databases[name](t)
		addBooksLike(t, database, *searchBooks, describedBook)
		addReaders(t, database, conns)
		analyze(t, database)
		pid, addr := startProgram(t, database, idp)
		all = append(all, tokenService(t, "the program, "+name, pid, addr, idp))
	}
	theirs := pgtest.URL(t, pgtest.Durable())
	pid, addr := startReference(t, theirs, idp, *searchBooks, describedBook)
	analyze(t, theirs)
	all = append(all, tokenService(t, "a hand-written service", pid, addr, idp))
	if *peers {
		all = append(all, otherPeers(t, idp, *searchBooks, describedBook)...)
	}
	t.Logf("%d readers search %d books for common words that nobody has asked for yet", conns, *searchBooks)
	for _, s := range all {
		before := loadAverage(t)
		good, refused, times := searchFor(t, s, 6**period)
		t.Logf("   %-24s %5d good answers, %d refused with 503; p50 %.0f ms, p99 %.0f ms, the slowest %.0f ms (load average %s before, %s after)", s.name,
			good, refused, times[len(times)/2], times[len(times)*99/100], times[len(times)-1], before, loadAverage(t))
	}
}

// searchFor counts good answers and refusals, and sorts the milliseconds that good ones took.
func searchFor(t *testing.T, s *contender, d time.Duration) (good, refused int, times []float64) {
	t.Helper()
	var asked atomic.Int64
	var mu sync.Mutex
	counted(t, conns, d, func(i int) (func() error, func()) {
		c := s.dial(t, i)
		return func() error {
			req, began := s.search(question(int(asked.Add(1)-1))), time.Now()
			status, err := c.do(req)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				return err
			case status == http.StatusOK:
				good++
				times = append(times, time.Since(began).Seconds()*1e3)
			case status == http.StatusServiceUnavailable:
				refused++
			default:
				return fmt.Errorf("status %d", status)
			}
			return nil
		}, func() { c.conn.Close() }
	})
	if good == 0 {
		t.Fatalf("%s gave no good answer", s.name)
	}
	slices.Sort(times)
	return good, refused, times
}

// analyze does what PostgreSQL's autovacuum would do within minutes, and which would be
// measured, too: its processes are the server's.
func analyze(t *testing.T, database string) {
	t.Helper()
	if strings.HasPrefix(database, "sqlite:") {
		return
	}
	if _, err := openBare(t, database).Exec("VACUUM ANALYZE"); err != nil {
		t.Fatal(err)
	}
}
