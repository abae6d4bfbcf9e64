package client

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"example.org/library/api"
)

// Error is a refusal by the library service, in its own words.
type Error struct {
	Status      int
	Code        string // stable word, such as already_borrowed; "" if it was not the service that answered
	Message     string // sentence for people
	Details     []api.Detail
	RequestID   string // finds the request in the service's log
	Description string // sentence about a token that was refused: the error_description of RFC 6750, or ""
	Rule        string // name of the policy's rule that decided, or ""
	Role        string // the role that was missing, such as library_curator, or ""

	RetryAfter time.Duration // when it may succeed, if the service says so

	Candidates []api.Loan // loans to which a returned copy may belong; see [Client.ReturnCopy]
}

func (e *Error) Error() string { return e.Message }

// FromProxy reports whether the answer came from a proxy because it gets none from the service.
func (e *Error) FromProxy() bool { return e.Code == "" && isGatewayStatus(e.Status) }

// isGatewayStatus reports whether proxies use the status for an unreachable service.
func isGatewayStatus(status int) bool {
	return status == http.StatusBadGateway || status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout
}

var (
	description = regexp.MustCompile(`error_description="([^"]*)"`)
	scope       = regexp.MustCompile(`[ ,]scope="([^"]*)"`)
)

// readError makes an error of an unsuccessful answer.
func readError(resp *http.Response, body []byte) error {
	e := &Error{Status: resp.StatusCode, RequestID: resp.Header.Get("X-Request-Id")}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 && seconds < 1<<20 {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	challenge := resp.Header.Get("WWW-Authenticate")
	if found := description.FindStringSubmatch(challenge); found != nil {
		e.Description = found[1]
	}
	if found := scope.FindStringSubmatch(challenge); found != nil && e.Status == http.StatusForbidden {
		e.Role = found[1]
	}
	var wire api.Error
	switch {
	case isJSON(resp.Header.Get("Content-Type")) && json.Unmarshal(body, &wire) == nil && wire.Message != "" &&
		(wire.Code != "" || !isGatewayStatus(resp.StatusCode)): // proxies speak JSON, too, but know no codes
		e.Code, e.Message, e.Rule, e.Details, e.Candidates = wire.Code, wire.Message, wire.Rule, wire.Details, wire.Candidates
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		e.Message = "Something else answers in front of the library service and wants to redirect; check the address of the server."
	case resp.StatusCode == http.StatusNotFound:
		e.Message = "There is no library service at this address; check it, with its path."
	case isGatewayStatus(resp.StatusCode):
		e.Message = fmt.Sprintf("The library is down or does not answer: a proxy in front of it says %d %s.",
			resp.StatusCode, http.StatusText(resp.StatusCode))
	default:
		e.Message = fmt.Sprintf("The server answers %d %s, and not in the way of the library service.",
			resp.StatusCode, http.StatusText(resp.StatusCode))
	}
	return e
}

// ErrUnreachable means no answer from the library service.
var ErrUnreachable = errors.New("the library service cannot be reached")

// serviceError says why there was no answer.
func serviceError(address string, err error) error {
	var missing *noToken
	var network *net.OpError
	var timeout net.Error
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &missing):
		return missing.error // the service was not even asked
	case errors.Is(err, errOtherOrigin):
		return errOtherOrigin
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Errorf("%w: %s did not answer in time", ErrUnreachable, address)
	case errors.As(err, &certificate):
		return fmt.Errorf("%w: the certificate of %s is not trusted: %w", ErrUnreachable, address, inWords(certificate, "%s", certificateProblem(certificate)))
	case errors.Is(err, http.ErrSchemeMismatch):
		return fmt.Errorf("%w: %s does not speak https", ErrUnreachable, address)
	case errors.As(err, &network):
		return fmt.Errorf("%w: nothing answers at %s (%w); check the address and that it runs", ErrUnreachable, address, inWords(network, "%s", networkProblem(network)))
	}
	return fmt.Errorf("%w: %s broke off; try again", ErrUnreachable, address)
}
