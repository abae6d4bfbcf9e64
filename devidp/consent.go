package devidp

import (
	"net/http"
	"slices"
)

// consentView is what the consent page shows.
type consentView struct {
	Client string
	Name   string
	Action string
	Form   string
	Shares []string
}

func (p *Provider) showConsent(w http.ResponseWriter, r *http.Request, a authorization, sess session, who *account) {
	p.render(w, http.StatusOK, pageConsent, consentView{
		Client: a.client.ID, Name: who.name(), Action: action(r),
		Form:   p.formToken(w, r, pageConsent, sess.id),
		Shares: shares(who, grantedScopes(who, a.asked)),
	}, a.redirectURI)
}

// shares says in words what the scopes give to a client.
func shares(who *account, scopes []string) []string {
	words := []struct{ scope, text string }{
		{scopeProfile, "your name (" + who.name() + ") and user name (" + who.username + ")"},
		{scopeEmail, "your e-mail address (" + who.email + ")"},
		{scopeUser, "listing, borrowing and returning books for you"},
		{scopeCurator, "adding, editing and deleting books for you"},
		{scopeAdmin, "managing the users of the library for you"},
		{scopeOpenID, "when you signed in here"},
	}
	var texts []string
	for _, w := range words {
		if slices.Contains(scopes, w.scope) {
			texts = append(texts, w.text)
		}
	}
	return texts
}

// consentPosted takes the decision. The form was made for the session that it
// comes back in, so the login that came before it need not be asked for again.
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
