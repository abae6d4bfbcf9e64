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

// testMailTimeout is how long a caller waits for a mail server with several stages: just under the minute
// of the HTTP server.
const testMailTimeout = 57 * time.Second

var errMailOff = &problem{status: http.StatusConflict, code: "mail_off", message: "This library sends no mails: it runs without --smtp."}

// errMailFailed returns the answer about a failed mail: the stage, and the server's number, or for how many
// seconds it has not answered.
func errMailFailed(failed *mail.Error, isTimeout bool) *problem {
	p := &problem{status: http.StatusBadGateway, code: "mail_failed", message: "The mail server did not take the mail."}
	why := library.Detail{Field: "smtp", Code: validation.DetailCode(failed.Stage), Message: "no answer"}
	switch {
	case failed.Code != 0:
		why.Message = strconv.Itoa(failed.Code)
	case isTimeout:
		p.message, why.Limit = "The mail server has not answered for a minute.", 60
	}
	p.details = []library.Detail{why}
	return p
}

// previewNotice shows the text of a mail, about invented books.
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
		return errMailFailed(failed, errors.Is(ctx.Err(), context.DeadlineExceeded))
	}
	if err == nil {
		err = s.service.MailArrived(x.r.Context(), x.actor.User)
	}
	return x.noContent(err)
}
