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
	Code       string        // a stable word for programs: error bodies and metrics
	Message    string        // a sentence for people
	Challenge  string        // the WWW-Authenticate field, "" if there is none
	RetryAfter time.Duration // only with 503
	Missing    string        // the claim that the token lacks, where a setting decides which one counts, or ""
}

func (e *Error) Error() string { return e.Code + ": " + e.Message }

// The codes of refusals. Messages with the same remedy for the caller share a code.
const (
	CodeInvalidRequest       = "invalid_request" // credentials in more than one place
	CodeMissingToken         = "missing_token"
	CodeMalformedToken       = "malformed_token"
	CodeUnsupportedAlgorithm = "unsupported_algorithm"
	CodeUnsupportedHeader    = "unsupported_header"
	CodeWrongTokenType       = "wrong_token_type"
	CodeBoundToken           = "bound_token"
	CodeInvalidClaim         = "invalid_claim" // exp, nbf or iat is not a time, or sub no text where one is needed
	CodeExpired              = "expired"
	CodeNotYetValid          = "not_yet_valid"
	CodeWrongIssuer          = "wrong_issuer"
	CodeWrongAudience        = "wrong_audience"
	CodeSessionEnded         = "session_ended" // at the provider, see Logouts
	CodeEmailNotVerified     = "email_not_verified"
	CodeUnknownKey           = "unknown_key"
	CodeBadSignature         = "bad_signature"
	CodeUnknownUser          = "unknown_user"         // nobody has the e-mail address, or there is none
	CodeKeysUnavailable      = "keys_unavailable"     // 503
	CodeUserinfoUnavailable  = "userinfo_unavailable" // 503
	CodeUnauthorized         = "unauthorized"         // of Basic, whatever is wrong
	CodeBusy                 = "busy"                 // of Basic: 503
)

// errorURI explains the error codes of bearer challenges.
const errorURI = "https://tools.ietf.org/html/rfc6750#section-3.1"

// Refusals independent of token and configuration.
var (
	errMissingToken = &Error{
		Status: http.StatusUnauthorized, Code: CodeMissingToken,
		Message: "A bearer token is required", Challenge: "Bearer",
	}
	errTwoFields  = invalidRequest("The request has more than one Authorization field")
	errTwoMethods = invalidRequest("The request carries a token in more than one way")

	errMalformed    = invalidToken(CodeMalformedToken, "Bearer token is malformed")
	errAlgorithm    = invalidToken(CodeUnsupportedAlgorithm, "The signing algorithm is not supported")
	errExtension    = invalidToken(CodeUnsupportedHeader, "The token requires an unsupported extension")
	errTokenType    = invalidToken(CodeWrongTokenType, "The token is not an access token")
	errNoIDToken    = invalidToken(CodeWrongTokenType, "The token is not an ID token")
	errBound        = invalidToken(CodeBoundToken, "The token is bound to a key without a proof of it")
	errNoExpiry     = invalidToken(CodeInvalidClaim, "The exp claim is missing")
	errBadExpiry    = invalidToken(CodeInvalidClaim, "The exp claim is not valid")
	errBadNotBefore = invalidToken(CodeInvalidClaim, "The nbf claim is not valid")
	errBadIssuedAt  = invalidToken(CodeInvalidClaim, "The iat claim is not valid")
	errNotYetValid  = invalidToken(CodeNotYetValid, "The token is not valid yet")
	errFromFuture   = invalidToken(CodeNotYetValid, "The token was issued in the future")
	errIssuer       = invalidToken(CodeWrongIssuer, "The iss claim is not valid")
	errSubject      = invalidToken(CodeInvalidClaim, "The sub claim is missing")
	errUnverified   = invalidToken(CodeEmailNotVerified, "The e-mail address is not verified")
	errSessionEnded = invalidToken(CodeSessionEnded, "The session has ended")
	errTooLong      = invalidToken(CodeInvalidClaim, "The token is good for too long")
	errUnknownKey   = invalidToken(CodeUnknownKey, "No key matches the token")
	errSignature    = invalidToken(CodeBadSignature, "The token could not be verified: Invalid signature")

	errUnknownUser = &Error{
		Status: http.StatusUnauthorized, Code: CodeUnknownUser, Message: "Bad credentials",
		Challenge: challenge("invalid_token", "No user found for the email claim"),
	}
)

// errNoUserinfo is the refusal of a good token while the provider does not name its person.
var errNoUserinfo = &Error{
	Status: http.StatusServiceUnavailable, Code: CodeUserinfoUnavailable,
	Message:    "The identity provider does not say who the caller is",
	RetryAfter: time.Second,
}

func errExpired(at time.Time) *Error {
	return invalidToken(CodeExpired, "Jwt expired at "+at.UTC().Format(time.RFC3339))
}

// errNoAddress is the refusal of a token without an e-mail address in the expected claim.
func errNoAddress(claim string) *Error {
	refusal := *errUnknownUser
	refusal.Missing = claim
	return &refusal
}

func errAudience(required string) *Error {
	return invalidToken(CodeWrongAudience, "The required audience '"+quotable(required)+"' is missing")
}

// errNoKeys is the refusal of a token while it cannot be checked.
func errNoKeys(retryAfter time.Duration) *Error {
	return &Error{
		Status: http.StatusServiceUnavailable, Code: CodeKeysUnavailable,
		Message:    "The keys of the identity provider are not available",
		RetryAfter: max(retryAfter, time.Second),
	}
}

func invalidToken(code, description string) *Error {
	return &Error{
		Status: http.StatusUnauthorized, Code: code, Message: description,
		Challenge: challenge("invalid_token", description),
	}
}

func invalidRequest(description string) *Error {
	return &Error{
		Status: http.StatusBadRequest, Code: CodeInvalidRequest, Message: description,
		Challenge: challenge("invalid_request", description),
	}
}

func challenge(code, description string) string {
	return `Bearer error="` + code + `", error_description="` + description + `", error_uri="` + errorURI + `"`
}

// quotable replaces characters forbidden by RFC 6750 in the value of an attribute. Only configured
// text goes through it; there is no way to escape a quote.
func quotable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return '_'
		}
		return r
	}, s)
}
