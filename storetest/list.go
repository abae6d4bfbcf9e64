package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/isbn"
	"example.org/library/internal/testkit"
	"example.org/library/storetest/bookgen"
	"example.org/library/storetest/fixture"
)

func bookOrder(t *testing.T, f fixture.Store) {
	titles := []string{ // in order
		"!!!", // signs and digits before letters
		"1984", "2001",
		"Abc", "abc", "abc", "ábc", // one fold: upper case first, then accents; two the same
		"abcd", "Äbcd",
		"Emma", "étranger", "Zebra", "zebra",
		"Ωmega", "Жук", "日本", "각", "\uffee", "𝄞",
	}
	var books []library.Book
	for i, title := range titles {
		b := fixture.NewBook(library.BookFields{Title: title})
		b.Created = fixture.Epoch.Add(time.Duration(i%3) * time.Microsecond)
		books = append(books, b)
	}
	shuffled := slices.Clone(books)
	slices.SortFunc(shuffled, func(a, b library.Book) int { return compareBooks(a, b, library.ByCreatedNewest) })
	f.AddBooks(t, shuffled...)
	for _, order := range append([]library.Order{""}, library.Orders...) {
		got, err := f.Books(f.Ctx, library.BookQuery{Order: order})
		fixture.WantError(t, err, nil)
		fixture.WantEqual(t, fixture.IDs(got, fixture.BookID), fixture.IDs(find(books, library.BookQuery{Order: order}), fixture.BookID))
	}
	got, err := f.Books(f.Ctx, library.BookQuery{})
	fixture.WantError(t, err, nil)
	fixture.WantEqual(t, fixture.IDs(got, func(b library.Book) string { return b.Title }), titles)
}

func userOrder(t *testing.T, f fixture.Store) {
	users := nameSakes()
	f.AddUsers(t, users...)
	slices.SortFunc(users, compareUsers)
	got, err := f.Users(f.Ctx, library.UserQuery{})
	fixture.WantError(t, err, nil)
	fixture.WantEqual(t, got, users)
}

// nameSakes returns users with similar names.
func nameSakes() []library.User {
	var users []library.User
	for _, last := range []string{"muller", "Müller", "Muller", "MÜLLER", "Mueller", "van Dyck", "Van Dyck", "Ōe", "Zoë", "김"} {
		for _, first := range []string{"Ann", "ann", "Änn", "Bob", "Bob"} {
			u := fixture.NewUser(fmt.Sprintf("user%d@example.com", len(users)))
			u.FirstName, u.LastName = first, last
			users = append(users, u)
		}
	}
	return users
}

func pagesAddUp(t *testing.T, f fixture.Store) {
	const n = 60
	var books []library.Book
	for i := range n {
		b := fixture.NewBook(library.BookFields{Title: []string{"Same", "same", "Sâme", fmt.Sprintf("Book %d", i/2)}[i%4]})
		b.Created = fixture.Epoch.Add(time.Duration(i/4) * time.Microsecond)
		b.Published = []int{0, 1999, 801}[i%3]
		books = append(books, b)
	}
	f.AddBooks(t, books...)
	for _, order := range library.Orders {
		want := fixture.IDs(find(books, library.BookQuery{Order: order}), fixture.BookID)
		for _, size := range []int{1, 2, 3, 7, 20, n - 1, n, n + 1} {
			q := library.BookQuery{Order: order, Limit: size}
			var got []string
			for {
				page, err := f.Books(f.Ctx, q)
				fixture.WantError(t, err, nil)
				got = append(got, fixture.IDs(page, fixture.BookID)...)
				if len(page) < size {
					break
				}
				q.After = cursorAt(page[size-1], order)
			}
			fixture.WantEqual(t, got, want)
		}
	}
}

func userPagesAddUp(t *testing.T, f fixture.Store) {
	users := nameSakes()
	f.AddUsers(t, users...)
	slices.SortFunc(users, compareUsers)
	for _, size := range []int{1, 4, 49, 50, 51} {
		q := library.UserQuery{Limit: size}
		var got []string
		for {
			page, err := f.Users(f.Ctx, q)
			fixture.WantError(t, err, nil)
			got = append(got, fixture.IDs(page, fixture.UserID)...)
			if len(page) < size {
				break
			}
			last := page[size-1]
			q.After = &library.Cursor{LastName: last.LastName, FirstName: last.FirstName, ID: last.ID}
		}
		fixture.WantEqual(t, got, fixture.IDs(users, fixture.UserID))
	}
}

func cursorOutlivesRecord(t *testing.T, f fixture.Store) {
	a, b, c := f.AddBook(t, "a"), f.AddBook(t, "b"), f.AddBook(t, "c")
	f.InTx(t, func(tx library.Tx) error { return tx.DeleteBook(f.Ctx, b.ID) })
	for order, want := range map[library.Order]library.Book{library.ByTitle: c, library.ByTitleReverse: a} {
		got, err := f.Books(f.Ctx, library.BookQuery{Order: order, After: cursorAt(b, order)})
		fixture.WantError(t, err, nil)
		fixture.WantEqual(t, got, []library.Book{want})
	}
}

// listsMatchBruteForce has enough books for a store to find that some words are
// in many of them and others in few, and to act on it.
func listsMatchBruteForce(t *testing.T, f fixture.Store) {
	const n = 660
	books := slices.Collect(bookgen.Books(n))
	for i := range books {
		if i >= n*2/3 {
			books[i].Title = "Zz late " + books[i].Title
		}
		describe(&books[i], i)
	}
	f.AddBooks(t, books...)
	reader, other := f.AddUser(t, "jane@example.com"), f.AddUser(t, "john@example.com")
	f.InTx(t, func(tx library.Tx) error {
		for i := range books {
			borrower := []library.User{reader, other}[i/3%2]
			if i%3 != 0 {
				continue
			}
			loan, err := f.Borrow(tx, books[i], borrower)
			if err != nil {
				return err
			}
			books[i] = fixture.LentAs(books[i], loan)
		}
		return nil
	})
	for i, q := range queries(books, reader) {
		want := find(books, q)
		total := len(want)
		wantCount(t, f, q, total)
		sizes := []int{[]int{21, 1, 0, 300}[i%4]}
		if testkit.Full() {
			sizes = []int{0, 1, 21, 300}
		}
		for _, size := range sizes {
			q.Limit, q.After = size, nil
			wantPage(t, f, q, 0, want)
			wantPage(t, f, q, total, want) // may be read in another way
			if len(want) > 2 {
				at := len(want) * 2 / 3
				q.After = cursorAt(want[at], q.Order)
				wantPage(t, f, q, total, want[at+1:])
				wantCount(t, f, q, len(want)) // a list is as long on every page
			}
		}
	}
}

func wantCount(t *testing.T, f fixture.Store, q library.BookQuery, want int) {
	t.Helper()
	got, err := f.CountBooks(f.Ctx, q)
	fixture.WantError(t, err, nil)
	if got != want {
		t.Fatalf("CountBooks(%+v): got %d, want %d", q, got, want)
	}
}

// describe gives some books a year, a language, a series and subjects.
func describe(b *library.Book, i int) {
	if i%5 != 0 {
		b.Published, b.Language = 1950+i%60, []string{"en", "de", "grc"}[i%3]
	}
	if i%7 == 0 {
		b.Series, b.Volume, b.Subtitle, b.Publisher = []string{"Élan", "ELAN", "100% _"}[i%3], fmt.Sprint(i), "A tale of "+bookgen.RareWord, "Penguin"
	}
	if i%2 == 0 {
		b.Subjects = []string{[]string{"Science Fiction", "science fiction"}[i%4/2], []string{"50% off", "50_ off", "c++", "…"}[i%8/2]}
	}
}

func wantPage(t *testing.T, f fixture.Store, q library.BookQuery, total int, want []library.Book) {
	t.Helper()
	got, err := f.BooksInBatch(f.Ctx, q, library.BookBatch{Total: total})
	fixture.WantError(t, err, nil)
	if q.Limit > 0 && len(want) > q.Limit {
		want = want[:q.Limit]
	}
	if !slices.Equal(fixture.IDs(got, fixture.BookID), fixture.IDs(want, fixture.BookID)) {
		t.Fatalf("Books(%+v): got %d books, want %d, or in another order", q, len(got), len(want))
	}
	if len(got) > 0 {
		fixture.WantEqual(t, got[0], want[0])
	}
}

// queries returns combinations of all conditions.
func queries(books []library.Book, reader library.User) []library.BookQuery {
	yes, no := true, false
	author := books[7].Authors[0]
	all := []library.BookQuery{
		{},
		{ISBN: isbn.Key(books[10].ISBN)},
		{Authors: library.ParseTerms(author)},
		{Terms: library.ParseTerms("h"), Authors: library.ParseTerms("b")},
		{BorrowedBy: reader.ID},
		{IDStart: books[0].ID},
		{IDStart: books[0].ID[:14]},
		{IDStart: books[0].ID[:4], Borrowed: &yes},
		{IDStart: books[0].ID[:4], Borrowed: &no, Terms: library.ParseTerms(bookgen.CommonWord)},
		{IDStart: "0000"},
		{BorrowedBy: reader.ID, Terms: library.ParseTerms(bookgen.CommonWord)},
		{BorrowedBy: reader.ID, Borrowed: &no},
		{BorrowedBy: reader.ID, Borrowed: &yes, ISBN: isbn.Key(books[0].ISBN)},
		{Borrowed: &yes}, {Borrowed: &no}, {Available: &yes}, {Available: &no},
		{Borrowed: &no, Available: &yes}, {Borrowed: &yes, Available: &no}, {Borrowed: &yes, Available: &yes},
		{Available: &yes, Terms: library.ParseTerms("late")}, {Available: &no, Terms: library.ParseTerms(bookgen.CommonWord)},
		{Available: &yes, BorrowedBy: reader.ID}, {IDStart: books[0].ID[:4], Available: &yes},
		{Borrowed: &yes, Terms: library.ParseTerms("late")},
		{Borrowed: &no, Terms: library.ParseTerms("late"), Authors: library.ParseTerms("b")},
		{Language: "grc"}, {Language: "en", Terms: library.ParseTerms(bookgen.CommonWord)}, {Language: "fr"}, {Kind: library.KindFilm}, {Kind: library.KindBook, Language: "de"},
		{Series: "elan"}, {Series: "100% _"}, {Series: "elan", Available: &no}, {Series: "el"},
		{Subjects: []string{"science fiction"}}, {Subjects: []string{"science"}}, {Subjects: []string{"50% off"}},
		{Subjects: []string{"50_ off", "science fiction"}}, {Subjects: []string{"…"}}, {Subjects: []string{"c++"}, Terms: library.ParseTerms("late")},
		{From: 1990}, {To: 1960}, {From: 1960, To: 1970, Terms: library.ParseTerms(bookgen.CommonWord)}, {From: 1999, To: 1950},
		{Terms: library.ParseTerms("tale")}, {Terms: library.ParseTerms("science penguin")},
		{Subjects: []string{"science fiction"}, Language: "de", From: 1960, Available: &yes, Authors: library.ParseTerms("b")},
	}
	for _, question := range []string{bookgen.CommonWord, bookgen.RareWord, "late", "b", "bebi", "late " + bookgen.CommonWord, "nowhere", "a b c d e f g h i j k"} {
		all = append(all, library.BookQuery{Terms: library.ParseTerms(question)})
	}
	var out []library.BookQuery
	for i, q := range all {
		q.Order = library.Orders[i%len(library.Orders)]
		if out = append(out, q); testkit.Full() {
			q.Order = library.Orders[(i+3)%len(library.Orders)]
			out = append(out, q)
		}
		if q.Order = library.ByRelevance; len(q.Terms) > 0 {
			q.Phrases = phrasesOf(q.Terms)
			out = append(out, q)
		}
	}
	return out
}
