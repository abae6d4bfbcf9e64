package httpapi

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.org/library"
	"example.org/library/auth"
	"example.org/library/httpapi/internal/directory"
	"example.org/library/scim"
)

// SCIM 2.0 below /scim/v2/: people from a directory, see package directory. The requests go the way of all others, with two
// differences: a directory may have a secret instead of a token, and errors have a form of their own.

const (
	scimPath    = "/scim/v2"
	maxSCIMBody = 4 << 20
	wrongASec   = 5 // wrong secrets a second

	changePause = 20 * time.Millisecond // between the beginnings of two changes
)

// SCIM configures the access of directories.
type SCIM struct {
	Secrets    [][sha256.Size]byte // digests of secrets that are as good as an admin's token
	ByUserName bool                // the library's address is the userName
	LocalRoles bool                // roles come from records alone
	PublicURL  string              // of the API with its base path, "" for the address of each request
}

// directoryAccess is the part of a server for directories; nil without --scim.
type directoryAccess struct {
	SCIM
	basePath string
	wrong    *rateLimit
	changes  pace
}

func newDirectoryAccess(cfg Config) *directoryAccess {
	if cfg.SCIM == nil {
		return nil
	}
	return &directoryAccess{SCIM: *cfg.SCIM, basePath: cfg.BasePath, wrong: newRateLimit(wrongASec)}
}

var (
	errSCIMTooLarge    = &problem{status: 413, code: errTooLarge.code, message: "The body is larger than 4 MiB."}
	errSCIMNotJSON     = &problem{status: 415, code: codeNotJSON, message: "The body must be JSON, sent with Content-Type: application/scim+json."}
	errTooManySecrets  = &problem{status: 429, code: "too_many_tries", message: "Too many wrong secrets were sent; try again in a second.", retry: "1"}
	errSCIMMatchFailed = &problem{status: 412, code: library.ErrOutdated.Code, message: library.ErrOutdated.Message}
)

// covers reports whether a request is for a directory.
func (d *directoryAccess) covers(r *http.Request) bool {
	if d == nil {
		return false
	}
	rest, below := strings.CutPrefix(r.URL.Path, d.basePath+scimPath)
	return below && (rest == "" || rest[0] == '/')
}

// routes returns the routes below /scim/v2.
func (d *directoryAccess) routes(s *Server) []route {
	if d == nil {
		return nil
	}
	handler := &directory.Handler{Service: s.service, ByUserName: d.ByUserName, HasSecret: len(d.Secrets) > 0}
	var all []route
	for _, r := range handler.Routes() {
		all = append(all, route{r.Method, scimPath + r.Pattern, library.Administer, scimWork[r.Work], func(x *exchange) error {
			a, err := r.Handle(x.scimRequest())
			if err != nil {
				return inSCIM(err)
			}
			return x.scim(a)
		}})
	}
	return all
}

var scimWork = map[directory.Work]work{directory.Static: bounded, directory.Read: reads, directory.Change: changes}

func (x *exchange) scimRequest() directory.Request {
	return directory.Request{
		Context: x.r.Context(), Actor: x.actor, Query: x.r.URL.Query(), Param: x.param, Base: x.server.directory.address(x.r),
		Match: precondition(x.r.Header), Body: x.scimBody,
	}
}

// scimBody reads a body.
func (x *exchange) scimBody() ([]byte, error) {
	if !isJSON(x.r.Header) {
		return nil, errSCIMNotJSON
	}
	body, err := x.receive(maxSCIMBody, errSCIMTooLarge)
	if err != nil {
		return nil, err
	}
	if err := x.server.directory.changes.wait(x.r.Context(), changePause); err != nil {
		return nil, err
	}
	return body, x.enter()
}

// pace lets requests go on one after the other, with a pause, so that a directory with many people leaves
// readers their part of the machine.
type pace struct {
	mu   sync.Mutex
	next time.Time
}

// wait returns when it is the request's turn. It holds no place meanwhile.
func (p *pace) wait(ctx context.Context, pause time.Duration) error {
	p.mu.Lock()
	now := time.Now()
	turn := now
	if p.next.After(now) {
		turn = p.next
	}
	p.next = turn.Add(pause)
	p.mu.Unlock()
	select {
	case <-time.After(turn.Sub(now)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// address returns the address of the SCIM service for a caller.
func (d *directoryAccess) address(from *http.Request) string {
	return (&resource{public: strings.TrimSuffix(d.PublicURL, "/"), basePath: d.basePath}).address(from) + scimPath
}

// admits reports whether a request has a secret of a directory.
func (d *directoryAccess) admits(r *http.Request) bool {
	fields := r.Header["Authorization"]
	if len(fields) != 1 || len(d.Secrets) == 0 || auth.TokenInQuery(r.URL) {
		return false
	}
	scheme, secret, _ := strings.Cut(fields[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return false
	}
	sum, good := sha256.Sum256([]byte(strings.Trim(secret, " "))), 0
	for _, known := range d.Secrets {
		good |= subtle.ConstantTimeCompare(sum[:], known[:])
	}
	return good == 1
}

// recognizeDirectory finds the caller of a request for a directory: by its secret, or as any other.
func (s *Server) recognizeDirectory(x *exchange) error {
	if s.directory.admits(x.r) {
		x.actor = library.DirectoryActor(s.directory.LocalRoles)
		if s.noDatabase {
			return library.ErrUnavailable
		}
		return nil
	}
	err := s.authenticate(x)
	if err == nil {
		err = s.lookUp(x)
	}
	return s.directory.judged(err)
}

// judged limits how often a wrong secret is tried.
func (d *directoryAccess) judged(err error) error {
	refused, is := errors.AsType[*auth.Error](err)
	if !is || refused.Status != http.StatusUnauthorized || refused.Code == auth.CodeMissingToken || len(d.Secrets) == 0 || d.wrong.allow(time.Now()) {
		return err
	}
	return errTooManySecrets
}

// scim sends an answer.
func (x *exchange) scim(a directory.Answer) error {
	h := x.w.Header()
	if a.Status == http.StatusNoContent {
		return x.noContent(nil)
	}
	if a.Tag != "" {
		setTag(h, a.Tag)
	}
	if x.route.work == reads && fresh(x.r.Header, a.Tag) {
		x.notModified(a.Tag)
		return nil
	}
	body, err := encode(a.Body)
	if err != nil {
		return err
	}
	if a.Location != "" {
		h.Set("Location", a.Location)
	}
	h.Set("Content-Type", "application/scim+json")
	x.write(a.Status, body)
	return nil
}

// scimError returns the body of an error for a directory.
func scimError(p *problem) []byte {
	out := map[string]any{"schemas": []string{scim.ErrorMessage}, "status": strconv.Itoa(p.status), "detail": p.message}
	if p.scimType != "" {
		out["scimType"] = p.scimType
	}
	body, _ := encode(out) // strings always marshal
	return body
}

// inSCIM puts an error of the library in the words of SCIM.
func inSCIM(err error) error {
	refused, isRefused := errors.AsType[*scim.Error](err)
	ruled, isRuled := errors.AsType[*library.Error](err)
	taken := func(message string) error {
		return &problem{status: 409, code: scim.Uniqueness, message: message, scimType: scim.Uniqueness}
	}
	switch {
	case isRefused:
		return &problem{status: refused.Status, code: cmp.Or(refused.Type, "scim"), message: refused.Detail, scimType: refused.Type}
	case errors.Is(err, library.ErrEmailTaken):
		return taken(library.ErrEmailTaken.Message)
	case errors.Is(err, library.ErrUserNameTaken):
		return taken("Another user has this userName.")
	case errors.Is(err, library.ErrExternalIDTaken):
		return taken("Another resource has this externalId.")
	case errors.Is(err, library.ErrGroupNotFound):
		return &problem{status: 404, code: errNoSuchPath.code, message: "There is no group with this identifier."}
	case errors.Is(err, library.ErrNoMember):
		return &problem{status: 400, code: scim.InvalidValue, message: "A member is not known: each value must be the id of a person.", scimType: scim.InvalidValue}
	case errors.Is(err, library.ErrOutdated):
		return errSCIMMatchFailed
	case isRuled && ruled.Kind == library.Invalid:
		return &problem{status: 400, code: ruled.Code, message: ruled.Message, scimType: scim.InvalidValue}
	}
	return err
}
