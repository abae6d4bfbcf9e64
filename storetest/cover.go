package storetest

import (
	"bytes"
	"testing"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/storetest/fixture"
)

// wantCover compares both pictures of a book, and its cover version. "" is for none.
func wantCover(t *testing.T, f fixture.Store, bookID, version string, pictures library.CoverPictures) {
	t.Helper()
	if got := f.ReadBook(t, bookID).Cover; got != version {
		t.Errorf("the book says %q instead of %q", got, version)
	}
	listed, err := f.Books(f.Ctx, library.BookQuery{IDs: []string{bookID}, Order: library.ByTitle})
	testkit.NoError(t, err)
	if len(listed) != 1 || listed[0].Cover != version {
		t.Errorf("the list says %v", listed)
	}
	for size, want := range map[library.CoverSize][]byte{library.LargeCover: pictures.Large, library.SmallCover: pictures.Small} {
		got, err := f.Cover(f.Ctx, bookID, size, "another")
		if version == "" {
			fixture.WantError(t, err, library.ErrNoCover)
			continue
		}
		testkit.NoError(t, err)
		if got.Version != version || !bytes.Equal(got.JPEG, want) {
			t.Errorf("%s: %d bytes of %q", size, len(got.JPEG), got.Version)
		}
		known, err := f.Cover(f.Ctx, bookID, size, version)
		testkit.NoError(t, err)
		if known.Version != version || known.JPEG != nil {
			t.Errorf("%s: %d bytes of what the caller has", size, len(known.JPEG))
		}
	}
}

func coversOfBooks(t *testing.T, f fixture.Store) {
	b, other := f.AddBook(t, "Emma"), f.AddBook(t, "Persuasion")
	first := library.CoverPictures{Large: bytes.Repeat([]byte("\x00\xff'\\"), 1<<16), Small: []byte("\xff\xd8\x00")}
	second := library.CoverPictures{Large: []byte("L"), Small: []byte("S")}
	wantCover(t, f, b.ID, "", library.CoverPictures{})
	b.Version, b.Cover = "v2", "v2"
	f.InTx(t, func(tx library.Tx) error { return tx.SetCover(f.Ctx, b, first) })
	wantCover(t, f, b.ID, "v2", first)
	if got := f.ReadBook(t, b.ID); got.Version != "v2" {
		t.Errorf("the book is of version %s", got.Version)
	}
	b.Version, b.Cover = "v3", "v3"
	f.InTx(t, func(tx library.Tx) error { return tx.SetCover(f.Ctx, b, second) })
	wantCover(t, f, b.ID, "v3", second)
	b.Version, b.Cover = "v4", ""
	f.InTx(t, func(tx library.Tx) error { return tx.RemoveCover(f.Ctx, b) })
	wantCover(t, f, b.ID, "", library.CoverPictures{})
	wantCover(t, f, other.ID, "", library.CoverPictures{})

	b.Cover = "v5"
	f.InTx(t, func(tx library.Tx) error { return tx.SetCover(f.Ctx, b, first) })
	f.InTx(t, func(tx library.Tx) error { return tx.DeleteBook(f.Ctx, b.ID) })
	_, err := f.Cover(f.Ctx, b.ID, library.LargeCover, "")
	fixture.WantError(t, err, library.ErrBookNotFound)
	f.TxFails(t, library.ErrBookNotFound, func(tx library.Tx) error { return tx.SetCover(f.Ctx, b, first) })
	f.AddBooks(t, b)
	wantCover(t, f, other.ID, "", library.CoverPictures{})
	_, err = f.Cover(f.Ctx, b.ID, library.LargeCover, "")
	fixture.WantError(t, err, library.ErrNoCover) // not the cover of the deleted book
}

// editsKeepCovers also when the edit was decided before the cover came.
func editsKeepCovers(t *testing.T, f fixture.Store) {
	b := f.AddBook(t, "Emma")
	before := b
	pictures := library.CoverPictures{Large: []byte("L"), Small: []byte("S")}
	b.Version, b.Cover = "v2", "v2"
	f.InTx(t, func(tx library.Tx) error { return tx.SetCover(f.Ctx, b, pictures) })
	before.Title = "Emma, edited"
	f.InTx(t, func(tx library.Tx) error { return tx.UpdateBook(f.Ctx, before) })
	f.InTx(t, func(tx library.Tx) error { return tx.UpdateBooks(f.Ctx, []library.Book{before}) })
	wantCover(t, f, b.ID, "v2", pictures)
}
