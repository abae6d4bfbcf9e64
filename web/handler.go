package web

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
)

// Config is what the client has to know, and what its policy is made of.
type Config struct {
	Issuer   string // address of the identity provider, character for character
	API      string // address of the API with its base path
	ClientID string // of a public client that the provider knows
	BasePath string // "/library"; "" or "/" for none
	Scopes   string // to ask for, separated by spaces; "" for DefaultScopes
	Name     string // of the library, for people; "" if it has none
	// PublicCatalogue is set where the API shows the catalogue to everybody: the client
	// then does so before people sign in.
	PublicCatalogue bool
	// Library says what the library wants to be signed in to with, as JSON; nil for nothing.
	Library func(context.Context) Library `json:"-"`
	TLS     bool                          // browsers come over TLS, and should never come without it
}

// Library is what the library wants to be signed in to with.
type Library struct {
	DPoP     bool     `json:"dpop,omitempty"`     // it takes tokens that are bound to a key
	Resource string   `json:"resource,omitempty"` // what it calls itself at the provider
	Audience string   `json:"audience,omitempty"`
	Scopes   []string `json:"scopes,omitempty"`
}

// libraryName is where the page asks for that.
const libraryName = "library.json"

// DefaultScopes are those that the library needs. Its own come with the user.
const DefaultScopes = "openid email profile"

// handler serves the client out of memory.
type handler struct {
	base    string          // begins and ends with a slash
	files   map[string]file // by their path below base
	index   file            // for every address of a page
	missing bool            // the client was not built
	policy  string
	tls     bool
	library func(context.Context) Library
}

// New returns the client as a handler. It is an origin of its own: nothing else
// should be served there.
func New(cfg Config) (http.Handler, error) { return newHandler(cfg, built()) }

func newHandler(cfg Config, files fs.FS) (*handler, error) {
	api, err := origin(cfg.API)
	if err != nil {
		return nil, fmt.Errorf("the address of the API %w", err)
	}
	issuer, err := origin(cfg.Issuer)
	if err != nil {
		return nil, fmt.Errorf("the issuer %w", err)
	}
	h := &handler{
		base:   strings.TrimSuffix(cfg.BasePath, "/") + "/",
		files:  map[string]file{},
		policy: policy(api, issuer),
		tls:    cfg.TLS,

		library: cfg.Library,
	}
	cfg.BasePath = h.base
	if cfg.Scopes == "" {
		cfg.Scopes = DefaultScopes
	}
	return h, h.load(cfg, files)
}

// load reads every file, so that nothing is left to do for a request.
func (h *handler) load(cfg Config, files fs.FS) error {
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), ".") {
			return err
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if name == indexName {
			if data, err = fill(data, cfg); err != nil {
				return err
			}
		}
		h.files[name], err = newFile(name, data)
		return err
	})
	if err != nil {
		return err
	}
	if h.files[manifestName], err = newManifest(cfg); err != nil {
		return err
	}
	index, found := h.files[indexName]
	if !found {
		h.missing = true
		index, err = newFile(indexName, []byte(notBuilt))
	}
	h.index = index
	return err
}

// ServeHTTP answers with a file, or with the client for every address that
// could be one of its pages.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.setHeaders(w.Header())
	switch {
	case !sane(r.URL):
		refuse(w, http.StatusBadRequest, "The path contains something that could be read in two ways.")
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		refuse(w, http.StatusMethodNotAllowed, "There are only pages here, to GET.")
	case r.URL.Path+"/" == h.base:
		to := url.URL{Path: h.base, RawQuery: r.URL.RawQuery}
		w.Header().Set("Location", to.String())
		refuse(w, http.StatusPermanentRedirect, "The client lives one slash further.")
	default:
		h.serve(w, r)
	}
}

func (h *handler) serve(w http.ResponseWriter, r *http.Request) {
	name, below := strings.CutPrefix(r.URL.Path, h.base)
	f, found := h.files[name]
	switch {
	case below && name == libraryName:
		h.tellLibrary(w, r)
	case below && found:
		f.serve(w, r, http.StatusOK)
	case !below || path.Ext(name) != "" || strings.HasPrefix(name, assets):
		refuse(w, http.StatusNotFound, "There is nothing here.")
	case h.missing:
		h.index.serve(w, r, http.StatusServiceUnavailable)
	default:
		h.index.serve(w, r, http.StatusOK)
	}
}

// tellLibrary answers with what the library wants.
func (h *handler) tellLibrary(w http.ResponseWriter, r *http.Request) {
	var l Library
	if h.library != nil {
		l = h.library(r.Context())
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	json.NewEncoder(w).Encode(l)
}

// sane reports whether a path can be read in one way only. Nothing here comes
// from a file system, but somebody on the way may think so.
func sane(u *url.URL) bool {
	p := strings.ToLower(u.EscapedPath())
	if !strings.HasPrefix(p, "/") || len(p) > 1 && path.Clean(p) != strings.TrimSuffix(p, "/") {
		return false
	}
	twofold := []string{"//", ";", `\`, "%0", "%1", "%25", "%2e", "%2f", "%3b", "%5c", "%7f"}
	return !slices.ContainsFunc(twofold, func(s string) bool { return strings.Contains(p, s) })
}

// refuse answers without a page.
func refuse(w http.ResponseWriter, status int, message string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write([]byte(message + "\n"))
}
