package sample

import (
	"context"
	"fmt"
	"time"

	"example.org/library"
)

// The second shelf of the demonstration: books with several copies, borrowers and waiting readers.
// Nothing writes this state into the store directly: the rules of lending are applied to every step in
// order. So real lending can lead to it.

// More readers of the second shelf, who cannot sign in, and a station.
const (
	idKyle      = "5b0f7a86-3d1c-4e29-9a57-0c6b1f2e8d34"
	idAllen     = "a27c9e15-84f6-4b0d-b3e8-6d5f4a3b2c10"
	idJordan    = "e91d3b58-2c7a-4f46-8b09-17a6c5d4e3f2"
	idDirectory = "7d3c1b82-4f6a-4e15-b0c9-2a8e5f7d6b41"
	idStation   = "5e0f9a61-c7b3-4d28-8a14-9b6c3d7e2f05"
)

// The books of the second shelf.
const (
	idFrankenstein = "1c0e5a7d-6b48-4d92-a3f1-8e7d6c5b4a39"
	idDracula      = "8d2f6b31-9e57-4c0a-b846-2f1e0d9c8b7a"
	idJaneEyre     = "c5a84e90-17d3-4b6f-9c25-a0b1c2d3e4f5"
	idMobyDick     = "47e9d0b6-f2a1-4835-8d7c-5b6a79880716"
	idPetitPrince  = "b06d1f4e-8c95-4a72-be30-94a5b6c7d8e9"
	idProcess      = "f3b72c18-05ea-4d69-97f4-3c2d1e0fa9b8"
)

// card has the cards of the sample users, except programs, for the desk.
var card = map[string]string{
	idWayne: "R0001", idBanner: "R0002", idParker: "R0003", idKent: "R0004",
	idKyle: "R0005", idAllen: "R0006", idJordan: "R0007",
}

func moreUsers() []library.User {
	reader := func(id, email, first, last string) library.User {
		return library.User{ID: id, UserFields: library.UserFields{Email: email, FirstName: first, LastName: last, Roles: []library.Role{library.RoleUser}}}
	}
	return []library.User{
		reader(idKyle, "selina.kyle@example.com", "Selina", "Kyle"),
		reader(idAllen, "barry.allen@example.com", "Barry", "Allen"),
		reader(idJordan, "hal.jordan@example.com", "Hal", "Jordan"),
		{ID: idStation, UserFields: library.UserFields{Email: "station@example.com", FirstName: "Library", LastName: "Station", Station: true}},
		{ID: idDirectory, UserFields: library.UserFields{Email: "service-account-library-scim@placeholder.org", FirstName: "Library", LastName: "Directory", Roles: []library.Role{library.RoleAdmin}}},
	}
}

func moreBooks() []library.Book {
	book := func(id, isbn, title, author, description string) library.Book {
		return library.Book{ID: id, BookFields: library.BookFields{ISBN: isbn, Title: title, Description: description, Authors: []string{author}}.Complete()}
	}
	return []library.Book{
		book(idFrankenstein, "978-0-14-143947-1", "Frankenstein", "Mary Shelley", "Or, the modern Prometheus: who makes a creature has to answer for it."),
		book(idDracula, "978-0-14-143984-6", "Dracula", "Bram Stoker", "A house purchase in Transylvania, told in diaries, letters and telegrams."),
		book(idJaneEyre, "978-0-14-144114-6", "Jane Eyre", "Charlotte Brontë", "An orphan becomes a governess, and is nobody's bird."),
		book(idMobyDick, "978-0-14-243724-7", "Moby-Dick", "Herman Melville", "A captain, a whale, and everything that there is to know about both."),
		book(idPetitPrince, "978-2-07-061275-8", "Le Petit Prince", "Antoine de Saint-Exupéry", "S'il vous plaît… dessine-moi un mouton !"),
		book(idProcess, "978-3-15-009676-5", "Der Proceß", "Franz Kafka", "Jemand musste Josef K. verleumdet haben."),
	}
}

// rule is a rule of lending.
type rule = func(library.Circulation, time.Time) (library.Decision, error)

// incident is a past event in the library.
type incident struct {
	daysAgo int
	book    string
	reader  string
	what    rule
}

// history has the incidents of the second shelf, the oldest first.
func history() []incident {
	var (
		borrows = library.Circulation.Borrow
		returns = library.Circulation.Return
		waits   = library.Circulation.PlaceHold
		renews  = func(c library.Circulation, now time.Time) (library.Decision, error) { return c.Renew(ownLoan(c), now) }
	)
	return []incident{
		{171, idFrankenstein, idWayne, borrows},
		{160, idFrankenstein, idKyle, borrows},
		{152, idFrankenstein, idWayne, returns},
		{149, idJaneEyre, idWayne, borrows},
		{138, idFrankenstein, idKyle, returns},
		{127, idJaneEyre, idWayne, returns},
		{120, idDracula, idAllen, borrows},
		{103, idFrankenstein, idBanner, borrows},
		{101, idDracula, idAllen, returns},
		{90, idPetitPrince, idJordan, borrows},
		{82, idFrankenstein, idBanner, returns},
		{74, idPetitPrince, idJordan, returns},
		{66, idDracula, idKyle, borrows},
		{51, idJaneEyre, idJordan, borrows},
		{47, idDracula, idKyle, returns},
		{40, idPetitPrince, idBanner, borrows},
		{38, idJaneEyre, idJordan, returns},
		{31, idDracula, idBanner, borrows}, // overdue for three days
		{30, idMobyDick, idKyle, borrows},
		{26, idPetitPrince, idBanner, renews}, // due in two days
		{20, idJaneEyre, idKyle, borrows},
		{12, idMobyDick, idWayne, waits},
		{10, idJaneEyre, idBanner, borrows},
		{6, idJaneEyre, idAllen, waits},
		{5, idFrankenstein, idKyle, borrows},
		{4, idJaneEyre, idWayne, waits},
		{3, idJaneEyre, idJordan, waits},
		{2, idMobyDick, idKyle, returns}, // ready for Bruce Wayne
		{2, idFrankenstein, idAllen, borrows},
	}
}

// ownLoan returns the identifier of the reader's loan, "" for none.
func ownLoan(c library.Circulation) string {
	for _, held := range c.Copies {
		if held.Loan != nil && held.Loan.Borrower.ID == c.Reader.ID {
			return held.Loan.ID
		}
	}
	return ""
}

// copiesOf has the copies of the second shelf, by book.
var copiesOf = map[string][]library.CopyFields{
	idFrankenstein: {{}, {}, {}, {State: library.Reference, Note: "For the reading room."}},
	idDracula:      {{}},
	idJaneEyre:     {{}, {}},
	idMobyDick:     {{}},
	idPetitPrince:  {{}, {}},
	idProcess:      {{}, {State: library.Damaged, Note: "Coffee on the last chapter."}},
}

// addSecondShelf adds the rest of the demonstration.
func addSecondShelf(ctx context.Context, tx library.Tx, now time.Time) error {
	if err := remindAtAnyHour(ctx, tx); err != nil {
		return err
	}
	begin := now.AddDate(0, 0, -200)
	for _, u := range moreUsers() {
		u.Card, u.Locale, u.Created, u.Version = card[u.ID], library.Locales[0], begin, library.NewVersion()
		if err := tx.AddUser(ctx, u); err != nil {
			return err
		}
	}
	for _, b := range moreBooks() {
		b.Created, b.Version = begin, library.NewVersion()
		if err := addDescribed(ctx, tx, b); err != nil {
			return err
		}
	}
	if err := labelCopies(ctx, tx, begin, now); err != nil {
		return err
	}
	for _, i := range history() {
		at := now.AddDate(0, 0, -i.daysAgo)
		if err := happen(ctx, tx, library.Load{Book: i.book, Reader: i.reader, Now: at}, i.what); err != nil {
			return fmt.Errorf("%d days ago: %w", i.daysAgo, err)
		}
	}
	return nil
}

// remindAtAnyHour makes reminders due at once, at any time of the day.
func remindAtAnyHour(ctx context.Context, tx library.Tx) error {
	p, err := tx.Policy(ctx)
	if err != nil {
		return err
	}
	p.NoticeTime, p.Version = "00:00", library.NewVersion()
	return tx.SavePolicy(ctx, p)
}

// labelCopies gives the copies of the sample books their barcodes, B0001 and so on, and puts the second shelf there.
func labelCopies(ctx context.Context, tx library.Tx, begin, now time.Time) error {
	number := 0
	label := func(f library.CopyFields, shelf string) library.CopyFields {
		number++
		f.Barcode, f.Shelf = fmt.Sprintf("B%04d", number), shelf
		if f.State == "" {
			f.State = library.Lendable
		}
		return f
	}
	for _, b := range books() {
		err := happen(ctx, tx, library.Load{Book: b.ID, Now: now}, func(c library.Circulation, now time.Time) (library.Decision, error) {
			return c.EditCopy(c.Copies[0].ID, label(library.CopyFields{}, "Shelf 1"), nil, now)
		})
		if err != nil {
			return err
		}
	}
	for _, b := range moreBooks() {
		for _, f := range copiesOf[b.ID] {
			added := library.Copy{ID: library.NewID(), BookID: b.ID, CopyFields: label(f, "Shelf 2"), Created: begin, Version: library.NewVersion()}
			err := happen(ctx, tx, library.Load{Book: b.ID, Now: begin}, func(c library.Circulation, now time.Time) (library.Decision, error) { return c.AddCopy(added, now) })
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// happen asks a rule as of a time, and saves its decision.
func happen(ctx context.Context, tx library.Tx, l library.Load, what rule) error {
	_, c, err := tx.Load(ctx, l)
	if err != nil {
		return err
	}
	if c == nil {
		return library.ErrBookNotFound
	}
	d, err := what(*c, l.Now)
	if err != nil {
		return err
	}
	return tx.Save(ctx, d)
}
