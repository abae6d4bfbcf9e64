package booksearch

import (
	"fmt"
	"strings"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// RankWords returns the words of a book in three groups in the form of its row: a space before each
// word, a bar after each group but the last.
func RankWords(book *library.Book) string {
	var b strings.Builder
	for i, words := range book.RankedWords() {
		if i > 0 {
			b.WriteByte('|')
		}
		for _, word := range words {
			b.WriteString(" " + word)
		}
	}
	return b.String()
}

// barsAfter has the bars that follow a word of each class.
var barsAfter = []struct {
	class library.Class
	bars  string
}{{library.InTitle, "%|%|%"}, {library.InAuthors, "%|%"}, {library.InOtherFields, "%"}}

// beyond sorts after every continuation of a word.
const beyond = "\U0010FFFF"

// classText returns the expression for the class of a match b.
func classText(a *engine.Arguments, q bookQuery) string {
	text := fmt.Sprintf(`CASE WHEN %s THEN %d WHEN %s THEN %d`,
		anyPhrase(a, q.Phrases, isTitle), library.MostRelevant, titleCondition(a, q.Phrases), library.TitleBegins)
	least := library.Unranked
	if !q.Coarse {
		least = library.LeastRelevant
		for _, after := range barsAfter {
			text += fmt.Sprintf(` WHEN %s THEN %d`, strings.Join(rankConditions(a, q.asked, after.bars), ` AND `), after.class)
		}
	}
	return text + fmt.Sprintf(` ELSE %d END`, least)
}

// titleCondition is true if the title of b is one of the phrases, or begins with one.
func titleCondition(a *engine.Arguments, phrases []string) string {
	return anyPhrase(a, phrases, func(a *engine.Arguments, phrase string) string {
		return `b.title_rank >= ` + a.Add(phrase) + ` AND b.title_rank < ` + a.Add(phrase+beyond)
	})
}

func isTitle(a *engine.Arguments, phrase string) string { return `b.title_rank = ` + a.Add(phrase) }

func anyPhrase(a *engine.Arguments, phrases []string, condition func(a *engine.Arguments, phrase string) string) string {
	conditions := make([]string, len(phrases))
	for i, phrase := range phrases {
		conditions[i] = condition(a, phrase)
	}
	return `(` + strings.Join(conditions, ` OR `) + `)`
}

// rankConditions are true if each word of the query begins a word of b with these bars after it.
func rankConditions(a *engine.Arguments, terms []library.Term, bars string) (conditions []string) {
	for _, t := range terms {
		for _, word := range t.Words {
			conditions = append(conditions, `b.rank_words LIKE `+a.Add("% "+word+bars))
		}
	}
	return conditions
}
