// Package booksearch finds books in the tables of package sqlstore: lists and their counts, order by
// relevance, facets, suggestions, and the vocabulary for corrections.
//
// There are two ways to a page of a list, and the number of matches decides between them.
//
// Up to 2,000 matches are found and sorted: the full-text index of the database (FTS5 in SQLite, GIN
// in PostgreSQL; both intersect several words themselves) gives the matches, each is looked up, and
// the class of relevance is a CASE in the ORDER BY.
//
// With more matches the page walks along the index of its order and compares each book with the words, until the page
// is full. Where a fifth of all books match that is after a hundred books. By relevance, titles equal to the question
// or beginning with it come first, from an index of titles; the rest is one class in the order of titles. A walk ends
// after 4,000 books: the matches may all be far away, as titles with the same first word are. Then all matches are
// sorted after all. That is the slow case, 3 to 10 µs for each match.
//
// Counts have an end as well: matches of words after 10,000, facets after 2,000 books spread evenly over all matches,
// suggestions after 500 books and 500 titles ([Limits]). More would not help a person enough to be worth the time.
//
// Start reading at [Catalogue]. Lists of books are in list.go, the conditions in them in selection.go, classes of
// relevance in relevance.go, counts in count.go. The words of all books are in vocabulary.go.
//
// It reads the tables of package sqlstore, and writes only the vocabulary. It does not know the
// columns of a book ([Records]), nor the publishing of changes.
package booksearch

import (
	"context"

	"example.org/library"
	"example.org/library/internal/revcache"
	"example.org/library/search"
	"example.org/library/sqlstore/engine"
)

// Catalogue searches for books. It is a part of the store of package sqlstore.
type Catalogue struct {
	db      engine.Engine
	dialect *engine.Dialect // of db
	books   Records
	counts  *Counts
	whole   revcache.Cache[struct{}, *search.FacetTally] // of all books

	// Limits may be lowered before the first search.
	Limits Limits
}

var _ search.Store = (*Catalogue)(nil)

// Limits bound the work of a search, regardless of the number of matches.
type Limits struct {
	Sorted    int // matches to find and sort; with more, a list walks along an index first
	Walked    int // books on a walk before all matches are sorted after all
	Counted   int // matches of words to count; one more stands for any larger number
	Faceted   int // matches to count facets of; of more, a sample of this size
	Suggested int // books, and titles, to look at for suggestions
}

// UsualLimits are the limits outside of tests.
var UsualLimits = Limits{Sorted: library.MaxRanked, Walked: 4000, Counted: library.MaxCounted, Faceted: search.MaxFacetBooks, Suggested: 500}

// Records reads whole books from their rows.
type Records struct {
	Columns string // of a book b and its stock s
	// The same with only the fields of an order.
	BriefByCreation, BriefByTitle, BriefByYear string
	// Scan reads the columns of a row, then the statement's other columns.
	Scan func(record engine.Row, more ...any) (library.Book, error)
	// View adds the loans and holds visible to the viewer.
	View func(ctx context.Context, viewer string, books []library.Book) error
}

// brief returns the columns of an order.
func (r *Records) brief(o library.Order) string {
	switch o {
	case library.ByCreated, library.ByCreatedNewest:
		return r.BriefByCreation
	case library.ByPublished, library.ByPublishedNewest:
		return r.BriefByYear
	default:
		return r.BriefByTitle
	}
}

// New returns the catalogue of a database. It shares the cache of counts with other lists.
func New(db engine.Engine, counts *Counts, books Records) *Catalogue {
	return &Catalogue{db: db, dialect: db.Dialect(), counts: counts, books: books, Limits: UsualLimits}
}
