package devidp

import (
	"crypto/sha256"
	"net/http"
	"strconv"
	"time"
)

// loginView holds the content of the login page.
type loginView struct {
	Client   string
	Action   string
	Form     string
	Username string
	Error    string
	Samples  []User
}

// clientName returns a client's name for people. The library's own go by its name.
func (p *Provider) clientName(c *Client) string {
	switch c.ID {
	case clientServer, clientWeb, clientTerminal:
		return p.name
	}
	return c.ID
}

// destination is the purpose of a login.
type destination struct {
	client  string // what people know it by
	leadsTo string // the address that the browser goes to in the end, "" if it stays
}

// showLogin writes the login page, also for another try.
func (p *Provider) showLogin(w http.ResponseWriter, r *http.Request, status int, d *directory, to destination, v loginView) {
	v.Client, v.Action, v.Samples = to.client, action(r), d.samples
	v.Form = p.formToken(w, r, pageLogin, "")
	v.Username = clip(v.Username)
	p.render(w, r, status, pageLogin, v, to.leadsTo)
}

func (p *Provider) destinationOf(a authorization) destination {
	return destination{client: p.clientName(a.client), leadsTo: a.redirectURI}
}

// logIn checks name and password and begins a session, or shows the page again. There is one
// answer to every failure, so that the names of users stay unknown.
func (p *Provider) logIn(w http.ResponseWriter, r *http.Request, d *directory, to destination, form params) (session, *account) {
	if !p.useForm(r, form, pageLogin, "") {
		p.showExpired(w, r)
		return session{}, nil
	}
	username, t := form.get("username"), localeOf(r)
	who, wait := p.checkPassword(d, username, form.get("password"))
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

// tooManyAttempts returns the answer for somebody who has to wait.
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
	if a.prompt["login"] {
		p.proceed(w, r, a, sess, who) // the address would ask for the login again
		return
	}
	// The next page must be one to which the browser can go back without sending the password
	// again.
	w.Header().Set("Location", action(r))
	w.WriteHeader(http.StatusSeeOther)
}

// action returns the address for the form of a page: the page itself. The query is encoded anew,
// so that it stays the same through page and browser.
func action(r *http.Request) string { return r.URL.Path + "?" + r.URL.Query().Encode() }

// clip shortens text from elsewhere for a page.
func clip(s string) string {
	if runes := []rune(s); len(runes) > maxName {
		return string(runes[:maxName])
	}
	return s
}

// failures are the recent failed logins of one account. The rate limit of logins counts them.
type failures struct {
	count int
	until time.Time // before that no attempt is looked at
}

const (
	freeFailures = 5 // of an account, before the next attempt has to wait
	maxWait      = time.Minute
)

// attempt checks a password, unless there were too many failures of its account recently; then it
// returns how long to wait. The check is made under the lock, so a thousand guesses
// at the same time are counted like a thousand guesses one after the other.
func (s *state) attempt(account string, check func() bool) (bool, time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	f, known := s.failures.get(account, now)
	if known && now.Before(f.until) {
		return false, f.until.Sub(now)
	}
	if check() {
		s.failures.drop(account)
		return true, 0
	}
	if !known {
		f = &failures{}
		s.failures.put(account, f, now)
	}
	s.failures.touch(account, now)
	f.count++
	if over := f.count - freeFailures; over >= 0 { // the wait doubles each time
		f.until = now.Add(min(time.Second<<min(over, 10), maxWait))
	}
	return false, 0
}

// checkPassword returns the account with this name and password, or nil and perhaps how long to
// wait. It does the same work for an unknown name.
func (p *Provider) checkPassword(d *directory, username, password string) (*account, time.Duration) {
	who := d.person(username)
	// With a digest a long name takes no more memory than a short one.
	key := sha256.Sum256([]byte(foldASCII(username)))
	ok, wait := p.state.attempt(string(key[:]), func() bool { return who.verify(password) })
	switch {
	case ok:
		return who, 0
	case wait > 0:
		p.log.Warn("login refused: too many failures")
	case who != nil:
		p.log.Warn("login failed: wrong password", "user", who.username)
	default: // what was typed is not logged; it may be a password in the wrong field
		p.log.Warn("login failed: unknown user")
	}
	return nil, wait
}
