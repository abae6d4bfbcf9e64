// Package notice is about what people are told by mail: which words, in which language.
//
// Start reading at [Letter]: what a mail tells becomes a subject, a plain text and HTML, which say the same.
package notice

import (
	"cmp"
	"slices"
	"strings"

	"example.org/library"
	"example.org/library/internal/plaintext"
)

// Kind is what a notice tells.
type Kind = library.NoticeKind

const (
	Overdue     = library.NoticeOverdue
	HoldReady   = library.NoticeHoldReady
	DueSoon     = library.NoticeDueSoon
	HoldExpired = library.NoticeHoldExpired
)

// Item is one thing that a mail tells.
type Item struct {
	Kind  Kind
	Book  string // its identifier
	Title string
	// Day is when the book is due or was, or until when it is or was set aside; zero if there is no such day.
	Day library.Date
}

// Letter is all that a mail tells a person.
type Letter struct {
	Locale    string
	Name      string // of the person, as in "Hello Anna"; "" for none
	Library   string // its name
	Note      string // the library's own words; "" for none
	PublicURL string // of the browser client; "" for no links
	MeantFor  string // whose mail it is, when it goes to somebody else; "" for the one who gets it
	Today     library.Date
	Items     []Item
}

// Content is a mail in words. Text and HTML say the same.
type Content struct{ Subject, Text, HTML string }

// Render writes the mail.
func (l Letter) Render() Content {
	l.Items = slices.Clone(l.Items)
	slices.SortStableFunc(l.Items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(urgency(a.Kind), urgency(b.Kind)), a.Day.Compare(b.Day), strings.Compare(a.Title, b.Title))
	})
	w := wordsOf(l.Locale)
	p := l.page(w)
	p.Subject = l.subject(w)
	for _, kind := range library.NoticeKinds {
		if s := l.section(w, kind); len(s.Entries) > 0 {
			p.Sections = append(p.Sections, s)
		}
	}
	return p.content()
}

// Test writes a mail that tells only that it has arrived.
func (l Letter) Test() Content {
	w := wordsOf(l.Locale)
	p := l.page(w)
	p.Subject, p.Said = w.test(isolated(l.Library)), w.testText(isolated(l.Library))
	return p.content()
}

// page is what every mail has.
func (l Letter) page(w *words) page {
	p := page{
		Locale: w.locale, Library: plaintext.OneLine(l.Library), Greeting: w.greeting(isolated(l.Name)), Note: note(l.Note),
		Why: w.why(isolated(l.Library)), Loans: link{w.loans, l.address("loans")}, Account: link{w.reminders, l.address("account")},
	}
	if l.MeantFor != "" {
		p.Instead = w.instead(isolated(l.MeantFor))
	}
	return p
}

func urgency(k Kind) int { return slices.Index(library.NoticeKinds, k) }

// section is what a mail tells of one kind.
func (l Letter) section(w *words, kind Kind) section {
	s := section{Kind: kind}
	for _, item := range l.Items {
		if item.Kind == kind {
			s.Entries = append(s.Entries, entry{Title: cmp.Or(plaintext.OneLine(item.Title), "?"), Link: l.address("books/" + item.Book), Line: w.line(item, l.Today)})
		}
	}
	s.Heading = w.kinds[kind].heading(len(s.Entries))
	return s
}

// address is that of a page of the browser client, or "".
func (l Letter) address(path string) string {
	if l.PublicURL == "" {
		return ""
	}
	return strings.TrimSuffix(l.PublicURL, "/") + "/" + path
}

// AccountPage is where reminders can be switched off; "" without the address of a browser client.
func (l Letter) AccountPage() string { return l.address("account") }

// subject says what matters most, and how many books there are besides.
func (l Letter) subject(w *words) string {
	if len(l.Items) == 0 {
		return plaintext.OneLine(l.Library)
	}
	first := l.Items[0]
	subject := w.subject(first, l.Today) + ": " + isolated(shortened(cmp.Or(plaintext.OneLine(first.Title), "?")))
	books := map[string]bool{}
	for _, item := range l.Items {
		books[cmp.Or(item.Book, item.Title)] = true
	}
	if more := len(books) - 1; more > 0 {
		subject += " " + w.more.of(more)
	}
	return subject
}

// maxInSubject is how much of a title stands in a subject, in code points: mail programs show little more, and what
// follows it must be seen.
const maxInSubject = 80

func shortened(title string) string {
	runes := []rune(title)
	if len(runes) <= maxInSubject {
		return title
	}
	cut := string(runes[:maxInSubject-1])
	if space := strings.LastIndexByte(cut, ' '); space > len(cut)/2 {
		cut = cut[:space]
	}
	return strings.TrimRight(cut, " \u200d") + "…"
}

// note is the library's own words, of which the line breaks stay.
func note(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(strings.ToValidUTF8(s, "�"), "\r\n", "\n"), "\r", "\n")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if plaintext.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s))
}

// isolated is a stranger's text that does not turn around what stands beside it, if it is written from right to left.
func isolated(s string) string {
	s = plaintext.OneLine(s)
	if !strings.ContainsFunc(s, turns) {
		return s
	}
	return "\u2068" + s + "\u2069"
}

// turns reports whether a character is written from right to left, or controls the direction.
func turns(r rune) bool {
	return r >= 0x0590 && r <= 0x08ff || r >= 0xfb1d && r <= 0xfdff || r >= 0xfe70 && r <= 0xfefc ||
		r >= 0x10800 && r <= 0x10fff || r >= 0x1e800 && r <= 0x1efff || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
