package storetest

import (
	"slices"
	"strings"
	"unicode"

	"example.org/library"
	"example.org/library/internal/fulltext"
)

// classOf ranks a match by reading the book as a person would. It shares no code with stores.
func classOf(b library.Book, q library.BookQuery) library.Class {
	if len(q.Terms) == 0 {
		return 0
	}
	title := withoutArticle(inOrder(b.Title))
	begins := false
	for _, phrase := range q.Phrases {
		asked := strings.Fields(phrase)
		if slices.Equal(asked, title) {
			return 1
		}
		last := len(asked) - 1
		begins = begins || len(title) > last && slices.Equal(asked[:last], title[:last]) && strings.HasPrefix(title[last], asked[last])
	}
	if begins {
		return 2
	}
	texts := []string{b.Title, b.Subtitle}
	for i, more := range [][]string{nil, b.Authors, append([]string{b.Series, b.Publisher}, b.Subjects...)} {
		texts = append(texts, more...)
		if everyWordBegins(q.Terms, fulltext.Index(texts...)) {
			return library.Class(3 + i)
		}
	}
	return 6
}

func everyWordBegins(terms []library.Term, words []string) bool {
	for _, t := range terms {
		for _, asked := range t.Words {
			if !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, asked) }) {
				return false
			}
		}
	}
	return true
}

// inOrder are the words of a text, one after the other. Chinese characters and what is
// beside them are words of their own.
func inOrder(text string) (words []string) {
	isHan := func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
	}
	before := rune(' ')
	for _, r := range fulltext.Fold(text) {
		isWord := unicode.IsLetter(r) || unicode.IsNumber(r)
		wasWord := unicode.IsLetter(before) || unicode.IsNumber(before)
		switch {
		case isWord && (!wasWord || isHan(r) != isHan(before)):
			words = append(words, string(r))
		case isWord:
			words[len(words)-1] += string(r)
		}
		before = r
	}
	return words
}

func withoutArticle(words []string) []string {
	articles := strings.Fields("the a an der die das ein eine le la les un une el los las")
	if len(words) > 1 && slices.Contains(articles, words[0]) {
		return words[1:]
	}
	return words
}
