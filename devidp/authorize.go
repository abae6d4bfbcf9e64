package devidp

import (
	"net/http"
	"net/url"
	"time"
)

// authorize is the authorization endpoint. The request stays in the address
// throughout: the pages are forms that post back to the very same address, so
// nothing has to be remembered of somebody who has not logged in, and
// reloading a page or coming back to it starts it afresh.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	form, done := p.pageForm(w, r)
	if done {
		return
	}
	d := p.directory.Load()
	a, refused := readAuthorization(r, d)
	if refused != nil {
		p.showError(w, r, http.StatusBadRequest, *refused)
		return
	}
	if a.refusal != nil {
		p.redirectError(w, a, a.refusal)
		return
	}
	switch {
	case form == nil:
		p.beginAuthorization(w, r, d, a)
	case form.get("page") == pageConsent:
		p.consentPosted(w, r, d, a, *form)
	default:
		p.loginPosted(w, r, d, a, *form)
	}
}

// beginAuthorization decides what the browser sees first.
func (p *Provider) beginAuthorization(w http.ResponseWriter, r *http.Request, d *directory, a authorization) {
	sess, who := p.currentSession(r, d)
	if who == nil || p.loginNeeded(a, sess, who) {
		if a.prompt["none"] {
			p.redirectError(w, a, refuse("login_required", "The user has to log in"))
			return
		}
		p.showLogin(w, r, http.StatusOK, d, p.destinationOf(a), loginView{Username: a.loginHint})
		return
	}
	p.proceed(w, r, a, sess, who)
}

// loginNeeded reports whether the client requires a new login, although there is a
// session.
func (p *Provider) loginNeeded(a authorization, sess session, who *account) bool {
	switch {
	case a.prompt["login"] || a.prompt["select_account"]:
		return true
	case a.maxAge >= 0 && p.now().Sub(sess.authTime) >= a.maxAge:
		return true
	case a.hint != "":
		hint, ok := p.idTokenHint(a.hint)
		return !ok || hint.Subject != who.subject
	}
	return false
}

// proceed goes on with somebody who is logged in: to the consent page, or back
// to the client with a code.
func (p *Provider) proceed(w http.ResponseWriter, r *http.Request, a authorization, sess session, who *account) {
	if !a.prompt["consent"] && p.consentKnown(a, sess) {
		p.redirectCode(w, a, sess, who)
		return
	}
	if a.prompt["none"] {
		p.redirectError(w, a, refuse("consent_required", "The user has to consent"))
		return
	}
	p.showConsent(w, r, a, sess, who)
}

// consentKnown reports whether a code can go out without asking. Signing in to
// the library is consent to its own browser client. A code for an address that
// any program on the machine can have goes out only after a page and a click,
// each time, unless the program has a secret to show for it: nobody but the
// person knows which program asks (RFC 8252, 8.6).
func (p *Provider) consentKnown(a authorization, sess session) bool {
	if a.client.public() && anyProgramCanHave(a.redirectURI) {
		return false
	}
	return a.client.ID == clientWeb || p.state.hasConsent(sess.id, a.client.ID)
}

func (p *Provider) redirectCode(w http.ResponseWriter, a authorization, sess session, who *account) {
	text := p.state.newCode(code{
		client: a.client.ID, redirectURI: a.redirectURI, challenge: a.challenge, nonce: a.nonce,
		asked: a.asked, user: who.username, sessionID: sess.id, authTime: sess.authTime,
	})
	p.log.Info("code issued", "client", a.client.ID, "user", who.username)
	p.redirect(w, a, url.Values{"code": {text}, "session_state": {sess.id}})
}

func (p *Provider) redirectError(w http.ResponseWriter, a authorization, e *oauthError) {
	p.redirect(w, a, url.Values{"error": {e.Code}, "error_description": {e.Description}})
}

// redirect sends the browser back to the client. The issuer parameter says whose
// answer this is (RFC 9207).
func (p *Provider) redirect(w http.ResponseWriter, a authorization, answer url.Values) {
	if a.state != "" {
		answer.Set("state", a.state)
	}
	answer.Set("iss", p.issuer)
	// Not http.Redirect: the address is to stay as it is registered.
	w.Header().Set("Location", withQuery(a.redirectURI, answer))
	w.WriteHeader(http.StatusFound)
}

// currentSession returns the session of the browser and whose it is, or nil.
func (p *Provider) currentSession(r *http.Request, d *directory) (session, *account) {
	sess, ok := p.state.browserSession(p.cookie(r, cookieSession))
	if !ok {
		return session{}, nil
	}
	return sess, d.person(sess.user)
}

// idTokenHint reads an ID token of ours that was handed back. It may have
// expired: it only says who was meant.
func (p *Provider) idTokenHint(token string) (idClaims, bool) {
	var c idClaims
	err := p.keys.verify(token, p.now(), &c)
	return c, err == nil && c.Kind == kindID && c.Issuer == p.issuer
}

// never is a max_age that was not given.
const never = time.Duration(-1)
