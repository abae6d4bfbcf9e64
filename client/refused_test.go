package client

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// strict is a service that takes one token alone, and remembers what it was asked.
type strict struct {
	*httptest.Server
	takes     string
	challenge string
	mu        sync.Mutex
	asked     []string // token and body of each request
}

func startStrict(t *testing.T, takes string) *strict {
	t.Helper()
	s := &strict{takes: takes, challenge: `Bearer error="invalid_token", error_description="Jwt expired at 12:00"`}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		s.mu.Lock()
		s.asked = append(s.asked, token+" "+string(body))
		s.mu.Unlock()
		if token != s.takes {
			w.Header().Set("WWW-Authenticate", s.challenge)
			w.WriteHeader(http.StatusUnauthorized)
		}
		_, _ = io.WriteString(w, "answer to "+token)
	}))
	t.Cleanup(s.Close)
	return s
}

// ask posts a body with a token of the source.
func (s *strict) ask(t *testing.T, source *Source, body io.Reader) (int, string) {
	t.Helper()
	c, err := source.Client(s.URL)
	testkit.NoError(t, err)
	resp, err := c.Post(s.URL, "text/plain", body)
	testkit.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	testkit.NoError(t, err)
	return resp.StatusCode, string(text)
}

func TestATokenThatIsRefusedIsRenewedAndTheRequestRepeated(t *testing.T) {
	t.Parallel()
	s, m := startStrict(t, "access1"), &mint{life: time.Hour}
	source := sourceAt(m, time.Hour) // it looks good here
	for _, body := range []io.Reader{strings.NewReader("body"), bytes.NewReader([]byte("body")), nil} {
		if status, text := s.ask(t, source, body); status != http.StatusOK || text != "answer to access1" {
			t.Errorf("%d %s", status, text)
		}
	}
	if got := strings.Join(s.asked, ","); got != "access0 body,access1 body,access1 body,access1 " || m.count.Load() != 1 {
		t.Errorf("asked %q, renewed %d times", got, m.count.Load())
	}
}

func TestManyWhoAreRefusedShareOneRenewal(t *testing.T) {
	t.Parallel()
	s, m := startStrict(t, "access1"), &mint{life: time.Hour}
	source := sourceAt(m, time.Hour)
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if status, text := s.ask(t, source, strings.NewReader("x")); status != http.StatusOK {
				t.Errorf("%d %s", status, text)
			}
		})
	}
	group.Wait()
	testkit.Equal(t, m.count.Load(), 1, "renewals")
}

func TestARefusalThatANewTokenDoesNotChangeIsPassedOn(t *testing.T) {
	t.Parallel()
	renewing := func(m *mint) *Source { return sourceAt(m, time.Hour) }
	for rule, c := range map[string]struct {
		source    func(*mint) *Source
		mint      *mint
		challenge string
		body      func() io.Reader
		renewals  int64 // after two requests
		asked     string
	}{
		"the next token is refused, too, and left alone": {renewing, &mint{life: time.Hour}, "", nil, 1, "access0 x,access1 x,access1 x"},
		"the provider is down":                           {renewing, &mint{err: errors.New("down")}, "", nil, 2, "access0 x,access0 x"},
		"the session has ended":                          {renewing, &mint{err: ErrSessionEnded}, "", nil, 2, "access0 x,access0 x"},
		"a token that is not ours":                       {func(*mint) *Source { return StaticSource(Token{Access: "t"}) }, &mint{}, "", nil, 0, "t x,t x"},
		"somebody wants a password":                      {renewing, &mint{}, `Basic realm="proxy"`, nil, 0, "access0 x,access0 x"},
		"a body that comes but once":                     {renewing, &mint{}, "", func() io.Reader { return io.NopCloser(strings.NewReader("x")) }, 0, "access0 x,access0 x"},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			s := startStrict(t, "none")
			if c.challenge != "" {
				s.challenge = c.challenge
			}
			if c.body == nil {
				c.body = func() io.Reader { return strings.NewReader("x") }
			}
			source := c.source(c.mint)
			for range 2 {
				if status, text := s.ask(t, source, c.body()); status != http.StatusUnauthorized || !strings.HasPrefix(text, "answer to ") {
					t.Errorf("%d %s", status, text)
				}
			}
			if got := strings.Join(s.asked, ","); got != c.asked || c.mint.count.Load() != c.renewals {
				t.Errorf("asked %q, renewed %d times", got, c.mint.count.Load())
			}
		})
	}
}
