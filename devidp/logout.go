package devidp

import (
	"net/http"
	"net/url"
	"slices"
)

// logoutRequest is a request to end a session
// (OpenID Connect RP-Initiated Logout).
type logoutRequest struct {
	hint   idClaims
	hinted bool
	target string // where to go afterwards, "" for a page of ours
}

type logoutView struct {
	Name   string
	Action string
	Form   string
}

// logout ends the session of the browser and every token given in it. A client with an ID token of
// that session may ask for it; anything else could be a link in a mail, so the person is asked
// first.
func (p *Provider) logout(w http.ResponseWriter, r *http.Request) {
	form, done := p.pageForm(w, r)
	if done {
		return
	}
	d := p.directory.Load()
	request, refused := p.readLogout(r, d)
	if refused != nil {
		p.showError(w, r, http.StatusBadRequest, *refused)
		return
	}
	sess, who := p.currentSession(r, d)
	switch {
	case form != nil:
		if !p.useForm(r, *form, pageLogout, sess.id) {
			p.showExpired(w, r)
			return
		}
	case who != nil && !(request.hinted && request.hint.Subject == who.subject):
		p.render(w, r, http.StatusOK, pageLogout, logoutView{
			Name: who.name(), Action: action(r), Form: p.formToken(w, r, pageLogout, sess.id),
		}, request.target)
		return
	}
	p.endSessions(w, r, d, sess, request)
	if request.target == "" {
		p.render(w, r, http.StatusOK, pageSignedOut, nil, "")
		return
	}
	w.Header().Set("Location", request.target)
	w.WriteHeader(http.StatusFound)
}

// endSessions ends the session of the browser and the one of the ID token: another one of the same
// person, or the only one if the browser has lost its cookie.
func (p *Provider) endSessions(w http.ResponseWriter, r *http.Request, d *directory, sess session, request logoutRequest) {
	for _, id := range []string{sess.id, request.hint.Session} {
		if ended, ok := p.state.endSession(id); ok {
			p.log.Info("logged out", "user", ended.user)
			p.tellClients(r.Context(), d, ended)
		}
	}
	if p.cookie(r, cookieSession) != "" {
		p.setCookie(w, cookieSession, "")
	}
}

// readLogout reads a request. It may name an address to return to only if it also names the client
// that has registered it, by an ID token or by name. An unreadable ID token counts as none: its
// key may be long gone.
func (p *Provider) readLogout(r *http.Request, d *directory) (logoutRequest, *errorPage) {
	q, err := queryParams(r)
	if err != nil || q.repeated() {
		return logoutRequest{}, badLogout("The request could not be read.")
	}
	var request logoutRequest
	request.hint, request.hinted = p.idTokenHint(q.get("id_token_hint"))
	id := q.get("client_id")
	if request.hinted {
		if id != "" && id != request.hint.Audience {
			return logoutRequest{}, badLogout("The application that sent you here is not the one that you signed in to.")
		}
		id = request.hint.Audience
	}
	target := q.get("post_logout_redirect_uri")
	if target == "" {
		return request, nil
	}
	client := d.clients[id]
	if client == nil || !slices.Contains(client.PostLogoutRedirectURIs, target) {
		return logoutRequest{}, badLogout("The application wants you to return to an address that it has not registered.")
	}
	request.target = target
	if state := q.get("state"); state != "" {
		request.target = withQuery(target, url.Values{"state": {state}})
	}
	return request, nil
}

func badLogout(message string) *errorPage {
	return &errorPage{Title: "This sign-out cannot continue", Message: message}
}

// idTokenHint reads an ID token that we issued. It may have expired: it only names a person.
func (p *Provider) idTokenHint(token string) (idClaims, bool) {
	var c idClaims
	err := p.keys.verify(token, p.now(), &c)
	return c, err == nil && c.Kind == kindID && c.Issuer == p.issuer
}
