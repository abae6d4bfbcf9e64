package testkit

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// Response is the answer to a request.
type Response struct {
	T       testing.TB // of the test using it
	Request string     // method and path
	Status  int
	Header  http.Header
	Body    []byte
	IsLast  bool // the connection is closed then
}

// Send sends a request and reads the answer.
func Send(client *http.Client, req *http.Request) (Response, error) {
	resp, err := client.Do(req)
	if err != nil {
		return Response{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return Response{nil, req.Method + " " + req.URL.RequestURI(), resp.StatusCode, resp.Header, body, resp.Close}, err
}

// WantStatus ends the test if the answer has another status.
func (r Response) WantStatus(status int) Response {
	r.T.Helper()
	if r.Status != status {
		r.T.Fatalf("%s: status %d, want %d; %v\n%s", r.Request, r.Status, status, r.Header, r.Body[:min(len(r.Body), 1000)])
	}
	return r
}

// WantHeader checks the exact value of a header field; "" is for its absence.
func (r Response) WantHeader(name, value string) Response {
	r.T.Helper()
	if got := strings.Join(r.Header.Values(name), ", "); got != value {
		r.T.Errorf("%s: %s is\n\t%q, want\n\t%q", r.Request, name, got, value)
	}
	return r
}
