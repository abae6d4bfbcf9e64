package bookfile

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"example.org/library/internal/fulltext"
	"example.org/library/internal/language"
	"example.org/library/internal/table"
)

var fourDigits = regexp.MustCompile(`[0-9]{4}`)

// yearOf returns the year in a cell. Other programs write it as a date: the first four digits in a row are the year. It
// returns 0 for an empty cell, and the impossible year -1 for a cell without a year.
func yearOf(cell string) int {
	if cell == "" {
		return 0
	}
	year, err := strconv.Atoi(cell)
	if err == nil && !isDate(cell) {
		return year
	}
	if !fourDigits.MatchString(cell) {
		return -1
	}
	return YearIn(cell)
}

// isDate reports whether digits name a day or a month: 19990101, 199901.
func isDate(digits string) bool {
	_, day := time.Parse("20060102", digits)
	_, month := time.Parse("200601", digits)
	return day == nil || month == nil
}

// YearIn returns the year in a text of another program: the first four digits in a row, or 0 if there are none.
func YearIn(text string) int {
	year, _ := strconv.Atoi(fourDigits.FindString(text)) // digits or nothing
	return year
}

// languageNames maps the names other programs write for languages, as fulltext.Fold makes them.
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

// languageOf returns the first language in a cell: a code, one with a country (en-US), or a name. An unknown name gives
// "", because the column was made for people. Anything like a code is kept, so a wrong code is noticed.
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

// bracketed matches an ISBN as LibraryThing writes it: [0132350882].
var bracketed = regexp.MustCompile(`^\[([0-9Xx-]*)\]$`)

// noISBN holds words for a missing ISBN, as table.Plain makes them.
var noISBN = map[string]bool{
	"na": true, "nan": true, "none": true, "null": true, "nil": true, "no": true, "noisbn": true, "unknown": true,
	"keine": true, "ohne": true, "unbekannt": true, "nichtvorhanden": true,
}

// isbnOf returns the ISBN in a cell of an ISBN column, "" if the cell has a
// word for none, or why the cell is of no use.
func isbnOf(cell string) (isbn string, bad reason) {
	cell = table.Unwrapped(cell)
	if wrapped := bracketed.FindStringSubmatch(cell); wrapped != nil {
		cell = wrapped[1]
	}
	switch name := table.Plain(cell); {
	case noISBN[name], strings.Trim(name, "0") == "": // also -, –, ? and 0
		return "", reason{}
	case table.IsCutShort(cell):
		return "", reason{Code: "isbn_cut_short", Text: fmt.Sprintf("has %s for an ISBN: a spreadsheet has cut the number short; format the column as text and enter it again", table.Shortened(cell))}
	}
	return firstISBN(cell), reason{}
}

// firstISBN returns the first ISBN of a list, as Koha writes it: 9780132350884 | 0132350882.
// It returns any other cell unchanged, and also a list without an ISBN.
func firstISBN(cell string) string {
	if !strings.ContainsAny(cell, "|;,/\n") {
		return cell
	}
	for _, found := range isbnInText.FindAllString(cell, -1) {
		if number := provenPart(found); number != "" {
			return number
		}
	}
	return cell
}
