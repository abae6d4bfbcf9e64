package records

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/fulltext"
	"example.org/library/terminal"
)

// fewRecords is how many loans or holds are read to look for one among them. Only
// staff have more to look through; for them the search begins with the book.
const fewRecords = 200

// BookRecords are the loans or the holds to search for one of them. Each record is about a book.
type BookRecords[T any] struct {
	Client  *client.Client
	Noun    string
	Missing string // code of the refusal: there is no such record
	ID      func(T) string
	Title   func(T) string
	Get     func(ctx context.Context, id string) (T, error)
	First   func(ctx context.Context, bookID string, limit int) (client.Page[T], error) // "" for any book
	All     func(ctx context.Context, bookID string) iter.Seq2[T, error]
	Offer   func(choices []T) error
}

// Finder returns a finder for one of the records, by its identifier or its book.
func (r BookRecords[T]) Finder() *Finder[T] {
	return &Finder[T]{
		Noun: r.Noun, Hint: "'library " + r.Noun + "s list' shows those that there are.", Sure: "the identifier",
		Precision: Called,

		ID: r.ID, Names: func(item T) []string { return []string{r.Title(item)} },
		Get: r.byIdentifier, Number: r.byISBN, Search: r.byTitle, Offer: r.Offer,
		Near: func(ctx context.Context, _ string) iter.Seq2[T, error] { return r.All(ctx, "") },
	}
}

// byIdentifier finds a record by its identifier, or by the identifier of a book
// with only one record.
func (r BookRecords[T]) byIdentifier(ctx context.Context, id string) (T, error) {
	found, err := r.Get(ctx, id)
	if !command.HasCode(err, r.Missing) {
		return found, err
	}
	page, failed := r.First(ctx, id, 2)
	if failed != nil || len(page.Items) != 1 {
		return found, err
	}
	return page.Items[0], nil
}

func (r BookRecords[T]) ofBooks(ctx context.Context, books []api.Book) iter.Seq2[T, error] {
	return OfBooks(books, func(b api.Book) iter.Seq2[T, error] { return r.All(ctx, b.Identifier) })
}

// OfBooks reads the records of a few books.
func OfBooks[T any](books []api.Book, read func(api.Book) iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, b := range books {
			for item, err := range read(b) {
				if !yield(item, err) || err != nil {
					return
				}
			}
		}
	}
}

func (r BookRecords[T]) byISBN(ctx context.Context, name string) ([]T, error) {
	isbn, is := AsISBN(name)
	if !is {
		return nil, nil
	}
	page, err := r.Client.Books(ctx, client.BookQuery{ISBN: isbn, Limit: MaxChoices})
	if err != nil {
		return nil, err
	}
	return command.Collect(r.ofBooks(ctx, page.Items))
}

// byTitle looks for records by the title of their book: among all of them if
// they are few, and else among the records of the matching books.
func (r BookRecords[T]) byTitle(ctx context.Context, words string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		page, err := r.First(ctx, "", fewRecords)
		if err != nil {
			yield(none, err)
			return
		}
		if page.Next == "" {
			terms := library.ParseTerms(words)
			for _, item := range page.Items {
				if Fits(terms, fulltext.Index(r.Title(item))) && !yield(item, nil) {
					return
				}
			}
			return
		}
		books, err := r.Client.Books(ctx, client.BookQuery{Words: words, Limit: MaxChoices})
		if err != nil {
			yield(none, err)
			return
		}
		r.ofBooks(ctx, books.Items)(yield)
	}
}

// LendingRow is a loan or a hold in a table.
type LendingRow struct {
	ID    string
	Title string
	User  *api.Person
	Last  terminal.Cell // when it is due, or how far it has come
}

// Loans and holds are named by their books as well, so their identifiers give way
// where the screen is narrower than this.
const roomForIdentifier = 60

// PrintLending shows loans or holds at a terminal. The readers are left out if
// all of the records are the viewer's own.
func PrintLending(ctx context.Context, t *terminal.Terminal, c *client.Client, last string, rows []LendingRow) error {
	who := Viewer(ctx, c)
	people := slices.ContainsFunc(rows, func(r LendingRow) bool { return r.User != nil && r.User.Identifier != who() })
	return PrintLendingOf(t, people, last, rows)
}

// PrintLendingOf shows loans or holds, and their readers if people is set.
func PrintLendingOf(t *terminal.Terminal, people bool, last string, rows []LendingRow) error {
	columns := []terminal.Column{{Title: "id", Style: terminal.Dim}, {Title: "title", Give: 2, Style: terminal.Bold}}
	if people {
		columns = append(columns, terminal.Column{Title: "reader", Give: 3})
	}
	columns = append(columns, terminal.Column{Title: last, Give: 1})
	from := 0
	if t.Width() < roomForIdentifier {
		from = 1
	}
	table := t.NewTable(columns[from:]...)
	for i, id := range command.IDs(t, rows, func(r LendingRow) string { return r.ID }) {
		cells := []terminal.Cell{{Text: id}, {Text: rows[i].Title}}
		if people {
			cells = append(cells, terminal.Cell{Text: NameOf(rows[i].User)})
		}
		table.Cells(append(cells, rows[i].Last)[from:]...)
	}
	return table.Flush()
}

// Show shows loans or holds: as a table at a terminal, as lines in a pipe.
func Show[T any](ctx context.Context, t *terminal.Terminal, c *client.Client, records iter.Seq2[T, error],
	cells func(context.Context, *Calendar, T) []string,
	table func(context.Context, *terminal.Terminal, *client.Client, *Calendar, []T) error) error {
	k := NewCalendar(c)
	if !t.Interactive() {
		return command.Lines(t, records, func(record T) []string { return cells(ctx, k, record) })
	}
	all, err := command.Collect(records)
	if err != nil {
		return err
	}
	return table(ctx, t, c, k, all)
}

// Viewer returns a function for the identifier of the caller, "" if the service does
// not say. The service is asked once, when it matters.
func Viewer(ctx context.Context, c *client.Client) func() string {
	return sync.OnceValue(func() string {
		me, _ := c.Me(ctx)
		return me.Identifier
	})
}

// CompareGroups puts class 9 before class 10, and no group at the end. Case does not matter.
func CompareGroups(a, b string) int {
	if a == "" || b == "" {
		return cmp.Compare(b, a)
	}
	a, b = library.GroupKey(a), library.GroupKey(b)
	return cmp.Or(cmp.Compare(leadingNumber(a), leadingNumber(b)), cmp.Compare(a, b))
}

// leadingNumber returns the number at the start of a text, or more than any if there is none.
func leadingNumber(s string) uint64 {
	digits := s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil {
		return 1 << 32
	}
	return n
}
