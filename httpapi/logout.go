package httpapi

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/auth"
	"example.org/library/internal/periodic"
	"example.org/library/service"
)

// The identity provider tells by POST /logout that a session has ended (OpenID Connect Back-Channel Logout).
// The logout token in the form proves itself; there are no other credentials. It is stored in the
// database, and every process looks there for new ones.

const (
	maxLogoutForm   = 64 << 10
	logoutsAtOnce   = 20
	logoutParameter = "logout_token"
	logoutLook      = 500 * time.Millisecond // how often a process looks for sessions ended by others
	logoutTimeout   = 2 * time.Second
	logoutPage      = 1000
)

// logouts is the end of the provider's sessions; nil without --logout.
type logouts struct {
	sessions *auth.Logouts
	places   chan struct{} // of logout tokens being verified
	full     logLimit
}

func newLogouts(sessions *auth.Logouts) *logouts {
	if sessions == nil {
		return nil
	}
	return &logouts{sessions: sessions, places: make(chan struct{}, logoutsAtOnce)}
}

// routes returns the only route that needs no caller.
func (l *logouts) routes(s *Server) []route {
	if l == nil {
		return nil
	}
	return []route{{http.MethodPost, "/logout", library.Read, bounded, s.endSession}}
}

// isFor reports whether a request is answered without a caller.
func (l *logouts) isFor(r *http.Request, found *route) bool {
	return l != nil && r.Method == http.MethodPost && found != nil && found.pattern == "/logout"
}

// changed returns a channel that is closed when more sessions have ended.
func (l *logouts) changed() <-chan struct{} {
	if l == nil {
		return nil
	}
	return l.sessions.Changed()
}

// endSession takes a logout token.
func (s *Server) endSession(x *exchange) error {
	raw, err := logoutToken(x)
	if err != nil {
		return x.refuseLogout(err)
	}
	select {
	case s.logouts.places <- struct{}{}:
		defer func() { <-s.logouts.places }()
	default:
		return x.refuseLogout(library.ErrOverloaded)
	}
	logout, err := s.logouts.sessions.Verify(x.r.Context(), raw)
	if err != nil {
		return x.refuseLogout(err)
	}
	if s.noDatabase {
		return x.refuseLogout(library.ErrUnavailable)
	}
	err = s.service.EndSession(x.r.Context(), library.Logout{
		Token: library.Digest(logout.Token), Ends: library.Digest(logout.Ends), Before: logout.Before, Until: logout.Until,
	})
	if err != nil {
		return x.refuseLogout(err)
	}
	s.logouts.sessions.Add([]auth.Logout{logout})
	x.write(http.StatusOK, nil)
	return nil
}

// logoutToken reads the form with the token.
func logoutToken(x *exchange) (string, error) {
	bad := func(message string) (string, error) { return "", badRequest(auth.CodeInvalidRequest, message) }
	if x.query().Has(logoutParameter) {
		return bad("The logout token must be in the body")
	}
	if media, _ := mediaType(x.r.Header); media != "application/x-www-form-urlencoded" {
		return bad("The body must be a form, sent with Content-Type: application/x-www-form-urlencoded")
	}
	body, err := io.ReadAll(http.MaxBytesReader(x.w, x.r.Body, maxLogoutForm))
	if err != nil {
		return bad("The body is larger than 64 KiB or could not be read to its end")
	}
	form, err := url.ParseQuery(string(body))
	if tokens := form[logoutParameter]; err == nil && len(tokens) == 1 {
		return tokens[0], nil
	}
	return bad("The form must have one logout_token")
}

// refuseLogout answers as the specification demands: in the words of OAuth 2.0.
func (x *exchange) refuseLogout(err error) error {
	refusal := api.LogoutError{Error: "invalid_request"}
	h, status, retry := x.w.Header(), http.StatusBadRequest, time.Duration(0)
	refused, isRefused := errors.AsType[*auth.Error](err)
	malformed, isMalformed := errors.AsType[*problem](err)
	switch {
	case isRefused:
		status, refusal.Description, retry = refused.Status, refused.Message, refused.RetryAfter
		x.code = refused.Code
	case isMalformed:
		refusal.Description, x.code = malformed.message, malformed.code
	case errors.Is(err, library.ErrLogoutTaken):
		refusal.Description, x.code = "The logout token was taken before", "logout_taken"
	case errors.Is(err, library.ErrTooManyLogouts):
		if others, ok := x.server.logouts.full.may(time.Now()); ok {
			x.server.log.Error("a logout was refused because too many sessions have ended; a shorter --logout-keep makes room", "requestId", x.id, "most", library.MaxLogouts, "others", others)
		}
		status, refusal.Description, x.code, retry = http.StatusServiceUnavailable, "Too many sessions have ended", "too_many_logouts", time.Minute
	default:
		p := x.describe(err)
		status, refusal.Description, x.code, retry = p.status, p.message, p.code, time.Second
	}
	if status >= http.StatusInternalServerError {
		refusal.Error = "temporarily_unavailable"
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(max(retry, time.Second).Seconds()))))
	}
	return x.respond(status, refusal)
}

// WatchLogouts loads the ended sessions, and then looks for new ones until stop is called.
func WatchLogouts(ctx context.Context, lib *service.Service, sessions *auth.Logouts, log *slog.Logger) (stop func(), err error) {
	last, err := loadLogouts(ctx, lib, sessions, 0)
	if err != nil {
		return nil, err
	}
	var complaints logLimit
	return periodic.Start(logoutLook, func(ctx context.Context) {
		now, err := loadLogouts(ctx, lib, sessions, last)
		if last = now; err == nil || ctx.Err() != nil {
			return
		}
		if others, ok := complaints.may(time.Now()); ok {
			log.Warn("ended sessions could not be read; tokens of sessions ended elsewhere are still good", "error", err, "others", others)
		}
	}), nil
}

// loadLogouts adds the logouts after a number to the ended sessions, and returns the last number.
func loadLogouts(ctx context.Context, lib *service.Service, sessions *auth.Logouts, last int64) (int64, error) {
	for {
		found, err := lib.Logouts(library.WithStoreTimeout(ctx, logoutTimeout), last, logoutPage)
		if err != nil {
			return last, err
		}
		sessions.Add(each(found, func(l library.Logout) auth.Logout {
			return auth.Logout{Token: auth.Digest(l.Token), Ends: auth.Digest(l.Ends), Before: l.Before, Until: l.Until}
		}))
		if len(found) > 0 {
			last = found[len(found)-1].Seq
		}
		if len(found) < logoutPage {
			return last, nil
		}
	}
}
