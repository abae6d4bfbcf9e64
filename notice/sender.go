package notice

import (
	"cmp"
	"context"
	netmail "net/mail"
	"strings"
	"time"

	"example.org/library"
	"example.org/library/mail"
)

// Carrier is what carries mails.
type Carrier interface{ Open() mail.Session }

// Sender is what all mails of a library have in common.
type Sender struct {
	Carrier   Carrier // nil: no mails are sent
	From      string  // an address
	To        string  // who gets every mail instead of the people; "" for nobody
	PublicURL string  // of the browser client; "" for none
	Library   string  // its name; "" for none
}

// On reports whether mails are sent.
func (s *Sender) On() bool { return s.Carrier != nil }

// usualName is that of a library without a name.
const usualName = "Library"

// Mail is the mail with this identifier that tells a person all of that.
func (s *Sender) Mail(id string, now time.Time, to library.User, p library.Policy, items []Item) mail.Mail {
	l := s.letter(to, p, now)
	l.Items = items
	return s.mail(id, now, to, l.Render())
}

// letter is what every mail to a person has.
func (s *Sender) letter(to library.User, p library.Policy, now time.Time) Letter {
	l := Letter{Locale: to.Locale, Name: to.FirstName, Library: cmp.Or(s.Library, usualName), PublicURL: s.PublicURL, Today: p.Day(now)}
	w := wordsOf(to.Locale)
	l.Note = p.MailNote[w.locale]
	if w.formal {
		l.Name = strings.TrimSpace(to.FirstName + " " + to.LastName)
	}
	if s.To != "" {
		l.MeantFor = to.Email
	}
	return l
}

func (s *Sender) mail(id string, now time.Time, to library.User, c Content) mail.Mail {
	_, domain, _ := strings.Cut(s.From, "@")
	name := cmp.Or(s.Library, usualName)
	return mail.Mail{
		ID: id + "@" + domain, Date: now, From: netmail.Address{Name: name, Address: s.From},
		To:      netmail.Address{Name: strings.TrimSpace(to.FirstName + " " + to.LastName), Address: cmp.Or(s.To, to.Email)},
		Subject: c.Subject, Text: c.Text, HTML: c.HTML,
		ListID: "notices." + domain, ListName: name, Unsubscribe: Letter{PublicURL: s.PublicURL}.AccountPage(),
	}
}

// SendTest sends a person a mail that tells only that it has arrived. Its error is a *mail.Error.
func (s *Sender) SendTest(ctx context.Context, to library.User, p library.Policy, now time.Time) error {
	session := s.Carrier.Open()
	defer session.Close()
	return session.Send(ctx, s.mail(library.NewID(), now, to, s.letter(to, p, now).Test()))
}

// previewDays is how far from today the day of a preview is.
var previewDays = map[Kind]int{Overdue: -3, HoldReady: 6, DueSoon: 3, HoldExpired: -1}

// Preview is what a mail of this kind would say to somebody, about books that are made up.
func (s *Sender) Preview(kind Kind, to library.User, p library.Policy, now time.Time) Content {
	l := s.letter(to, p, now)
	l.MeantFor = ""
	day := l.Today.AddDays(previewDays[kind])
	l.Items = []Item{
		{Kind: kind, Book: "00000000-0000-4000-8000-000000000001", Title: "Homo faber", Day: day},
		{Kind: kind, Book: "00000000-0000-4000-8000-000000000002", Title: "The Left Hand of Darkness", Day: day},
	}
	return l.Render()
}
