package devidp

import (
	"net/http"
	"strconv"
	"time"
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

// destination is what somebody logs in for.
type destination struct {
	client  string // what people know it by
	leadsTo string // the address that the browser goes to in the end, "" if it stays
}

// showLogin writes the login page for somebody who may have to try again.
func (p *Provider) showLogin(w http.ResponseWriter, r *http.Request, status int, d *directory, to destination, v loginView) {
	v.Client, v.Action, v.Samples = to.client, action(r), d.samples
	v.Form = p.formToken(w, r, pageLogin, "")
	v.Username = clip(v.Username)
	p.render(w, r, status, pageLogin, v, to.leadsTo)
}

func (p *Provider) destinationOf(a authorization) destination {
	return destination{client: p.clientName(a.client), leadsTo: a.redirectURI}
}

// logIn checks name and password and begins a session, or shows the page again.
// There is one answer to every failure, so that nobody learns which names exist.
func (p *Provider) logIn(w http.ResponseWriter, r *http.Request, d *directory, to destination, form params) (session, *account) {
	if !p.useForm(r, form, pageLogin, "") {
		p.showExpired(w, r)
		return session{}, nil
	}
	username, t := form.get("username"), localeOf(r)
	who, wait := p.checkPassword(r, d, username, form.get("password"))
	if who == nil {
		status, problem := http.StatusBadRequest, t.text("The user name or the password is not right.")
		if wait > 0 {
			status, problem = p.tooManyAttempts(w, t, wait)
		}
		p.showLogin(w, r, status, d, to, loginView{Username: username, Error: problem})
		return session{}, nil
	}
	sess := p.state.startSession(who.username, p.cookie(r, cookieSession))
	p.setCookie(w, cookieSession, sess.browser)
	p.log.Info("logged in", "user", who.username)
	return sess, who
}

// tooManyAttempts is the answer to somebody who has to wait.
func (p *Provider) tooManyAttempts(w http.ResponseWriter, t locale, wait time.Duration) (status int, problem string) {
	w.Header().Set("Retry-After", strconv.Itoa(wholeSeconds(wait)))
	return http.StatusTooManyRequests, t.text("There were too many failed attempts. Wait %s and try again.", t.seconds(wait))
}

// loginPosted goes on after a login for a client.
func (p *Provider) loginPosted(w http.ResponseWriter, r *http.Request, d *directory, a authorization, form params) {
	sess, who := p.logIn(w, r, d, p.destinationOf(a), form)
	if who == nil {
		return
	}
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
func action(r *http.Request) string { return r.URL.Path + "?" + r.URL.Query().Encode() }

// clip shortens text that somebody else has chosen for a page.
func clip(s string) string {
	if runes := []rune(s); len(runes) > maxName {
		return string(runes[:maxName])
	}
	return s
}
