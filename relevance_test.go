package library_test

import (
	"slices"
	"testing"

	"example.org/library"
)

func TestAnArticleInFrontOfATitleDoesNotCount(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"The Trial": "trial", "Der Prozeß": "prozess", "trial": "trial", "Theatre": "theatre", "The": "the", "A!": "a",
		"À la recherche": "la recherche", "Of the Trial": "of the trial", "New York, New York": "new york new york", "???": "",
	} {
		if got := library.RankedTitle(title); got != want {
			t.Errorf("RankedTitle(%q) = %q, want %q", title, got, want)
		}
	}
}

func TestAnArticleMayBeAWordOfATitleWithAnotherOne(t *testing.T) {
	t.Parallel()
	for question, want := range map[string][]string{
		"A.B.C. murders": {"b c murders", "a b c murders"}, "las vegas": {"vegas", "las vegas"}, "Murders": {"murders"}, "the": {"the"}, "??": {""},
	} {
		if got := library.RankedQuestion(question); !slices.Equal(got, want) {
			t.Errorf("RankedQuestion(%q) = %q, want %q", question, got, want)
		}
	}
}

func TestACursorByRelevanceComesBackWithItsClass(t *testing.T) {
	t.Parallel()
	const id = "f9bf70d6-e56d-4cab-be6b-294cd05f599f"
	for class := range library.Unranked + 1 {
		c := library.Cursor{Order: library.ByRelevance, Title: "L'Étranger", Class: class, ID: id}
		if got, ok := library.ParseCursor(c.String(), library.ByRelevance); !ok || *got != c {
			t.Errorf("class %d: got %+v, %v", class, got, ok)
		}
	}
	beyond := library.Cursor{Order: library.ByRelevance, Class: library.Unranked + 1, ID: id}
	if _, ok := library.ParseCursor(beyond.String(), library.ByRelevance); ok {
		t.Error("a class that there is not is taken")
	}
	if _, ok := library.ParseCursor(library.Cursor{Order: library.ByTitle, ID: id}.String(), library.ByRelevance); ok {
		t.Error("a cursor of another order is taken")
	}
}
