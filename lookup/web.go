// Package lookup asks other catalogues for the book of an ISBN, and for a picture of its cover. Start
// reading at [Lookup.Find] and [Covers.Fetch].
//
// What a source says is text from a stranger. Each has a bounded time and a bounded answer, leads to no other host, and
// is asked politely: few requests a second, the same question once, and not again for a day.
package lookup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"example.org/library/internal/loopback"
)

// ErrFailed means a source without a usable answer.
var ErrFailed = errors.New("lookup: a source has failed")

// Limits of one request to a source.
const (
	timeout   = 5 * time.Second // with the wait for its turn
	perSecond = 5               // requests to one source
	atOnce    = 5
)

// web asks one host over HTTP, within the limits.
type web struct {
	client *http.Client
	most   int64 // bytes of an answer

	places chan struct{} // for requests at once
	mu     sync.Mutex
	began  [perSecond]time.Time // when the last requests began, the oldest at next
	next   int
}

var (
	errTooLarge = errors.New("the answer is too large")
	errRedirect = errors.New("the answer leads to another host")
	errTurn     = errors.New("too many questions are waiting")
)

// newWeb returns a web whose answers have a bound, and which goes on to another address if mayFollow says so.
func newWeb(most int64, mayFollow func(from, to *url.URL) bool) *web {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxConnsPerHost, transport.MaxResponseHeaderBytes = atOnce, 64<<10
	w := &web{most: most, places: make(chan struct{}, atOnce)}
	w.client = &http.Client{
		Transport: transport,
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > 3 || !mayFollow(via[0].URL, req.URL) {
				return errRedirect
			}
			return w.second(req.Context()) // it is one more request to the source
		},
	}
	return w
}

// sameHost reports whether an address leads to the same server, also where it names the usual port.
func sameHost(from, to *url.URL) bool {
	return from.Scheme == to.Scheme && strings.EqualFold(from.Hostname(), to.Hostname()) && portOf(from) == portOf(to)
}

func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// get returns the status and the body of an answer.
func (w *web) get(ctx context.Context, address, accept string) (int, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	leave, err := w.turn(ctx)
	if err != nil {
		return 0, nil, err
	}
	defer leave()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Accept", accept)
	req.Header.Set("User-Agent", "library-server (a lending library)")
	resp, err := w.client.Do(req)
	if err != nil {
		return 0, nil, withoutAddress(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, w.most+1))
	switch {
	case err != nil:
		return 0, nil, withoutAddress(err)
	case int64(len(body)) > w.most:
		return 0, nil, errTooLarge
	}
	return resp.StatusCode, body, nil
}

// withoutAddress removes the address from an error, because it may contain a secret.
func withoutAddress(err error) error {
	if inner, ok := errors.AsType[*url.Error](err); ok {
		return inner.Err
	}
	return err
}

// turn waits until a request may begin: few at once, and few in any second.
func (w *web) turn(ctx context.Context) (leave func(), err error) {
	select {
	case w.places <- struct{}{}:
	case <-ctx.Done():
		return nil, errTurn
	}
	leave = func() { <-w.places }
	if err := w.second(ctx); err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

// second waits until one more request may begin.
func (w *web) second(ctx context.Context) error {
	wait := time.NewTimer(w.begin(time.Now()))
	defer wait.Stop()
	select {
	case <-wait.C:
		return nil
	case <-ctx.Done():
		return errTurn
	}
}

// begin notes a request and says how long it must wait for its second.
func (w *web) begin(now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := w.began[w.next].Add(time.Second)
	if at.Before(now) {
		at = now
	}
	w.began[w.next] = at
	w.next = (w.next + 1) % perSecond
	return at.Sub(now)
}

// checkAddress checks the address of a source.
func checkAddress(u *url.URL) error {
	switch {
	case u.Host == "" || u.Hostname() == "":
		return errors.New("has no host")
	case u.User != nil:
		return errors.New("must not have a name or a password in it")
	case u.Fragment != "":
		return errors.New("must not have a fragment")
	case u.Scheme == "https":
		return nil
	case u.Scheme == "http" && loopback.Is(u.Hostname()):
		return nil
	case u.Scheme == "http":
		return errors.New("must be https: plain http is only for this machine")
	}
	return fmt.Errorf("must be https, not %q", u.Scheme)
}

func parseAddress(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("has no address that can be read")
	}
	return u, checkAddress(u)
}
