package notice

import (
	"cmp"
	_ "embed"
	"html/template"
	"slices"
	"strings"
	texttemplate "text/template"

	"example.org/library"
	"example.org/library/internal/plaintext"
)

// Kind is a kind of notice.
type Kind = library.NoticeKind

const (
	Overdue     = library.NoticeOverdue
	HoldReady   = library.NoticeHoldReady
	DueSoon     = library.NoticeDueSoon
	Wanted      = library.NoticeWanted
	HoldExpired = library.NoticeHoldExpired
)

// Item is one entry of a mail.
type Item struct {
	Kind  Kind
	Book  string // its identifier
	Title string
	// Day is when the book is due or was, or until when it is or was set aside; zero if there is no such day.
	Day library.Date
	// Renewable means the person can renew the loan.
	Renewable bool
}

// Letter is the content of a mail to a person.
type Letter struct {
	Locale    string
	Name      string // of the person, as in "Hello Anna"; "" for none
	Library   string // its name
	Note      string // the library's own words; "" for none
	PublicURL string // of the browser client; "" for no links
	MeantFor  string // the actual recipient, when the mail is diverted to another address; "" otherwise
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

// Test writes a mail that only says it has arrived.
func (l Letter) Test() Content {
	w := wordsOf(l.Locale)
	p := l.page(w)
	p.Subject, p.Said = w.test(isolated(l.Library)), w.testText(isolated(l.Library))
	return p.content()
}

// page returns the parts common to all mails.
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

// section returns the section of one kind.
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

// address returns the address of a page of the browser client, or "".
func (l Letter) address(path string) string {
	if l.PublicURL == "" {
		return ""
	}
	return strings.TrimSuffix(l.PublicURL, "/") + "/" + path
}

// AccountPage is where reminders can be switched off; "" without the address of a browser client.
func (l Letter) AccountPage() string { return l.address("account") }

// subject names the most urgent item, and the number of further books.
func (l Letter) subject(w *words) string {
	if len(l.Items) == 0 {
		return plaintext.OneLine(l.Library)
	}
	first := l.Items[0]
	subject := w.subject(first, l.Today)
	if !strings.HasSuffix(subject, " ") {
		subject += ": "
	}
	subject += isolated(shortened(cmp.Or(plaintext.OneLine(first.Title), "?")))
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

// note returns the library's own words, with their line breaks.
func note(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(strings.ToValidUTF8(s, "�"), "\r\n", "\n"), "\r", "\n")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if plaintext.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s))
}

// isolated wraps a text of a stranger, so that its writing direction does not change the text beside it.
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

// page has the data of both forms of a mail.
type page struct {
	Locale   string
	Subject  string
	Library  string
	Instead  string // a warning above all else; "" for none
	Greeting string
	Sections []section
	Said     string // a sentence instead of sections
	Note     string
	Why      string
	Loans    link
	Account  link
}

type section struct {
	Kind    Kind
	Heading string
	Entries []entry
}

type entry struct{ Title, Line, Link string }

// link is an address with its name; "" for none.
type link struct{ Name, Address string }

var (
	//go:embed page.txt
	plainPage string
	//go:embed page.html
	htmlPage string

	plainTemplate = texttemplate.Must(texttemplate.New("").Funcs(texttemplate.FuncMap{"isolated": isolated, "inset": inset}).Parse(plainPage))
	htmlTemplate  = template.Must(template.New("").Parse(htmlPage))
)

// inset moves all lines of a text to the right.
func inset(s string) string { return "  " + strings.ReplaceAll(s, "\n", "\n  ") }

// content writes both forms. Templates and data are ours, so nothing can fail beyond the tests.
func (p page) content() Content {
	var plain, html strings.Builder
	if err := plainTemplate.Execute(&plain, p); err != nil {
		panic("notice: " + err.Error())
	}
	if err := htmlTemplate.Execute(&html, p); err != nil {
		panic("notice: " + err.Error())
	}
	return Content{Subject: p.Subject, Text: strings.Trim(plain.String(), "\n") + "\n", HTML: html.String()}
}
