package devidp

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// authorize is the authorization endpoint. The request stays in the address throughout: the pages
// are forms that post back to the very same address, so nothing is remembered before the login,
// and reloading a page or coming back to it starts it afresh.
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

// beginAuthorization chooses the first page for the browser.
func (p *Provider) beginAuthorization(w http.ResponseWriter, r *http.Request, d *directory, a authorization) {
	sess, who := p.currentSession(r, d)
	if who == nil || a.prompt["login"] {
		if a.prompt["none"] {
			p.redirectError(w, a, refuse("login_required", "The user has to log in"))
			return
		}
		p.showLogin(w, r, http.StatusOK, d, p.destinationOf(a), loginView{Username: a.loginHint})
		return
	}
	p.proceed(w, r, a, sess, who)
}

// proceed continues after the login: with the consent page, or with a code for the client.
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

// consentKnown reports whether a code can go out without asking. Signing in to the library is
// consent to its own browser client. A code for an address open to any program on the machine goes
// out only after a page and a click, each time, unless the program has a secret to show for it:
// only the person knows the program that asks (RFC 8252, 8.6).
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

// redirect sends the browser back to the client. The issuer parameter names the provider that
// answers (RFC 9207).
func (p *Provider) redirect(w http.ResponseWriter, a authorization, answer url.Values) {
	if a.state != "" {
		answer.Set("state", a.state)
	}
	answer.Set("iss", p.issuer)
	// Not http.Redirect: the address is to stay as it is registered.
	w.Header().Set("Location", withQuery(a.redirectURI, answer))
	w.WriteHeader(http.StatusFound)
}

// currentSession returns the session of the browser and its user, or nil.
func (p *Provider) currentSession(r *http.Request, d *directory) (session, *account) {
	sess, ok := p.state.browserSession(p.cookie(r, cookieSession))
	if !ok {
		return session{}, nil
	}
	return sess, d.person(sess.user)
}

// authorization is a request to the authorization endpoint with a good client and redirect URI, so
// an answer can be sent there.
type authorization struct {
	client      *Client
	redirectURI string
	state       string
	refusal     *oauthError // what is wrong with the rest of it, or nil

	asked     []string
	nonce     string
	challenge string
	prompt    map[string]bool
	loginHint string
}

// prompts are the values that a client can ask for.
var prompts = []string{"none", "login", "consent"}

// Limits of parameters stored with a code or shown on a page.
const (
	maxNonce     = 1 << 10
	maxChallenge = 43 // an encoded SHA-256 hash has exactly as many characters
)

// errorPage is an error shown in the browser because it must not be sent to the client.
type errorPage struct {
	Title   string
	Message string
	Link    string // a way on, "" if there is none
	Label   string
}

// readAuthorization reads a request. Until the redirect URI is known to belong to the client, the
// browser is sent nowhere: the address may be an attacker's.
func readAuthorization(r *http.Request, d *directory) (authorization, *errorPage) {
	q, err := queryParams(r)
	if err != nil {
		return authorization{}, badRequest("The request is too long or could not be read.")
	}
	if len(q.values["client_id"]) > 1 || len(q.values["redirect_uri"]) > 1 {
		return authorization{}, badRequest("The request names the application or its return address more than once.")
	}
	client := d.clients[q.get("client_id")]
	if client == nil {
		return authorization{}, badRequest("The application that sent you here is not known.")
	}
	a := authorization{client: client, redirectURI: q.get("redirect_uri")}
	if !client.allows(grantCode) || !redirectAllowed(client.RedirectURIs, a.redirectURI) {
		return authorization{}, badRequest("The application wants you to return to an address that it has not registered.")
	}
	if len(q.values["state"]) == 1 {
		a.state = q.get("state")
	}
	a.refusal = a.read(q)
	return a, nil
}

func badRequest(message string) *errorPage {
	return &errorPage{Title: "This sign-in cannot continue", Message: message}
}

// read reads the parameters whose faults may be sent to the client.
func (a *authorization) read(q params) *oauthError {
	switch {
	case q.repeated():
		return errRepeated
	case q.get("response_type") == "":
		return errMissing("response_type")
	case q.get("response_type") != "code":
		return refuse("unsupported_response_type", "The response type must be code")
	case len(q.get("nonce")) > maxNonce:
		return invalidRequest("The nonce is too long")
	}
	a.nonce, a.loginHint = q.get("nonce"), q.get("login_hint")
	scopes, refusal := parseScope(q.get("scope"))
	if refusal != nil {
		return refusal
	}
	a.asked = knownScopes(scopes)
	if refusal := a.readChallenge(q); refusal != nil {
		return refusal
	}
	return a.readPrompt(q)
}

// readChallenge reads PKCE. Without a method the method would be plain, and that adds no
// protection.
func (a *authorization) readChallenge(q params) *oauthError {
	challenge, method := q.get("code_challenge"), q.get("code_challenge_method")
	if challenge == "" && method == "" {
		if a.client.public() {
			return invalidRequest("A public client must send a code_challenge (PKCE)")
		}
		return nil
	}
	if method != "S256" {
		return invalidRequest("The code_challenge_method must be S256")
	}
	if _, err := base64.RawURLEncoding.Strict().DecodeString(challenge); err != nil || len(challenge) != maxChallenge {
		return invalidRequest("The code_challenge is malformed")
	}
	a.challenge = challenge
	return nil
}

func (a *authorization) readPrompt(q params) *oauthError {
	a.prompt = map[string]bool{}
	for _, prompt := range strings.Fields(q.get("prompt")) {
		if !slices.Contains(prompts, prompt) {
			return invalidRequest("The prompt is not supported")
		}
		a.prompt[prompt] = true
	}
	if a.prompt["none"] && len(a.prompt) > 1 {
		return invalidRequest("The prompt none cannot be combined with others")
	}
	return nil
}
