package fulltext

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFoldForgetsCaseAndAccents(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"clean code", "clean code"},
		{"Clean CODE", "clean code"},
		{"L'Étranger", "l'etranger"},
		{"L'E\u0301tranger", "l'etranger"}, // the accent as a character of its own
		{"Ångström", "angstrom"},
		{"\u212bngström", "angstrom"}, // the sign of the unit
		{"Straße", "strasse"},
		{"İstanbul", "istanbul"},
		{"Σίσυφος", "σισυφοσ"},
		{"ﬁne", "fine"},
		{"Łódź", "lodz"}, {"Søren Ægir", "soren aegir"}, {"ĐORĐE", "dorde"},
		{"한국어", "한국어"},
		{"日本語", "日本語"},
		{"e\u0301\u0302\u0303", "e"},
	} {
		if got := Fold(c.in); got != c.want {
			t.Errorf("Fold(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestWordsAreRunsOfLettersAndDigits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   []string
		want []string
	}{
		{nil, nil},
		{[]string{"", " - & … "}, nil},
		{[]string{"The Mythical Man-Month"}, []string{"the", "mythical", "man", "month"}},
		{[]string{"L'Étranger"}, []string{"l", "etranger"}},
		{[]string{"bruce.wayne@example.com"}, []string{"bruce", "wayne", "example", "com"}},
		{[]string{"Go go GO", "go 1.26"}, []string{"go", "1", "26"}},
		{[]string{strings.Repeat("é", 300)}, []string{strings.Repeat("e", 255)}},
		{[]string{"Prozeß PROZESS prozess"}, []string{"prozess"}},
		{[]string{"楼梦"}, []string{"楼梦"}},
		{[]string{"iPhone手册"}, []string{"iphone", "手册"}},
		{[]string{"吾輩は猫である"}, []string{"吾輩は猫", "猫てある"}},
	} {
		if diff := cmp.Diff(c.want, Words(c.in...)); diff != "" {
			t.Errorf("Words(%.40q) (-want +got)\n%s", c.in, diff)
		}
	}
}

func TestASequenceHasEveryWordInItsOrder(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		" & ":                nil,
		"New York, New York": {"new", "york", "new", "york"},
		"iPhone手册 für 吾輩は猫である": {"iphone", "手册", "fur", "吾輩は猫てある"},
	} {
		if diff := cmp.Diff(want, Sequence(text)); diff != "" {
			t.Errorf("Sequence(%q) (-want +got)\n%s", text, diff)
		}
	}
}
