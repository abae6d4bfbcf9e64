package library

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"example.org/library/internal/fulltext"
)

func TestParseTerms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		question string
		want     []Term
	}{
		{"", nil},
		{"  & — ", nil},
		{"Clean  code", []Term{{Words: []string{"clean"}}, {Words: []string{"code"}}}},
		{"code CODE Code", []Term{{Words: []string{"code"}}}},
		{"man-month", []Term{{Words: []string{"man", "month"}}}},
		{"0132350882", []Term{{Words: []string{"0132350882"}}}},
		{"0-13-235088-2", []Term{{Words: []string{"0", "13", "235088", "2"}, Number: "0132350882"}}},
		{"978–013", []Term{{Words: []string{"978", "013"}, Number: "978013"}}},
		{"ISBN: 0-13-235088-2 ", []Term{{Words: []string{"0", "13", "235088", "2"}, Number: "0132350882"}}},
		{"isbn-13 9780132350884", []Term{{Words: []string{"9780132350884"}}}},
		{"978 0 13 235088 4", []Term{{Words: []string{"978", "0", "13", "235088", "4"}, Number: "9780132350884"}}},
		{"isbn 12", []Term{{Words: []string{"isbn"}}, {Words: []string{"12"}}}},
		{"080442957X", []Term{{Words: []string{"080442957x"}, Number: "080442957x"}}},
	} {
		if diff := cmp.Diff(c.want, ParseTerms(c.question)); diff != "" {
			t.Errorf("ParseTerms(%q) (-want +got)\n%s", c.question, diff)
		}
	}
}

func TestEveryWordMustBeginAWordOfTheBook(t *testing.T) {
	t.Parallel()
	camus := Book{BookFields: BookFields{
		Title: "L'Étranger", ISBN: "978-2-07-036002-4", Authors: []string{"Albert Camus"}, Description: "Aujourd'hui, maman est morte.",
	}}
	for _, c := range []struct {
		question string
		want     bool
	}{
		{"etranger", true},
		{"ÉTRANG", true},
		{"camus etran", true},
		{"maman", true},
		{"tranger", false},
		{"camus sartre", false},
		{"978-2-07-036002-4", true},
		{"9782070360024", true},
		{"2-07-036002-4", true}, // the ISBN-10 of the same book
		{"2070360024", true},
		{"978-2-07", true},
		{"2-07-03", true},
		{"978-3", false},
		{"", true},
	} {
		words := camus.SearchWords()
		got := !slices.ContainsFunc(ParseTerms(c.question), func(t Term) bool { return !t.Matches(words) })
		if got != c.want {
			t.Errorf("%q finds %q: %v, want %v", c.question, camus.Title, got, c.want)
		}
	}
	if words := camus.AuthorWords(); !slices.Equal(words, []string{"albert", "camus"}) {
		t.Errorf("words of the authors: %q", words)
	}
}

func TestAnyPartOfAChineseJapaneseOrKoreanTitleIsFound(t *testing.T) {
	t.Parallel()
	for title, questions := range map[string]map[string]bool{
		"红楼梦":            {"红楼梦": true, "楼梦": true, "楼": true, "梦": true, "红梦": false, "梦楼": false},
		"吾輩は猫である 第1巻":    {"猫": true, "猫である": true, "吾輩は猫である": true, "輩 1": true, "犬": false, "吾輩は犬である": false},
		"スーパーマン":         {"パーマン": true, "ーパ": true, "バットマン": false},
		"한국어 문법":         {"국어": true, "문법": true, "한국어문법": false},
		"The 红楼梦 Reader": {"reader 楼": true, "红楼": true, "eader": false},
		"Der Prozeß":     {"prozess": true, "PROZESS": true, "prozeß": true, "PROZEẞ": true, "proze": true, "zess": false},
		"Der Prozess":    {"prozeß": true, "Prozeß": true},
	} {
		words := Book{BookFields: BookFields{Title: title}}.SearchWords()
		for question, want := range questions {
			if got := !slices.ContainsFunc(ParseTerms(question), func(t Term) bool { return !t.Matches(words) }); got != want {
				t.Errorf("%q finds %q: %v, want %v", question, title, got, want)
			}
		}
	}
}

func TestTitleKeyFitsIntoATitle(t *testing.T) {
	t.Parallel()
	if n := utf8.RuneCountInString(TitleKey(strings.Repeat("ß", MaxTitle))); n != MaxTitle {
		t.Errorf("the key has %d characters, want %d", n, MaxTitle)
	}
}

func FuzzSearch(f *testing.F) {
	for _, seed := range []string{"Clean Code", "L'Étranger", "0-13-235088-2", "ΐ ǰ ŉ և İ", "\xff\xfe", "한국어", "x-", "９７８", "红楼梦x吾輩は猫である", "ｱｲｳー々〇"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		book := Book{BookFields: BookFields{Title: text, Authors: []string{text}}}
		words := book.SearchWords()
		for _, w := range words {
			if w == "" || !utf8.ValidString(w) || utf8.RuneCountInString(w) > fulltext.MaxWord {
				t.Errorf("word %q of %q", w, text)
			}
		}
		for _, term := range ParseTerms(text) {
			if !term.Matches(words) {
				t.Errorf("%q does not find itself: term %q, words %q", text, term, words)
			}
		}
	})
}

func TestAnArticleInFrontOfATitleDoesNotCount(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"The Trial": "trial", "Der Prozeß": "prozess", "trial": "trial", "Theatre": "theatre", "The": "the", "A!": "a",
		"À la recherche": "la recherche", "Of the Trial": "of the trial", "New York, New York": "new york new york", "???": "",
	} {
		if got := RankedTitle(title); got != want {
			t.Errorf("RankedTitle(%q) = %q, want %q", title, got, want)
		}
	}
}

func TestAnArticleMayBeAWordOfATitleWithAnotherOne(t *testing.T) {
	t.Parallel()
	for question, want := range map[string][]string{
		"A.B.C. murders": {"b c murders", "a b c murders"}, "las vegas": {"vegas", "las vegas"}, "Murders": {"murders"}, "the": {"the"}, "??": {""},
	} {
		if got := RankedQuestion(question); !slices.Equal(got, want) {
			t.Errorf("RankedQuestion(%q) = %q, want %q", question, got, want)
		}
	}
}

func TestACursorByRelevanceComesBackWithItsClass(t *testing.T) {
	t.Parallel()
	const id = "f9bf70d6-e56d-4cab-be6b-294cd05f599f"
	for class := range Unranked + 1 {
		c := Cursor{Order: ByRelevance, Title: "L'Étranger", Class: class, ID: id}
		if got, ok := ParseCursor(c.String(), ByRelevance); !ok || *got != c {
			t.Errorf("class %d: got %+v, %v", class, got, ok)
		}
	}
	beyond := Cursor{Order: ByRelevance, Class: Unranked + 1, ID: id}
	if _, ok := ParseCursor(beyond.String(), ByRelevance); ok {
		t.Error("a class that there is not is taken")
	}
	if _, ok := ParseCursor(Cursor{Order: ByTitle, ID: id}.String(), ByRelevance); ok {
		t.Error("a cursor of another order is taken")
	}
}
