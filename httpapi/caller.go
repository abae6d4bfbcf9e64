package httpapi

import (
	"errors"
	"net/http"

	"example.org/library"
	"example.org/library/auth"
)

// authenticate finds out who is calling. It is the only place where identity
// and user meet. The user is looked up at every request: whoever was removed a
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
	x.at = momentOf(revision, s.service.Now())
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

// errUnchecked means that nothing has checked a caller who was presumed.
var errUnchecked = errors.New("httpapi: the caller has not been checked")

// reconsider is the end of a request whose caller was presumed. What was done is
// done. Before the caller is told of a refusal the record is looked up, and the
// request is judged again if it is another one.
func (s *Server) reconsider(x *exchange, refusal error) error {
	switch {
	case refusal == nil:
		s.metrics.accepted.Inc()
		return nil
	case !changedNothing(refusal):
		return refusal // it may have been done
	}
	presumed := x.actor.User
	x.isPresumed, x.actor = false, library.Actor{}
	if err := s.lookUp(x, x.identity); err != nil {
		return err
	}
	isSame := x.actor.User.ID == presumed.ID && x.actor.User.Version == presumed.Version
	if isSame && !errors.Is(refusal, errUnchecked) {
		return refusal
	}
	return s.act(x)
}

// changedNothing reports whether an error says that nothing was changed, because that is
// not allowed, or makes no sense.
func changedNothing(err error) bool {
	var malformed *problem
	var refused *auth.Error
	var ruled *library.Error
	return errors.As(err, &malformed) || errors.As(err, &refused) || errors.As(err, &ruled) && ruled.Kind != library.Unavailable ||
		errors.Is(err, library.ErrCallerGone) || errors.Is(err, errUnchecked)
}
