package devidp

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// oauthError is a refusal as RFC 6749, section 5.2, words it. The description
// never quotes the request.
type oauthError struct {
	Code        string `json:"error"`
	Description string `json:"error_description,omitempty"`

	status     int
	challenge  string        // the WWW-Authenticate field, "" if there is none
	retryAfter time.Duration // only with 429 and 503
}

func (e *oauthError) Error() string { return e.Code + ": " + e.Description }

func refuse(code, description string) *oauthError {
	return &oauthError{Code: code, Description: description, status: http.StatusBadRequest}
}

func invalidRequest(description string) *oauthError { return refuse("invalid_request", description) }

func invalidGrant(description string) *oauthError { return refuse("invalid_grant", description) }

// errMissing names a required parameter without a value.
func errMissing(name string) *oauthError {
	return invalidRequest("The parameter " + name + " is missing")
}

// tooManyFailures refuses a password without having looked at it.
func tooManyFailures(wait time.Duration) *oauthError {
	e := invalidGrant("Too many failed attempts; try again in " + english.seconds(wait))
	e.status, e.retryAfter = http.StatusTooManyRequests, wait
	return e
}

// wholeSeconds rounds up, so that a client waits long enough.
func wholeSeconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// answer turns a function that returns a document or a refusal into a handler. Any other error is
// an internal one, and the answer gives no details.
func (p *Provider) answer(handle func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		document, err := handle(r)
		if err == nil {
			writeJSON(w, http.StatusOK, document)
			return
		}
		refusal, ok := err.(*oauthError)
		if !ok {
			p.log.Error("request failed", "error", err)
			refusal = &oauthError{Code: "server_error", Description: "Something went wrong", status: http.StatusInternalServerError}
		}
		writeRefusal(w, refusal)
	}
}

func writeRefusal(w http.ResponseWriter, e *oauthError) {
	if e.challenge != "" {
		w.Header().Set("WWW-Authenticate", e.challenge)
	}
	if e.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(wholeSeconds(e.retryAfter)))
	}
	writeJSON(w, e.status, e)
}

// writeJSON encodes before it writes the status, so that the status is true.
func writeJSON(w http.ResponseWriter, status int, document any) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(document); err != nil {
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Pragma", "no-cache") // RFC 6749, section 5.1, asks for it
	w.WriteHeader(status)
	w.Write(b.Bytes())
}
