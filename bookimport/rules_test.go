package bookimport

import (
	"strings"

	"example.org/library"
)

// importRules is what becomes of the rows of an import. Each is played as a dry
// run, for real, for real once more, and with each row in a batch of its own.
func importRules() []importRule {
	type fields = library.BookFields
	list := func(books ...fields) []fields { return books }
	rows := func(rows ...Row) []Row { return rows }
	const isbn13, spelled, isbn10, otherISBN = "9780132350884", "978-0-13-235088-4", "0-13-235088-2", "978-0-14-143958-7"
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
		{name: "another ISBN is another book", given: list(emma), rows: rows(row(fields{Title: "Emma", ISBN: otherISBN, Authors: austen})),
			want: []string{"added new"}, left: list(emma, fields{Title: "Emma", ISBN: otherISBN, Authors: austen})},
		{name: "without an ISBN title and authors decide", given: list(emma), rows: rows(row(fields{Title: "Emma", Authors: austen})),
			want: []string{"unchanged first"}, left: list(emma)},
		{name: "an ISBN of nothing but hyphens is none to find a book by", given: list(draft), update: true,
			rows: rows(row(fields{Title: "Émma", ISBN: "-", Authors: austen})), want: []string{"updated first"},
			left: list(fields{Title: "Émma", ISBN: "-", Authors: austen})},
		{name: "text that is no ISBN is none to find a book by", given: list(fields{Title: "Emma", ISBN: "n/a"}, fields{Title: "Kim", ISBN: "1"}), update: true,
			rows: rows(row(fields{Title: "Lolita", ISBN: "n/a"}), row(fields{Title: "Ulysses", ISBN: "1"}), row(fields{Title: "Momo", ISBN: `=""`}), row(fields{Title: "Dune", ISBN: `=""`})),
			want: []string{"added new", "added new", "added new", "added new"},
			left: list(fields{Title: "Emma", ISBN: "n/a"}, fields{Title: "Kim", ISBN: "1"}, fields{Title: "Lolita", ISBN: "n/a"},
				fields{Title: "Ulysses", ISBN: "1"}, fields{Title: "Momo", ISBN: `=""`}, fields{Title: "Dune", ISBN: `=""`})},
		{name: "nor is a number with a wrong check digit", given: list(fields{Title: "Emma", ISBN: "9780132350885"}), update: true,
			rows: rows(row(fields{Title: "Lolita", ISBN: "9780132350885"})), want: []string{"added new"},
			left: list(fields{Title: "Emma", ISBN: "9780132350885"}, fields{Title: "Lolita", ISBN: "9780132350885"})},
		{name: "nor is a digit ten times", given: list(fields{Title: "Emma", ISBN: "0000000000"}), update: true,
			rows: rows(row(fields{Title: "Lolita", ISBN: "9780000000002"})), want: []string{"added new"},
			left: list(fields{Title: "Emma", ISBN: "0000000000"}, fields{Title: "Lolita", ISBN: "9780000000002"})},
		{name: "nor is the number of something that is no book", given: list(fields{Title: "Emma", ISBN: "4006381333931"}), update: true,
			rows: rows(row(fields{Title: "Lolita", ISBN: "4006381333931"})), want: []string{"added new"},
			left: list(fields{Title: "Emma", ISBN: "4006381333931"}, fields{Title: "Lolita", ISBN: "4006381333931"})},
		{name: "with such text title and authors decide", given: list(fields{Title: "Emma", ISBN: "A-7", Authors: austen}), update: true,
			rows: rows(row(fields{Title: "Emma", ISBN: "A7", Description: "New", Authors: austen})), want: []string{"updated first"},
			left: list(fields{Title: "Emma", ISBN: "A-7", Description: "New", Authors: austen})},
		{name: "a number that contradicts is reported", given: list(emma, fields{Title: "Kim", ISBN: "A7"}),
			rows: rows(row(fields{Title: "Emma", ISBN: "9.78013E+12", Authors: austen}), row(fields{Title: "Kim", ISBN: "A8"})),
			want: []string{"differs first book_differs isbn", "differs second book_differs isbn"}, left: list(emma, fields{Title: "Kim", ISBN: "A7"})},
		{name: "and replaces no other", given: list(emma, fields{Title: "Kim", ISBN: "A7"}), update: true,
			rows: rows(row(fields{Title: "Emma", ISBN: "9.78013E+12", Authors: austen}), row(fields{Title: "Kim", ISBN: "A8"})),
			want: []string{"invalid ambiguous_book isbn", "invalid ambiguous_book isbn"}, left: list(emma, fields{Title: "Kim", ISBN: "A7"})},
		{name: "unless the row has an identifier", given: list(emma), update: true, rows: rows(rowOf(firstID, fields{Title: "Emma", ISBN: "A8"})),
			want: []string{"updated first"}, left: list(fields{Title: "Emma", ISBN: "A8", Description: "A novel", Authors: austen})},
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
		{name: "a row that its reader could not read is ignored", given: list(emma), update: true,
			rows: rows(Row{ID: firstID, BookFields: fields{Title: "X"}, Err: library.InvalidFields(library.Detail{Field: "isbn"})}),
			want: []string{"invalid invalid isbn"}, left: list(emma)},

		// Rows see the rows before them.
		{name: "a row that repeats another is unchanged", rows: rows(row(emma), row(fields{Title: "Emma", ISBN: spelled}), row(fields{Title: "emma", Authors: austen}), row(emma)),
			want: []string{"added new", "unchanged new", "differs new book_differs title", "unchanged new"}, left: list(emma)},
		{name: "a row can complete another", update: true, rows: rows(row(draft), row(fields{Title: "Émma", Authors: austen, Description: "New"})),
			want: []string{"added new", "updated new"}, left: list(fields{Title: "Émma", Authors: austen, Description: "New"})},
		{name: "an identifier that is given twice is one book", update: true,
			rows: rows(rowOf(freeID, fields{Title: "A"}), rowOf(freeID, fields{Title: "A", Description: "New"})),
			want: []string{"added free", "updated free"}, left: list(fields{Title: "A", Description: "New"})},
		{name: "an updated book is found by what it says now", given: list(emma), update: true,
			rows: rows(rowOf(firstID, fields{Title: "Sanditon", ISBN: otherISBN}), row(fields{Title: "Sanditon", ISBN: "9780141439587"}), row(fields{Title: "Sanditon", Authors: austen, Description: "New"})),
			want: []string{"updated first", "unchanged first", "updated first"},
			left: list(fields{Title: "Sanditon", ISBN: otherISBN, Description: "New", Authors: austen})},
		{name: "and no longer by what it said", given: list(emma), update: true,
			rows: rows(rowOf(firstID, fields{Title: "Sanditon", ISBN: otherISBN}), row(emma)),
			want: []string{"updated first", "added new"},
			left: list(fields{Title: "Sanditon", ISBN: otherISBN, Description: "A novel", Authors: austen}, emma)},
		{name: "a row without an ISBN finds the book of one with", rows: rows(row(fields{Title: "A"}), row(fields{Title: "A", ISBN: otherISBN}), row(fields{Title: "A"})),
			want: []string{"added new", "added new", "unchanged new"}, left: list(fields{Title: "A"}, fields{Title: "A", ISBN: otherISBN})},

		// Rows that contradict each other.
		{name: "a row does not change what one before it has added", update: true,
			rows: rows(row(emma), row(fields{Title: "Lolita", ISBN: isbn10}), row(fields{Title: "EMMA", Authors: austen}), row(fields{Title: "Emma", ISBN: isbn10, Description: "Mine"})),
			want: []string{"added new", "invalid ambiguous_book title", "invalid ambiguous_book title", "invalid ambiguous_book description"}, left: list(emma)},
		{name: "nor what one before it has updated", given: list(emma), update: true,
			rows: rows(row(fields{Title: "Émile", ISBN: isbn13}), row(fields{Title: "Emile", ISBN: isbn13})),
			want: []string{"updated first", "invalid ambiguous_book title"}, left: list(fields{Title: "Émile", ISBN: isbn13, Description: "A novel", Authors: austen})},
		{name: "nor what one before it has found", given: list(emma), update: true,
			rows: rows(row(fields{Title: "Emma", ISBN: isbn13}), row(fields{Title: "Émma", ISBN: isbn13})),
			want: []string{"unchanged first", "invalid ambiguous_book title"}, left: list(emma)},
		{name: "not even by identifier", update: true, rows: rows(rowOf(freeID, fields{Title: "A"}), rowOf(freeID, fields{Title: "B"})),
			want: []string{"added free", "invalid ambiguous_book title"}, left: list(fields{Title: "A"})},
		{name: "but what they have left open", given: list(emma), update: true,
			rows: rows(row(fields{Title: "Emma", ISBN: isbn13}), row(fields{Title: "Emma", ISBN: isbn13, Description: "Mine"}), row(fields{Title: "Emma", ISBN: isbn13, Description: "Yours"})),
			want: []string{"unchanged first", "updated first", "invalid ambiguous_book description"}, left: list(fields{Title: "Emma", ISBN: isbn13, Description: "Mine", Authors: austen})},
		{name: "without an update it differs as always", rows: rows(row(emma), row(fields{Title: "Lolita", ISBN: isbn10})),
			want: []string{"added new", "differs new book_differs title"}, left: list(emma)},
	}
}
