package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Client speaks to the library service. It is safe for concurrent use.
type Client struct {
	base    string // without a slash at the end
	http    *http.Client
	timeout time.Duration
	pause   time.Duration // before a POST is sent again, the first time
}

// callTimeout is how long a call may take from its first byte to the last of the answer: enough
// for a page on a bad line. A server sending byte by byte does not hold the caller for ever.
const callTimeout = 2 * time.Minute

const firstPause = 200 * time.Millisecond

// New returns a client of the service at an address with the service's base path, such as
// https://library.example.com/library-server.
func New(address string, source *Source) (*Client, error) {
	if strings.Contains(address, "?") {
		return nil, errors.New("the address of the library service must not have a query")
	}
	c, err := source.Client(address)
	if err != nil {
		return nil, err
	}
	// An API does not redirect. A redirect comes from something else in its place, such as the
	// login page of a proxy.
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{base: strings.TrimRight(address, "/"), http: c, timeout: callTimeout, pause: firstPause}, nil
}

// Address is where the service is.
func (c *Client) Address() string { return c.base }

// Limits of an answer. A page is at most 1000 records.
const (
	maxRecord = 4 << 20
	maxPage   = 128 << 20
)

// Version is the ETag of a record. An edit with one is refused if somebody else was faster. "" is
// any version.
type Version string

// request is one call of the service.
type request struct {
	method  string
	path    string // below the base path, escaped
	query   url.Values
	body    any // nil if there is none
	version Version
	key     string // of a POST
	accept  string // the media type of the answer; "" for JSON
	again   bool   // it needs no key to be made again: twice is as good as once
}

// encoded is a body of JSON.
type encoded []byte

// do makes the call and reads the answer into out, possibly nil. It repeats POSTs, and other calls
// that may be repeated, if another try may help.
func (c *Client) do(ctx context.Context, in request, limit int64, out any) (http.Header, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	repeats := in.again
	if in.method == http.MethodPost {
		in.key, repeats = keyOf(ctx)
	}
	for tries := 0; ; {
		header, err := c.once(ctx, in, limit, out)
		if !isBeingWorkedOn(err) {
			tries++
		}
		if err == nil || !repeats || tries == maxTries {
			return header, err
		}
		if wait, again := c.retryAfter(tries, err); !again || !sleep(ctx, wait) {
			return nil, err
		}
	}
}

// once makes the call once.
func (c *Client) once(ctx context.Context, in request, limit int64, out any) (http.Header, error) {
	call, err := in.call()
	if err != nil {
		return nil, err
	}
	resp, err := c.send(ctx, call, call.Header)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	switch {
	case err != nil:
		return nil, c.unanswered(err)
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return nil, readError(resp, body)
	case out == nil:
		return resp.Header, nil
	case int64(len(body)) > limit:
		return nil, fmt.Errorf("the library service at %s sends too much", c.base)
	case !understood(resp.Header.Get("Content-Type"), body, out):
		return nil, fmt.Errorf("what answers at %s is not the library service; check the address, with its path", c.base)
	}
	return resp.Header, nil
}

// file is an answer, or a body, other than JSON.
type file struct {
	kind    string // its media type
	content []byte
}

// understood reads an answer into out, and reports whether it has the expected form.
func understood(contentType string, body []byte, out any) bool {
	f, isFile := out.(*file)
	if !isFile {
		return isJSON(contentType) && json.Unmarshal(body, out) == nil
	}
	f.content = body
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == f.kind
}

// call is the request as it is sent.
func (in request) call() (Call, error) {
	call := Call{Method: in.method, Path: in.path, Query: in.query, Header: http.Header{"Accept": {cmp.Or(in.accept, "application/json")}}}
	var err error
	switch body := in.body.(type) {
	case nil:
	case file:
		call.Body = body.content
		call.Header.Set("Content-Type", body.kind)
	case encoded:
		call.Body = body
		call.Header.Set("Content-Type", "application/json")
	default:
		if call.Body, err = json.Marshal(body); err != nil {
			return call, err
		}
		call.Header.Set("Content-Type", "application/json")
	}
	if in.key != "" {
		call.Header.Set("Idempotency-Key", `"`+in.key+`"`)
	}
	if in.version != "" {
		call.Header.Set("If-Match", string(in.version))
	}
	return call, nil
}

// Call is a request put together by the caller, where the client has no method.
type Call struct {
	Method string
	Path   string // below the base path, escaped; it begins with a slash
	Query  url.Values
	Header http.Header
	Body   []byte // nil if there is none
}

// Do makes a call and returns the answer, whatever its status. The caller must close the body. It
// takes as long as the context allows. A POST without an Idempotency-Key gets one, and is sent
// again if no answer comes.
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

// NextCursor returns the cursor of the next page in an answer, "" on the last one. The address in
// the answer is not used: a token must not be sent there.
func NextCursor(header http.Header) string { return nextCursor(header.Get("Link")) }
