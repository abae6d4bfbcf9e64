package devidp

import (
	"net/http"
)

// deviceView is what the page for typing a code shows.
type deviceView struct {
	Name   string
	Action string
	Form   string
	Code   string
	Error  string
}

// noticeView is a page that only says something.
type noticeView struct {
	Title   string
	Message string
}

// deviceShort leads from an address that is short enough to type to the page.
func (p *Provider) deviceShort(w http.ResponseWriter, r *http.Request) {
	target := p.path + pathDevice
	if r.URL.RawQuery != "" {
		target += "?" + r.URL.Query().Encode()
	}
	w.Header().Set("Location", target)
	w.WriteHeader(http.StatusFound)
}

// devicePage is where a person allows a sign-in on another machine: log in, type
// the code, decide. Who is not logged in cannot try codes, and a code is looked
// at only in a form of ours: a link cannot try codes in somebody's name.
func (p *Provider) devicePage(w http.ResponseWriter, r *http.Request) {
	form, done := p.pageForm(w, r)
	if done {
		return
	}
	q, err := queryParams(r)
	if err != nil || q.repeated() != "" {
		p.showError(w, r, http.StatusBadRequest, *badRequest("The request could not be read."))
		return
	}
	d := p.directory.Load()
	to := destination{client: p.name}
	if form != nil && form.get("page") == pageLogin {
		if _, who := p.logIn(w, r, d, to, *form); who != nil {
			w.Header().Set("Location", action(r))
			w.WriteHeader(http.StatusSeeOther)
		}
		return
	}
	sess, who := p.currentSession(r, d)
	switch {
	case who == nil && form == nil:
		p.showLogin(w, r, http.StatusOK, d, to, loginView{})
	case who == nil:
		p.showExpired(w, r)
	case form == nil:
		p.showDevice(w, r, http.StatusOK, sess, who, deviceView{Code: clip(q.get("user_code"))})
	case form.get("page") == pageDeviceConsent:
		p.deviceDecided(w, r, sess, who, *form)
	default:
		p.deviceCodeTyped(w, r, d, sess, who, *form)
	}
}

func (p *Provider) showDevice(w http.ResponseWriter, r *http.Request, status int, sess session, who *account, v deviceView) {
	v.Name, v.Action, v.Form = who.name(), action(r), p.formToken(w, r, pageDevice, sess.id)
	p.render(w, r, status, pageDevice, v, "")
}

// deviceCodeTyped finds out which sign-in is meant and asks for consent to it.
func (p *Provider) deviceCodeTyped(w http.ResponseWriter, r *http.Request, d *directory, sess session, who *account, form params) {
	if !p.useForm(r, form, pageDevice, sess.id) {
		p.showExpired(w, r)
		return
	}
	t, typed := localeOf(r), form.get("user_code")
	code, _ := parseUserCode(typed)
	found, ok, wait := p.state.findDevice(who.username, addressOf(r), code)
	client := d.clients[found.client]
	if !ok || client == nil {
		status, problem := http.StatusBadRequest, t.text("This code is not known, was used or has expired. Compare it with what the other device shows.")
		if wait > 0 {
			status, problem = p.tooManyAttempts(w, t, wait)
		}
		p.showDevice(w, r, status, sess, who, deviceView{Code: clip(typed), Error: problem})
		return
	}
	p.render(w, r, http.StatusOK, pageConsent, consentView{
		Page: pageDeviceConsent, Client: p.clientName(client), Name: who.name(), Action: action(r), Code: code,
		Form:    p.formToken(w, r, pageDeviceConsent+" "+code, sess.id),
		Shares:  shares(t, who, grantedScopes(who, found.asked)),
		Warning: t.text("Another device is asking. Allow it only if you have just started signing in there, and it shows the code %s.", showUserCode(code)),
	}, "")
}

// deviceDecided takes the decision. The form was made for this code.
func (p *Provider) deviceDecided(w http.ResponseWriter, r *http.Request, sess session, who *account, form params) {
	code, ok := parseUserCode(form.get("code"))
	if !ok || !p.useForm(r, form, pageDeviceConsent+" "+code, sess.id) {
		p.showExpired(w, r)
		return
	}
	answer, notice := denied, noticeView{
		Title: "Sign-in denied", Message: "The other device has not been signed in. You can close this page.",
	}
	if form.get("decision") == "allow" {
		answer, notice = allowed, noticeView{
			Title: "Sign-in allowed", Message: "Go back to the other device: it will be signed in within seconds. You can close this page.",
		}
	}
	if !p.state.decideDevice(code, answer, sess) {
		p.showExpired(w, r)
		return
	}
	p.log.Info("device sign-in decided", "user", who.username, "allowed", answer == allowed)
	p.render(w, r, http.StatusOK, pageNotice, notice, "")
}
