package devidp

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"net/http"
)

// Names of pages, for templates and for the seals of forms.
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

	// The functions depend on the provider and on the language.
	pages = template.Must(template.New("").Funcs(pageFuncs("", english)).Parse(pagesHTML))

	// styleSource allows the one style of the pages, by its hash.
	styleSource = func() string {
		sum := sha256.Sum256([]byte(pagesCSS))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}()
)

// pageIcon stands in the page itself and saves a request.
const pageIcon = `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E` +
	`%3Crect width='32' height='32' rx='6' fill='%231f4e79'/%3E` +
	`%3Cpath d='M8 24V9M12.5 24V7M17 24V9' stroke='%23f7f5f0' stroke-width='2.6' stroke-linecap='round'/%3E` +
	`%3Cpath d='M21 24.2 24.6 9.6' stroke='%23e9b872' stroke-width='2.6' stroke-linecap='round'/%3E%3C/svg%3E`

func pageFuncs(library string, t locale) template.FuncMap {
	return template.FuncMap{
		"style":    func() template.CSS { return template.CSS(pagesCSS) },
		"icon":     func() template.URL { return pageIcon },
		"library":  func() string { return library },
		"language": func() string { return string(t) },
		"t":        t.text,
	}
}

// pagesOf are the pages of a library in every language.
func pagesOf(library string) map[locale]*template.Template {
	all := map[locale]*template.Template{}
	for _, t := range locales {
		all[t] = template.Must(pages.Clone()).Funcs(pageFuncs(library, t))
	}
	return all
}

// render writes a page in the language of the request. The target of its form must be named:
// browsers apply form-action also to the redirects after a form.
func (p *Provider) render(w http.ResponseWriter, r *http.Request, status int, page string, view any, leadsTo string) {
	var b bytes.Buffer
	if err := p.pages[localeOf(r)].ExecuteTemplate(&b, page, view); err != nil {
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
		"; img-src data:; form-action "+actions+"; frame-ancestors 'none'; base-uri 'none'")
	h.Set("X-Frame-Options", "DENY")
	h.Add("Vary", "Accept-Language")
	w.WriteHeader(status)
	w.Write(b.Bytes())
}

func (p *Provider) showError(w http.ResponseWriter, r *http.Request, status int, page errorPage) {
	p.render(w, r, status, pageError, page, "")
}

// showExpired answers a form that is too old, was used before, or was not made for this browser.
func (p *Provider) showExpired(w http.ResponseWriter, r *http.Request) {
	p.showError(w, r, http.StatusBadRequest, errorPage{
		Title:   "This page has expired",
		Message: "It was open too long, was sent twice, or your browser does not accept cookies. Nothing has been changed.",
		Link:    action(r),
		Label:   "Start again",
	})
}
