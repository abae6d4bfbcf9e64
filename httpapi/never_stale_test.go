package httpapi_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library/api"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore"
)

// Several copies of the service, each with a store of its own, share a database.
// Some people change the library through any copy, others read it through any
// copy, and every answer is held against the history:
//   - what it shows was true at some moment between the request and the answer;
//   - it is not older than what any answer had shown before the request was sent,
//     whichever copy had given it.
//
// Each book, each name and the size of the catalogue has one writer, so that its
// history is a list; see timeline_test.go.
func TestNobodySeesAnOlderStateThanOneAlreadyAnswered(t *testing.T) {
	for database, address := range addresses {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			r := newRecorded(t, address(t))
			var writers, readers sync.WaitGroup
			for i := range r.books {
				writers.Go(func() { r.lend(t, i) })
			}
			writers.Go(func() { r.catalogue(t) })
			writers.Go(func() { r.rename(t) })
			done := make(chan struct{})
			for range 6 {
				readers.Go(func() { r.read(t, done) })
			}
			writers.Wait()
			close(done)
			readers.Wait()
			t.Logf("%d answers, %d of them 304", r.answers.Load(), r.unchanged.Load())
		})
	}
}

// The size of the test: small enough for a busy machine, large enough that a rule
// that is broken on purpose is found every time.
const (
	staleCopies = 3  // of the service
	staleBooks  = 5  // that are lent
	staleSteps  = 40 // of each writer of a book
	staleAdded  = 12 // books that are added meanwhile
	staleNames  = 20 // of one user
)

// recorded is the copies of the service, and what happened.
type recorded struct {
	copies []*world
	books  []*timeline[bookState]
	titles []*timeline[string] // of the books: a list may read them a moment before it reads who has them
	size   *timeline[int]      // of the catalogue
	name   *timeline[string]   // the last name of Bruce Wayne

	answers, unchanged atomic.Int64
}

// bookState is what can be seen of the lending of a book with one copy.
type bookState struct {
	borrower, holder string // identifiers; a holder waits for a book that is lent
}

func bookNumber(i int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", i) }

func newRecorded(t *testing.T, address string) *recorded {
	r := &recorded{name: newTimeline("Wayne")}
	for range staleCopies {
		r.copies = append(r.copies, newWorld(t, func(s *setup) {
			s.open = func(t testing.TB) *sqlstore.Store { return openStore(t, address) }
		}))
	}
	for i := range staleBooks {
		title := fmt.Sprintf("Shared %d, edition 0", i)
		added("/books", peterParker, fmt.Sprintf(`{"identifier":%q,"title":%q}`, bookNumber(i), title))(t, r.copies[0])
		r.books = append(r.books, newTimeline(bookState{}))
		r.titles = append(r.titles, newTimeline(title))
	}
	total := r.copies[0].send(t, request{as: clarkKent, path: "/books?limit=1"}).header.Get("X-Total-Count")
	n, err := strconv.Atoi(total)
	testkit.NoError(t, err)
	r.size = newTimeline(n)
	return r
}

// anyCopy is one of the copies; a client may meet another one each time.
func (r *recorded) anyCopy() *world { return r.copies[rand.IntN(len(r.copies))] }

// change asks for something that must succeed. A machine that has too much to do may
// let it wait until nothing has happened; then it is asked again.
func (r *recorded) change(t *testing.T, ask request) reply {
	t.Helper()
	for range 20 {
		a := r.anyCopy().send(t, ask)
		if a.status < 300 {
			return a
		}
		if code := a.code(); code != "unavailable" && code != "overloaded" {
			t.Fatalf("%s %s: %d %s", ask.method, ask.path, a.status, a.body)
		}
	}
	t.Fatalf("%s %s: the library is not available", ask.method, ask.path)
	return reply{}
}

// lend borrows and returns one book, lets others wait for it, and now and then
// edits it.
func (r *recorded) lend(t *testing.T, i int) {
	emails := map[string]string{wayneID: bruceWayne, bannerID: bruceBanner}
	path, s, hold := "/books/"+bookNumber(i), bookState{}, ""
	for step := range staleSteps {
		if step%16 == 15 {
			title := fmt.Sprintf("Shared %d, edition %d", i, step)
			r.titles[i].begin(title)
			r.change(t, request{as: peterParker, method: http.MethodPut, path: path, body: fmt.Sprintf(`{"title":%q}`, title)})
			r.titles[i].end()
		}
		ask, next := request{method: http.MethodPost}, s
		switch {
		case s.borrower == "":
			next.borrower = []string{wayneID, bannerID}[rand.IntN(2)]
			ask.as, ask.path = emails[next.borrower], path+"/borrow"
		case s.holder != "":
			next.holder = ""
			ask.as, ask.method, ask.path = emails[s.holder], http.MethodDelete, "/holds/"+hold
		case rand.IntN(4) == 0:
			next.holder = map[string]string{wayneID: bannerID, bannerID: wayneID}[s.borrower]
			ask.as, ask.path = emails[next.holder], path+"/holds"
		default:
			next.borrower = ""
			ask.as, ask.path = emails[s.borrower], path+"/return"
		}
		r.books[i].begin(next)
		a := r.change(t, ask)
		r.books[i].end()
		if next.holder != "" && s.holder == "" {
			var placed api.Hold
			if err := json.Unmarshal(a.body, &placed); err != nil {
				t.Error(err)
			}
			hold = placed.Identifier
		}
		s = next
	}
}

// catalogue adds books, rarely: it changes every list, and would hide what
// lending must change.
func (r *recorded) catalogue(t *testing.T) {
	before := r.size.states[0]
	for i := range staleAdded {
		time.Sleep(30 * time.Millisecond)
		r.size.begin(before + i + 1)
		r.change(t, request{as: peterParker, method: http.MethodPost, path: "/books", body: `{"title":"Added meanwhile"}`})
		r.size.end()
	}
}

// rename changes the name under which staff see a borrower.
func (r *recorded) rename(t *testing.T) {
	for i := range staleNames {
		time.Sleep(20 * time.Millisecond)
		name := fmt.Sprintf("Wayne %d", i)
		r.name.begin(name)
		r.change(t, request{as: clarkKent, method: http.MethodPut, path: userPath,
			body: fmt.Sprintf(`{"email":%q,"firstName":"Bruce","lastName":%q}`, bruceWayne, name)})
		r.name.end()
	}
}

// read asks for this and that, and remembers what it has to ask whether that is
// still good.
func (r *recorded) read(t *testing.T, done <-chan struct{}) {
	had := map[string]reply{}
	for {
		select {
		case <-done:
			return
		default:
		}
		as := []string{bruceWayne, bruceBanner, peterParker, clarkKent}[rand.IntN(4)]
		path := []string{
			"/books/" + bookNumber(rand.IntN(staleBooks)), "/books/" + bookNumber(rand.IntN(staleBooks)),
			"/books?limit=100", "/books?q=shared", "/books?limit=3&q=shared", "/books?available=true", "/books?borrowed=true&q=shared", "/me",
		}[rand.IntN(8)]
		ask := request{as: as, path: path}
		last, again := had[as+path]
		if again && rand.IntN(2) == 0 {
			ask.header = field("If-None-Match", last.tag())
		}
		seen := r.since()
		a := r.anyCopy().send(t, ask)
		seen.until(r)
		r.answers.Add(1)
		if a.status == http.StatusServiceUnavailable {
			continue // it says nothing of the library
		}
		if a.status == http.StatusNotModified {
			r.unchanged.Add(1)
			a = last
		}
		if a.status != http.StatusOK {
			t.Errorf("%s: %d %s", path, a.status, a.body)
			return
		}
		if a.tag() != "" {
			had[as+path] = a
		}
		if err := seen.check(r, as, path, a); err != nil {
			t.Errorf("%s as %s: %v", path, as, err)
			return
		}
	}
}

// check holds an answer against what was true while it was asked for.
func (s sight) check(r *recorded, as, path string, a reply) error {
	if path == "/me" {
		var me api.Me
		if err := json.Unmarshal(a.body, &me); err != nil || as != bruceWayne {
			return err
		}
		return r.name.check(s.name, "the name", func(name string) bool { return me.LastName == name })
	}
	var books []api.Book
	if path[:7] == "/books/" {
		books = make([]api.Book, 1)
		if err := json.Unmarshal(a.body, &books[0]); err != nil {
			return err
		}
		return s.checkBook(r, as, slices.Index(allBooks(), books[0].Identifier), &books[0])
	}
	if err := json.Unmarshal(a.body, &books); err != nil {
		return err
	}
	filter := path[7:]
	if filter == "limit=100" {
		total := a.header.Get("X-Total-Count")
		if err := r.size.check(s.size, "the number of books", func(n int) bool { return total == strconv.Itoa(n) }); err != nil {
			return err
		}
	}
	for i, id := range allBooks() {
		at := slices.IndexFunc(books, func(b api.Book) bool { return b.Identifier == id })
		var err error
		switch {
		case at >= 0:
			err = s.checkBook(r, as, i, &books[at])
		case filter == "available=true":
			err = r.books[i].check(s.books[i], "a book that is not available", func(b bookState) bool { return b.borrower != "" })
		case filter == "borrowed=true&q=shared":
			err = r.books[i].check(s.books[i], "a book that is not borrowed", func(b bookState) bool { return b.borrower == "" })
		case filter != "limit=3&q=shared":
			err = fmt.Errorf("book %d is not in the list", i)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func allBooks() (ids []string) {
	for i := range staleBooks {
		ids = append(ids, bookNumber(i))
	}
	return ids
}

// checkBook compares everything that the caller sees of a book.
func (s sight) checkBook(r *recorded, as string, i int, b *api.Book) error {
	viewer := map[string]string{bruceWayne: wayneID, bruceBanner: bannerID, peterParker: parkerID, clarkKent: kentID}[as]
	staff := as == peterParker || as == clarkKent
	borrower := ""
	if b.BorrowedBy != nil {
		borrower = b.BorrowedBy.Identifier
	}
	if borrower == wayneID {
		if err := r.name.check(s.name, "the borrower's name", func(name string) bool { return b.BorrowedBy.LastName == name }); err != nil {
			return err
		}
	}
	if err := r.titles[i].check(s.titles[i], "the title "+b.Title, func(title string) bool { return b.Title == title }); err != nil {
		return err
	}
	return r.books[i].check(s.books[i], fmt.Sprintf("book %d %+v", i, *b), func(true bookState) bool {
		shown := true.borrower
		if !staff && shown != viewer {
			shown = ""
		}
		return b.Borrowed == (true.borrower != "") && (b.Available == 1) == (true.borrower == "") &&
			borrower == shown && (b.Loan != nil) == (true.borrower == viewer) &&
			(b.Waiting == 1) == (true.holder != "") && (b.Hold != nil) == (true.holder == viewer)
	})
}
