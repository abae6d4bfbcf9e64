package bookfile

import (
	"regexp"
	"strconv"
	"strings"

	"example.org/library/internal/fulltext"
	"example.org/library/internal/language"
)

var fourDigits = regexp.MustCompile(`[0-9]{4}`)

// yearOf is the year in a cell, which other programs write as a date: the first four digits
// in a row. It is 0 for an empty cell, and no year there is (-1) for one without a year.
func yearOf(cell string) int {
	if cell == "" {
		return 0
	}
	year, err := strconv.Atoi(cell)
	if err == nil {
		return year
	}
	if !fourDigits.MatchString(cell) {
		return -1
	}
	return YearIn(cell)
}

// YearIn is the year in a text of another program: the first four digits in a row, 0 if there
// are none.
func YearIn(text string) int {
	year, _ := strconv.Atoi(fourDigits.FindString(text)) // digits or nothing
	return year
}

// languageNames are the languages that other programs write out, as fulltext.Fold makes them.
var languageNames = map[string]string{
	"english": "en", "englisch": "en", "german": "de", "deutsch": "de", "french": "fr", "franzosisch": "fr", "francais": "fr",
	"spanish": "es", "spanisch": "es", "espanol": "es", "italian": "it", "italienisch": "it", "italiano": "it",
	"dutch": "nl", "niederlandisch": "nl", "portuguese": "pt", "portugiesisch": "pt", "russian": "ru", "russisch": "ru",
	"polish": "pl", "polnisch": "pl", "turkish": "tr", "turkisch": "tr", "arabic": "ar", "arabisch": "ar",
	"latin": "la", "latein": "la", "ancient greek": "grc", "altgriechisch": "grc", "greek": "el", "griechisch": "el",
	"japanese": "ja", "japanisch": "ja", "chinese": "zh", "chinesisch": "zh", "swedish": "sv", "schwedisch": "sv",
	"danish": "da", "danisch": "da", "norwegian": "no", "norwegisch": "no", "finnish": "fi", "finnisch": "fi",
	"czech": "cs", "tschechisch": "cs", "hungarian": "hu", "ungarisch": "hu", "ukrainian": "uk", "ukrainisch": "uk",
}

// languageOf is the first language in a cell: a code, one with a country (en-US), or a name.
// A name that is not known says nothing, because the column was made for people. What looks
// like a code is kept, so that a wrong one is noticed.
func languageOf(cell string) string {
	first, _, _ := strings.Cut(strings.NewReplacer(";", ",", "|", ",", "/", ",").Replace(cell), ",")
	first = fulltext.Fold(strings.TrimSpace(first))
	if code := language.Code(first); code != "" {
		return code
	}
	if name := languageNames[first]; name != "" {
		return name
	}
	code, _, _ := strings.Cut(strings.ReplaceAll(first, "_", "-"), "-")
	if len(code) > 3 {
		return ""
	}
	return code
}
