package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// startAPI starts a server that echoes the Authorization field and redirects as the
// request says.
func startAPI(t *testing.T) (*httptest.Server, *atomic.Int64) {
	t.Helper()
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusTemporaryRedirect)
			return
		}
		_, _ = io.WriteString(w, r.Header.Get("Authorization"))
	}))
	t.Cleanup(server.Close)
	return server, &requests
}

func staticClient(t *testing.T, address string) *http.Client {
	t.Helper()
	c, err := StaticSource(Token{Access: "s3cr3t"}).Client(address)
	testkit.NoError(t, err)
	return c
}

func TestTheTokenIsShownToTheService(t *testing.T) {
	t.Parallel()
	api, _ := startAPI(t)
	c := staticClient(t, api.URL+"/library-server")
	for _, address := range []string{api.URL + "/library-server/books", api.URL + "/x?to=/y", strings.ToUpper(api.URL[:4]) + api.URL[4:]} {
		resp, err := c.Get(address)
		testkit.NoError(t, err)
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(body) != "Bearer s3cr3t" {
			t.Errorf("%s was shown %q", address, body)
		}
	}
}

func TestTheTokenIsShownToNobodyElse(t *testing.T) {
	t.Parallel()
	api, _ := startAPI(t)
	other, requests := startAPI(t)
	c := staticClient(t, api.URL)
	for name, address := range map[string]string{
		"another port":               other.URL,
		"a redirect to another port": api.URL + "/?to=" + other.URL,
		"a redirect by another name": api.URL + "/?to=" + strings.Replace(other.URL, "127.0.0.1", "localhost", 1),
		"the same port, other name":  strings.Replace(api.URL, "127.0.0.1", "localhost", 1),
		"another scheme":             strings.Replace(api.URL, "http:", "https:", 1),
		"a user name in front":       "http://" + strings.TrimPrefix(api.URL, "http://") + "@" + strings.TrimPrefix(other.URL, "http://"),
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader("body"))
			testkit.NoError(t, err)
			resp, err := c.Do(r)
			if err == nil {
				resp.Body.Close()
			}
			if !errors.Is(err, errOtherOrigin) {
				t.Errorf("%s, %s: %v", method, name, err)
			}
		}
	}
	testkit.Equal(t, requests.Load(), 0, "requests to the other host")
}

func TestTheRequestOfTheCallerIsNotChanged(t *testing.T) {
	t.Parallel()
	api, _ := startAPI(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, api.URL, nil)
	testkit.NoError(t, err)
	resp, err := staticClient(t, api.URL).Do(r)
	testkit.NoError(t, err)
	resp.Body.Close()
	if len(r.Header) != 0 {
		t.Errorf("the request has got %v", r.Header)
	}
}

type closing struct {
	io.Reader
	closed bool
}

func (c *closing) Close() error { c.closed = true; return nil }

func TestWithoutATokenNothingIsSent(t *testing.T) {
	t.Parallel()
	api, requests := startAPI(t)
	s := NewSource(Token{}, func(context.Context, Token) (Token, error) { return Token{}, ErrSessionEnded })
	transport, err := s.Transport(api.URL, http.DefaultTransport)
	testkit.NoError(t, err)
	for _, address := range []string{api.URL, "http://other.example"} {
		body := &closing{Reader: strings.NewReader("x")}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, body)
		testkit.NoError(t, err)
		if _, err := (&http.Client{Transport: transport, Timeout: time.Second}).Do(r); err == nil || !body.closed {
			t.Errorf("%s: %v, body closed: %t", address, err, body.closed)
		}
	}
	testkit.Equal(t, requests.Load(), 0, "requests sent")
}

func TestTheServiceMustHaveAnAddress(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "localhost:9091", "ftp://x", "http://u:p@x/", "http://x/#f", "http://%zz"} {
		if _, err := StaticSource(Token{}).Client(address); err == nil {
			t.Errorf("%q was accepted", address)
		}
	}
}

func TestDefaultPortsAreTheSameOrigin(t *testing.T) {
	t.Parallel()
	transport, err := StaticSource(Token{}).Transport("https://Library.example/library-server", nil)
	testkit.NoError(t, err)
	testkit.Equal(t, transport.origin, "https://library.example:443", "origin")
}
