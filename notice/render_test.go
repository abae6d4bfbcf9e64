package notice

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"html"

	"example.org/library"
)

var today = library.Date{Year: 2026, Month: 11, Day: 17} // a Tuesday

func an(kind Kind, title string, days int) Item {
	return Item{Kind: kind, Book: "book of " + title, Title: title, Day: today.AddDays(days)}
}

func letter(locale string, items ...Item) Letter {
	return Letter{Locale: locale, Name: "Anna", Library: "Public Library", Today: today, Items: items}
}

func TestSubjectsSayWhatMatters(t *testing.T) {
	t.Parallel()
	homo, berg, trommel := "Homo faber", "Der Zauberberg", "Die Blechtrommel"
	long := strings.Repeat("Word ", 51)
	for _, c := range []struct {
		en, de string
		items  []Item
	}{
		{"Due on Friday: Homo faber", "Fällig am Freitag: Homo faber", []Item{an(DueSoon, homo, 3)}},
		{"Due on Friday: Homo faber and 1 more", "Fällig am Freitag: Homo faber und 1 weiteres", []Item{an(DueSoon, homo, 3), an(DueSoon, berg, 4)}},
		{"Due on Friday: Homo faber and 2 more", "Fällig am Freitag: Homo faber und 2 weitere", []Item{an(DueSoon, trommel, 5), an(DueSoon, berg, 4), an(DueSoon, homo, 3)}},
		{"Due on Tuesday: Homo faber", "Fällig am Dienstag: Homo faber", []Item{an(DueSoon, homo, 0)}},
		{"Due on Wednesday: Homo faber", "Fällig am Mittwoch: Homo faber", []Item{an(DueSoon, homo, 1)}},
		{"Due on Monday: Homo faber", "Fällig am Montag: Homo faber", []Item{an(DueSoon, homo, 6)}},
		{"Due on 24 November: Homo faber", "Fällig am 24. November: Homo faber", []Item{an(DueSoon, homo, 7)}},
		{"Due on 1 January 2027: Homo faber", "Fällig am 1. Januar 2027: Homo faber", []Item{an(DueSoon, homo, 45)}},
		{"Overdue: Homo faber", "Überfällig: Homo faber", []Item{an(Overdue, homo, -1)}},
		{"Ready for you: Homo faber", "Abholbereit: Homo faber", []Item{an(HoldReady, homo, 7)}},
		{"Reservation expired: Homo faber", "Vormerkung abgelaufen: Homo faber", []Item{an(HoldExpired, homo, -1)}},
		// Overdue before ready before due before expired.
		{"Overdue: Homo faber and 3 more", "Überfällig: Homo faber und 3 weitere", []Item{an(HoldExpired, "A", -1), an(DueSoon, berg, 0), an(HoldReady, trommel, 7), an(Overdue, homo, -1)}},
		{"Ready for you: Homo faber and 2 more", "Abholbereit: Homo faber und 2 weitere", []Item{an(HoldExpired, "A", -1), an(DueSoon, berg, 0), an(HoldReady, homo, 7)}},
		{"Due on Friday: Homo faber and 1 more", "Fällig am Freitag: Homo faber und 1 weiteres", []Item{an(HoldExpired, "A", -1), an(DueSoon, homo, 3)}},
		{"Overdue: Homo faber", "Überfällig: Homo faber", []Item{an(Overdue, homo, -1), an(Overdue, homo, -8)}}, // two copies of one book
		{"Due on Friday: Homo faber", "Fällig am Freitag: Homo faber", []Item{an(DueSoon, "Homo\r\n\tfaber\x00", 3)}},
		{"Due: Homo faber", "Fällig: Homo faber", []Item{{Kind: DueSoon, Title: homo}}},
		{"Overdue: \u2068ليلة\u2069 and 1 more", "Überfällig: \u2068ليلة\u2069 und 1 weiteres", []Item{an(Overdue, "ليلة", -1), an(DueSoon, homo, 1)}},
		{"Overdue: " + long[:74] + "… and 1 more", "Überfällig: " + long[:74] + "… und 1 weiteres", []Item{an(Overdue, long, -1), an(DueSoon, homo, 1)}},
		{"Overdue: " + strings.Repeat("红", 79) + "…", "Überfällig: " + strings.Repeat("红", 79) + "…", []Item{an(Overdue, strings.Repeat("红", 255), -1)}},
	} {
		if got := letter("en", c.items...).Render().Subject; got != c.en {
			t.Errorf("got %q, want %q", got, c.en)
		}
		if got := letter("de", c.items...).Render().Subject; got != c.de {
			t.Errorf("got %q, want %q", got, c.de)
		}
	}
}

func TestAReminderSaysWhereTheLoanCanBeRenewed(t *testing.T) {
	t.Parallel()
	due, late, kept := an(DueSoon, "Homo faber", 3), an(Overdue, "Der Zauberberg", -1), an(DueSoon, "Die Blechtrommel", 3)
	due.Renewable, late.Renewable = true, true
	for locale, lines := range map[string][]string{
		"en": {"Please bring it back or renew it by Friday, 20\u00a0November", "1 day overdue · can be renewed", "Please bring it back by Friday"},
		"de": {"Bitte zurückgeben oder verlängern bis Freitag, 20.\u00a0November", "seit 1 Tag überfällig · kann verlängert werden", "Bitte zurückgeben bis Freitag"},
	} {
		for _, line := range lines {
			if got := letter(locale, due, late, kept).Render().Text; strings.Count(got, line) != 1 {
				t.Errorf("%q is not once in\n%s", line, got)
			}
		}
	}
}

func TestMailsInGermanAddressNobodyAsSieOrDu(t *testing.T) {
	t.Parallel()
	items := []Item{an(Overdue, "A", -1), an(HoldReady, "B", 1), an(DueSoon, "C", 1), an(HoldExpired, "D", -1), {Kind: HoldReady, Title: "E"}, {Kind: HoldExpired, Title: "F"}}
	if got := letter("de", items...).Render().Text + letter("de").Test().Text; regexp.MustCompile(`\b(Sie|Ihr|Ihre|Ihnen|du|dein|deine|dir)\b`).MatchString(got) {
		t.Error(got)
	}
}

func TestAMailInATerminal(t *testing.T) {
	t.Parallel()
	l := letter("en", an(DueSoon, "Der Zauberberg", 3), an(Overdue, "Homo faber", -1))
	l.Note, l.PublicURL = "Open from 10 to 18.\r\nTelephone 0731 123456\n", "https://library.example.org/client/"
	want := `Hello Anna,

Please bring this book back:

  Homo faber
  Was due on Monday, 16 November · 1 day overdue
  https://library.example.org/client/books/book of Homo faber

Due soon:

  Der Zauberberg
  Please bring it back by Friday, 20 November
  https://library.example.org/client/books/book of Der Zauberberg

My loans:
  https://library.example.org/client/loans

Open from 10 to 18.
Telephone 0731 123456

-- 
Public Library
You receive this e-mail because you have an account at Public Library.
Change or switch off reminders:
https://library.example.org/client/account
`
	if got := l.Render().Text; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := l.AccountPage(); got != "https://library.example.org/client/account" {
		t.Errorf("got %s", got)
	}
}

var tags, gaps, head = regexp.MustCompile(`<[^>]*>`), regexp.MustCompile(`[\s:]+`), regexp.MustCompile(`(?s)<head>.*</head>`)

// said are the words of the HTML of a mail.
func said(page string) string {
	return gaps.ReplaceAllString(html.UnescapeString(tags.ReplaceAllString(head.ReplaceAllString(page, ""), " ")), " ")
}

// strange are texts of strangers.
var strange = []string{"Homo faber", "红楼梦", "ألف ليلة وليلة", "👩‍👩‍👧‍👦", strings.Repeat("a", 255), "a & b < c > \"d\" 'e'", "<script>alert(1)</script>", "{{.Title}}", "javascript:alert(1)"}

func TestTextAndHTMLSayTheSameInEveryLanguage(t *testing.T) {
	t.Parallel()
	for _, locale := range library.Locales {
		for _, s := range strange {
			for _, kind := range library.NoticeKinds {
				l := letter(locale, an(kind, s, 3), an(DueSoon, "Another", 4))
				l.Name, l.Library, l.Note, l.MeantFor = s, s, s+"\n"+s, "anna@example.org"
				c := l.Render()
				inHTML := said(c.HTML)
				for line := range strings.Lines(c.Text) {
					line = strings.Trim(gaps.ReplaceAllString(strings.Trim(line, "* \n"), " "), "\u2068\u2069 ")
					if line != "--" && !strings.Contains(inHTML, line) {
						t.Errorf("%s: %q is missing in %s", locale, line, inHTML)
					}
				}
				if strings.Contains(c.HTML, "<script") || strings.Contains(c.Text+c.HTML, "http") || strings.Contains(c.HTML, "href") || strings.Contains(c.HTML, "src=") {
					t.Errorf("there is a script or a link in\n%s", c.HTML)
				}
				if !strings.Contains(c.Text, s) || !strings.Contains(c.Text, "anna@example.org") || !strings.Contains(c.HTML, `lang="`+locale+`"`) {
					t.Errorf("got\n%s", c.Text)
				}
			}
		}
	}
}

func TestLinksAreThoseOfTheBrowserClientAlone(t *testing.T) {
	t.Parallel()
	l := letter("en", Item{Kind: DueSoon, Book: "1", Title: "javascript:alert(1)", Day: today})
	l.PublicURL = "https://library.example.org"
	var links []string
	for _, found := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(l.Render().HTML, -1) {
		links = append(links, found[1])
	}
	if want := []string{l.PublicURL + "/books/1", l.PublicURL + "/loans", l.PublicURL + "/account"}; !slices.Equal(links, want) {
		t.Errorf("got %v, want %v", links, want)
	}
}

// A new kind of notice needs its texts in every language.
func TestEveryKindHasItsWordsInEveryLanguage(t *testing.T) {
	t.Parallel()
	if got := slices.Sorted(maps.Keys(languages)); !slices.Equal(got, slices.Sorted(slices.Values(library.Locales))) {
		t.Fatalf("there are words in %v", got)
	}
	for locale, w := range languages {
		if len(w.kinds) != len(library.NoticeKinds) || w.locale != locale {
			t.Errorf("%s: there are words of %d kinds, of %d", locale, len(w.kinds), len(library.NoticeKinds))
		}
		for _, kind := range library.NoticeKinds {
			text := w.kinds[kind]
			if text.subject == "" || text.one == "" || text.many == "" || text.noDay == "" || !strings.Contains(text.line, "#") {
				t.Errorf("%s: a text of %s is missing: %+v", locale, kind, text)
			}
			if previewDays[kind] == 0 {
				t.Errorf("%s has no preview", kind)
			}
			if !strings.Contains(string(htmlPage), "."+string(kind)+" ") && kind != HoldExpired {
				t.Errorf("%s has no colour", kind)
			}
		}
	}
}

func TestATestMailSaysThatItArrived(t *testing.T) {
	t.Parallel()
	en, de := letter("en").Test(), letter("de").Test()
	if en.Subject != "Test e-mail from Public Library" || !strings.Contains(en.Text, "e-mails from Public Library reach you") || !strings.Contains(said(en.HTML), "reach you") {
		t.Errorf("got %+v", en)
	}
	if de.Subject != "Test-E-Mail von Public Library" || !strings.Contains(de.Text, "kommen an") {
		t.Errorf("got %+v", de)
	}
}

func TestLongOverdueIsCountedByTheCalendar(t *testing.T) {
	t.Parallel()
	if got := letter("de", an(Overdue, "A", -400)).Render().Text; !strings.Contains(got, "War fällig am Montag, 13. Oktober 2025 · seit 400 Tagen überfällig") {
		t.Errorf("got %s", got)
	}
}
