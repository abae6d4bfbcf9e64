package storetest

import (
	"cmp"
	"slices"
	"strings"

	"example.org/library"
	"example.org/library/internal/fulltext"
	"example.org/library/internal/isbn"
)

// find computes the answer of a store by looking at every book.
func find(books []library.Book, q library.BookQuery) []library.Book {
	var found []library.Book
	for _, b := range books {
		if matches(b, q) {
			if q.Order == library.ByRelevance {
				if b.Class = classOf(b, q); q.Coarse && b.Class > library.TitleBegins {
					b.Class = library.Unranked
				}
			}
			found = append(found, b)
		}
	}
	slices.SortFunc(found, func(a, b library.Book) int { return compareBooks(a, b, q.Order) })
	return found
}

func matches(b library.Book, q library.BookQuery) bool {
	switch {
	case q.ISBN != "" && isbn.Key(b.ISBN) != q.ISBN,
		!strings.HasPrefix(b.ID, q.IDStart),
		q.Borrowed != nil && *q.Borrowed != b.Stock.Borrowed,
		q.Available != nil && *q.Available != (b.Stock.Available > 0),
		q.Language != "" && b.Language != q.Language,
		q.Kind != "" && b.Kind != q.Kind,
		q.Series != "" && fulltext.Fold(b.Series) != q.Series,
		q.From > 0 && b.Published < q.From,
		q.To > 0 && (b.Published > q.To || b.Published == 0),
		slices.ContainsFunc(q.Subjects, func(key string) bool {
			return !slices.ContainsFunc(b.Subjects, func(subject string) bool { return fulltext.Fold(subject) == key })
		}),
		q.BorrowedBy != "" && (b.Loan == nil || b.Loan.Borrower.ID != q.BorrowedBy):
		return false
	}
	return answers(b.SearchWords, q.Terms) && answers(b.AuthorWords, q.Authors)
}

// answers reports whether words answer every term. The words of a long book take
// long to find, so they are asked for only if there is a term.
func answers(wordsOf func() []string, terms []library.Term) bool {
	if len(terms) == 0 {
		return true
	}
	words := wordsOf()
	begins := func(prefix string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, prefix) })
	}
	for _, t := range terms {
		all := !slices.ContainsFunc(t.Words, func(w string) bool { return !begins(w) })
		if !all && (t.Number == "" || !begins(t.Number)) {
			return false
		}
	}
	return true
}

func compareBooks(a, b library.Book, o library.Order) int {
	byTitle := cmp.Or(
		strings.Compare(library.TitleKey(a.Title), library.TitleKey(b.Title)),
		strings.Compare(a.Title, b.Title), strings.Compare(a.ID, b.ID))
	byCreation := cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
	switch o {
	case library.ByRelevance:
		return cmp.Or(cmp.Compare(a.Class, b.Class), byTitle)
	case library.ByTitleReverse:
		return -byTitle
	case library.ByCreated:
		return byCreation
	case library.ByCreatedNewest:
		return -byCreation
	case library.ByPublished, library.ByPublishedNewest:
		year := func(b library.Book) int { // none comes last
			if o == library.ByPublishedNewest {
				return -b.Published
			}
			return cmp.Or(b.Published, library.MaxYear+1)
		}
		return cmp.Or(cmp.Compare(year(a), year(b)), byTitle)
	default:
		return byTitle
	}
}

func compareUsers(a, b library.User) int {
	return cmp.Or(
		strings.Compare(fulltext.Fold(a.LastName), fulltext.Fold(b.LastName)),
		strings.Compare(fulltext.Fold(a.FirstName), fulltext.Fold(b.FirstName)),
		strings.Compare(a.LastName, b.LastName), strings.Compare(a.FirstName, b.FirstName),
		strings.Compare(a.ID, b.ID))
}

// cursorAt is the place of a book in an order.
func cursorAt(b library.Book, o library.Order) *library.Cursor {
	return &library.Cursor{Order: o, Title: b.Title, Created: b.Created, Published: b.Published, Class: b.Class, ID: b.ID}
}
