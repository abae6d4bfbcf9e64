package devidp

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"
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

// browser returns the identifier to which forms for this browser are bound.
func (p *Provider) browser(w http.ResponseWriter, r *http.Request) string {
	id := p.cookie(r, cookieBrowser)
	if data, err := base64.RawURLEncoding.DecodeString(id); err != nil || len(data) != 32 {
		id = randomText()
		p.setCookie(w, cookieBrowser, id)
	}
	return id
}

// formToken makes the token of a form. It proves that the provider has shown this page, at this
// address, to this browser, in this session, a short while ago. Nothing is stored until the form
// is used.
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

// pageForm returns the form posted to a page, or nil. It reports whether it has answered the
// request.
func (p *Provider) pageForm(w http.ResponseWriter, r *http.Request) (*params, bool) {
	if r.Method != http.MethodPost {
		return nil, false
	}
	form, err := bodyParams(r)
	if err != nil {
		p.showError(w, r, http.StatusBadRequest, *badRequest("The request could not be read."))
		return nil, true
	}
	return &form, false
}

// seal signs the codes and tokens of this process (HMAC), and verifies them later.
type seal [sha256.Size]byte

func newSeal() seal {
	var k seal
	rand.Read(k[:]) // never fails
	return k
}

// of returns the seal of the parts. The first names the purpose, so that seals of different things
// always differ.
func (k seal) of(parts ...string) string {
	h := hmac.New(sha256.New, k[:])
	for _, part := range parts {
		// The length first: ("a", "bc") is not ("ab", "c").
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

func (k seal) is(mac string, parts ...string) bool {
	return hmac.Equal([]byte(mac), []byte(k.of(parts...)))
}
