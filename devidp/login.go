package devidp

import (
	"net/http"
	"strconv"
)

// loginView is what the login page shows.
type loginView struct {
	Client   string
	Action   string
	Form     string
	Username string
	Error    string
	Samples  []User
}

// clientName is what people know a client by. The library's own go by its name.
func (p *Provider) clientName(c *Client) string {
	switch c.ID {
	case clientServer, clientWeb, clientTerminal:
		return p.name
	}
	return c.ID
}

// showLogin writes the login page for somebody who may have to try again.
func (p *Provider) showLogin(w http.ResponseWriter, r *http.Request, status int, d *directory, a authorization, v loginView) {
	v.Client, v.Action, v.Samples = p.clientName(a.client), action(r), d.samples
	v.Form = p.formToken(w, r, pageLogin, "")
	v.Username = clip(v.Username)
	p.render(w, r, status, pageLogin, v, a.redirectURI)
}

// loginPosted checks name and password. There is one answer to every failure,
// so that nobody learns which names exist.
func (p *Provider) loginPosted(w http.ResponseWriter, r *http.Request, d *directory, a authorization, form params) {
	if !p.useForm(r, form, pageLogin, "") {
		p.showExpired(w, r)
		return
	}
	username, t := form.get("username"), localeOf(r)
	who, wait := p.checkPassword(r, d, username, form.get("password"))
	switch {
	case wait > 0:
		w.Header().Set("Retry-After", strconv.Itoa(wholeSeconds(wait)))
		p.showLogin(w, r, http.StatusTooManyRequests, d, a, loginView{
			Username: username,
			Error:    t.text("There were too many failed attempts. Wait %s and try again.", t.seconds(wait)),
		})
		return
	case who == nil:
		p.showLogin(w, r, http.StatusBadRequest, d, a, loginView{
			Username: username,
			Error:    t.text("The user name or the password is not right."),
		})
		return
	}
	sess := p.state.startSession(who.username, p.cookie(r, cookieSession))
	p.setCookie(w, cookieSession, sess.browser)
	p.log.Info("logged in", "client", a.client.ID, "user", who.username)
	if p.loginNeeded(a, sess, who) {
		p.proceed(w, r, a, sess, who) // the address would ask for the login again
		return
	}
	// What comes next is a page that the browser can go back to without
	// sending the password again.
	w.Header().Set("Location", action(r))
	w.WriteHeader(http.StatusSeeOther)
}

// action is where the form of a page goes: to the page itself. The query is
// encoded anew, so that it is the same after it went through page and browser.
func action(r *http.Request) string {
	return r.URL.Path + "?" + r.URL.Query().Encode()
}

// clip shortens text that somebody else has chosen for a page.
func clip(s string) string {
	if runes := []rune(s); len(runes) > maxName {
		return string(runes[:maxName])
	}
	return s
}
