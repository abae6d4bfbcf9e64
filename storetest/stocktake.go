package storetest

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/service"
	"example.org/library/stocktake"
	"example.org/library/storetest/fixture"
)

// stocktakeModel is a stocktake as sets. It sees copies only as anybody does, before and after each step.
type stocktakeModel struct {
	t     *testing.T
	f     fixture.Store
	rnd   *rand.Rand
	libs  []*service.Service   // two processes
	takes []*stocktake.Service // of each
	staff library.Actor
	books []string
	now   time.Time
	next  int
	log   []string

	shelves                 []string // of the stocktake; nil for all
	started                 time.Time
	expected, touched, away map[string]bool
	first                   map[string]stocktake.Outcome
	codes                   map[string]bool
	again                   int
	known                   map[string]library.Copy
}

var modelShelves = []string{"A", "B", ""}

func stocktakesAreSets(t *testing.T, f fixture.Store) {
	seed := rand.Uint64()
	m := &stocktakeModel{t: t, f: f, rnd: rand.New(rand.NewPCG(seed, 0)), now: fixture.Epoch}
	readers := f.AddReaders(t, 4)
	m.staff = readers[0]
	clock := service.WithClock(func() time.Time { return m.now })
	for _, store := range []fixture.Database{f.Stock, f.Open(t)} {
		lib := service.New(store, clock)
		m.libs, m.takes = append(m.libs, lib), append(m.takes, stocktake.New(store, lib))
	}
	for i := range 4 {
		m.books = append(m.books, f.AddBook(t, fmt.Sprintf("Book %d", i)).ID)
		for range 3 {
			m.addCopy()
		}
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d: %v", seed, m.log)
		}
	})
	for range 2 {
		m.history(readers[1:])
	}
}

// history is one stocktake from its start to its end.
func (m *stocktakeModel) history(readers []library.Actor) {
	if m.shelves = nil; m.rnd.IntN(2) == 0 {
		m.shelves = []string{"A", "B"}[:1+m.rnd.IntN(2)]
	}
	m.tick()
	m.start()
	for range 30 {
		m.tick()
		before := m.copies()
		switch m.rnd.IntN(3) {
		case 0:
			m.change(readers[m.rnd.IntN(len(readers))])
			m.compareCopies(before)
		default:
			m.scan(before)
		}
		m.check(m.take().Stocktake(m.f.Ctx, m.staff, m.takeID()))
	}
	m.end()
}

func (m *stocktakeModel) tick() { m.now = m.now.Add(time.Second) }

func (m *stocktakeModel) take() *stocktake.Service { return m.takes[m.rnd.IntN(2)] }

func (m *stocktakeModel) lib() *service.Service { return m.libs[m.rnd.IntN(2)] }

func (m *stocktakeModel) takeID() string {
	list, err := m.f.Stock.Stocktakes(m.f.Ctx, stocktake.Query{Limit: 1})
	testkit.NoError(m.t, err)
	return list[0].ID
}

// copies returns all copies by identifier, and remembers them.
func (m *stocktakeModel) copies() map[string]library.Copy {
	all, err := m.f.ListCopies(m.f.Ctx, library.CopyQuery{Now: m.now})
	testkit.NoError(m.t, err)
	m.known = map[string]library.Copy{}
	for _, c := range all {
		m.known[c.ID] = c
	}
	return m.known
}

func (m *stocktakeModel) has(c library.Copy) bool {
	return m.shelves == nil || slices.Contains(m.shelves, c.Shelf)
}

func (m *stocktakeModel) start() {
	m.expected, m.touched, m.away = map[string]bool{}, map[string]bool{}, map[string]bool{}
	m.first, m.codes, m.again, m.started = map[string]stocktake.Outcome{}, map[string]bool{}, 0, m.now
	for id, c := range m.copies() {
		isAway := c.Loan != nil || c.Hold != nil
		m.away[id] = m.has(c) && isAway
		m.expected[id] = m.has(c) && !isAway && (c.State == library.Lendable || c.State == library.Reference)
	}
	m.check(m.take().Start(m.f.Ctx, m.staff, stocktake.Fields{Name: "all", Shelves: m.shelves}))
	m.log = append(m.log, fmt.Sprintf("start %q", m.shelves))
	if _, err := m.take().Start(m.f.Ctx, m.staff, stocktake.Fields{Name: "again"}); !errors.Is(err, library.ErrStocktakeOpen) {
		m.t.Fatalf("a second stocktake: %v", err)
	}
}

func (m *stocktakeModel) addCopy() {
	m.next++
	book := m.books[m.rnd.IntN(len(m.books))]
	fields := library.CopyFields{Barcode: fmt.Sprintf("C%d", m.next), Shelf: modelShelves[m.rnd.IntN(3)]}
	testkit.NoError(m.t, testkit.Err(m.lib().AddCopy(m.f.Ctx, m.staff, book, "", fields)))
}

// change does something with a copy or a book; refusals are fine.
func (m *stocktakeModel) change(reader library.Actor) {
	ids := slices.Sorted(maps.Keys(m.known))
	c := m.known[ids[m.rnd.IntN(len(ids))]]
	edit := func(f library.CopyFields) error { return testkit.Err(m.lib().EditCopy(m.f.Ctx, m.staff, c.ID, f, nil)) }
	f := c.CopyFields
	kind, err := m.rnd.IntN(10), error(nil)
	switch kind {
	case 0, 1:
		err = testkit.Err(m.lib().Borrow(m.f.Ctx, reader, c.BookID))
	case 2, 3:
		err = testkit.Err(m.lib().Return(m.f.Ctx, reader, c.BookID))
	case 4:
		err = testkit.Err(m.lib().PlaceHold(m.f.Ctx, reader, c.BookID, ""))
	case 5:
		err = testkit.Err(m.lib().SeeCopy(m.f.Ctx, m.staff, c.ID))
	case 6:
		f.State = library.CopyStates[m.rnd.IntN(len(library.CopyStates))]
		err = edit(f)
	case 7:
		f.Shelf = modelShelves[m.rnd.IntN(3)]
		err = edit(f)
	case 8:
		err = m.lib().RemoveCopy(m.f.Ctx, m.staff, c.ID, nil)
	case 9:
		m.addCopy()
	}
	m.log = append(m.log, fmt.Sprint("change ", kind, " ", c.Barcode, " ", err))
	if _, isRefusal := errors.AsType[*library.Error](err); err != nil && !isRefusal {
		m.t.Fatal(err)
	}
}

// compareCopies finds the copies that differ, in whatever, or are gone.
func (m *stocktakeModel) compareCopies(before map[string]library.Copy) {
	after := m.copies()
	loan := func(c library.Copy) string {
		if c.Loan == nil {
			return ""
		}
		return c.Loan.ID
	}
	hold := func(c library.Copy) string {
		if c.Hold == nil {
			return ""
		}
		return c.Hold.ID
	}
	for id, old := range before {
		c, isThere := after[id]
		if !isThere {
			for _, set := range []map[string]bool{m.expected, m.away} {
				delete(set, id)
			}
			delete(m.first, id)
		}
		m.touched[id] = m.touched[id] || loan(old) != loan(c) || hold(old) != hold(c) || old.Version != c.Version || !old.Seen.Equal(c.Seen)
	}
}

// outcome is what a scan of a copy must come to.
func (m *stocktakeModel) outcome(c library.Copy, shelf string) stocktake.Outcome {
	switch {
	case m.first[c.ID] != "":
		return stocktake.Again
	case c.Loan != nil:
		return stocktake.Lent
	case c.Hold != nil:
		return stocktake.SetAside
	case c.State == library.Missing:
		return stocktake.WasMissing
	case c.State == library.Damaged, c.State == library.Lost, c.Created.After(m.started):
		return stocktake.NotExpected
	case !m.has(c), shelf != "" && shelf != c.Shelf:
		return stocktake.Elsewhere
	}
	return stocktake.Found
}

// scan sends some codes and identifiers, some of them twice.
func (m *stocktakeModel) scan(before map[string]library.Copy) {
	ids := slices.Sorted(maps.Keys(before))
	var s stocktake.Scans
	var want []stocktake.Outcome
	if len(m.shelves) > 0 && m.rnd.IntN(2) == 0 {
		s.Shelf = m.shelves[0]
	}
	s.Move = s.Shelf != "" && m.rnd.IntN(2) == 0
	for range 1 + m.rnd.IntN(4) {
		c := before[ids[m.rnd.IntN(len(ids))]]
		code := c.Barcode
		if m.rnd.IntN(5) == 0 {
			code = fmt.Sprintf("X%d", m.rnd.IntN(9))
		}
		s.Codes = append(s.Codes, " "+code)
		if code != c.Barcode || code == "" {
			want = append(want, stocktake.Unknown)
			m.codes[code] = true
			continue
		}
		want = append(want, m.record(c, s.Shelf))
	}
	c := before[ids[m.rnd.IntN(len(ids))]]
	s.CopyIDs = []string{c.ID, library.NewID()}
	want = append(want, m.record(c, s.Shelf), stocktake.Unknown)
	m.log = append(m.log, fmt.Sprintf("scan %+v: %v", s, want))
	results, err := m.take().Scan(m.f.Ctx, m.staff, m.takeID(), s)
	testkit.NoError(m.t, err)
	after := m.copies()
	var got []stocktake.Outcome
	for _, r := range results {
		got = append(got, r.Outcome)
		if r.Copy == nil {
			continue
		}
		if diff := cmp.Diff(after[r.Copy.ID].CopyFields, r.Copy.CopyFields); diff != "" || r.Copy.Book.Title == "" {
			m.t.Fatalf("a copy in an answer: %s", diff)
		}
		if r.Outcome == stocktake.Elsewhere && s.Move && r.Copy.Shelf != s.Shelf || r.Outcome == stocktake.Elsewhere && r.Shelf != before[r.Copy.ID].Shelf {
			m.t.Fatalf("a copy of elsewhere: %+v", r)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		m.t.Fatal(diff)
	}
	m.compareCopies(before)
}

func (m *stocktakeModel) record(c library.Copy, shelf string) stocktake.Outcome {
	o := m.outcome(c, shelf)
	if o == stocktake.Again {
		m.again++
	} else {
		m.first[c.ID] = o
	}
	return o
}

// remaining is what nobody knows anything of.
func (m *stocktakeModel) remaining() (ids []string) {
	for id, is := range m.expected {
		if is && !m.touched[id] && m.first[id] == "" {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func count(set map[string]bool) (n int) {
	for _, is := range set {
		if is {
			n++
		}
	}
	return n
}

// check compares the numbers and the lists of a stocktake.
func (m *stocktakeModel) check(got stocktake.Stocktake, err error) {
	m.t.Helper()
	testkit.NoError(m.t, err)
	want := stocktake.Numbers{Expected: count(m.expected), Away: count(m.away), Remaining: len(m.remaining()), Marked: got.Marked, Counts: map[stocktake.Outcome]int{}}
	lists := map[stocktake.Outcome][]string{stocktake.Remaining: m.remaining()}
	for _, o := range stocktake.Outcomes {
		want.Counts[o] += 0
	}
	for id, o := range m.first {
		want.Counts[o]++
		lists[o] = append(lists[o], id)
	}
	want.Counts[stocktake.Again], want.Counts[stocktake.Unknown] = m.again, count(m.codes)
	for _, o := range stocktake.Outcomes {
		got.Counts[o] += 0
	}
	if diff := cmp.Diff(want, got.Numbers); diff != "" {
		m.t.Fatal(diff)
	}
	if m.rnd.IntN(4) > 0 && got.State() == stocktake.Open {
		return
	}
	for _, o := range stocktake.Listed[2:8] {
		m.checkList(got.ID, o, lists[o])
	}
	m.checkList(got.ID, stocktake.Remaining, lists[stocktake.Remaining])
}

func (m *stocktakeModel) checkList(id string, o stocktake.Outcome, want []string) {
	m.t.Helper()
	list, err := m.take().Entries(m.f.Ctx, m.staff, stocktake.EntryQuery{StocktakeID: id, Outcome: o})
	testkit.NoError(m.t, err)
	var got []string
	for e, err := range list.All {
		testkit.NoError(m.t, err)
		if e.Scanned.IsZero() != (o == stocktake.Remaining) {
			m.t.Fatalf("%s: %+v", o, e)
		}
		got = append(got, e.Copy.ID)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || list.Total != len(want) {
		m.t.Fatalf("%s: got %d %q, want %q", o, list.Total, got, want)
	}
}

// end closes the stocktake, and compares what became missing.
func (m *stocktakeModel) end() {
	marks := m.rnd.IntN(2) == 0
	left, before := m.remaining(), m.copies()
	closed, err := m.take().Close(m.f.Ctx, m.staff, m.takeID(), marks)
	m.log = append(m.log, fmt.Sprint("close ", marks, len(left)))
	m.check(closed, err)
	for id, c := range m.copies() {
		want := before[id].State
		if marks && slices.Contains(left, id) {
			want = library.Missing
		}
		if c.State != want {
			m.t.Fatalf("%s is %s after the end, want %s", c.Barcode, c.State, want)
		}
	}
	if want := map[bool]int{true: len(left)}[marks]; closed.Marked != want {
		m.t.Fatalf("%d are marked, want %d", closed.Marked, want)
	}
	if _, err := m.take().Scan(m.f.Ctx, m.staff, closed.ID, stocktake.Scans{Codes: []string{"X"}}); !errors.Is(err, library.ErrStocktakeClosed) {
		m.t.Fatalf("a scan after the end: %v", err)
	}
}
