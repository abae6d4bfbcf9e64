package command

import "testing"

func TestCompletionGoesOnFromWhatWasTyped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ typed, name, want string }{
		{"", "Clean Code", "Clean Code"},
		{"Cle", "Clean Code", "Clean Code"},
		{"cle", "Clean Code", "clean Code"},
		{"l'etr", "L'Étranger", "l'etranger"},
		{"L'É", "L'Étranger", "L'Étranger"},
		{"clean code", "Clean Code", "clean code"},
		{"code", "Clean Code", ""},
		{"Clean Code in", "Clean Code", ""},
		{"", "turn \u202e around", "turn \ufffd around"},
		{"", "two\nlines\tand a tab", "two lines and a tab"}, // the shells read a name per line
	} {
		if got := Continued(c.typed, c.name); got != c.want {
			t.Errorf("%q of %q: %q, want %q", c.typed, c.name, got, c.want)
		}
	}
}
