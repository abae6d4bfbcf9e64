package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
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

	"example.org/library"
)

const (
	postTimeout   = 15 * time.Second // for the answer, from the beginning of the connection on
	bodyTimeout   = time.Second      // for the rest of an answer, unread
	longestAnswer = 16 << 10         // longer ones close the connection
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

// toThisMachine refuses a connection to another machine in plain text: the name localhost may lead anywhere.
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
	r.Header["Idempotency-Key"] = nil // not sent; lets net/http retry at once on a connection closed meanwhile
	answer, err := p.client.Do(r)
	if err != nil {
		return 0, withoutAddress(err)
	}
	defer answer.Body.Close()
	timer := time.AfterFunc(bodyTimeout, cancel)
	defer timer.Stop()
	_, _ = io.CopyN(io.Discard, answer.Body, longestAnswer) // the rest does not matter
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

// body is an event as receivers get it.
type body struct {
	Type      Type   `json:"type"`
	Timestamp string `json:"timestamp"`
	Data      data   `json:"data"`
}

type data struct {
	Book bookRef `json:"book"`
	Loan *ref    `json:"loan,omitempty"`
	Hold *ref    `json:"hold,omitempty"`
	User *person `json:"user,omitempty"`
}

type bookRef struct {
	Identifier string `json:"identifier"`
	Title      string `json:"title"`
}

type ref struct {
	Identifier string `json:"identifier"`
}

type person struct {
	Identifier string `json:"identifier"`
	FirstName  string `json:"firstName"`
	LastName   string `json:"lastName"`
}

// encode makes the body of an event. The zero person is nobody.
func encode(e Event, p library.Person) []byte {
	b := body{Type: e.Type, Timestamp: e.At.UTC().Format(time.RFC3339), Data: data{Book: bookRef{e.BookID, e.BookTitle}}}
	switch subject := e.Type.Subject(); {
	case e.Record == "":
	case subject == "loan":
		b.Data.Loan = &ref{e.Record}
	case subject == "hold":
		b.Data.Hold = &ref{e.Record}
	}
	if p.ID != "" {
		b.Data.User = &person{p.ID, p.FirstName, p.LastName}
	}
	text, _ := json.Marshal(b) // always marshals
	return text
}

// sign is the signature of a message, as Standard Webhooks describes.
func (s Secret) sign(id string, at time.Time, body []byte) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
