package storetest

import (
	"strings"

	"example.org/library"
)

// importRules is what becomes of the rows of an import. Each is played as a dry
// run, for real, and for real once more.
func importRules() []importRule {
	type fields = library.BookFields
	list := func(books ...fields) []fields { return books }
	rows := func(rows ...library.ImportRow) []library.ImportRow { return rows }
	const isbn13, spelled, isbn10 = "9780132350884", "978-0-13-235088-4", "0-13-235088-2"
	austen := []string{"Jane Austen"}
	emma := fields{Title: "Emma", ISBN: isbn13, Description: "A novel", Authors: austen}
	draft := fields{Title: "Émma", Authors: austen}

	return []importRule{
		// New books.
		{name: "a book that is not there is added", rows: rows(row(emma)), want: []string{"added new"}, left: list(emma)},
		{name: "with its identifier, if it has one", rows: rows(rowOf(freeID, emma)), want: []string{"added free"}, left: list(emma)},
		{name: "books keep the order of their rows",
			rows: rows(row(fields{Title: "c"}), row(fields{Title: "a"}), row(fields{Title: "b"})),
			want: []string{"added new", "added new", "added new"}, left: list(fields{Title: "c"}, fields{Title: "a"}, fields{Title: "b"})},
		{name: "white space at both ends is cut", rows: rows(row(fields{Title: " Emma\t", ISBN: " ", Authors: []string{" Jane Austen"}})),
			want: []string{"added new"}, left: list(fields{Title: "Emma", Authors: austen})},

		// Which book a row is about.
		{name: "an identifier decides alone", given: list(emma, fields{Title: "Persuasion"}), update: true,
			rows: rows(rowOf(secondID, fields{Title: "Emma", ISBN: isbn10})), want: []string{"updated second"},
			left: list(emma, fields{Title: "Emma", ISBN: isbn10})},
		{name: "a second copy needs an identifier of its own", given: list(emma),
			rows: rows(rowOf(freeID, emma)), want: []string{"added free"}, left: list(emma, emma)},
		{name: "an ISBN-10 is the ISBN-13", given: list(emma), rows: rows(row(fields{Title: "Emma", ISBN: isbn10})),
			want: []string{"unchanged first"}, left: list(emma)},
		{name: "hyphens do not matter", given: list(emma), rows: rows(row(fields{Title: "Emma", ISBN: spelled})),
			want: []string{"unchanged first"}, left: list(emma)},
		{name: "another ISBN is another book", given: list(emma), rows: rows(row(fields{Title: "Emma", ISBN: "1", Authors: austen})),
			want: []string{"added new"}, left: list(emma, fields{Title: "Emma", ISBN: "1", Authors: austen})},
		{name: "without an ISBN title and authors decide", given: list(emma), rows: rows(row(fields{Title: "Emma", Authors: austen})),
			want: []string{"unchanged first"}, left: list(emma)},
		{name: "an ISBN of nothing but hyphens is none to find a book by", given: list(draft), update: true,
			rows: rows(row(fields{Title: "Émma", ISBN: "-", Authors: austen})), want: []string{"updated first"},
			left: list(fields{Title: "Émma", ISBN: "-", Authors: austen})},
		{name: "case and accents do not matter to find a book", given: list(draft), rows: rows(row(fields{Title: "EMMA", Authors: []string{"jane austen"}})),
			want: []string{"differs first book_differs title authors"}, left: list(draft)},
		{name: "other authors make another book", given: list(draft), rows: rows(row(fields{Title: "Émma"})),
			want: []string{"added new"}, left: list(draft, fields{Title: "Émma"})},
		{name: "two authors are not one author with two names", given: list(fields{Title: "T", Authors: []string{"A", "B"}}),
			rows: rows(row(fields{Title: "T", Authors: []string{"A B"}})), want: []string{"added new"},
			left: list(fields{Title: "T", Authors: []string{"A", "B"}}, fields{Title: "T", Authors: []string{"A B"}})},
		{name: "long titles that begin alike are two", given: list(fields{Title: strings.Repeat("ß", 254) + "a"}),
			rows: rows(row(fields{Title: strings.Repeat("ß", 254) + "b"})), want: []string{"added new"},
			left: list(fields{Title: strings.Repeat("ß", 254) + "a"}, fields{Title: strings.Repeat("ß", 254) + "b"})},

		// What is different.
		{name: "a difference is reported and nothing is changed", given: list(emma), rows: rows(row(fields{Title: "Emma!", ISBN: isbn13, Description: "Mine"})),
			want: []string{"differs first book_differs title description"}, left: list(emma)},
		{name: "or replaced", given: list(emma), update: true, rows: rows(row(fields{Title: "Emma!", ISBN: isbn13, Description: "Mine"})),
			want: []string{"updated first"}, left: list(fields{Title: "Emma!", ISBN: isbn13, Description: "Mine", Authors: austen})},
		{name: "what is absent is no difference", given: list(emma), update: true, rows: rows(rowOf(firstID, fields{Title: "Emma"})),
			want: []string{"unchanged first"}, left: list(emma)},
		{name: "and clears nothing", given: list(emma), update: true, rows: rows(rowOf(firstID, fields{Title: "Emma", Description: "New", Authors: []string{}})),
			want: []string{"updated first"}, left: list(fields{Title: "Emma", ISBN: isbn13, Description: "New", Authors: austen})},
		{name: "what the library does not say yet is a difference", given: list(draft), rows: rows(row(fields{Title: "Émma", Authors: austen, Description: "New"})),
			want: []string{"differs first book_differs description"}, left: list(draft)},
		{name: "the spelling of an ISBN stays", given: list(emma), update: true, rows: rows(row(fields{Title: "Emma!", ISBN: isbn10})),
			want: []string{"updated first"}, left: list(fields{Title: "Emma!", ISBN: isbn13, Description: "A novel", Authors: austen})},

		// Several candidates.
		{name: "of several books the equal one is meant", given: list(emma, fields{Title: "Emma", ISBN: isbn10}), update: true,
			rows: rows(row(fields{Title: "Emma", ISBN: spelled, Authors: austen}), row(fields{Title: "Emma", ISBN: isbn10})),
			want: []string{"unchanged first", "unchanged first"}, left: list(emma, fields{Title: "Emma", ISBN: isbn10})},
		{name: "of several others none is meant", given: list(emma, fields{Title: "Emma", ISBN: isbn10}),
			rows: rows(row(fields{Title: "Emma", ISBN: isbn13, Description: "Mine"})),
			want: []string{"differs book_differs identifier identifier"}, left: list(emma, fields{Title: "Emma", ISBN: isbn10})},
		{name: "nor is one of them updated", given: list(emma, fields{Title: "Emma", ISBN: isbn10}), update: true,
			rows: rows(row(fields{Title: "Emma", ISBN: isbn13, Description: "Mine"})),
			want: []string{"invalid ambiguous_book identifier identifier"}, left: list(emma, fields{Title: "Emma", ISBN: isbn10})},

		// Rows that are no books.
		{name: "a bad row is reported in its place and the others are kept",
			rows: rows(row(fields{}), row(emma), row(fields{Title: "T", ISBN: strings.Repeat("1", 21), Authors: []string{"A", ""}})),
			want: []string{"invalid invalid title", "added new", "invalid invalid isbn authors[1]"}, left: list(emma)},
		{name: "a row that its reader found fault with is looked at no further", given: list(emma), update: true,
			rows: rows(library.ImportRow{ID: firstID, BookFields: fields{Title: "X"}, Fault: library.InvalidFields(library.Detail{Field: "isbn"})}),
			want: []string{"invalid invalid isbn"}, left: list(emma)},

		// Rows see the rows before them.
		{name: "a row that repeats another is unchanged", rows: rows(row(emma), row(fields{Title: "Emma", ISBN: spelled}), row(fields{Title: "emma", Authors: austen}), row(emma)),
			want: []string{"added new", "unchanged new", "differs new book_differs title", "unchanged new"}, left: list(emma)},
		{name: "a row can complete another", update: true, rows: rows(row(draft), row(fields{Title: "Émma", Authors: austen, Description: "New"})),
			want: []string{"added new", "updated new"}, left: list(fields{Title: "Émma", Authors: austen, Description: "New"})},
		{name: "an identifier that is given twice is one book", update: true, contrary: true,
			rows: rows(rowOf(freeID, fields{Title: "A"}), rowOf(freeID, fields{Title: "B"})),
			want: []string{"added free", "updated free"}, left: list(fields{Title: "B"})},
		{name: "an updated book is found by what it says now", given: list(emma), update: true,
			rows: rows(rowOf(firstID, fields{Title: "Sanditon", ISBN: "77"}), row(fields{Title: "Sanditon", ISBN: "7-7"}), row(fields{Title: "sanditon", Authors: austen})),
			want: []string{"updated first", "unchanged first", "updated first"}, contrary: true,
			left: list(fields{Title: "sanditon", ISBN: "77", Description: "A novel", Authors: austen})},
		{name: "and no longer by what it said", given: list(emma), update: true,
			rows: rows(rowOf(firstID, fields{Title: "Sanditon", ISBN: "77"}), row(emma)),
			want: []string{"updated first", "added new"},
			left: list(fields{Title: "Sanditon", ISBN: "77", Description: "A novel", Authors: austen}, emma)},
		{name: "a row without an ISBN finds the book of one with", rows: rows(row(fields{Title: "A"}), row(fields{Title: "A", ISBN: "5"}), row(fields{Title: "A"})),
			want: []string{"added new", "added new", "unchanged new"}, left: list(fields{Title: "A"}, fields{Title: "A", ISBN: "5"})},
	}
}
