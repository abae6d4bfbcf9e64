package language

import "testing"

func TestALanguageIsKeptByItsShortestCode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ given, kept, bibliographic string }{
		{"de", "de", "ger"}, {"deu", "de", "ger"}, {"ger", "de", "ger"},
		{"en", "en", "eng"}, {"eng", "en", "eng"},
		{"fre", "fr", "fre"}, {"fra", "fr", "fre"}, {"chi", "zh", "chi"}, {"zho", "zh", "chi"},
		{"grc", "grc", "grc"}, {"nds", "nds", "nds"}, {"mul", "mul", "mul"}, {"gsw", "gsw", "gsw"},
		{"aaa", "aaa", "aaa"}, {"afa", "afa", "afa"}, // of ISO 639-3 alone, of 639-2 alone
		{"DE", "", ""}, {"Deu", "", ""}, {"", "", ""}, {"d", "", ""}, {"qq", "", ""}, {"xxx", "", ""}, {"deutsch", "", ""}, {"de ", "", ""},
	} {
		if got := Code(c.given); got != c.kept {
			t.Errorf("Code(%q) = %q, want %q", c.given, got, c.kept)
		}
		if got := Bibliographic(c.given); got != c.bibliographic {
			t.Errorf("Bibliographic(%q) = %q, want %q", c.given, got, c.bibliographic)
		}
	}
}

func TestEveryCodeOfALanguageIsThere(t *testing.T) {
	t.Parallel()
	all := read()
	two, three := 0, 0
	for code, kept := range all.short {
		if len(code) == 2 {
			two++
		} else {
			three++
		}
		if all.short[kept] != kept || len(code) < 2 || len(code) > 3 {
			t.Errorf("%q is kept as %q", code, kept)
		}
	}
	if two < 184 || three < 7900 {
		t.Errorf("%d codes of two letters, %d of three", two, three)
	}
}
