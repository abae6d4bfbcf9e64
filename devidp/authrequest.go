package devidp

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// authorization is a request to the authorization endpoint whose client and
// redirect URI are good, so that there is somewhere to send an answer to.
type authorization struct {
	client      *Client
	redirectURI string
	state       string
	refusal     *oauthError // what is wrong with the rest of it, or nil

	asked     []string
	nonce     string
	challenge string
	prompt    map[string]bool
	maxAge    time.Duration
	loginHint string
	hint      string // an ID token
}

// prompts that a client can ask for.
var prompts = []string{"none", "login", "consent", "select_account"}

// Limits of what is remembered with a code or shown on a page.
const (
	maxNonce     = 1 << 10
	maxChallenge = 43 // an encoded SHA-256 hash has exactly as many characters
)

// errorPage is an error that is shown to the person in the browser, because it must
// not be sent to the client.
type errorPage struct {
	Title   string
	Message string
	Link    string // a way on, "" if there is none
	Label   string
}

// readAuthorization reads a request. As long as it is not certain that the
// redirect URI belongs to the client, the browser is sent nowhere: the address
// may be an attacker's.
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

// read reads everything that can be wrong without being dangerous.
func (a *authorization) read(q params) *oauthError {
	switch {
	case q.repeated() != "":
		return errRepeated
	case q.get("request") != "":
		return refuse("request_not_supported", "The parameter request is not supported")
	case q.get("request_uri") != "":
		return refuse("request_uri_not_supported", "The parameter request_uri is not supported")
	case q.get("registration") != "":
		return refuse("registration_not_supported", "The parameter registration is not supported")
	case q.get("response_type") == "":
		return errMissing("response_type")
	case q.get("response_type") != "code":
		return refuse("unsupported_response_type", "The response type must be code")
	case q.get("response_mode") != "" && q.get("response_mode") != "query":
		return invalidRequest("The response mode must be query")
	case len(q.get("nonce")) > maxNonce:
		return invalidRequest("The nonce is too long")
	}
	a.nonce, a.loginHint, a.hint = q.get("nonce"), q.get("login_hint"), q.get("id_token_hint")
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

// readChallenge reads PKCE. Without a method the method would be plain, which
// protects from nothing that the code itself does not.
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
	a.prompt, a.maxAge = map[string]bool{}, never
	for _, prompt := range strings.Fields(q.get("prompt")) {
		if !slices.Contains(prompts, prompt) {
			return invalidRequest("The prompt is not supported")
		}
		a.prompt[prompt] = true
	}
	if a.prompt["none"] && len(a.prompt) > 1 {
		return invalidRequest("The prompt none cannot be combined with others")
	}
	if text := q.get("max_age"); text != "" {
		seconds, err := strconv.ParseUint(text, 10, 31)
		if err != nil {
			return invalidRequest("The max_age must be a number of seconds")
		}
		a.maxAge = time.Duration(seconds) * time.Second
	}
	return nil
}
