package terminal

import (
	"testing"

	"example.org/library/internal/testkit"
)

func TestWrapBreaksBetweenWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule, text string
		width      int
		want       string
	}{
		{"what fits stays", "one two", 7, "one two"},
		{"what does not goes to the next line", "one two three", 7, "one two\nthree"},
		{"line breaks stay", "one\n\ntwo", 20, "one\n\ntwo"},
		{"spaces are one", "  one   two ", 20, "one two"},
		{"a long word is broken", "abcdefgh ij", 3, "abc\ndef\ngh\nij"},
		{"wide characters count twice", "図書 図書", 5, "図書\n図書"},
		{"a character wider than the screen is not lost", "図書", 1, "図書"},
		{"nothing", "", 10, ""},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			testkit.Equal(t, Wrap(c.text, c.width), c.want)
		})
	}
}

func TestHangBreaksMessagesBetweenWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule, text string
		width      int
		want       string
	}{
		{"what fits stays", "one two\n", 7, "one two\n"},
		{"what does not goes to the next line", "one two three\nfour\n", 7, "one two\nthree\nfour\n"},
		{"an indented line is continued so", "  one two three\n\n", 9, "  one two\n  three\n\n"},
		{"a long word stays whole", "see https://library.example.com/ now", 10, "see\nhttps://library.example.com/\nnow"},
		{"a long word at the beginning is not moved", "  https://library.example.com/", 10, "  https://library.example.com/"},
		{"a space at the end of a question stays", "Delete it? [y/N] ", 10, "Delete it?\n[y/N] "},
		{"wide characters count twice", "図書 図書", 5, "図書\n図書"},
		{"nothing", "", 10, ""},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			testkit.Equal(t, Hang(c.text, c.width), c.want)
		})
	}
}
