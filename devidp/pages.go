package devidp

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"net/http"
)

// Names of pages: of templates, and of what forms are sealed for.
const (
	pageLogin     = "login"
	pageConsent   = "consent"
	pageLogout    = "logout"
	pageSignedOut = "signed-out"
	pageError     = "error"
)

var (
	//go:embed pages.html
	pagesHTML string
	//go:embed pages.css
	pagesCSS string

	pages = template.Must(template.New("").Funcs(template.FuncMap{
		"style": func() template.CSS { return template.CSS(pagesCSS) },
	}).Parse(pagesHTML))

	// styleSource allows the one style that the pages have, by its hash.
	styleSource = func() string {
		sum := sha256.Sum256([]byte(pagesCSS))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}()
)

// render writes a page. Where its form may lead to has to be said: browsers
// hold form-action also against the redirects that follow a form.
func (p *Provider) render(w http.ResponseWriter, status int, page string, view any, leadsTo string) {
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, page, view); err != nil {
		p.log.Error("page failed", "page", page, "error", err)
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	actions := "'self'"
	if leadsTo != "" {
		actions += " " + schemeOf(leadsTo)
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src "+styleSource+
		"; form-action "+actions+"; frame-ancestors 'none'; base-uri 'none'")
	h.Set("X-Frame-Options", "DENY")
	w.WriteHeader(status)
	w.Write(b.Bytes())
}

func (p *Provider) showError(w http.ResponseWriter, status int, fault pageFault) {
	p.render(w, status, pageError, fault, "")
}

// showExpired answers a form that is too old, was used before, or was not made
// for this browser.
func (p *Provider) showExpired(w http.ResponseWriter, r *http.Request) {
	p.showError(w, http.StatusBadRequest, pageFault{
		Title:   "This page has expired",
		Message: "It was open for too long, was sent twice, or comes from a browser that does not keep cookies. Nothing has happened.",
		Link:    action(r),
		Label:   "Start again",
	})
}
