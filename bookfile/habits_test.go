package bookfile

import "testing"

func TestTheYearIsFoundInADate(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]int{
		"": 0, "1999": 1999, "801": 801, "0": 0, "2001-05-01": 2001, "May 1999": 1999, "c1998": 1998, "[1997]": 1997, "01.05.1996": 1996,
		"19990101": 1999, "199912": 1999, "19991301": 19991301, "unknown": -1, "12345": 12345, "-5": -5,
	} {
		if got := yearOf(cell); got != want {
			t.Errorf("%q is the year %d, want %d", cell, got, want)
		}
	}
}

func TestALanguageIsReadByCodeOrName(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"": "", "en": "en", "EN": "en", "ger": "de", "eng, deu": "en", "English": "en", "Französisch": "fr", "en-US": "en", "pt_BR": "pt",
		"Ancient Greek": "grc", "Klingon of old": "", "qq": "qq",
	} {
		if got := languageOf(cell); got != want {
			t.Errorf("%q is the language %q, want %q", cell, got, want)
		}
	}
}
