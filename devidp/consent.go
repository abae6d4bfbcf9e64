package devidp

import (
	"net/http"
	"slices"
)

// consentView holds the content of the consent page.
type consentView struct {
	Client  string
	Name    string
	Action  string
	Form    string
	Shares  []string
	Warning string // what to make sure of, "" if there is nothing
}

func (p *Provider) showConsent(w http.ResponseWriter, r *http.Request, a authorization, sess session, who *account) {
	t := localeOf(r)
	v := consentView{
		Client: p.clientName(a.client), Name: who.name(), Action: action(r),
		Form:   p.formToken(w, r, pageConsent, sess.id),
		Shares: shares(t, who, grantedScopes(who, a.asked)),
	}
	if a.client.public() && anyProgramCanHave(a.redirectURI) {
		v.Warning = t.text("A program on this computer is asking. Allow it only if you have just started signing in there.")
	}
	p.render(w, r, http.StatusOK, pageConsent, v, a.redirectURI)
}

// shares describes in words the data that the scopes give to a client.
func shares(t locale, who *account, scopes []string) []string {
	words := []struct{ scope, text string }{
		{scopeProfile, t.text("your name (%s) and user name (%s)", who.name(), who.username)},
		{scopeEmail, t.text("your e-mail address (%s)", who.email)},
		{scopeUser, t.text("listing, borrowing and returning books for you")},
		{scopeCurator, t.text("adding, editing and deleting books for you")},
		{scopeAdmin, t.text("managing the users of the library for you")},
		{scopeOpenID, t.text("when you signed in here")},
	}
	var texts []string
	for _, w := range words {
		if slices.Contains(scopes, w.scope) {
			texts = append(texts, w.text)
		}
	}
	return texts
}

// consentPosted takes the decision. The form is bound to the session, so the login before it need
// not be asked for again.
func (p *Provider) consentPosted(w http.ResponseWriter, r *http.Request, d *directory, a authorization, form params) {
	sess, who := p.currentSession(r, d)
	if who == nil || !p.useForm(r, form, pageConsent, sess.id) {
		p.showExpired(w, r)
		return
	}
	if form.get("decision") != "allow" {
		p.log.Info("consent denied", "client", a.client.ID, "user", who.username)
		p.redirectError(w, a, refuse("access_denied", "The user has denied access"))
		return
	}
	p.state.giveConsent(sess.id, a.client.ID)
	p.redirectCode(w, a, sess, who)
}
