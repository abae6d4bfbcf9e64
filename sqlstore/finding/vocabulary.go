package finding

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"example.org/library"
	"example.org/library/internal/fulltext"
	"example.org/library/sqlstore/engine"
)

// The vocabulary has every word of a book from the transaction on that wrote the book. Nothing
// is counted in it, so that books with the same words do not wait for each other, and words stay
// when their last book goes: whether there is one is asked of the search index.

// Learner puts the words of books into the vocabulary, in a transaction.
type Learner struct {
	sql     engine.Tx
	known   *knownWords // of the catalogue
	began   time.Time
	learned []string // words that are known when the transaction is committed
}

// NewLearner returns the learner of a transaction that begins.
func NewLearner(c *Catalogue, t engine.Tx) *Learner {
	return &Learner{sql: t, known: &c.known, began: time.Now()}
}

// Committed takes what was learned for known.
func (l *Learner) Committed() { l.known.keep(l.learned, l.began) }

// Learn puts the words of books into the vocabulary.
func (l *Learner) Learn(ctx context.Context, books ...library.Book) error {
	words := make(map[string]bool)
	for _, b := range books {
		for _, word := range b.SearchWords() {
			if !words[word] && fulltext.IsSpelt(word) {
				words[word] = true
			}
		}
	}
	if l.known.leaveOut(words, time.Now()); len(words) == 0 {
		return nil
	}
	l.learned = slices.AppendSeq(l.learned, maps.Keys(words))
	dialect := l.sql.Dialect()
	const doing = "learn words"
	result, err := l.sql.ExecContext(ctx, `INSERT INTO vocabulary (word, turned) SELECT r.word, r.turned FROM `+
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
	_, err = l.sql.ExecContext(ctx, `INSERT INTO letters (letter) SELECT r.word FROM `+
		dialect.Rows([]engine.RowColumn{{Name: "word", Type: "text"}})+` WHERE true ON CONFLICT DO NOTHING`, formatWords(letters))
	return dialect.Error(ctx, doing, err)
}

// formatWords are rows in one order, so that two transactions with the same new words wait for
// each other in one direction.
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

// wordsAtOnce is how many words are asked for in a statement.
const wordsAtOnce = 32

// maxDead is how many times in a row words are asked for that no book has any more.
const maxDead = 4

// BeginsWord reports whether a book has a word that begins with this. Mostly the first ones are words
// of some book; the search index is asked when many are not, since it merges the books of
// all words that begin so.
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

// MostCommonWord returns the word that most books have. It counts no further than it must: the
// books of a common word are many. PostgreSQL finds all of them however few are counted, so there are not many steps.
func (c *Catalogue) MostCommonWord(ctx context.Context, words []string) (string, error) {
	words = slices.Sorted(slices.Values(words))
	for most := 16; ; most *= 256 {
		best, books := "", 0
		var rest []string // that have at least as many as were counted
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

// countWords is how many books have each word, up to most.
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

// WordsNear finds words by what must have stayed as it is. All that is one step away is looked
// up as it is. Of two steps, unless one swaps the letters in the middle, at most one is in the
// first half, or none in the second.
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

// wordsIn are the words of about some length of which a column begins with one of some texts.
func (c *Catalogue) wordsIn(ctx context.Context, column string, starts []string, length, difference int) ([]string, error) {
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

// oneStep calls fn with everything that is one step away from a word, and with the word.
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
