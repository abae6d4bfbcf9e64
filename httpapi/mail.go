package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/httpapi/internal/input"
	"example.org/library/internal/validation"
	"example.org/library/mail"
)

func (s *Server) mailRoutes() []route {
	return []route{
		{http.MethodGet, "/notices/preview", library.Administer, reads, s.previewNotice},
		{http.MethodPost, "/notices/test", library.Administer, reads, s.sendTestMail},
	}
}

// testMailTimeout is how long a caller waits for a mail server, which may hang at several stages. The HTTP server ends
// answers after a minute.
const testMailTimeout = 50 * time.Second

var errMailOff = &problem{status: http.StatusConflict, code: "mail_off", message: "This library sends no mails: it runs without --smtp."}

// errMailFailed is the answer about a mail that could not be sent: the stage, and the server's number.
func errMailFailed(failed *mail.Error) *problem {
	number := "no answer"
	if failed.Code != 0 {
		number = strconv.Itoa(failed.Code)
	}
	return &problem{status: http.StatusBadGateway, code: "mail_failed", message: "The mail server did not take the mail.",
		details: []library.Detail{{Field: "smtp", Code: validation.DetailCode(failed.Stage), Message: number}}}
}

// previewNotice shows what a mail would say, about books that are made up.
func (s *Server) previewNotice(x *exchange) error {
	in := x.query()
	if !in.Has("kind") {
		in.Refuse(validation.Required("kind"))
	}
	kind, locale := input.Choice(in, "kind", library.NoticeKinds), input.Choice(in, "locale", library.Locales)
	if err := in.Err(); err != nil {
		return err
	}
	p, err := s.service.Policy(x.r.Context(), x.actor)
	if err != nil {
		return err
	}
	to := x.actor.User
	if locale != "" {
		to.Locale = locale
	}
	c := s.mails.Preview(kind, to, p, s.service.Now())
	return x.respond(http.StatusOK, api.MailPreview{Subject: c.Subject, Text: c.Text, HTML: c.HTML})
}

// sendTestMail sends the caller a mail, now.
func (s *Server) sendTestMail(x *exchange) error {
	if err := x.query().Err(); err != nil {
		return err
	}
	if !s.mails.On() {
		return errMailOff
	}
	p, err := s.service.Policy(x.r.Context(), x.actor)
	if err != nil {
		return err
	}
	x.leave() // the mail server is not the database
	ctx, cancel := context.WithTimeout(x.r.Context(), testMailTimeout)
	defer cancel()
	defer context.AfterFunc(s.stopping, cancel)()
	err = s.mails.SendTest(ctx, x.actor.User, p, s.service.Now())
	if failed := (*mail.Error)(nil); errors.As(err, &failed) && x.r.Context().Err() == nil {
		s.log.Warn("a test mail failed", "requestId", x.id, "stage", failed.Stage, "code", failed.Code, "error", failed.Err)
		return errMailFailed(failed)
	}
	if err == nil {
		err = s.service.MailArrived(x.r.Context(), x.actor.User)
	}
	return x.noContent(err)
}
