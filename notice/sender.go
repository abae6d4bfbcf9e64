package notice

import (
	"cmp"
	"context"
	netmail "net/mail"
	"strings"
	"sync"
	"time"

	"example.org/library"
	"example.org/library/mail"
)

// Carrier carries mails.
type Carrier interface{ Open() mail.Session }

// Sender has the settings common to all mails of a library.
type Sender struct {
	Carrier   Carrier // nil: no mails are sent
	From      string  // an address
	To        string  // gets every mail instead of the people; "" for nobody
	PublicURL string  // of the browser client; "" for none
	Library   string  // its name; "" for none
	Pace      *Pace   // of the process
}

// On reports whether mails are sent.
func (s *Sender) On() bool { return s.Carrier != nil }

// usualName stands for a missing name of the library.
const usualName = "Library"

// Mail writes the mail with an identifier to a person about some items.
func (s *Sender) Mail(id string, now time.Time, to library.User, p library.Policy, items []Item) mail.Mail {
	l := s.letter(to, p, now)
	l.Items = items
	return s.mail(id, now, to, l.Render())
}

// letter returns a letter to a person without items.
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

// SendTest sends a person a mail that only says it has arrived. Its error is library.ErrOverloaded
// if too many mails wait for their turn, or a *mail.Error.
func (s *Sender) SendTest(ctx context.Context, to library.User, p library.Policy, now time.Time) error {
	if s.Pace.Wait(ctx) != nil {
		return library.ErrOverloaded
	}
	session := s.Carrier.Open()
	defer session.Close()
	return session.Send(ctx, s.mail(library.NewID(), now, to, s.letter(to, p, now).Test()))
}

// previewDays is how far from today the day of a preview is.
var previewDays = map[Kind]int{Overdue: -3, HoldReady: 6, DueSoon: 3, Wanted: 5, HoldExpired: -1}

// Preview writes a mail of this kind to a person about invented books.
func (s *Sender) Preview(kind Kind, to library.User, p library.Policy, now time.Time) Content {
	l := s.letter(to, p, now)
	l.MeantFor = ""
	day := l.Today.AddDays(previewDays[kind])
	l.Items = []Item{
		{Kind: kind, Book: "00000000-0000-4000-8000-000000000001", Title: "Homo faber", Day: day, Renewable: p.Renewals > 0},
		{Kind: kind, Book: "00000000-0000-4000-8000-000000000002", Title: "The Left Hand of Darkness", Day: day},
	}
	return l.Render()
}

// Pace limits how many mails a second a process sends. The worker and test mails share one.
type Pace struct {
	every time.Duration
	mu    sync.Mutex
	next  time.Time // when the next mail may go out
}

// NewPace returns a pace of so many mails a second.
func NewPace(rate int) *Pace { return &Pace{every: time.Second / time.Duration(max(rate, 1))} }

// Wait waits for a turn. A nil pace lets everybody go at once.
func (p *Pace) Wait(ctx context.Context) error {
	if p == nil {
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(p.reserve(time.Now()))):
		return nil
	}
}

func (p *Pace) reserve(now time.Time) (turn time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next.Before(now) {
		p.next = now
	}
	turn = p.next
	p.next = turn.Add(p.every)
	return turn
}
