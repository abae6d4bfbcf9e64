package client

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"slices"
	"time"
)

// A POST has an idempotency key, so the service does it once, however often it is sent:
// https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/. It is sent again
// when the answer is lost, when another try may help, and, until the time of the call is over,
// while the service still works on it.

const (
	maxTries    = 4
	longestWait = 10 * time.Second // that the service may ask for
)

// beingWorkedOn is the code of a refusal while the first of the same requests is under way.
const beingWorkedOn = "idempotency_key_in_use"

// passing are the codes of refusals after which the same request may succeed.
var passing = []string{"unavailable", "overloaded", "outcome_unknown", beingWorkedOn}

type keyOfContext struct{}

// WithIdempotencyKey sets the key of the call with the context, for callers with retries of their
// own: with the same key it is done once. A call without one is retried here. A key is for one
// request; see [NewIdempotencyKey].
func WithIdempotencyKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, keyOfContext{}, key)
}

// NewIdempotencyKey returns a unique key.
func NewIdempotencyKey() string { return rand.Text() }

// keyOf is the key of a call, and whether the call is repeated here.
func keyOf(ctx context.Context) (key string, repeats bool) {
	if key, ok := ctx.Value(keyOfContext{}).(string); ok {
		return key, false
	}
	return NewIdempotencyKey(), true
}

func isBeingWorkedOn(err error) bool {
	var refused *Error
	return errors.As(err, &refused) && refused.Code == beingWorkedOn
}

// lostError is why there is no answer, though the request may have arrived.
type lostError struct{ error }

func (e *lostError) Unwrap() error { return e.error }

// isLost reports whether a request without an answer may have arrived.
func isLost(err error) bool {
	var missing *noToken
	var certificate *tls.CertificateVerificationError
	var network *net.OpError
	return !errors.As(err, &missing) && !errors.Is(err, errOtherOrigin) && !errors.Is(err, context.Canceled) &&
		!errors.As(err, &certificate) && !errors.Is(err, http.ErrSchemeMismatch) &&
		!(errors.As(err, &network) && network.Op == "dial")
}

// unanswered says why there was no answer.
func (c *Client) unanswered(err error) error {
	failed := serviceError(c.base, err)
	if isLost(err) {
		return &lostError{failed}
	}
	return failed
}

// retryAfter is how long to wait before a POST is sent again, if it is.
func (c *Client) retryAfter(tries int, err error) (time.Duration, bool) {
	var lost *lostError
	var refused *Error
	wait := c.pause << max(tries-1, 0)
	switch {
	case errors.As(err, &lost):
	case !errors.As(err, &refused):
		return 0, false
	case refused.Code == "" && (refused.Status == http.StatusBadGateway || refused.Status == http.StatusGatewayTimeout): // a proxy has lost it
	case slices.Contains(passing, refused.Code):
		wait = max(wait, refused.RetryAfter)
	default:
		return 0, false
	}
	// Callers cut off together must not come back together.
	return wait + mathrand.N(wait/2+1), wait <= longestWait
}

// sleep waits, and reports whether there is time left.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
