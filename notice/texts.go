package notice

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"example.org/library"
)

// words are the texts of a language.
type words struct {
	locale    string
	formal    bool // people are addressed by their full name
	greeting  func(name string) string
	why       func(libraryName string) string
	instead   func(address string) string
	loans     string // names the page with the loans
	reminders string // names the purpose of the account page
	more      counted
	days      counted
	kinds     map[Kind]kindWords

	onWeekday string // of a near day, in a subject; # stands for it
	onDate    string
	weekdays  [7]string // from Sunday on
	months    [12]string
	date      func(day int, month string) string

	test, testText func(libraryName string) string
}

// kindWords are the texts of a kind of notice.
type kindWords struct {
	subject   string // before the title, with a colon between unless a space ends it; # stands for the day
	one, many string // the heading above books
	line      string // below a title; # stands for the day, and % for how long ago it was
	renewable string // instead, of a renewable loan
	noDay     string // instead, where there is no day
}

func (k kindWords) heading(books int) string {
	if books == 1 {
		return k.one
	}
	return k.many
}

// counted is a text with # in place of a number.
type counted struct{ one, many string }

func (c counted) of(n int) string {
	text := c.many
	if n == 1 {
		text = c.one
	}
	return strings.ReplaceAll(text, "#", strconv.Itoa(n))
}

var languages = map[string]*words{"en": &english, "de": &german}

// wordsOf is the language of a person; the first of the library's where it is not known.
func wordsOf(locale string) *words {
	if w := languages[locale]; w != nil {
		return w
	}
	return languages[library.Locales[0]]
}

// nearDays is how far ahead the name of a weekday is unambiguous.
const nearDays = 6

// subject returns the words before the title. It names a near day by its weekday, and never says today or tomorrow:
// a mail may be read later.
func (w *words) subject(item Item, today library.Date) string {
	if item.Day == (library.Date{}) {
		return strings.TrimSuffix(w.kinds[item.Kind].subject, " #")
	}
	when := strings.ReplaceAll(w.onDate, "#", w.day(item.Day, today, false))
	if item.Day.Compare(today) >= 0 && item.Day.Compare(today.AddDays(nearDays)) <= 0 {
		when = strings.ReplaceAll(w.onWeekday, "#", w.weekdays[item.Day.Weekday()])
	}
	return strings.ReplaceAll(w.kinds[item.Kind].subject, "#", when)
}

// line returns the line below a title.
func (w *words) line(item Item, today library.Date) string {
	text := w.kinds[item.Kind]
	if item.Day == (library.Date{}) {
		return text.noDay
	}
	line := text.line
	if item.Renewable {
		line = cmp.Or(text.renewable, line)
	}
	return strings.NewReplacer("#", w.day(item.Day, today, true), "%", w.days.of(daysBetween(item.Day, today))).Replace(line)
}

// day writes a day in words; with the year if it is another one. In a sentence, with the weekday, no line ends
// inside the date.
func (w *words) day(d, today library.Date, withWeekday bool) string {
	text := w.date(d.Day, w.months[d.Month-1])
	if d.Year != today.Year {
		text += " " + strconv.Itoa(d.Year)
	}
	if withWeekday {
		text = w.weekdays[d.Weekday()] + ", " + strings.ReplaceAll(text, " ", "\u00a0")
	}
	return text
}

func daysBetween(from, to library.Date) int {
	noon := func(d library.Date) time.Time { return time.Date(d.Year, d.Month, d.Day, 12, 0, 0, 0, time.UTC) }
	return int(noon(to).Sub(noon(from)).Round(time.Hour) / (24 * time.Hour))
}
