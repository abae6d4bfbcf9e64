// Package web is the browser client: its sources are beside this file, and `make web` builds them into
// dist, which is embedded here. Start reading in handler.go.
//
// It imports no other package of ours. In the browser, the client talks to the API and to the identity
// provider at the addresses in Config.
package web

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
)

// Config is the configuration of the client and its Content-Security-Policy.
type Config struct {
	Issuer   string // address of the identity provider, character for character
	API      string // address of the API with its base path
	ClientID string // of a public client at the provider
	BasePath string // "/library"; "" or "/" for none
	Scopes   string // to ask for, separated by spaces; "" for DefaultScopes
	Name     string // of the library, for people; "" for none
	// PublicCatalogue lets the client show the catalogue before people sign in.
	PublicCatalogue bool
	// Library returns the library's requirements for signing in; nil for none.
	Library func(context.Context) Library `json:"-"`
	TLS     bool                          // browsers use TLS, and should never connect without it
}

// Library has the library's requirements for signing in.
type Library struct {
	DPoP     bool     `json:"dpop,omitempty"`     // it accepts tokens bound to a key
	Resource string   `json:"resource,omitempty"` // its name at the provider
	Audience string   `json:"audience,omitempty"`
	Scopes   []string `json:"scopes,omitempty"`
}

// libraryName is the file with Library as JSON.
const libraryName = "library.json"

// DefaultScopes are the scopes to ask for. The provider adds the library's scopes of the user.
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

// New returns the client as a handler. It needs an origin of its own.
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

// load reads and compresses every file in advance.
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

// ServeHTTP answers with a file, or with the client for every possible address of its pages.
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

// tellLibrary answers with Library as JSON.
func (h *handler) tellLibrary(w http.ResponseWriter, r *http.Request) {
	var l Library
	if h.library != nil {
		l = h.library(r.Context())
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	json.NewEncoder(w).Encode(l)
}

// sane reports whether a path has only one meaning. Nothing here comes from a file system, but a proxy may think so.
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

// A clone has only a placeholder in dist, so the program builds without Node.
//
//go:embed all:dist
var dist embed.FS

// built has the files of the build.
func built() fs.FS {
	sub, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // only for an invalid path
	}
	return sub
}
