// Package sample has books and people for a new library, as something to look at. [Basic] has the
// records in the documentation's examples; [Lending] adds a second shelf of lent and reserved books.
package sample

import (
	"context"
	"slices"
	"time"

	"example.org/library"
	"example.org/library/service"
)

// Basic is ten books and five users. Lending has more: copies with barcodes, readers with cards, loans
// and holds, and books with subjects, series and covers.
var (
	Basic   service.Samples = shelf{}
	Lending service.Samples = shelf{second: true}
)

// shelf is the first shelf of samples, or both.
type shelf struct{ second bool }

// The samples have fixed identifiers, so that examples in the documentation
// work and two processes cannot add them twice.
const (
	idWayne  = "c47641ee-e63c-4c13-8cd2-1c2490aee0b3"
	idBanner = "69c10574-9064-42e4-85bd-5c9b8b1d9ee4"
	idParker = "40c5ad0d-41f7-494b-8157-33fad16012aa"
	idKent   = "0d2c04f1-e25f-41b5-b4cd-3566a081200f"

	idCleanCode      = "f9bf70d6-e56d-4cab-be6b-294cd05f599f"
	idDesignPatterns = "3038627d-627e-448d-8422-0a5705c9e8f1"
	idGo             = "081314cb-4abf-43e5-9b38-7d7261edb10d"
	idC              = "79d2bd9e-6a4a-47b5-bc5e-2f1e2e1f1b3c"
	idManMonth       = "4f1b6a52-9c0e-4d6e-8d53-7a4c2f0a9b11"
	idOAuth          = "b3a1d8c7-52e4-4f7a-9f0d-6c8e1a2b3d45"
	idDataIntensive  = "e7c2f4a9-1b3d-4e5f-8a6b-9c0d1e2f3a4b"
	idHomoFaber      = "2a9d7b10-3f5c-4c8e-b1a7-5d4e6f708192"
	idEtranger       = "6c5e4d3b-2a19-4087-b6f5-e4d3c2b1a098"
	idPride          = "91f0e2d3-c4b5-4a69-8877-665544332211"
)

// Add adds the samples to an empty library.
func (s shelf) Add(ctx context.Context, tx library.Tx, now time.Time) error {
	for _, u := range users() {
		u.Locale, u.Created, u.Version = library.Locales[0], now, library.NewVersion()
		if s.second {
			u.Card = card[u.ID]
		}
		if err := tx.AddUser(ctx, u); err != nil {
			return err
		}
	}
	for i, b := range books() {
		// Apart by a little, so that "newest first" has an order to show.
		b.Created, b.Version = now.Add(time.Duration(i)*time.Millisecond), library.NewVersion()
		b.Stock = library.Stock{Copies: 1, Available: 1}
		add := tx.AddBook
		if s.second {
			add = func(ctx context.Context, b library.Book) error { return addDescribed(ctx, tx, b) }
		}
		if err := add(ctx, b); err != nil {
			return err
		}
	}
	if s.second {
		return addSecondShelf(ctx, tx, now)
	}
	return nil
}

// HasUser reports whether a user of the first shelf has the e-mail address.
func (shelf) HasUser(email string) bool {
	return slices.ContainsFunc(users(), func(u library.User) bool {
		return library.EmailKey(u.Email) == library.EmailKey(email)
	})
}

func users() []library.User {
	user := func(id, email, first, last string, role library.Role) library.User {
		return library.User{ID: id, UserFields: library.UserFields{Email: email, FirstName: first, LastName: last, Roles: []library.Role{role}}}
	}
	return []library.User{
		user(idWayne, "bruce.wayne@example.com", "Bruce", "Wayne", library.RoleUser),
		user(idBanner, "bruce.banner@example.com", "Bruce", "Banner", library.RoleUser),
		user(idParker, "peter.parker@example.com", "Peter", "Parker", library.RoleCurator),
		user(idKent, "clark.kent@example.com", "Clark", "Kent", library.RoleAdmin),
		user("3d64c450-a16f-4c9a-9d73-2a1bd2ba8d4e", "service-account-library-client@placeholder.org", "Library", "Client", library.RoleCurator),
	}
}

func books() []library.Book {
	book := func(id, isbn, title, description string, authors ...string) library.Book {
		return library.Book{ID: id, BookFields: library.BookFields{ISBN: isbn, Title: title, Description: description, Authors: authors}.Complete()}
	}
	return []library.Book{
		book(idCleanCode, "978-0-13-235088-4", "Clean Code",
			"A handbook of agile software craftsmanship: names, functions, comments, tests, and the courage to tidy up.",
			"Robert C. Martin"),
		book(idDesignPatterns, "978-0-201-63361-0", "Design Patterns",
			"Elements of reusable object-oriented software, in twenty-three patterns that gave the field its vocabulary.",
			"Erich Gamma", "Richard Helm", "Ralph Johnson", "John Vlissides"),
		book(idGo, "978-0-13-419044-0", "The Go Programming Language",
			"The language from its first program to concurrency and testing, by people who were there.",
			"Alan A. A. Donovan", "Brian W. Kernighan"),
		book(idC, "978-0-13-110362-7", "The C Programming Language",
			"Small, exact and still the model of what a book about a language can be.",
			"Brian W. Kernighan", "Dennis M. Ritchie"),
		book(idManMonth, "978-0-201-83595-3", "The Mythical Man-Month",
			"Essays on software engineering. Adding people to a late project makes it later.",
			"Frederick P. Brooks"),
		book(idOAuth, "978-1-61729-327-6", "OAuth 2 in Action",
			"Clients, protected resources and authorization servers, built step by step, and then attacked.",
			"Justin Richer", "Antonio Sanso"),
		book(idDataIntensive, "978-1-4493-7332-0", "Designing Data-Intensive Applications",
			"The big ideas behind reliable, scalable and maintainable systems.",
			"Martin Kleppmann"),
		book(idHomoFaber, "978-3-518-36854-1", "Homo faber",
			"Ein Bericht. Ein Ingenieur, der nicht an Fügung glaubt, reist ihr entgegen.",
			"Max Frisch"),
		book(idEtranger, "978-2-07-036002-4", "L'Étranger",
			"Aujourd'hui, maman est morte.",
			"Albert Camus"),
		book(idPride, "978-0-14-143951-8", "Pride and Prejudice",
			"It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in want of a wife.",
			"Jane Austen"),
	}
}
