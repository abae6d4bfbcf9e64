package httpapi

import (
	"cmp"
	"errors"
	"time"

	"example.org/library"
	"example.org/library/httpapi/internal/input"
	"example.org/library/httpapi/internal/responsecache"
	"example.org/library/signin"
)

// authenticate finds the identity of the caller. Its user is looked up before the route is
// judged, or loaded by the transaction of a change.
func (s *Server) authenticate(x *exchange) (err error) {
	s.challenges.offerNonce(x)
	if x.identity = s.auth.Recognize(x.r); x.identity == nil {
		x.stepAside() // this may take long, and has limits of its own
		if x.identity, err = s.auth.Authenticate(x.r); err != nil {
			return err
		}
	}
	if s.signIn.Rules().Binds {
		person := x.identity.Person()
		x.subject = signin.SubjectKey(person.Issuer, person.Subject)
	}
	x.actAs(library.User{UserFields: library.UserFields{Email: x.identity.Email}})
	return nil
}

// lookUp finds the user with the identity, for every request anew, so that a user removed
// a moment ago is refused.
func (s *Server) lookUp(x *exchange) error {
	began, before := time.Now(), x.waiting.spent
	user, revision, err := s.signIn.Admit(x.r.Context(), x.login(), x.placeToWrite)
	x.spend(time.Since(began) - (x.waiting.spent - before))
	if errors.Is(err, signin.ErrSubjectConflict) {
		x.noteConflict(user)
	}
	if errors.Is(err, library.ErrUserNotFound) || errors.Is(err, signin.ErrSubjectConflict) {
		return s.auth.UnknownUser()
	}
	if err != nil {
		return err
	}
	x.Loaded(user)
	x.at = responsecache.SnapshotOf(revision, s.service.Now())
	return nil
}

// noteConflict counts callers with the address of a user tied to another subject, and writes one a second to the log: a caller with a token can repeat it without end.
func (x *exchange) noteConflict(user library.User) {
	x.server.metrics.conflicts.Inc()
	if others, ok := x.server.conflicts.may(time.Now()); ok {
		x.server.log.Warn("a caller has the e-mail address of a user who is tied to another subject of the identity provider; "+
			"if it is the same person, an admin unties the user", "requestId", x.id, "user", user.ID, "others", others)
	}
}

// login returns the claims of the credentials about the person.
func (x *exchange) login() signin.Login {
	person := x.identity.Person()
	return signin.Login{
		Email: x.identity.Email, Subject: x.subject, Authorities: x.identity.Authorities, FromRecord: x.identity.FromRecord,
		Verified: person.EmailVerified.Vouches(), Denied: person.EmailVerified.IsDenied(), Issued: x.identity.Issued(),
		GivenName: person.GivenName, FamilyName: person.FamilyName, Name: person.Name, Locale: person.Locale,
	}
}

// Loaded is called with the caller's record, also by the transaction of a change.
func (x *exchange) Loaded(user library.User) {
	if !x.isKnown() {
		x.server.metrics.accepted.Inc()
	}
	x.actAs(user)
}

// actAs is the only place where identity and user meet.
func (x *exchange) actAs(user library.User) {
	caller := library.Actor{Authorities: x.identity.Authorities, FromRecord: x.identity.FromRecord, Subject: x.subject, Credentials: x}
	x.actor = caller.WithUser(user)
}

// isKnown reports whether the caller's record was loaded.
func (x *exchange) isKnown() bool { return x.actor.Directory || x.actor.User.ID != "" }

// smallBody is the size up to which a body is read before the caller's record is loaded.
const smallBody = 64 << 10

// knownBeforeBody looks the caller up, unless the body is small: a large body is not read
// for a refused caller.
func (x *exchange) knownBeforeBody() error {
	isSmall := 0 <= x.r.ContentLength && x.r.ContentLength <= smallBody && x.r.Header["Expect"] == nil
	if isSmall {
		return nil
	}
	return x.knownForSure()
}

// knownForSure looks the caller up, unless that was done before.
func (x *exchange) knownForSure() error {
	if x.isKnown() {
		return nil
	}
	return cmp.Or(x.server.lookUp(x), x.actor.Authorize(x.route.permission))
}

// inOrder returns the error for a refused request. If the transaction of the change had
// not loaded the caller yet, the error about an unknown caller or a missing role comes
// first.
func (s *Server) inOrder(x *exchange, err error) error {
	if err == nil || !isJudgement(err) {
		return err
	}
	isGone, wasKnown := errors.Is(err, library.ErrCallerGone), x.isKnown()
	if !isGone && !wasKnown {
		if unknown := s.lookUp(x); unknown != nil {
			err, isGone = unknown, true
		}
	}
	if isGone && !wasKnown {
		x.route, x.r.Pattern = nil, "" // as if it had been refused before routing
	}
	if isGone {
		return err
	}
	return cmp.Or(x.actor.Authorize(x.route.permission), err)
}

// isJudgement reports whether an error is about the request or the caller's record:
// then nothing was changed, and nothing is wrong with the database or the credentials.
func isJudgement(err error) bool {
	_, isMalformed := errors.AsType[*problem](err)
	_, isUnreadable := errors.AsType[*input.Error](err)
	ruled, isRuled := errors.AsType[*library.Error](err)
	return isMalformed || isUnreadable || isRuled && ruled.Kind != library.Unavailable || errors.Is(err, library.ErrCallerGone)
}
