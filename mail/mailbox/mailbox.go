// Package mailbox shows the mails in a maildir in a browser, to somebody who tries the library out.
//
// What is in a mail comes from strangers, so its HTML is a document of its own that can do nothing: no scripts,
// nothing to load, and no access to what else is at this address.
package mailbox

import (
	"bytes"
	_ "embed"
	"errors"
	"html/template"
	"io/fs"
	"net/http"
	"strings"
)

// Path is where the mails are shown.
const Path = "/mailbox/"

const (
	pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	mailPolicy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox"
)

//go:embed mailbox.html
var source string

var pages = template.Must(template.New("").Parse(source))

// New is a handler for everything below [Path]. The folder need not be there yet: then there are no mails.
func New(folder string) http.Handler {
	b := box(folder)
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Path+"{$}", func(w http.ResponseWriter, _ *http.Request) {
		mails, err := b.list()
		respond(w, err, pagePolicy, func() ([]byte, error) { return rendered("list", mails) })
	})
	mux.HandleFunc("GET "+Path+"{name}", func(w http.ResponseWriter, r *http.Request) {
		m, err := b.read(r.PathValue("name"))
		respond(w, err, pagePolicy, func() ([]byte, error) { return rendered("mail", m) })
	})
	mux.HandleFunc("GET "+Path+"{name}/html", func(w http.ResponseWriter, r *http.Request) {
		m, err := b.read(r.PathValue("name"))
		respond(w, err, mailPolicy, func() ([]byte, error) { return []byte(inNewTabs(m.HTML)), nil })
	})
	return mux
}

// inNewTabs lets links lead out of the frame in which a mail is shown.
func inNewTabs(html string) string {
	return strings.Replace(html, "<head>", `<head><base target="_blank">`, 1)
}

func rendered(name string, data any) ([]byte, error) {
	var b bytes.Buffer
	err := pages.ExecuteTemplate(&b, name, data)
	return b.Bytes(), err
}

func respond(w http.ResponseWriter, err error, policy string, body func() ([]byte, error)) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	var content []byte
	if err == nil {
		content, err = body()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		http.Error(w, "There is no such mail.", http.StatusNotFound)
	case err != nil:
		http.Error(w, "The mail cannot be read: "+err.Error(), http.StatusInternalServerError)
	default:
		h.Set("Content-Security-Policy", policy)
		h.Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(content)
	}
}
