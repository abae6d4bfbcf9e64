package client

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
)

// Call is a request that the caller has put together, for what has no method here.
type Call struct {
	Method string
	Path   string // below the base path, escaped; it begins with a slash
	Query  url.Values
	Header http.Header
	Body   []byte // nil if there is none
}

// Do makes a call and returns the answer, whatever its status, with a body that has
// to be closed. It takes as long as the context allows. A POST without an
// Idempotency-Key gets one, and is sent again if no answer comes.
func (c *Client) Do(ctx context.Context, call Call) (*http.Response, error) {
	header := call.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	if header.Get("Accept") == "" {
		header.Set("Accept", "*/*")
	}
	if call.Body != nil && header.Get("Content-Type") == "" {
		header.Set("Content-Type", "application/json")
	}
	if call.Method == http.MethodPost && header.Get("Idempotency-Key") == "" {
		header.Set("Idempotency-Key", `"`+NewIdempotencyKey()+`"`)
	}
	for tries := 1; ; tries++ {
		resp, err := c.send(ctx, call, header)
		if err == nil || call.Method != http.MethodPost || tries == maxTries {
			return resp, err
		}
		if wait, again := c.retryAfter(tries, err); !again || !sleep(ctx, wait) {
			return nil, err
		}
	}
}

func (c *Client) send(ctx context.Context, call Call, header http.Header) (*http.Response, error) {
	var body io.Reader
	if call.Body != nil {
		body = bytes.NewReader(call.Body)
	}
	address := c.base + call.Path
	if len(call.Query) > 0 {
		address += "?" + call.Query.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, call.Method, address, body)
	if err != nil {
		return nil, errors.New("the method or the path cannot be sent")
	}
	r.Header = header
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, c.unanswered(err)
	}
	return resp, nil
}

// ReadError is the refusal in an answer with this body, as the other methods
// return it; nil if it is a success.
func ReadError(resp *http.Response, body []byte) error {
	if resp.StatusCode < 300 || resp.StatusCode == http.StatusNotModified {
		return nil
	}
	return readError(resp, body)
}

// NextCursor is the cursor of the next page in an answer, "" on the last one. Only
// that is taken from the answer: an address in it is none to send a token to.
func NextCursor(header http.Header) string { return nextCursor(header.Get("Link")) }
