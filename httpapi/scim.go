package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"example.org/library"
	"example.org/library/auth"
	"example.org/library/scim"
)

// SCIM 2.0 below /scim/v2/: people from a directory. The requests go the way of all others, with two
// differences: a directory may have a secret instead of a token, and errors have a form of their own.

const (
	scimPath    = "/scim/v2"
	maxSCIMBody = 4 << 20
	wrongASec   = 5 // wrong secrets a second

	notImplemented = "not_implemented" // in logs alone: errors for directories have no code
)

// SCIM configures the access of directories.
type SCIM struct {
	Secrets    [][sha256.Size]byte // digests of secrets that are as good as an admin's token
	ByUserName bool                // the library's address is the userName
	LocalRoles bool                // roles come from records alone
	PublicURL  string              // of the API with its base path, "" for the address of each request
}

// directory is the part of a server for directories; nil without --scim.
type directory struct {
	SCIM
	basePath string
	wrong    *rateLimit
}

func newDirectory(cfg Config) *directory {
	if cfg.SCIM == nil {
		return nil
	}
	return &directory{SCIM: *cfg.SCIM, basePath: cfg.BasePath, wrong: newRateLimit(wrongASec)}
}

var (
	errSCIMTooLarge    = &problem{status: 413, code: errTooLarge.code, message: "The body is larger than 4 MiB."}
	errSCIMNotJSON     = &problem{status: 415, code: codeNotJSON, message: "The body must be JSON, sent with Content-Type: application/scim+json."}
	errNotImplemented  = &problem{status: 501, code: notImplemented, message: "The library does not support this part of SCIM."}
	errTooManySecrets  = &problem{status: 429, code: "too_many_tries", message: "Too many wrong secrets were sent; try again in a second.", retry: "1"}
	errSCIMMatchFailed = &problem{status: 412, code: library.ErrOutdated.Code, message: library.ErrOutdated.Message}
)

// covers reports whether a request is for a directory.
func (d *directory) covers(r *http.Request) bool {
	if d == nil {
		return false
	}
	rest, below := strings.CutPrefix(r.URL.Path, d.basePath+scimPath)
	return below && (rest == "" || rest[0] == '/')
}

// routes returns the routes below /scim/v2.
func (d *directory) routes(s *Server) []route {
	if d == nil {
		return nil
	}
	at := func(method, pattern string, work work, handle func(*exchange) error) route {
		return route{method, scimPath + pattern, library.Administer, work, handle}
	}
	all := []route{
		at(http.MethodGet, "/ServiceProviderConfig", bounded, func(x *exchange) error { return x.scim(200, scim.ServiceProviderConfig(d.address(x.r))) }),
		at(http.MethodGet, "/ResourceTypes", bounded, func(x *exchange) error { return x.scimList(scim.ResourceTypes(d.address(x.r))) }),
		at(http.MethodGet, "/ResourceTypes/{id}", bounded, func(x *exchange) error { return x.scimOf(scim.ResourceTypes(d.address(x.r))) }),
		at(http.MethodGet, "/Schemas", bounded, func(x *exchange) error { return x.scimList(scim.Schemas(d.address(x.r))) }),
		at(http.MethodGet, "/Schemas/{id}", bounded, func(x *exchange) error { return x.scimOf(scim.Schemas(d.address(x.r))) }),
		at(http.MethodGet, "/Users", reads, s.listSCIMUsers),
		at(http.MethodPost, "/Users", changes, s.addSCIMUser),
		at(http.MethodGet, "/Users/{id}", reads, s.showSCIMUser),
		at(http.MethodPut, "/Users/{id}", changes, s.replaceSCIMUser),
		at(http.MethodPatch, "/Users/{id}", changes, s.patchSCIMUser),
		at(http.MethodDelete, "/Users/{id}", changes, s.removeSCIMUser),
	}
	for _, path := range []string{"/Bulk", "/Me", "/.search", "/Users/.search"} {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
			all = append(all, at(method, path, bounded, func(*exchange) error { return errNotImplemented }))
		}
	}
	return all
}

// address returns the address of the SCIM service for a caller.
func (d *directory) address(from *http.Request) string {
	return (&resource{public: strings.TrimSuffix(d.PublicURL, "/"), basePath: d.basePath}).address(from) + scimPath
}

// admits reports whether a request has a secret of a directory.
func (d *directory) admits(r *http.Request) bool {
	fields := r.Header["Authorization"]
	if len(fields) != 1 || len(d.Secrets) == 0 {
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
func (d *directory) judged(err error) error {
	refused, is := errors.AsType[*auth.Error](err)
	if !is || refused.Status != http.StatusUnauthorized || refused.Code == auth.CodeMissingToken || len(d.Secrets) == 0 || d.wrong.allow(time.Now()) {
		return err
	}
	return errTooManySecrets
}

// scim sends a resource.
func (x *exchange) scim(status int, v any) error {
	body, err := encode(v)
	if err != nil {
		return err
	}
	x.w.Header().Set("Content-Type", "application/scim+json")
	x.write(status, body)
	return nil
}

// scimList sends all resources of a short list.
func (x *exchange) scimList(all []map[string]any) error {
	return x.scim(http.StatusOK, map[string]any{
		"schemas": []string{scim.ListResponse}, "totalResults": len(all), "startIndex": 1, "itemsPerPage": len(all), "Resources": all,
	})
}

// scimOf sends one of a short list.
func (x *exchange) scimOf(all []map[string]any) error {
	for _, one := range all {
		if id, _ := one["id"].(string); strings.EqualFold(id, x.param) {
			return x.scim(http.StatusOK, one)
		}
	}
	return errNoSuchPath
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
		return &problem{status: refused.Status, code: refused.Type, message: refused.Detail, scimType: refused.Type}
	case errors.Is(err, library.ErrEmailTaken):
		return taken(library.ErrEmailTaken.Message)
	case errors.Is(err, library.ErrUserNameTaken):
		return taken("Another user has this userName.")
	case errors.Is(err, library.ErrExternalIDTaken):
		return taken("Another user has this externalId.")
	case errors.Is(err, library.ErrOutdated):
		return errSCIMMatchFailed
	case isRuled && ruled.Kind == library.Invalid:
		return &problem{status: 400, code: ruled.Code, message: ruled.Message, scimType: scim.InvalidValue}
	}
	return err
}
