package library

import (
	"slices"
	"strings"

	"example.org/library/internal/fulltext"
)

// Class is how well a book that matches a question fits it. Both databases find the same
// classes, which no score of theirs would do.
type Class int

const (
	MostRelevant  Class = iota + 1 // the words are the whole title, in their order
	TitleBegins                    // the title begins with them; the last may be the beginning of a word
	InTitle                        // every word begins a word of title or subtitle
	InAuthors                      // or of the authors
	InBlurb                        // or of series, subjects or publisher
	LeastRelevant                  // in the description, or an ISBN
)

// articles do not count in front of a title or of a question.
var articles = []string{"the", "a", "an", "der", "die", "das", "ein", "eine", "le", "la", "les", "un", "une", "el", "los", "las"}

// RankedTitle is a title, or a question, as the classes compare them: its words in their
// order, a space between two, without the article in front. An article alone is a word.
func RankedTitle(text string) string {
	words := fulltext.Sequence(text)
	if len(words) > 1 && slices.Contains(articles, words[0]) {
		words = words[1:]
	}
	return strings.Join(words, " ")
}

// RankedQuestion is a question as RankedTitle makes it, and with its article if it has one: it
// may be a word of a title that has another one in front ("The A.B.C. Murders").
func RankedQuestion(text string) []string {
	phrases := []string{RankedTitle(text)}
	if typed := strings.Join(fulltext.Sequence(text), " "); typed != phrases[0] {
		phrases = append(phrases, typed)
	}
	return phrases
}

// RankedWords are the words of title and subtitle, those of the authors, and those of
// series, subjects and publisher, each where it says most.
func (b Book) RankedWords() (groups [3][]string) {
	seen := make(map[string]bool)
	for i, texts := range [][]string{{b.Title, b.Subtitle}, b.Authors, append([]string{b.Series, b.Publisher}, b.Subjects...)} {
		for _, word := range fulltext.Index(texts...) {
			if !seen[word] {
				seen[word] = true
				groups[i] = append(groups[i], word)
			}
		}
	}
	return groups
}

// Ask makes the query one for the words of a question.
func (q *BookQuery) Ask(question string) {
	q.Question, q.Terms, q.Phrases = question, ParseTerms(question), RankedQuestion(question)
}
