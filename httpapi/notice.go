package httpapi

import (
	"context"
	"net/http"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/httpapi/internal/input"
)

func (s *Server) listNotices(x *exchange) error {
	in := x.query()
	q := library.NoticeQuery{
		State: input.Choice(in, "state", library.NoticeStates), Kind: input.Choice(in, "kind", library.NoticeKinds),
		UserID: in.Identifier("user"), Limit: in.Limit("limit"), After: in.Cursor("cursor", library.NoticesByCreation),
	}
	if err := in.Err(); err != nil {
		return err
	}
	notices, err := s.service.Notices(x.r.Context(), x.actor, q)
	return listUncached(x, notices, err, wireNotice)
}

// showOutbox says whether mails are paused, also where no notice waits.
func (s *Server) showOutbox(x *exchange) error {
	if err := x.query().Err(); err != nil {
		return err
	}
	paused, err := s.service.MailPaused(x.r.Context(), x.actor)
	if err != nil {
		return err
	}
	return x.respond(http.StatusOK, api.Outbox{Paused: paused, To: s.mails.To})
}

func (s *Server) retryNotice(x *exchange, id string) error {
	return change(x, func(ctx context.Context) (library.Notice, error) { return s.service.RetryNotice(ctx, x.actor, id) },
		func(n library.Notice) reply { return done(wireNotice(n)) })
}

func (s *Server) resumeMail(x *exchange) error {
	return change(x, func(ctx context.Context) (struct{}, error) { return struct{}{}, s.service.ResumeMail(ctx, x.actor) },
		func(struct{}) reply { return reply{status: http.StatusNoContent} })
}

func wireNotice(n library.Notice) api.Notice {
	return api.Notice{
		Identifier: n.ID, Kind: string(n.Kind), State: string(n.State), User: wirePerson(n.Person),
		Book:      api.NoticeBook{Identifier: n.Book.ID, Title: n.Book.Title},
		CreatedAt: instant(n.Created), SentAt: instant(n.Sent), Attempts: n.Attempts, NextAttempt: instant(n.NextAttempt),
		Problem: ifAny(n.Problem, func(p library.MailFailure) api.MailFailure { return api.MailFailure{Code: p.Code, Stage: p.Stage} }),
	}
}

func wireMailProblem(p library.MailProblem) api.MailProblem {
	return api.MailProblem{Code: p.Code, Since: instant(p.Since)}
}
