package booksearch

import (
	"context"
	"slices"

	"example.org/library"
	"example.org/library/internal/fulltext"
	"example.org/library/search"
	"example.org/library/sqlstore/engine"
)

// Suggestions returns the best completions of a typed text.
//
// Every completion is in a book found by a search for the words, so these books are counted. Common
// words are in too many: then it looks at the oldest of them, and at the titles beginning with the typed
// text. These rank first and are adjacent in an index.
func (c *Catalogue) Suggestions(ctx context.Context, typed search.Typed) ([]search.Suggestion, error) {
	if len(typed.Terms()) == 0 {
		return []search.Suggestion{}, nil
	}
	counting, a := countBooks(c.dialect, newQuery(library.BookQuery{Terms: typed.Terms()}), c.Limits.Sorted+1)
	matching, err := engine.ReadOne(ctx, c.db, "count books for suggestions", engine.ScanNumber, counting, c.dialect.PlannedFor(a)...)
	if err != nil || matching == 0 {
		return []search.Suggestion{}, err
	}
	text, a := suggestingText(c.dialect, typed.Terms(), c.Limits, matching > c.Limits.Sorted)
	tally, books, err := c.tallySuggestions(ctx, typed, text, a, func(rows engine.Records, tally *search.SuggestionTally) error {
		id, fields, err := scanSuggesting(rows)
		tally.AddBook(id, fields)
		return err
	})
	if err != nil || books < c.Limits.Suggested {
		return tally.Best(), err
	}
	titles, err := c.titlesThatBegin(ctx, typed)
	return inFront(titles, tally.Best()), err
}

// suggestingText reads the values of the oldest books with the words: both databases look at the same
// ones. Many matches are found by a walk in this order, a few are sorted: PostgreSQL, without the number
// of matches, would walk through all books for a rare word.
func suggestingText(d *engine.Dialect, terms []library.Term, l Limits, areMany bool) (text string, a engine.Arguments) {
	found := d.FindBooks(&a, engine.BookWords{Terms: terms})
	if !areMany {
		found = `SELECT seq FROM (` + found + ` LIMIT ` + a.Add(l.Sorted) + `) AS few`
	}
	return withFound(found+` ORDER BY seq LIMIT `+a.Add(l.Suggested)) +
		`SELECT b.id, b.title, b.series, b.authors, b.subjects FROM found f` + d.Each(`books`, `b`, `b.seq = f.seq`), a
}

// tallySuggestions counts the values in the rows of a statement, and returns the number of rows.
func (c *Catalogue) tallySuggestions(ctx context.Context, typed search.Typed, text string, a engine.Arguments,
	add func(engine.Records, *search.SuggestionTally) error) (tally *search.SuggestionTally, n int, err error) {
	err = c.db.Read(ctx, engine.Reading{Doing: "find suggestions", Text: text, Args: c.dialect.PlannedFor(a), Scan: func(rows engine.Records) error {
		tally, n = search.NewSuggestionTally(typed), 0 // the statement may be run again
		for ; rows.Next(); n++ {
			if err := add(rows, tally); err != nil {
				return err
			}
		}
		return rows.Err()
	}})
	return tally, n, err
}

// inFront puts titles beginning with the typed text before values found in some of the books.
func inFront(titles, others []search.Suggestion) []search.Suggestion {
	all := slices.Clip(titles)
	for _, s := range others {
		if !slices.ContainsFunc(titles, func(t search.Suggestion) bool {
			return t.Kind == s.Kind && library.SubjectKey(t.Value) == library.SubjectKey(s.Value)
		}) {
			all = append(all, s)
		}
	}
	return all[:min(len(all), search.MaxSuggestions)]
}

func scanSuggesting(r engine.Row) (id string, f library.BookFields, err error) {
	var authors, subjects []byte
	if err := r.Scan(&id, &f.Title, &f.Series, &authors, &subjects); err != nil {
		return "", f, err
	}
	if f.Authors, err = engine.ParseList[string](authors); err == nil {
		f.Subjects, err = engine.ParseList[string](subjects)
	}
	return id, f, err
}

// titlesThatBegin returns the best of the first titles beginning with the typed text. It reads the index alone.
func (c *Catalogue) titlesThatBegin(ctx context.Context, typed search.Typed) ([]search.Suggestion, error) {
	var a engine.Arguments
	text := titlesText(&a, typed, c.Limits.Suggested)
	tally, _, err := c.tallySuggestions(ctx, typed, text, a, func(rows engine.Records, tally *search.SuggestionTally) error {
		var key, title, id string
		err := rows.Scan(&key, &title, &id)
		tally.AddTitle(key, title, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return tally.Best(), nil
}

func titlesText(a *engine.Arguments, typed search.Typed, most int) string {
	begin := fulltext.Cut(typed.Beginning(), library.MaxTitle)
	return `SELECT b.title_key, b.title, b.id FROM books b WHERE b.title_key >= ` + a.Add(begin) + ` AND b.title_key < ` + a.Add(begin+beyond) + `
		ORDER BY b.title_key, b.title, b.id LIMIT ` + a.Add(most)
}
