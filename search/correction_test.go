package search

import (
	"context"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/internal/testkit"
)

// vocabulary has one word, and counts how often it is asked.
type vocabulary struct {
	Store
	word  string
	asked int
}

func (v *vocabulary) CountBooks(context.Context, library.BookQuery) (int, error) { return 0, nil }

func (v *vocabulary) BeginsWord(_ context.Context, start string) (bool, error) {
	v.asked++
	return strings.HasPrefix(v.word, start), nil
}

func (v *vocabulary) WordsNear(context.Context, string, int) ([]string, error) {
	v.asked++
	return []string{v.word}, nil
}

func (v *vocabulary) MostCommonWord(_ context.Context, words []string) (string, error) {
	v.asked++
	return strings.Join(words, ""), nil
}

func TestAWordIsCorrectedOnceHoweverOftenItIsTyped(t *testing.T) {
	t.Parallel()
	v := &vocabulary{word: "clean"}
	got, err := (&Service{store: v}).correction(t.Context(), strings.Repeat("clen clea ", 100))
	testkit.NoError(t, err)
	testkit.Equal(t, got, strings.TrimSpace(strings.Repeat("clean clea ", 100)), "corrected")
	if v.asked > 4 {
		t.Errorf("the store was asked %d times about two words", v.asked)
	}
}

func TestAVeryLongWordIsNotCorrected(t *testing.T) {
	t.Parallel()
	for letters, want := range map[int]int{maxCorrected: 3, maxCorrected + 1: 1} {
		v := &vocabulary{word: strings.Repeat("x", letters-1)}
		_, err := (&Service{store: v}).correction(t.Context(), strings.Repeat("x", letters))
		testkit.NoError(t, err)
		testkit.Equal(t, v.asked, want, "questions")
	}
}
