package httpapi

import (
	"cmp"
	"errors"
	"net/http"

	"example.org/library"
	"example.org/library/auth"
	"example.org/library/httpapi/internal/responsecache"
)

// authenticate finds out who is calling. It is the only place where identity
// and user meet. The user is looked up for every request, so that whoever was removed a
// moment ago is out.
//
// Where that takes a question to the database, a request that is nothing but one
// change is spared it: the caller is presumed to be who it was the last time, and
// the transaction of the change checks it.
func (s *Server) authenticate(x *exchange) error {
	identity, err := s.auth.Authenticate(x.r)
	if err != nil {
		return err
	}
	if user, ok := s.presume(x.r, identity); ok {
		x.isPresumed = true
		x.actAs(identity, user)
		return nil
	}
	return s.lookUp(x, identity)
}

func (s *Server) presume(r *http.Request, identity *auth.Identity) (user library.User, ok bool) {
	if r.Method != http.MethodPost {
		return user, false
	}
	if found, _, err := s.router.find(r); err != nil || !found.isOneChange() {
		return user, false
	}
	return s.service.PresumedCaller(identity.Email)
}

// isOneChange reports whether a route that succeeds has made a change, or has found
// in its transaction that there is nothing to change, and has done nothing else.
func (r *route) isOneChange() bool {
	return r.pattern == "/books/{id}/borrow" || r.pattern == "/books/{id}/return"
}

// lookUp finds the user who has the identity.
func (s *Server) lookUp(x *exchange, identity *auth.Identity) error {
	user, revision, err := s.service.Caller(x.r.Context(), identity.Email)
	if errors.Is(err, library.ErrUserNotFound) {
		return s.auth.UnknownUser()
	}
	if err != nil {
		return err
	}
	x.actAs(identity, user)
	x.at = responsecache.SnapshotOf(revision, s.service.Now())
	s.metrics.accepted.Inc()
	return nil
}

func (x *exchange) actAs(identity *auth.Identity, user library.User) {
	x.identity = identity
	x.actor = library.Actor{User: user, Authorities: identity.Authorities, FromRecord: identity.FromRecord, Credentials: x}
	if identity.FromRecord {
		x.actor.Authorities = user.Authorities()
	}
}

// unchecked is an answer that is to be given again, while nothing has checked the
// caller, who was presumed.
type unchecked struct{ recorded []byte }

func (unchecked) Error() string { return "httpapi: the caller has not been checked" }

// reconsider is the end of a request whose caller was presumed. What was done is
// done. Before the caller hears anything else the record is looked up, and if it is
// another one the request is judged again.
func (s *Server) reconsider(x *exchange, err error) error {
	switch {
	case err == nil || errors.Is(err, library.ErrOutcomeUnknown):
		s.metrics.accepted.Inc() // by the transaction
		return err
	case !isJudgement(err):
		x.actor = library.Actor{} // nobody has found out who it is, and the database may be unable to tell
		return err
	}
	presumed := x.actor.User
	x.isPresumed, x.actor = false, library.Actor{}
	if err := s.lookUp(x, x.identity); err != nil {
		x.route, x.r.Pattern = nil, "" // as if it had not got that far
		return err
	}
	isSame := x.actor.User.ID == presumed.ID && x.actor.User.Version == presumed.Version
	var malformed *problem
	var again unchecked
	switch {
	case errors.As(err, &malformed): // whoever sends it, but those who may not send it at all
		return cmp.Or(x.actor.Authorize(x.route.permission), err)
	case isSame && errors.As(err, &again):
		return x.replay(again.recorded)
	case isSame:
		return err
	}
	return s.act(x)
}

// isJudgement reports whether an error is about the request or the caller: then
// nothing was changed, and nothing is wrong with the database.
func isJudgement(err error) bool {
	var malformed *problem
	var refused *auth.Error
	var ruled *library.Error
	return errors.As(err, &malformed) || errors.As(err, &refused) || errors.As(err, &ruled) && ruled.Kind != library.Unavailable ||
		errors.Is(err, library.ErrCallerGone) || errors.As(err, &unchecked{})
}
