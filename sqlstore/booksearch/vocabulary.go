package booksearch

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.org/library"
	"example.org/library/internal/fulltext"
	"example.org/library/sqlstore/engine"
)

// The transaction of a book puts all its words into the vocabulary. It has no counts, so writers of the same words do
// not wait for each other. Words stay when their last book goes: the search index knows whether a word has a book.

// Learn puts the words of books into the vocabulary, in the transaction of the books.
func Learn(ctx context.Context, t engine.Tx, books ...library.Book) error {
	words := make(map[string]bool)
	for _, b := range books {
		for _, word := range b.SearchWords() {
			if !words[word] && fulltext.IsSpelt(word) {
				words[word] = true
			}
		}
	}
	dialect := t.Dialect()
	const doing = "learn words"
	result, err := t.ExecContext(ctx, `INSERT INTO vocabulary (word, turned) SELECT r.word, r.turned FROM `+
		dialect.Rows([]engine.RowColumn{{Name: "word", Type: "text"}, {Name: "turned", Type: "text"}})+` WHERE true ON CONFLICT DO NOTHING`, formatWords(words))
	if err != nil {
		return dialect.Error(ctx, doing, err)
	}
	if n, err := result.RowsAffected(); n == 0 || err != nil { // no new word has a new letter
		return err
	}
	letters := make(map[string]bool)
	for word := range words {
		for _, letter := range word {
			letters[string(letter)] = true
		}
	}
	_, err = t.ExecContext(ctx, `INSERT INTO letters (letter) SELECT r.word FROM `+
		dialect.Rows([]engine.RowColumn{{Name: "word", Type: "text"}})+` WHERE true ON CONFLICT DO NOTHING`, formatWords(letters))
	return dialect.Error(ctx, doing, err)
}

// formatWords returns sorted rows, so two transactions with the same new words wait in one direction only.
func formatWords(words map[string]bool) string {
	type row struct {
		Word   string `json:"word"`
		Turned string `json:"turned"`
	}
	rows := make([]row, 0, len(words))
	for word := range words {
		rows = append(rows, row{word, turned(word)})
	}
	slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.Word, b.Word) })
	text, _ := json.Marshal(rows) // strings always marshal
	return string(text)
}

func turned(word string) string {
	letters := []rune(word)
	slices.Reverse(letters)
	return string(letters)
}

// wordsAtOnce limits the words in a statement.
const wordsAtOnce = 32

// maxDead limits consecutive look-ups of words without books.
const maxDead = 4

// BeginsWord reports whether a word of a book begins with start. Mostly the first words of the vocabulary have a book.
// If many have none, it asks the search index, although that merges the books of all words with this beginning.
func (c *Catalogue) BeginsWord(ctx context.Context, start string) (bool, error) {
	after := ""
	for range maxDead {
		words, err := engine.Collect(ctx, c.db, "look for words", engine.ScanText,
			`SELECT word FROM vocabulary WHERE word >= $1 AND word < $2 AND word > $3 ORDER BY word LIMIT $4`, start, start+beyond, after, wordsAtOnce)
		if len(words) == 0 || err != nil {
			return false, err
		}
		if one, err := c.MostCommonWord(ctx, words); one != "" || err != nil {
			return one != "", err
		}
		after = words[len(words)-1]
	}
	var a engine.Arguments
	text := `SELECT EXISTS (` + c.dialect.FindBooks(&a, engine.BookWords{Terms: []library.Term{{Words: []string{start}}}}) + `)`
	return engine.ReadOne(ctx, c.db, "look for words", engine.ScanBool, text, c.dialect.PlannedFor(a)...)
}

// MostCommonWord returns the word with the most books. It counts no further than needed, because a common word has many
// books. PostgreSQL finds all of them even for a low bound, so the number of steps is small.
func (c *Catalogue) MostCommonWord(ctx context.Context, words []string) (string, error) {
	words = slices.Sorted(slices.Values(words))
	for most := 16; ; most *= 256 {
		best, books := "", 0
		var rest []string // words with at least the counted number of books
		for some := range slices.Chunk(words, wordsAtOnce) {
			counts, err := c.countWords(ctx, some, most)
			if err != nil {
				return "", err
			}
			for i, n := range counts {
				if n > books {
					best, books = some[i], n
				}
				if n == most {
					rest = append(rest, some[i])
				}
			}
		}
		if len(rest) < 2 {
			return best, nil
		}
		words = rest
	}
}

// countWords returns the number of books with each word, up to most.
func (c *Catalogue) countWords(ctx context.Context, words []string, most int) ([]int, error) {
	var a engine.Arguments
	parts := make([]string, len(words))
	for i, word := range words {
		parts[i] = fmt.Sprintf(`SELECT %d AS place, (SELECT count(*) FROM (%s LIMIT %d) AS found) AS books`, i, c.dialect.FindWord(&a, word), most)
	}
	return engine.Collect(ctx, c.db, "count words", func(r engine.Row) (n int, err error) {
		var place int
		err = r.Scan(&place, &n)
		return n, err
	}, strings.Join(parts, ` UNION ALL `)+` ORDER BY place`, c.dialect.PlannedFor(a)...)
}

// WordsNear returns words one or two steps away. It looks up every word one step away. Of two steps, at most one is in
// the first half, or none is in the second, unless one swaps the letters in the middle; so it looks up words by a half.
func (c *Catalogue) WordsNear(ctx context.Context, word string, distance int) ([]string, error) {
	letters, err := engine.Collect(ctx, c.db, "read letters", engine.ScanText, `SELECT letter FROM letters`)
	if err != nil {
		return nil, err
	}
	typed := []rune(word)
	var whole, starts, ends []string
	oneStep(typed, letters, func(near string) { whole = append(whole, near) })
	if distance > 1 {
		half := len(typed) / 2
		swapped := slices.Clone(typed)
		swapped[half-1], swapped[half] = swapped[half], swapped[half-1]
		oneStep(swapped, letters, func(near string) { whole = append(whole, near) })
		oneStep(typed[:half], letters, func(near string) { starts = append(starts, near) })
		ends = []string{turned(string(typed[half:]))}
	}
	found, err := engine.Collect(ctx, c.db, "look for words", engine.ScanText,
		`SELECT word FROM vocabulary WHERE word `+c.dialect.Among("$1"), c.dialect.List(whole))
	for column, list := range map[string][]string{"word": starts, "turned": ends} {
		if err != nil || len(list) == 0 {
			continue
		}
		var more []string
		more, err = c.wordsIn(ctx, column, list, len(typed), distance)
		found = append(found, more...)
	}
	return found, err
}

// wordsIn returns the words with about this length, if a column begins with one of the texts.
func (c *Catalogue) wordsIn(ctx context.Context, column string, starts []string, length, difference int) ([]string, error) {
	type stretch struct {
		First  string `json:"first_key"`
		Beyond string `json:"beyond_key"`
	}
	places := make([]stretch, len(starts))
	for i, start := range starts {
		places[i] = stretch{start, start + beyond}
	}
	text, _ := json.Marshal(places) // strings always marshal
	return engine.Collect(ctx, c.db, "look for words", engine.ScanText, `SELECT v.word FROM `+
		c.dialect.Rows([]engine.RowColumn{{Name: "first_key", Type: "text"}, {Name: "beyond_key", Type: "text"}})+
		c.dialect.Each(`vocabulary`, `v`, `v.`+column+` >= r.first_key AND v.`+column+` < r.beyond_key`)+`
		WHERE length(v.word) BETWEEN $2 AND $3`, string(text), length-difference, length+difference)
}

// oneStep calls fn with a word and every text one step away from it.
func oneStep(word []rune, letters []string, fn func(string)) {
	fn(string(word))
	for i := range len(word) + 1 {
		start, rest := string(word[:i]), word[i:]
		if len(rest) > 0 {
			fn(start + string(rest[1:]))
		}
		if len(rest) > 1 {
			fn(start + string(rest[1]) + string(rest[0]) + string(rest[2:]))
		}
		for _, letter := range letters {
			fn(start + letter + string(rest))
			if len(rest) > 0 {
				fn(start + letter + string(rest[1:]))
			}
		}
	}
}
