package storetest

import (
	"slices"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/internal/isbn"
	"example.org/library/storetest/fixture"
)

// wantFound asks a question and expects the books with these titles.
func wantFound(t *testing.T, f fixture.Store, question string, titles ...string) {
	t.Helper()
	q := library.BookQuery{Terms: library.ParseTerms(question)}
	books, err := f.Books(f.Ctx, q)
	if err != nil {
		t.Errorf("search for %.80q: %v", question, err)
		return
	}
	got := fixture.IDs(books, func(b library.Book) string { return b.Title })
	slices.Sort(titles)
	slices.Sort(got)
	if !slices.Equal(got, titles) {
		t.Errorf("search for %.80q: got %q, want %q", question, got, titles)
	}
	if n, err := f.CountBooks(f.Ctx, q); n != len(titles) || err != nil {
		t.Errorf("count for %.80q: got %d and error %v, want %d", question, n, err, len(titles))
	}
}

func searchWords(t *testing.T, f fixture.Store) {
	const (
		etranger = "L'Étranger"
		war      = "The War 1939-1945: a history"
		music    = "Sonata №5 in C♯, 𝄞"
		korean   = "각자의 책"
		hyphen   = "The Mythical Man-Month"
		greek    = "Οδύσσεια"
		long     = "long word"
		chinese  = "红楼梦"
		japanese = "吾輩は猫である"
		german   = "Der Prozeß"
	)
	f.AddBooks(t,
		fixture.NewBook(library.BookFields{Title: etranger, Authors: []string{"Albert Camus"}, Description: "Aujourd'hui, maman est morte."}),
		fixture.NewBook(library.BookFields{Title: war, Authors: []string{"Max Müller", "Ann O'Neill"}}),
		fixture.NewBook(library.BookFields{Title: music}), fixture.NewBook(library.BookFields{Title: korean}),
		fixture.NewBook(library.BookFields{Title: hyphen, Authors: []string{"Fred Brooks"}}), fixture.NewBook(library.BookFields{Title: greek}),
		fixture.NewBook(library.BookFields{Title: long, Description: strings.Repeat("å", 10_000)}),
		fixture.NewBook(library.BookFields{Title: chinese}), fixture.NewBook(library.BookFields{Title: japanese}), fixture.NewBook(library.BookFields{Title: german}),
	)
	for question, titles := range map[string][]string{
		"etranger":              {etranger},
		"ÉTRANGER":              {etranger},
		"e\u0301tran":           {etranger},
		"tranger":               nil, // in the middle of a word
		"camus MAMAN l":         {etranger},
		"camus war":             nil, // every word, in one book
		"aujourd'hui":           {etranger},
		"hui":                   {etranger},
		"1939-1945":             {war},
		"1939":                  {war},
		"1945 his":              {war},
		"19391945":              nil,
		"muller o'neill":        {war},
		"mueller":               {war}, // ü as ue
		"max ann":               {war},
		"sonata":                {music},
		"c♯":                    {music, etranger}, // the sign is no letter, and Camus begins with c
		"𝄞":                     {etranger, war, music, korean, hyphen, greek, long, chinese, japanese, german},
		"각":                     {korean},
		"각자":                    {korean},
		"책":                     {korean},
		"자":                     {korean},
		"자책":                    nil,
		"楼梦":                    {chinese},
		"红楼梦":                   {chinese},
		"红梦":                    nil,
		"猫である":                  {japanese},
		"吾輩は猫である":               {japanese},
		"吾輩は犬である":               nil,
		"prozess":               {german},
		"PROZEẞ":                {german},
		"man-month":             {hyphen},
		"month":                 {hyphen},
		"man month the":         {hyphen},
		"οδυσσεια":              {greek},
		"ΟΔΎΣΣ":                 {greek},
		strings.Repeat("å", 99): {long}, strings.Repeat("A", 10_000): {long},
		strings.Repeat("a", 254) + "b": nil,
		"":                             {etranger, war, music, korean, hyphen, greek, long, chinese, japanese, german},
		" - ":                          {etranger, war, music, korean, hyphen, greek, long, chinese, japanese, german},
	} {
		wantFound(t, f, question, titles...)
	}
	for question, n := range map[string]int{"muller": 1, "mueller": 1, "ann max": 1, "war": 0, "a": 2, "brooks camus": 0, "o'ne": 1} {
		got, err := f.CountBooks(f.Ctx, library.BookQuery{Authors: library.ParseTerms(question)})
		if got != n || err != nil {
			t.Errorf("author %q: got %d books and error %v, want %d", question, got, err, n)
		}
	}
}

func searchISBN(t *testing.T, f fixture.Store) {
	const thirteen, ten, x, odd = "978-0-13-235088-4", "0-8044-2957-X", "080442957x", "no-isbn 12"
	f.AddBooks(t,
		fixture.NewBook(library.BookFields{Title: "thirteen", ISBN: thirteen}),
		fixture.NewBook(library.BookFields{Title: "ten", ISBN: ten}),
		fixture.NewBook(library.BookFields{Title: "odd", ISBN: odd}),
		fixture.NewBook(library.BookFields{Title: "none"}),
	)
	for question, title := range map[string]string{
		thirteen: "thirteen", "9780132350884": "thirteen", "0132350882": "thirteen", "0-13-235088-2": "thirteen",
		"978 0 13 235088 4": "thirteen", "978-0-13-2350": "thirteen", "97801323": "thirteen", "978\u20110132350884": "thirteen",
		ten: "ten", x: "ten", "080442957X": "ten", "9780804429573": "ten", "978-0-8044-2957-3": "ten", "0804": "ten",
		odd: "odd", "isbn": "odd",
		"ISBN 978-0-13-235088-4": "thirteen", "isbn: 9780132350884": "thirteen", "ISBN-13: 978 0 13 235088 4": "thirteen", "ISBN-10 0-13-235088-2": "thirteen",
		"978 0 8044 2957 3": "ten",
	} {
		wantFound(t, f, question, title)
	}
	for number, title := range map[string]string{
		"9780132350884": "thirteen", "0132350882": "thirteen", "978-0-13-235088-4": "thirteen",
		"0 8044 2957 x": "ten", "9780804429573": "ten", "noisbn12": "odd", "no-isbn 12": "odd",
		"978": "", "0132350883": "", "%": "",
	} {
		got, err := f.Books(f.Ctx, library.BookQuery{ISBN: isbn.Key(number)})
		fixture.WantError(t, err, nil)
		if title == "" && len(got) == 0 {
			continue
		}
		if len(got) != 1 || got[0].Title != title {
			t.Errorf("ISBN %q: got %d books, want %q", number, len(got), title)
		}
	}
}

// searchReaders searches as staff, who must not find out e-mail addresses.
func searchReaders(t *testing.T, f fixture.Store) {
	jane, jose := fixture.NewUser("jane.fairfax@example.com"), fixture.NewUser("poet@músic.example")
	jane.FirstName, jane.LastName, jane.Card = "Jane", "Austen-Leigh", "R0017"
	jose.FirstName, jose.LastName, jose.Card = "José", "Martí", "r0018"
	f.AddUsers(t, jane, jose)
	for question, want := range map[string][]string{
		"jane": {jane.ID}, "AUST": {jane.ID}, "leigh": {jane.ID}, "austen-leigh": {jane.ID}, "marti jose": {jose.ID},
		"R0017": {jane.ID}, "r001": {jane.ID, jose.ID}, "R00": {jane.ID}, "0017": {}, "R0017 jane": {},
		"jane.fairfax@example.com": {jane.ID}, " Jane.FAIRFAX@example.com ": {jane.ID}, "POET@músic.example": {jose.ID}, "poet@MÚSIC.example": {},
		"fairfax": {}, "example": {}, "jane fairfax": {}, "jane.fairfax": {}, "jane.fairfax@example.co": {}, "poet": {}, "music": {}, "@": {jane.ID, jose.ID},
		"usten": {}, "jane marti": {}, `"*' OR 1=1`: {}, "%": {jane.ID, jose.ID}, "": {jane.ID, jose.ID},
	} {
		q := library.ReaderQuery{Email: strings.TrimSpace(question)}
		q.Terms, q.Cards, q.Now = library.ParseTerms(question), library.CardsLike(strings.TrimSpace(question)), fixture.Epoch
		got, err := f.Readers(f.Ctx, q)
		fixture.WantError(t, err, nil)
		found := fixture.IDs(got, func(r library.Reader) string { return r.ID })
		slices.Sort(found)
		slices.Sort(want)
		if !slices.Equal(found, want) {
			t.Errorf("readers by %q: got %d, want %d", question, len(found), len(want))
		}
		n, err := f.CountReaders(f.Ctx, q)
		fixture.WantError(t, err, nil)
		fixture.WantEqual(t, n, len(want))
	}
}

func searchUsers(t *testing.T, f fixture.Store) {
	jane, jose := fixture.NewUser("jane.austen@example.com"), fixture.NewUser("poet@músic.example")
	jane.FirstName, jane.LastName = "Jane", "Austen-Leigh"
	jose.FirstName, jose.LastName = "José", "Martí"
	jane.Card, jose.Card = "R-0001", "R-0002~"
	f.AddUsers(t, jane, jose)
	for question, want := range map[string][]string{
		"jane": {jane.ID}, "AUST": {jane.ID}, "leigh": {jane.ID}, "austen-leigh": {jane.ID}, "example": {jose.ID, jane.ID},
		"jose": {jose.ID}, "marti jose": {jose.ID}, "music": {jose.ID}, "jane.austen@example.com": {jane.ID},
		"usten": {}, "jane marti": {}, `"*' OR 1=1`: {}, "": {jose.ID, jane.ID},
		"R-": {jose.ID, jane.ID}, "r-0001": {jane.ID}, "R-0002": {jose.ID}, "-0001": {}, "R-0001 jane": {},
	} {
		q := library.UserQuery{Terms: library.ParseTerms(question), Cards: library.CardsLike(question)}
		got, err := f.Users(f.Ctx, q)
		fixture.WantError(t, err, nil)
		slices.Sort(want)
		found := fixture.IDs(got, fixture.UserID)
		slices.Sort(found)
		if !slices.Equal(found, want) {
			t.Errorf("search for %q: got %d users, want %d", question, len(got), len(want))
		}
		if n, err := f.CountUsers(f.Ctx, q); n != len(want) || err != nil {
			t.Errorf("count for %q: got %d and error %v, want %d", question, n, err, len(want))
		}
	}
}

func searchHostile(t *testing.T, f fixture.Store) {
	f.AddBooks(t, fixture.NewBook(library.BookFields{Title: "and or not near null true x", Description: "search_words"}))
	for _, question := range []string{
		`AND`, `OR`, `NOT`, `NEAR`, `NEAR(and or)`, `and AND or`, `"and" OR "zzz"`, `and*`, `^and`, `search_words:and`, `{search_words}:and`,
		`and + or`, `-and`, `(and)`, `((((and`, `and))))`, `"and`, `""""`, `'and'`, `'''`, `\'`, `and:*`, `and:A`, `and & or`, `and | or`, `!and`, `and <-> or`,
		`and <2> or`, `x'00'`, "and\x00or", "%", "_", "and;--", "/* and */", "$1", "?1", ":and", "@and", "\u2028and", "\ufeffand", "\x7f",
	} {
		q := library.BookQuery{Terms: library.ParseTerms(question), Authors: nil, Limit: 3}
		want := len(find([]library.Book{{BookFields: library.BookFields{
			Title: "and or not near null true x", Description: "search_words"}}}, q))
		if n, err := f.CountBooks(f.Ctx, q); n != want || err != nil {
			t.Errorf("count for %q: got %d and error %v, want %d", question, n, err, want)
		}
		for _, q := range []library.BookQuery{q, {Authors: q.Terms}, {Terms: q.Terms, Authors: q.Terms}} {
			if _, err := f.Books(f.Ctx, q); err != nil {
				t.Errorf("search for %q: %v", question, err)
			}
		}
	}
	// As many words as an address line can hold.
	question := strings.Repeat("and or ", 2) + differentWords(8000)
	wantFound(t, f, question)
	wantFound(t, f, strings.Repeat("1-2 ", 5)+strings.Repeat("3-4-5 ", 700))
}

func searchFollowsEdits(t *testing.T, f fixture.Store) {
	b := fixture.NewBook(library.BookFields{Title: "Emma", Authors: []string{"Austen"}})
	f.AddBooks(t, b)
	wantFound(t, f, "austen", "Emma")
	b.BookFields = library.BookFields{Title: "Sanditon", Authors: []string{"Anonymous"}}.Complete()
	f.InTx(t, func(tx library.Tx) error { return tx.UpdateBook(f.Ctx, b) })
	wantFound(t, f, "austen")
	wantFound(t, f, "emma")
	wantFound(t, f, "sanditon anonymous", "Sanditon")
	f.InTx(t, func(tx library.Tx) error { return tx.DeleteBook(f.Ctx, b.ID) })
	wantFound(t, f, "sanditon")
	f.AddBook(t, "Lady Susan") // may take the place of the deleted one
	wantFound(t, f, "sanditon")
	wantFound(t, f, "susan", "Lady Susan")
}
