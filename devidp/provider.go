package devidp

import (
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// DefaultIssuer is the issuer address unless another is configured.
const DefaultIssuer = "http://localhost:8080/auth/realms/workshop"

// Options configure a provider.
type Options struct {
	Issuer string // "" is DefaultIssuer; its path is where the provider is mounted
	Name   string // of the library, for the pages; "" is Library
	Config Config
	Keys   *Keys            // nil is keys in memory
	Logger *slog.Logger     // nil is slog.Default()
	Now    func() time.Time // nil is time.Now
}

// Provider is the identity provider, an [http.Handler] for the issuer's path
// and below. On any other path it answers 404.
type Provider struct {
	issuer string
	path   string // of the issuer, "" if it has none
	secure bool   // browsers reach it by HTTPS

	name      string // of the library
	pages     map[locale]*template.Template
	keys      *Keys
	log       *slog.Logger
	now       func() time.Time
	directory atomic.Pointer[directory]
	state     *state
	seal      seal
	endpoints map[string]endpoint
}

// endpoint is the handler of one path.
type endpoint struct {
	methods []string
	cors    bool // scripts of registered origins may read the answers
	handle  http.HandlerFunc
}

// New makes a provider.
func New(opts Options) (*Provider, error) {
	opts.Issuer, opts.Name = cmp.Or(opts.Issuer, DefaultIssuer), cmp.Or(opts.Name, "Library")
	opts.Logger = cmp.Or(opts.Logger, slog.Default())
	issuer, err := parseIssuer(opts.Issuer)
	if err != nil {
		return nil, err
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	p := &Provider{
		issuer: opts.Issuer, path: issuer.Path, secure: issuer.Scheme == "https",
		name: opts.Name, pages: pagesOf(opts.Name), keys: opts.Keys, log: opts.Logger, now: opts.Now,
		state: newState(opts.Now), seal: newSeal(),
	}
	if err := p.Reload(opts.Config); err != nil {
		return nil, err
	}
	if p.keys == nil {
		if p.keys, err = OpenKeys(""); err != nil {
			return nil, err
		}
	}
	p.mount()
	return p, nil
}

func parseIssuer(issuer string) (*url.URL, error) {
	u, err := url.Parse(issuer)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Opaque != "":
		return nil, fmt.Errorf("the issuer %q is not an http or https address", issuer)
	case u.User != nil || strings.ContainsAny(issuer, "?#"):
		return nil, errors.New("the issuer must have no user name, no query and no fragment")
	case u.RawPath != "" || u.Path != "" && path.Clean(u.Path) != u.Path || u.Path == "/":
		return nil, fmt.Errorf("the path of the issuer %q must be plain and must not end with a slash", issuer)
	}
	return u, nil
}

// Paths below the issuer.
const (
	pathDiscovery  = "/.well-known/openid-configuration"
	pathAuth       = "/protocol/openid-connect/auth"
	pathToken      = "/protocol/openid-connect/token"
	pathKeys       = "/protocol/openid-connect/certs"
	pathUserinfo   = "/protocol/openid-connect/userinfo"
	pathLogout     = "/protocol/openid-connect/logout"
	pathRevoke     = "/protocol/openid-connect/revoke"
	pathIntrospect = "/protocol/openid-connect/token/introspect"
)

func (p *Provider) mount() {
	read := []string{http.MethodGet, http.MethodHead}
	write := []string{http.MethodPost}
	both := slices.Concat(read, write)
	p.endpoints = map[string]endpoint{
		p.path + pathDiscovery:  {read, true, p.discovery},
		p.path + pathKeys:       {read, true, p.keySet},
		p.path + pathAuth:       {both, false, p.authorize},
		p.path + pathLogout:     {both, false, p.logout},
		p.path + pathToken:      {write, true, p.answer(p.token)},
		p.path + pathRevoke:     {write, true, p.answer(p.revoke)},
		p.path + pathIntrospect: {write, false, p.answer(p.introspect)},
		p.path + pathUserinfo:   {both, true, p.userinfo},
	}
}

// ServeHTTP answers a request.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	e, ok := p.endpoints[r.URL.Path]
	if !ok || r.URL.RawPath != "" { // there is one spelling of each path
		http.NotFound(w, r)
		return
	}
	if e.cors && p.cors(w, r, e.methods) {
		return
	}
	if !slices.Contains(e.methods, r.Method) {
		h.Set("Allow", strings.Join(e.methods, ", "))
		http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
		return
	}
	e.handle(w, r)
}

// Reload replaces the configuration, unless there is something wrong with it. Sessions go on; the
// rights of people and clients are looked up at each use.
func (p *Provider) Reload(cfg Config) error {
	if err := cfg.check(); err != nil {
		return err
	}
	p.directory.Store(newDirectory(p.issuer, cfg))
	return nil
}

// Rotate begins to sign with the next key and publishes a new next one.
func (p *Provider) Rotate() error {
	if err := p.keys.rotate(p.now()); err != nil {
		return err
	}
	p.log.Info("keys rotated", "kid", p.keys.snapshot().Current.KeyID)
	return nil
}

// cors lets scripts of registered origins read the answer. It reports whether it has answered the
// request, as it does for a preflight. No credentials are allowed: none of these endpoints looks
// at cookies.
func (p *Provider) cors(w http.ResponseWriter, r *http.Request, methods []string) bool {
	h := w.Header()
	h.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	allowed := len(r.Header.Values("Origin")) == 1 && p.directory.Load().origins[origin]
	if allowed {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", "Retry-After, WWW-Authenticate")
	}
	wanted := r.Header.Get("Access-Control-Request-Method")
	if r.Method != http.MethodOptions || origin == "" || wanted == "" {
		return false
	}
	h.Add("Vary", "Access-Control-Request-Method")
	h.Add("Vary", "Access-Control-Request-Headers")
	if !allowed || !slices.Contains(methods, wanted) {
		h.Del("Access-Control-Allow-Origin")
		http.Error(w, http.StatusText(http.StatusForbidden), http.StatusForbidden)
		return true
	}
	h.Set("Access-Control-Allow-Methods", strings.Join(methods, ", "))
	headers := "Accept, Authorization, Content-Type"
	if strings.Contains(foldASCII(r.Header.Get("Access-Control-Request-Headers")), "dpop") {
		headers += ", DPoP"
	}
	h.Set("Access-Control-Allow-Headers", headers)
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}
