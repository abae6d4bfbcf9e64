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

func TestAWordWithUmlautsIsInTheIndexASecondTimeWithTwoLettersForEach(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   []string
		want []string
	}{
		{[]string{"Müller und Straße", "ÖL"}, []string{"muller", "und", "strasse", "ol", "mueller", "oel"}},
		{[]string{"A\u0308rzte"}, []string{"arzte", "aerzte"}},
		{[]string{"L'E\u0301tranger", "Größe"}, []string{"l", "etranger", "grosse", "groesse"}},
		{[]string{"Mueller"}, []string{"mueller"}},
	} {
		if diff := cmp.Diff(c.want, Index(c.in...)); diff != "" {
			t.Errorf("Index(%q) (-want +got)\n%s", c.in, diff)
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

func TestStepsFromOneWordToAnotherAreCounted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"clean", "clean", 0}, {"clen", "clean", 1}, {"cleann", "clean", 1}, {"clexn", "clean", 1}, {"claen", "clean", 1},
		{"frankenstien", "frankenstein", 1}, {"", "abc", 3}, {"ca", "abc", 3}, {"жаь", "жьа", 1},
	} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestTypedWordsAreFoundWhereTheyStand(t *testing.T) {
	t.Parallel()
	const question = "«Cle\u0301n» man-month, Fußball 红楼梦 iPhone手册 1984"
	var got []string
	for _, w := range TypedWords(question) {
		got = append(got, question[w.Start:w.End]+"/"+w.Word+"/"+string(rune('0'+w.Letters)))
	}
	want := []string{"Cle\u0301n/clen/4", "man/man/3", "month/month/5", "Fußball/fussball/7", "iPhone/iphone/6", "1984/1984/0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("words (-want +got)\n%s", diff)
	}
}
