package client

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

var quiet = log.New(io.Discard, "", 0)

// startSlow starts a server that sends a byte now and then, but no answer.
func startSlow(t testing.TB) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(slowly))
	t.Cleanup(server.Close)
	return server
}

func slowly(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	for {
		_, _ = w.Write([]byte(" "))
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// Whatever the token endpoint does, the error is one in our words, and holds
// nothing of what was sent to it or came back from it.
func TestAHostileTokenEndpointGetsNothingIntoAnError(t *testing.T) {
	t.Parallel()
	say := func(status int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}
	const form, plain, object = "application/x-www-form-urlencoded", "text/plain", "application/json"
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		words  string
	}{
		"a description that quotes the request": {say(400, object, `{"error":"invalid_client","error_description":"s3cr3t","error_uri":"s3cr3t"}`), "(invalid_client)"},
		"a code that quotes the request":        {say(400, object, `{"error":"s3cr3t"}`), "status 400"},
		"a page that quotes the request":        {say(400, "text/html", "<p>s3cr3t"), "status 400"},
		"an error in a form":                    {say(400, form, "error=invalid_client&error_description=s3cr3t"), "status 400"},
		"an error with a good status":           {say(200, object, `{"error":"invalid_grant","access_token":"s3cr3t"}`), "(invalid_grant)"},
		"a fault of its own":                    {say(502, "text/html", "s3cr3t"), "try again later"},
		"too many attempts":                     {say(429, object, `{"error":"invalid_grant"}`), "wait a minute"},
		"a token in a form":                     {say(200, form, "access_token=s3cr3t"), "not a token response"},
		"a token as text":                       {say(200, plain, "access_token=s3cr3t"), "not a token response"},
		"a token without a type of content":     {say(200, "", `{"access_token":"s3cr3t"}`), "not a token response"},
		"nothing":                               {say(200, object, ""), "not a token response"},
		"broken JSON":                           {say(200, object, `{"access_token":"s3cr3t"`), "not a token response"},
		"a list":                                {say(200, object, `["s3cr3t"]`), "not a token response"},
		"no access token":                       {say(200, object, `{"refresh_token":"s3cr3t"}`), "not a token response"},
		"another kind of token":                 {say(200, object, `{"access_token":"s3cr3t","token_type":"mac"}`), "not a bearer token"},
		"a token that breaks out of its header": {say(200, object, `{"access_token":"s3cr3t\r\nX: y","token_type":"bearer"}`), "characters that cannot be sent"},
		"too much":                              {say(200, object, `{"access_token":"`+strings.Repeat("s", maxAnswer)+`"}`), "sends too much"},
		"too much of an error":                  {say(400, plain, strings.Repeat("s3cr3t", maxAnswer)), "sends too much"},
		"no HTTP": {func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_, _ = conn.Write([]byte("s3cr3t\r\n\r\n"))
				conn.Close()
			}
		}, "cannot be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := startFake(t)
			f.token = c.answer
			p := discover(t, f.URL)
			_, err := p.Password(t.Context(), Credentials{ID: "c", Secret: "s3cr3t"}, "bwayne", "s3cr3t")
			says(t, err, "asking for a token with a password", c.words)
			if refused := (*ProviderError)(nil); errors.As(err, &refused) && refused.Code == "s3cr3t" {
				t.Error("the code is one that the provider made up")
			}
			_, err = p.ClientCredentials(t.Context(), Credentials{ID: "c", Secret: "s3cr3t"})
			says(t, err, "asking for a token with client credentials", c.words)
		})
	}
}

// A redirect of a POST would take the password along.
func TestWhatIsPostedIsNeverSentOn(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the redirect was followed")
	}))
	t.Cleanup(other.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		f := startFake(t)
		f.token = func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL+"/?s3cr3t", status) }
		f.revoke = f.token
		p := discover(t, f.URL)
		_, err := p.Password(t.Context(), service, "bwayne", "wayne")
		says(t, err, "the identity provider refused: status 30")
		says(t, p.Revoke(t.Context(), service, Token{Access: "s3cr3t"}), "refused: status 30")
	}
}

func TestASlowProviderIsGivenUp(t *testing.T) {
	t.Parallel()
	f := startFake(t)
	f.token, f.revoke = slowly, slowly
	p := discover(t, f.URL)
	p.http.Timeout = 100 * time.Millisecond
	_, err := p.Refresh(t.Context(), service, Token{Refresh: "s3cr3t"})
	says(t, err, "renewing the token", "did not answer in time")
	if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrSessionEnded) {
		t.Errorf("%v is not a mere deadline", err)
	}
	says(t, p.Revoke(t.Context(), service, Token{Refresh: "s3cr3t"}), "did not answer in time")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, waited := NewSource(Token{}, func(context.Context, Token) (Token, error) {
		<-ctx.Done()
		time.Sleep(time.Second)
		return Token{}, nil
	}).Token(ctx)
	for _, err := range []error{err, waited} {
		if !errors.Is(err, context.DeadlineExceeded) || !strings.HasSuffix(err.Error(), "in time") {
			t.Errorf("%q is not in our words", err)
		}
	}
}

func TestACancelledRequestHasItsOwnError(t *testing.T) {
	t.Parallel()
	f := startFake(t)
	f.token = slowly
	p := discover(t, f.URL)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := p.ClientCredentials(ctx, service); !errors.Is(err, context.Canceled) {
		t.Errorf("%v is no cancellation", err)
	}
}
