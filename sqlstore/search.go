package sqlstore

import (
	"strconv"
	"strings"

	"example.org/library"
)

// arguments collects the values of a statement while its text is written.
type arguments []any

// add appends a value and returns its place in the text.
func (a *arguments) add(value any) string {
	*a = append(*a, value)
	return "$" + strconv.Itoa(len(*a))
}

// A question for a search index is made of words, which are letters and digits
// alone, so that nothing in it can be taken for the index's own syntax.

func findBooksSQLite(a *arguments, q bookQuery) string {
	var parts []string
	if len(q.Terms) > 0 {
		// The words of the authors are among the search words, so there is no
		// need to name the column.
		parts = append(parts, questionSQLite(q.Terms))
	}
	if len(q.Authors) > 0 {
		parts = append(parts, "author_words : ("+questionSQLite(q.Authors)+")")
	}
	found := `books_search MATCH ` + a.add(strings.Join(parts, " AND "))
	if len(q.common) == 0 {
		return `SELECT rowid AS seq FROM books_search WHERE ` + found
	}
	return `SELECT b.seq FROM books_search s CROSS JOIN books b WHERE s.` + found + ` AND b.seq = s.rowid AND ` +
		strings.Join(spelledOut(a, "b.search_words", q.common), " AND ")
}

func findUsersSQLite(a *arguments, terms []library.Term) string {
	return `SELECT rowid AS seq FROM users_search WHERE users_search MATCH ` + a.add(questionSQLite(terms))
}

// questionSQLite is a question in the language of FTS5.
func questionSQLite(terms []library.Term) string {
	return question(terms, func(word string) string { return `"` + word + `"*` }, " AND ", " OR ")
}

func findBooksPostgres(a *arguments, q bookQuery) string {
	conditions := asksBookPostgres(a, q.Terms, q.Authors)
	conditions = append(conditions, spelledOut(a, "b.search_words", q.common)...)
	return `SELECT b.seq FROM books b WHERE ` + strings.Join(conditions, " AND ")
}

func findUsersPostgres(a *arguments, terms []library.Term) string {
	return `SELECT seq FROM users WHERE search @@ ` + a.add(questionPostgres(terms)) + `::tsquery`
}

// questionPostgres is a question in the language of tsquery.
func questionPostgres(terms []library.Term) string {
	return question(terms, func(word string) string { return `'` + word + `':*` }, " & ", " | ")
}

func question(terms []library.Term, prefix func(string) string, and, or string) string {
	pieces := make([]string, len(terms))
	for i, t := range terms {
		words := make([]string, len(t.Words))
		for j, w := range t.Words {
			words[j] = prefix(w)
		}
		pieces[i] = strings.Join(words, and)
		if t.Number != "" {
			pieces[i] = "((" + pieces[i] + ")" + or + prefix(t.Number) + ")"
		}
	}
	return strings.Join(pieces, and)
}

// asksBookSQLite looks for the words in the columns themselves: FTS5 would
// collect all matches again for each book.
func asksBookSQLite(a *arguments, terms, authors []library.Term) []string {
	return append(spelledOut(a, "b.search_words", terms), spelledOut(a, "b.author_words", authors)...)
}

func spelledOut(a *arguments, column string, terms []library.Term) []string {
	begins := func(word string) string { return `' ' || ` + column + ` LIKE ` + a.add("% "+word+"%") }
	var conditions []string
	for _, t := range terms {
		words := make([]string, len(t.Words))
		for i, w := range t.Words {
			words[i] = begins(w)
		}
		condition := strings.Join(words, " AND ")
		if t.Number != "" {
			condition = "(" + condition + " OR " + begins(t.Number) + ")"
		}
		conditions = append(conditions, condition)
	}
	return conditions
}

// asksBookPostgres is what PostgreSQL can estimate best.
func asksBookPostgres(a *arguments, terms, authors []library.Term) []string {
	var conditions []string
	if len(terms) > 0 {
		conditions = append(conditions, `b.search @@ `+a.add(questionPostgres(terms))+`::tsquery`)
	}
	if len(authors) > 0 {
		conditions = append(conditions, `b.author_search @@ `+a.add(questionPostgres(authors))+`::tsquery`)
	}
	return conditions
}
