package devidp

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Cookies. The browser's has no meaning of its own; forms are bound to it.
const (
	cookieSession = "library_idp_session"
	cookieBrowser = "library_idp_browser"
)

// cookie returns the value of a cookie of ours, or "". Of two with one name
// neither is believed: one of them was planted.
func (p *Provider) cookie(r *http.Request, name string) string {
	if found := r.CookiesNamed(name); len(found) == 1 {
		return found[0].Value
	}
	return ""
}

func (p *Provider) setCookie(w http.ResponseWriter, name, value string) {
	c := &http.Cookie{
		Name: name, Value: value, Path: cmp.Or(p.path, "/"), HttpOnly: true,
		Secure: p.secure, SameSite: http.SameSiteLaxMode,
	}
	if value == "" {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}

// browser returns what forms for this browser are bound to.
func (p *Provider) browser(w http.ResponseWriter, r *http.Request) string {
	id := p.cookie(r, cookieBrowser)
	if data, err := base64.RawURLEncoding.DecodeString(id); err != nil || len(data) != 32 {
		id = randomText()
		p.setCookie(w, cookieBrowser, id)
	}
	return id
}

// formToken makes the token of a form. It says that the provider has shown
// this page, at this address, to this browser, in this session, a short while
// ago. Nothing is remembered until the form is used.
func (p *Provider) formToken(w http.ResponseWriter, r *http.Request, page, sessionID string) string {
	number := randomText()
	expires := strconv.FormatInt(p.now().Add(formLifetime).Unix(), 10)
	mac := p.seal.of("form", page, number, expires, p.browser(w, r), sessionID, action(r))
	return number + "." + expires + "." + mac
}

// useForm uses up the token of a form. It is false if the token is forged,
// meant for another form or browser, expired, or used before.
func (p *Provider) useForm(r *http.Request, form params, page, sessionID string) bool {
	number, rest, _ := strings.Cut(form.get("form"), ".")
	expires, mac, _ := strings.Cut(rest, ".")
	browser := p.cookie(r, cookieBrowser)
	if browser == "" || !p.seal.is(mac, "form", page, number, expires, browser, sessionID, action(r)) {
		return false
	}
	until, err := strconv.ParseInt(expires, 10, 64)
	return err == nil && p.now().Unix() < until && p.state.spend(number)
}

// pageForm returns the form that was posted to a page, or nil if none was. A
// client may also post its parameters instead of putting them into the
// address; it then gets redirected to that address, which is what pages are
// made for, and cookies come along on the way.
func (p *Provider) pageForm(w http.ResponseWriter, r *http.Request) (*params, bool) {
	if r.Method != http.MethodPost {
		return nil, false
	}
	form, err := bodyParams(r)
	if err == nil && form.get("form") == "" {
		err = p.postedByClient(w, r, form)
		if err == nil {
			return nil, true
		}
	}
	if err != nil || form.repeated() != "" {
		p.showError(w, r, http.StatusBadRequest, *badRequest("The request could not be read."))
		return nil, true
	}
	if p.foreign(r) {
		p.showError(w, r, http.StatusForbidden, *badRequest("This request came from another site. Nothing has been changed."))
		return nil, true
	}
	return &form, false
}

func (p *Provider) postedByClient(w http.ResponseWriter, r *http.Request, form params) error {
	query := form.values.Encode()
	if len(query) > maxQuery || r.URL.RawQuery != "" {
		return errTooLong
	}
	target := url.URL{Path: r.URL.Path, RawQuery: query}
	w.Header().Set("Location", target.String())
	w.WriteHeader(http.StatusSeeOther)
	return nil
}
