package finding

import (
	"fmt"
	"strings"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// RankWords are the words of a book in three groups, as its row has them: a space before each word, a bar
// after each group but the last.
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

// barsAfter are the bars that must come after a word for a class, and the classes that are
// found by them.
var barsAfter = []struct {
	class library.Class
	bars  string
}{{library.InTitle, "%|%|%"}, {library.InAuthors, "%|%"}, {library.InBlurb, "%"}}

// beyond sorts after whatever a word goes on with.
const beyond = "\U0010FFFF"

// classText is the class of a book b that matches a query.
func classText(a *engine.Arguments, q bookQuery) string {
	text := `CASE`
	for _, class := range []library.Class{library.MostRelevant, library.TitleBegins} {
		text += fmt.Sprintf(` WHEN %s THEN %d`, phraseCondition(a, q.Phrases, class), class)
	}
	for _, after := range barsAfter {
		text += fmt.Sprintf(` WHEN %s THEN %d`, strings.Join(rankConditions(a, q.asked, after.bars), ` AND `), after.class)
	}
	return text + fmt.Sprintf(` ELSE %d END`, library.LeastRelevant)
}

// phraseCondition is true of a book b whose title is, or begins with, one of the phrases.
func phraseCondition(a *engine.Arguments, phrases []string, class library.Class) string {
	conditions := make([]string, len(phrases))
	for i, phrase := range phrases {
		if class == library.MostRelevant {
			conditions[i] = `b.title_rank = ` + a.Add(phrase)
		} else {
			conditions[i] = `b.title_rank > ` + a.Add(phrase) + ` AND b.title_rank < ` + a.Add(phrase+beyond)
		}
	}
	text := `(` + strings.Join(conditions, ` OR `) + `)`
	if class == library.TitleBegins && len(phrases) > 1 { // it may begin with one and be the other
		text += ` AND NOT ` + phraseCondition(a, phrases, library.MostRelevant)
	}
	return text
}

// rankConditions are true of a book b all words of which begin one that has these bars
// after it.
func rankConditions(a *engine.Arguments, terms []library.Term, bars string) (conditions []string) {
	for _, t := range terms {
		for _, word := range t.Words {
			conditions = append(conditions, `b.rank_words LIKE `+a.Add("% "+word+bars))
		}
	}
	return conditions
}
