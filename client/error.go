package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"

	"golang.org/x/oauth2"
)

var (
	// ErrSessionEnded means that only a new sign-in helps.
	ErrSessionEnded = errors.New("the session has ended; sign in again")

	// ErrDenied means that the person at the browser did not agree.
	ErrDenied = errors.New("access was denied")
)

// ProviderError is a refusal by the provider. It holds the status and a standard code, nothing
// else from the provider: a description may quote our request.
type ProviderError struct {
	Doing  string // such as "signing in"
	Status int    // 0 if the refusal came by way of the browser
	Code   string // such as "invalid_client", "" if there was none that is known
}

func (e *ProviderError) Error() string {
	text := e.Doing + ": the identity provider refused: "
	switch advice := adviceFor[e.Code]; {
	case e.Status == http.StatusTooManyRequests:
		return text + "too many attempts; wait a minute"
	case advice != "":
		return text + advice + " (" + e.Code + ")"
	case e.Status >= 500:
		return text + fmt.Sprintf("it has an internal error (status %d); try again later", e.Status)
	case e.Status >= 300:
		return text + fmt.Sprintf("status %d", e.Status)
	}
	return text + "no reason given"
}

// Is makes a denial by the person at the browser an [ErrDenied].
func (e *ProviderError) Is(target error) bool {
	return target == ErrDenied && e.Code == "access_denied"
}

// adviceFor explains the codes of RFC 6749, RFC 7009, RFC 8628 and OpenID Connect in words. Any
// other code could be anything, and is not shown.
var adviceFor = map[string]string{
	"invalid_request":            "it does not accept the request",
	"invalid_client":             "the client id or its secret is wrong",
	"invalid_grant":              "the password, code or token is wrong, used up or expired",
	"unauthorized_client":        "this client may not ask in this way; its registration would have to allow it",
	"unsupported_grant_type":     "it does not know this way of asking",
	"unsupported_response_type":  "it does not know this way of asking",
	"unsupported_token_type":     "it cannot revoke tokens of this kind",
	"invalid_scope":              "it does not know the scope, or does not give it",
	"access_denied":              "access was denied",
	"authorization_pending":      "nobody has agreed yet",
	"slow_down":                  "it is asked too often",
	"expired_token":              "the code has expired; try again",
	"login_required":             "somebody has to sign in",
	"consent_required":           "somebody has to consent",
	"interaction_required":       "somebody has to answer a question",
	"account_selection_required": "somebody has to choose an account",
	"server_error":               "it has an internal error; try again later",
	"temporarily_unavailable":    "it is overloaded or being repaired; try again later",
}

func refusal(doing string, status int, code string) *ProviderError {
	if adviceFor[code] == "" {
		code = ""
	}
	return &ProviderError{Doing: doing, Status: status, Code: code}
}

// grantError puts an error of oauth2, with its quoted bodies, into our words.
func grantError(doing string, err error) error {
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		return refusal(doing, refused.Response.StatusCode, refused.ErrorCode)
	}
	var sent *url.Error
	if errors.As(err, &sent) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return transportError(doing, err)
	}
	return fmt.Errorf("%s: the answer of the identity provider is not a token response", doing)
}

// transportError explains why there was no answer. Errors of net/http quote addresses and
// malformed answers, so only known ones are passed on.
func transportError(doing string, err error) error {
	var timeout net.Error
	var network *net.OpError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%s: %w", doing, context.Canceled)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return inWords(context.DeadlineExceeded, "%s: the identity provider did not answer in time", doing)
	case errors.Is(err, errTooLarge):
		return fmt.Errorf("%s: %w", doing, errTooLarge)
	case errors.Is(err, errRedirect):
		return fmt.Errorf("%s: %w", doing, errRedirect)
	case errors.As(err, &certificate):
		return inWords(certificate, "%s: the certificate of the identity provider is not trusted: %s", doing, certificateProblem(certificate))
	case errors.Is(err, http.ErrSchemeMismatch):
		return fmt.Errorf("%s: the identity provider does not speak https there", doing)
	case errors.As(err, &network):
		return inWords(network, "%s: the identity provider cannot be reached (%s); check its address and that it runs", doing, networkProblem(network))
	}
	return fmt.Errorf("%s: the identity provider cannot be reached; check its address and that it runs", doing)
}

// worded is an error of another package in our words. errors.As finds the original,
// but its text is not shown.
type worded struct {
	text string
	err  error
}

func (e *worded) Error() string { return e.text }
func (e *worded) Unwrap() error { return e.err }

func inWords(err error, format string, args ...any) error {
	return &worded{fmt.Sprintf(format, args...), err}
}

// certificateProblem explains in our words why a certificate is not trusted. Its own error quotes
// untrusted names from the certificate.
func certificateProblem(err *tls.CertificateVerificationError) string {
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err.Err, &authority):
		return "it is signed by nobody whom this machine trusts"
	case errors.As(err.Err, &host):
		return "it is for another host"
	case errors.As(err.Err, &invalid) && invalid.Reason == x509.Expired:
		return "it has expired or is not valid yet; or the clock of this machine is wrong"
	}
	return "it cannot be verified"
}

// networkProblem explains why a connection failed, without the name of the host: it may come from
// a document of the provider.
func networkProblem(err *net.OpError) string {
	if name, ok := errors.AsType[*net.DNSError](err.Err); ok {
		return name.Err
	}
	return err.Err.Error()
}
