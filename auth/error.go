package auth

import (
	"net/http"
	"strings"
	"time"
)

// Error is a refusal, ready for the edge of the service. It holds no text from
// a token but the time of its expiry. Errors are shared: nobody may change one.
type Error struct {
	Status     int           // 400, 401 or 503
	Reason     string        // a stable word for programs: error bodies and metrics
	Message    string        // a sentence for people
	Challenge  string        // the WWW-Authenticate field, "" if there is none
	RetryAfter time.Duration // only with 503
}

func (e *Error) Error() string {
	return e.Reason + ": " + e.Message
}

// errorURI explains the error codes of bearer challenges.
const errorURI = "https://tools.ietf.org/html/rfc6750#section-3.1"

// Refusals that depend on nothing in the token and nothing in the configuration.
var (
	errMissingToken = &Error{
		Status: http.StatusUnauthorized, Reason: "missing_token",
		Message: "A bearer token is required", Challenge: "Bearer",
	}
	errTwoFields  = invalidRequest("The request has more than one Authorization field")
	errTwoMethods = invalidRequest("The request carries a token in more than one way")

	errMalformed    = invalidToken("malformed_token", "Bearer token is malformed")
	errAlgorithm    = invalidToken("unsupported_algorithm", "The signing algorithm is not supported")
	errExtension    = invalidToken("unsupported_header", "The token requires an extension that is not supported")
	errTokenType    = invalidToken("wrong_token_type", "The token is not an access token")
	errBound        = invalidToken("bound_token", "The token is bound to a key that was not shown")
	errNoExpiry     = invalidToken("invalid_claim", "The exp claim is missing")
	errBadExpiry    = invalidToken("invalid_claim", "The exp claim is not valid")
	errBadNotBefore = invalidToken("invalid_claim", "The nbf claim is not valid")
	errBadIssuedAt  = invalidToken("invalid_claim", "The iat claim is not valid")
	errNotYetValid  = invalidToken("not_yet_valid", "The token is not valid yet")
	errFromFuture   = invalidToken("not_yet_valid", "The token was issued in the future")
	errIssuer       = invalidToken("wrong_issuer", "The iss claim is not valid")
	errUnverified   = invalidToken("email_not_verified", "The e-mail address is not verified")
	errUnknownKey   = invalidToken("unknown_key", "No key matches the token")
	errSignature    = invalidToken("bad_signature", "The token could not be verified: Invalid signature")

	errUnknownUser = &Error{
		Status: http.StatusUnauthorized, Reason: "unknown_user", Message: "Bad credentials",
		Challenge: challenge("invalid_token", "No user found for the email claim"),
	}
)

func errExpired(at time.Time) *Error {
	return invalidToken("expired", "Jwt expired at "+at.UTC().Format(time.RFC3339))
}

func errAudience(required string) *Error {
	return invalidToken("wrong_audience", "The required audience '"+quotable(required)+"' is missing")
}

// errNoKeys says that a token may be good but cannot be checked now.
func errNoKeys(retryAfter time.Duration) *Error {
	return &Error{
		Status: http.StatusServiceUnavailable, Reason: "keys_unavailable",
		Message:    "The keys of the identity provider are not available",
		RetryAfter: max(retryAfter, time.Second),
	}
}

func invalidToken(reason, description string) *Error {
	return &Error{
		Status: http.StatusUnauthorized, Reason: reason, Message: description,
		Challenge: challenge("invalid_token", description),
	}
}

func invalidRequest(description string) *Error {
	return &Error{
		Status: http.StatusBadRequest, Reason: "invalid_request", Message: description,
		Challenge: challenge("invalid_request", description),
	}
}

func challenge(code, description string) string {
	return `Bearer error="` + code + `", error_description="` + description + `", error_uri="` + errorURI + `"`
}

// quotable replaces what RFC 6750 does not allow in the value of an attribute.
// Only configured text goes through it; there is no way to escape a quote.
func quotable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return '_'
		}
		return r
	}, s)
}
