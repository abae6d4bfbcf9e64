package storetest

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/storetest/fixture"
)

// questions ask for books by words that catalogue has in many of them.
func questions() []library.BookQuery {
	yes, no := true, false
	words := func(text string) library.BookQuery { return library.BookQuery{Terms: library.ParseTerms(text)} }
	return []library.BookQuery{
		{},
		words("emma"), words("em"), words("emma garden"), words("19-84"), words("nobody"),
		{Authors: library.ParseTerms("austen")},
		{Authors: library.ParseTerms("austen"), Terms: library.ParseTerms("garden")},
		{Terms: library.ParseTerms("garden"), Available: &yes},
		{Terms: library.ParseTerms("garden"), Borrowed: &no},
		{Borrowed: &no, Available: &yes},
		{Terms: library.ParseTerms("emma"), Borrowed: &yes},
	}
}

// randomFields has some of the words of questions.
func randomFields(r *rand.Rand) library.BookFields {
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	return library.BookFields{
		Title:       pick("Emma", "Emmeline", "1984", "Garden") + " " + pick("", "and the garden", "19 84", "Austen"),
		Description: pick("", "About Emma.", "About gardens."),
		Authors:     []string{pick("Jane Austen", "George Orwell", "Emma Austen")},
	}
}

// catalogue is the books of a store, as they should be.
type catalogue struct {
	fixture.Store
	r     *rand.Rand
	books []library.Book
}

func (c *catalogue) newBooks(n int) []library.Book {
	books := make([]library.Book, n)
	for i := range books {
		books[i] = fixture.NewBook(randomFields(c.r))
	}
	return books
}

// some is up to n books that nobody has borrowed, to be changed.
func (c *catalogue) some(n int) (books []*library.Book) {
	for _, i := range c.r.Perm(len(c.books)) {
		if b := &c.books[i]; len(books) < n && b.Loan == nil {
			books = append(books, b)
		}
	}
	return books
}

func (c *catalogue) edited(n int) (books []library.Book) {
	for _, b := range c.some(n) {
		b.BookFields = randomFields(c.r)
		books = append(books, *b)
	}
	return books
}

func (c *catalogue) edit(tx library.Tx, n int) error {
	for _, b := range c.edited(n) {
		if err := tx.UpdateBook(c.Ctx, b); err != nil {
			return err
		}
	}
	return nil
}

func (c *catalogue) add(tx library.Tx, n int) error {
	books := c.newBooks(n)
	c.books = append(c.books, books...)
	return tx.AddBooks(c.Ctx, books)
}

func (c *catalogue) remove(tx library.Tx, n int) error {
	for _, b := range c.some(n) {
		id := b.ID
		if err := tx.DeleteBook(c.Ctx, id); err != nil {
			return err
		}
		c.books = slices.DeleteFunc(slices.Clone(c.books), func(b library.Book) bool { return b.ID == id })
	}
	return nil
}

// countsFollowTheCatalogue changes books in every way there is, through two
// handles, and counts through both. A question is not asked after each change, so that
// counts are of different age.
func countsFollowTheCatalogue(t *testing.T, f fixture.Store) {
	c := &catalogue{Store: f, r: rand.New(rand.NewPCG(3, 4))}
	reader := f.AddUser(t, "jane@example.com")
	stores := []library.Store{f.Store, f.Open(t)}
	undone := errors.New("undone")
	steps := []struct {
		what string
		do   func(tx library.Tx) error
	}{
		{"a new book", func(tx library.Tx) error { return c.add(tx, 1) }},
		{"some new books", func(tx library.Tx) error { return c.add(tx, 7) }},
		{"an edit", func(tx library.Tx) error { return c.edit(tx, 1) }},
		{"an edit", func(tx library.Tx) error { return c.edit(tx, 1) }},
		{"a book less", func(tx library.Tx) error { return c.remove(tx, 1) }},
		{"edits of several at once", func(tx library.Tx) error { return tx.UpdateBooks(c.Ctx, c.edited(9)) }},
		{"a book that comes, changes and goes", func(tx library.Tx) error {
			b := fixture.NewBook(randomFields(c.r))
			if err := tx.AddBook(c.Ctx, b); err != nil {
				return err
			}
			b.BookFields = randomFields(c.r)
			return errors.Join(tx.UpdateBook(c.Ctx, b), tx.DeleteBook(c.Ctx, b.ID))
		}},
		{"an edit that changes no words", func(tx library.Tx) error {
			for _, b := range c.some(1) {
				b.Version = library.NewID()
				return tx.UpdateBook(c.Ctx, *b)
			}
			return nil
		}},
		{"an edit, a new book and one less", func(tx library.Tx) error {
			return errors.Join(c.edit(tx, 1), c.add(tx, 1), c.remove(tx, 1))
		}},
		{"what is undone", func(tx library.Tx) error {
			before := slices.Clone(c.books)
			defer func() { c.books = before }()
			return errors.Join(c.edit(tx, 2), c.add(tx, 2), c.remove(tx, 2), undone)
		}},
		{"a user", func(tx library.Tx) error { return tx.UpdateUser(c.Ctx, reader) }},
		{"a loan", func(tx library.Tx) error {
			for _, b := range c.some(1) {
				loan, err := c.Borrow(tx, *b, reader)
				if err != nil {
					return err
				}
				*b = fixture.LentAs(*b, loan)
			}
			return nil
		}},
		{"more new books than are noted one by one", func(tx library.Tx) error { return c.add(tx, 150) }},
		{"edits of more than are noted one by one", func(tx library.Tx) error { return tx.UpdateBooks(c.Ctx, c.edited(150)) }},
		{"more edits than are noted at all", func(tx library.Tx) error {
			for range 6 {
				if err := tx.UpdateBooks(c.Ctx, c.edited(95)); err != nil {
					return err
				}
			}
			return nil
		}},
	}
	for i := range 20 + testkit.Enough(100) { // one in twenty steps is one of the last three, in turn
		step := steps[c.r.IntN(len(steps)-3)]
		if i%20 == 1 {
			step = steps[len(steps)-1-i/20%3]
		}
		store := stores[c.r.IntN(2)]
		if err := store.Tx(f.Ctx, step.do); err != nil && !errors.Is(err, undone) {
			t.Fatalf("%s: %v", step.what, err)
		}
		for k, q := range questions() {
			if c.r.IntN(k+1) > 3 {
				continue
			}
			want := len(find(c.books, q))
			for n, store := range stores {
				got, err := store.CountBooks(f.Ctx, q)
				if got != want || err != nil {
					t.Fatalf("step %d, %s: handle %d counts %d for question %d and says %v, want %d", i, step.what, n, got, k, err, want)
				}
			}
		}
	}
}

// countsAreOfOneState lets writers change books such that each transaction leaves
// as many as there were with each word. A count meanwhile must not see
// half of a transaction, nor one without another that came before.
func countsAreOfOneState(t *testing.T, f fixture.Store) {
	const writers, rounds = 4, 40
	stores := []library.Store{f.Store, f.Open(t)}
	pairs := make([][2]library.Book, writers)
	for i := range pairs {
		pairs[i] = [2]library.Book{
			fixture.NewBook(library.BookFields{Title: "Emma", Authors: []string{"Jane Austen"}}),
			fixture.NewBook(library.BookFields{Title: "Garden", Authors: []string{"George Orwell"}}),
		}
		f.AddBooks(t, pairs[i][:]...)
	}
	yes := true
	want := map[string]int{"emma": writers, "garden": writers, "austen": writers, "": 2 * writers}
	var writing, counting sync.WaitGroup
	stop := make(chan struct{})
	for i, pair := range pairs {
		writing.Go(func() {
			store := stores[i%2]
			for round := range rounds {
				former := pair[0].ID
				pair[0].BookFields, pair[1].BookFields = pair[1].BookFields, pair[0].BookFields
				if round%3 > 0 { // the one goes, and comes under another identifier
					pair[0].ID = library.NewID()
				}
				err := store.Tx(f.Ctx, func(tx library.Tx) error {
					if pair[0].ID == former {
						return errors.Join(tx.UpdateBook(f.Ctx, pair[0]), tx.UpdateBook(f.Ctx, pair[1]))
					}
					return errors.Join(tx.DeleteBook(f.Ctx, former), tx.AddBook(f.Ctx, pair[0]), tx.UpdateBook(f.Ctx, pair[1]))
				})
				if err != nil {
					t.Errorf("write: %v", err)
					return
				}
			}
		})
	}
	for i := range 4 {
		counting.Go(func() {
			for {
				for word, want := range want {
					q := library.BookQuery{Terms: library.ParseTerms(word)}
					if i%2 > 0 {
						q.Available = &yes
					}
					if n, err := stores[i%2].CountBooks(f.Ctx, q); n != want || err != nil {
						t.Errorf("%q: got %d and error %v, want %d", word, n, err, want)
						return
					}
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	writing.Wait()
	close(stop)
	counting.Wait()
}
