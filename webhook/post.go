package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"syscall"
	"time"
)

const (
	postTimeout   = 15 * time.Second // for the answer, from the beginning of the connection on
	bodyTimeout   = time.Second      // for the rest of an answer, which nobody reads
	longestAnswer = 16 << 10         // of which the connection is used again
	longestHeader = 64 << 10
)

// poster posts to one target.
type poster struct {
	target  Target
	secret  Secret
	client  *http.Client
	timeout time.Duration
}

func newPoster(t Target, s Secret) *poster {
	dialer := &net.Dialer{Timeout: postTimeout}
	if t.address.Scheme == "http" {
		dialer.Control = toThisMachine
	}
	transport := &http.Transport{
		DialContext: dialer.DialContext, MaxConnsPerHost: 1, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: postTimeout, MaxResponseHeaderBytes: longestHeader,
	}
	if t.address.Scheme == "https" {
		transport.Proxy = http.ProxyFromEnvironment
	}
	return &poster{target: t, secret: s, timeout: postTimeout, client: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// toThisMachine refuses a connection that would carry plain text away: the name localhost
// may lead anywhere.
func toThisMachine(_, address string, _ syscall.RawConn) error {
	if at, err := netip.ParseAddrPort(address); err != nil || !at.Addr().Unmap().IsLoopback() {
		return errors.New("the address leads away from this machine")
	}
	return nil
}

// post makes one attempt, and returns the status of the answer. Its error does not have the address.
func (p *poster) post(ctx context.Context, id string, body []byte) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.target.address.String(), bytes.NewReader(body))
	if err != nil {
		return 0, errNotAnAddress
	}
	now := time.Now()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "library-webhook/1")
	r.Header.Set("Webhook-Id", id)
	r.Header.Set("Webhook-Timestamp", strconv.FormatInt(now.Unix(), 10))
	r.Header.Set("Webhook-Signature", p.secret.sign(id, now, body))
	r.Header["Idempotency-Key"] = nil // not sent; a connection that was closed meanwhile is made anew, at once
	answer, err := p.client.Do(r)
	if err != nil {
		return 0, withoutAddress(err)
	}
	defer answer.Body.Close()
	timer := time.AfterFunc(bodyTimeout, cancel)
	defer timer.Stop()
	_, _ = io.CopyN(io.Discard, answer.Body, longestAnswer) // what else it says does not matter
	return answer.StatusCode, nil
}

func withoutAddress(err error) error {
	if outer, is := errors.AsType[*url.Error](err); is {
		if outer.Timeout() {
			return fmt.Errorf("no answer in time")
		}
		return outer.Err
	}
	return err
}
