package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/auth"
	"example.org/library/httpapi/internal/input"
	"example.org/library/internal/validation"
)

// problem is a refusal by HTTP alone.
type problem struct {
	status   int
	code     string
	message  string
	details  []library.Detail
	allow    string // the Allow header of a 405
	scimType string // of an error for a directory
	retry    string // the Retry-After header of a 409, 429 or 503, in seconds

	rule       string         // see library.Error
	candidates []library.Loan // the same
}

func (p *problem) Error() string { return p.message }

// Codes of refusals with more than one message.
const (
	codeIncompleteBody = "incomplete_body"
	codeMalformedBody  = "malformed_body"
	codeNotJSON        = "not_json"
)

var (
	errInsanePath    = &problem{status: 400, code: "bad_path", message: "The path contains something that could be read in two ways (such as //, .. or %2f)."}
	errBadIdentifier = &problem{status: 400, code: "bad_identifier", message: "The identifier in the path is not a UUID of 36 characters."}
	errForeignOrigin = &problem{status: 403, code: "foreign_origin", message: "Requests from this origin are not allowed."}
	errForeignMethod = &problem{status: 403, code: "foreign_method", message: "Cross-origin requests with this method are not allowed."}
	errNoSuchPath    = &problem{status: 404, code: "no_such_path", message: "There is nothing at this path."}
	errTooLarge      = &problem{status: 413, code: "body_too_large", message: "The body is larger than 1 MiB."}
	errNotJSON       = &problem{status: 415, code: codeNotJSON, message: "The body must be JSON, sent with Content-Type: application/json."}
	errNotTable      = &problem{status: 415, code: codeNotJSON, message: "The body must be JSON or CSV, sent with Content-Type: application/json or text/csv."}
	errNotBooks      = &problem{status: 415, code: codeNotJSON, message: "The body must be JSON, CSV or MARC, sent with Content-Type: application/json, text/csv, application/marc or application/marcxml+xml."}
	errCharset       = &problem{status: 415, code: "unknown_charset", message: "The charset must be utf-8, utf-16le, utf-16be or windows-1252; without one it is found out."}
	errTooManyOwn    = &problem{status: 429, code: "too_many_streams", message: "You have too many event streams open; close one first.", retry: "10"}
	errTooManyAll    = &problem{status: 429, code: "too_many_streams", message: "Too many event streams are open; try again later.", retry: "10"}
	errPanic         = errors.New("panic")
)

func badRequest(code, message string, details ...library.Detail) *problem {
	return &problem{status: 400, code: code, message: message, details: details}
}

func methodNotAllowed(allow string) *problem {
	return &problem{status: 405, code: "method_not_allowed", message: "This path does not take this method.", allow: allow}
}

// Retry-After, in seconds. When a database will be back is not known: this is soon
// enough for callers and late enough not to be a burden. An overload is over when the
// requests in flight have been answered.
const (
	retryDatabase   = "5"
	retryOverloaded = "1"
)

// retryBusy is when what is being done may be done, in seconds.
const retryBusy = "1"

// statusOf is the status of each kind of domain error.
var statusOf = map[library.Kind]int{
	library.Invalid:   http.StatusBadRequest,
	library.Forbidden: http.StatusForbidden,
	library.NotFound:  http.StatusNotFound,
	library.Conflict:  http.StatusConflict,
	library.Busy:      http.StatusConflict,
	library.Mismatch:  http.StatusUnprocessableEntity,
	library.Outdated:  http.StatusPreconditionFailed,
	library.TooMany:   http.StatusTooManyRequests,
}

// describe is the one place where an error becomes an answer. What it does not
// know is an internal error, without details in the answer.
func (x *exchange) describe(err error) *problem {
	var p *problem
	var unreadable *input.Error
	var refused *auth.Error
	var ruled *library.Error
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &unreadable):
		return badRequest(unreadable.Code, unreadable.Message, unreadable.Details...)
	case errors.As(err, &refused):
		return x.describeRefusal(refused)
	case errors.Is(err, library.ErrOverloaded):
		return unavailable(library.ErrOverloaded, retryOverloaded) // there may be many, and a metric counts them
	case errors.As(err, &ruled) && ruled.Kind == library.Unavailable:
		x.warn("the database cannot be used", err)
		return unavailable(ruled, retryDatabase)
	case errors.As(err, &ruled):
		return x.describeRuling(ruled)
	case errors.Is(err, library.ErrCallerGone):
		return x.describeRefusal(x.server.auth.UnknownUser())
	case errors.Is(err, context.Canceled) && x.r.Context().Err() != nil:
		return &problem{status: 499, code: "client_gone", message: "The client went away."}
	case errors.Is(err, context.DeadlineExceeded):
		x.warn("the database took too long", err)
		return unavailable(library.ErrUnavailable, retryDatabase)
	default:
		x.server.log.Error("internal error", "requestId", x.id, "route", x.pattern(), "error", err)
		return &problem{status: 500, code: "internal", message: "Something went wrong on our side. The request id helps to find out what."}
	}
}

// warn logs a failure of the database, for one request a second: while the database is
// gone, all of them fail.
func (x *exchange) warn(what string, err error) {
	if others, ok := x.server.warnings.may(time.Now()); ok {
		x.server.log.Warn(what, "requestId", x.id, "route", x.pattern(), "error", err, "others", others)
	}
}

// logLimit is a rate limit: one line of the log a second.
type logLimit struct {
	mu      sync.Mutex
	last    time.Time
	skipped int
}

// may reports whether a line may be written now, and how many were left out since the
// last one.
func (s *logLimit) may(now time.Time) (skipped int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.last) < time.Second {
		s.skipped++
		return 0, false
	}
	skipped, s.last, s.skipped = s.skipped, now, 0
	return skipped, true
}

func unavailable(why *library.Error, retry string) *problem {
	return &problem{status: http.StatusServiceUnavailable, code: why.Code, message: why.Message, details: why.Details, retry: retry}
}

func (x *exchange) describeRefusal(refused *auth.Error) *problem {
	x.server.metrics.refused(refused.Code)
	h := x.w.Header()
	if refused.Challenge != "" {
		h.Set("WWW-Authenticate", x.server.challenges.field(x.r, refused.Challenge))
	}
	if refused.RetryAfter > 0 {
		h.Set("Retry-After", inSeconds(refused.RetryAfter))
	}
	p := &problem{status: refused.Status, code: refused.Code, message: refused.Message}
	if refused.Missing != "" {
		p.details = []library.Detail{validation.Required(refused.Missing)}
	}
	return p
}

// inSeconds is a Retry-After, rounded up.
func inSeconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }

func (x *exchange) describeRuling(ruled *library.Error) *problem {
	if ruled.Role != "" {
		if challenge := x.server.auth.InsufficientScope(ruled.Role.Scope()); challenge != "" {
			x.w.Header().Set("WWW-Authenticate", x.server.challenges.field(x.r, challenge))
		}
	}
	p := &problem{status: statusOf[ruled.Kind], code: ruled.Code, message: ruled.Message, details: ruled.Details, rule: ruled.Rule, candidates: ruled.Candidates}
	switch ruled.Kind {
	case library.Busy:
		p.retry = retryBusy
	case library.TooMany:
		p.retry = inSeconds(ruled.RetryAfter)
	}
	return p
}

// fail answers with an error.
func (x *exchange) fail(err error) {
	p := x.describe(err)
	x.code = p.code
	h := x.w.Header()
	if p.allow != "" {
		h.Set("Allow", p.allow)
	}
	if p.retry != "" {
		h.Set("Retry-After", p.retry)
	}
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	if x.isSCIM {
		h.Set("Content-Type", "application/scim+json")
		x.write(p.status, scimError(p))
		return
	}
	x.write(p.status, x.errorBody(p))
}

func (x *exchange) errorBody(p *problem) []byte {
	e := api.Error{
		Timestamp: x.server.now().UTC().Format(api.TimestampLayout),
		Status:    p.status,
		Error:     statusText(p.status),
		Message:   p.message,
		Path:      rawPath(x.r),
		Code:      p.code,
		Details:   wireDetails(p.details),
		RequestID: x.id,
		Rule:      p.rule,
	}
	if p.candidates != nil {
		e.Candidates = each(p.candidates, wireLoan)
	}
	body, _ := json.Marshal(e) // strings and numbers always marshal
	return body
}

func wireDetails(details []library.Detail) (out []api.Detail) {
	for _, d := range details {
		wire := api.Detail{Field: d.Field, Message: d.Message, Code: string(d.Code), Limit: d.Limit}
		if d.Code == validation.CodeOutOfRange {
			wire.Least = &d.Least
		}
		out = append(out, wire)
	}
	return out
}

func statusText(status int) string {
	if text := http.StatusText(status); text != "" {
		return text
	}
	return "Error"
}
