package storetest

import (
	"slices"
	"testing"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/service"
	"example.org/library/storetest/fixture"
)

// shelvesOfBooks moves the copies of a book from shelf to shelf. One book, a list
// of books and the answer to a change say the same of it, lent or not.
func shelvesOfBooks(t *testing.T, f fixture.Store) {
	lib, staff := service.New(f.Store), f.AddReaders(t, 1)[0]
	b := f.AddBook(t, "Moved")
	f.AddBook(t, "Beside it")
	check := func(after string, want ...string) {
		t.Helper()
		listed, err := f.Books(f.Ctx, library.BookQuery{Viewer: staff.User.ID})
		testkit.NoError(t, err)
		at := slices.IndexFunc(listed, func(l library.Book) bool { return l.ID == b.ID })
		lent, err := lib.Borrow(f.Ctx, staff, b.ID)
		testkit.NoError(t, err)
		views := map[string]library.Book{"a list": listed[at], "the answer": lent, "the book": f.ReadBook(t, b.ID)}
		for where, got := range views {
			if !slices.Equal(got.Shelves, want) {
				t.Errorf("after %s: %s names the shelves %q, want %q", after, where, got.Shelves, want)
			}
		}
		if other := listed[1-at]; other.Shelves != nil {
			t.Errorf("after %s: another book has the shelves %q", after, other.Shelves)
		}
	}
	add := func(fields library.CopyFields) string {
		t.Helper()
		c, err := lib.AddCopy(f.Ctx, staff, b.ID, "", fields)
		testkit.NoError(t, err)
		return c.ID
	}
	edit := func(id string, fields library.CopyFields) {
		t.Helper()
		testkit.NoError(t, testkit.Err(lib.EditCopy(f.Ctx, staff, id, fields, nil)))
	}
	check("nothing was said")
	copiesOf := func(ids ...string) (shelves []string) {
		t.Helper()
		copies, err := f.CopiesOf(f.Ctx, ids)
		testkit.NoError(t, err)
		for _, c := range copies {
			if c.ID == "" || !slices.Contains(ids, c.BookID) {
				t.Errorf("a copy of several books is %+v", c)
			}
			shelves = append(shelves, c.Barcode+c.Shelf+string(c.State))
		}
		return shelves
	}
	if got := copiesOf(b.ID, library.NewID()); !slices.Equal(got, []string{"lendable"}) || copiesOf() != nil {
		t.Errorf("the copies of one book and of a missing one are %q", got)
	}
	for _, shelf := range slices.Backward(fixture.Shelves) {
		add(library.CopyFields{Shelf: shelf})
	}
	one, two := add(library.CopyFields{Shelf: "new"}), add(library.CopyFields{Shelf: "new"})
	add(library.CopyFields{Shelf: "away", State: library.Damaged})
	with := func(shelf string, place int) []string {
		return slices.Insert(slices.Clone(fixture.Shelves), place, shelf)
	}
	if got := copiesOf(b.ID); len(got) != len(fixture.Shelves)+4 || got[len(got)-1] != "awaydamaged" {
		t.Errorf("the copies of a book are %q, in another order than they were added", got)
	}
	check("copies were added", with("new", 6)...)
	edit(one, library.CopyFields{Shelf: "new", State: library.Lost})
	check("one of two on a shelf was lost", with("new", 6)...)
	edit(two, library.CopyFields{Shelf: "new", State: library.Reference})
	check("none is left there that is lent", fixture.Shelves...)
	edit(one, library.CopyFields{Shelf: "Zoo"})
	check("one was found elsewhere", with("Zoo", 7)...)
	edit(one, library.CopyFields{})
	check("nobody knows where it is", fixture.Shelves...)
	edit(two, library.CopyFields{Shelf: "aa"})
	check("another one came back", with("aa", 1)...)
	testkit.NoError(t, lib.RemoveCopy(f.Ctx, staff, two, nil))
	check("it was removed", fixture.Shelves...)
}
