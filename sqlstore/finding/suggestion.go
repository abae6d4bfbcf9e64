package finding

import (
	"context"
	"slices"

	"example.org/library"
	"example.org/library/finding"
	"example.org/library/internal/fulltext"
	"example.org/library/sqlstore/engine"
)

const (
	// maxSuggesting is how many books are looked at for suggestions. Only of what was typed
	// that more books have, and that hardly a title begins with, are the counts those of
	// some books.
	maxSuggesting = 10_000
	// spareTitles is how many titles more are compared, in case that books were deleted
	// since they were counted.
	spareTitles = 8
)

// Suggestions are the best values that fit what was typed.
//
// Everything that fits is in a book that a search for the words finds, so these books say how
// many have it. Common words are in too many. But then enough titles begin with them, and
// those come first: they follow each other in the index, and which of them several books
// have is known (repeated_titles).
func (c *Catalogue) Suggestions(ctx context.Context, typed finding.Typed) ([]finding.Suggestion, error) {
	return c.suggest(ctx, typed, maxSuggesting)
}

// suggest looks at no more than most books.
func (c *Catalogue) suggest(ctx context.Context, typed finding.Typed, most int) ([]finding.Suggestion, error) {
	if len(typed.Terms()) == 0 {
		return []finding.Suggestion{}, nil
	}
	titles, err := c.titlesThatBegin(ctx, typed)
	if len(titles) == finding.MaxSuggestions || err != nil {
		return titles, err
	}
	q := c.plan(ctx, library.BookQuery{Terms: typed.Terms()})
	var a engine.Arguments
	text := `WITH found AS MATERIALIZED (` + c.dialect.FindBooks(&a, q.words()) + ` LIMIT ` + a.Add(most) + `)
		SELECT b.id, b.title, b.series, b.authors, b.subjects FROM found f` + c.dialect.Each(`books`, `b`, `b.seq = f.seq`)
	var tally *finding.SuggestionTally
	books := 0
	err = c.db.Read(ctx, engine.Reading{Doing: "find suggestions", Text: text, Args: c.dialect.PlannedFor(a), Scan: func(rows engine.Records) error {
		tally, books = finding.NewSuggestionTally(typed), 0 // the statement may be run again
		for ; rows.Next(); books++ {
			id, fields, err := scanSuggesting(rows)
			if err != nil {
				return err
			}
			tally.AddBook(id, fields)
		}
		return rows.Err()
	}})
	if err != nil {
		return nil, err
	}
	if books < most {
		return tally.Best(), nil
	}
	return inFront(titles, tally.Best()), nil
}

// inFront puts the titles that begin with what was typed, all of which are known, before what
// was found in some of the books.
func inFront(titles, others []finding.Suggestion) []finding.Suggestion {
	all := slices.Clip(titles)
	for _, s := range others {
		if !slices.ContainsFunc(titles, func(t finding.Suggestion) bool {
			return t.Kind == s.Kind && library.SubjectKey(t.Value) == library.SubjectKey(s.Value)
		}) {
			all = append(all, s)
		}
	}
	return all[:min(len(all), finding.MaxSuggestions)]
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

// titlesThatBegin are the best of the titles that begin with what was typed, if it is known which
// titles are repeated. What was edited since is looked at as well.
func (c *Catalogue) titlesThatBegin(ctx context.Context, typed finding.Typed) ([]finding.Suggestion, error) {
	var a engine.Arguments
	begin := fulltext.Cut(typed.Beginning(), library.MaxTitle)
	from, beyond := a.Add(begin), a.Add(begin+endOfTitles)
	isAmong := func(column string) string { return column + ` >= ` + from + ` AND ` + column + ` < ` + beyond }
	keys := `SELECT title_key FROM (SELECT title_key FROM repeated_titles WHERE made = (SELECT made FROM title_ranges) AND ` + isAmong(`title_key`) + `
			ORDER BY books DESC, title_key LIMIT ` + a.Add(finding.MaxSuggestions+spareTitles) + `) AS repeated
		UNION SELECT title_key FROM (SELECT DISTINCT title_key FROM books WHERE ` + isAmong(`title_key`) + `
			ORDER BY title_key LIMIT ` + a.Add(finding.MaxSuggestions) + `) AS alphabetical
		UNION SELECT b.title_key FROM (SELECT book FROM edited_titles LIMIT ` + a.Add(maxEditedTitles) + `) AS e` +
		c.dialect.Each(`books`, `b`, `b.seq = e.book`) + ` WHERE ` + isAmong(`b.title_key`)
	text := `WITH keys AS MATERIALIZED (` + keys + `)
		SELECT b.title_key, b.title, count(*), min(b.id) FROM keys k` + c.dialect.Each(`books`, `b`, `b.title_key = k.title_key`) + `
		WHERE EXISTS (SELECT 1 FROM repeated_titles WHERE made = (SELECT made FROM title_ranges)) GROUP BY b.title_key, b.title`
	var tally *finding.SuggestionTally
	err := c.db.Read(ctx, engine.Reading{Doing: "find titles that begin", Text: text, Args: c.dialect.PlannedFor(a), Scan: func(rows engine.Records) error {
		tally = finding.NewSuggestionTally(typed)
		for rows.Next() {
			var key, title, first string
			var books int
			if err := rows.Scan(&key, &title, &books, &first); err != nil {
				return err
			}
			tally.AddTitles(key, title, first, books)
		}
		return rows.Err()
	}})
	if err != nil {
		return nil, err
	}
	return tally.Best(), nil
}
