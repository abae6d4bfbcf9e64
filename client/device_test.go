package client

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	jose "github.com/go-jose/go-jose/v4"
	"golang.org/x/oauth2"

	"example.org/library/internal/testkit"
)

// startDevices starts a provider with a device grant. It calls token for each poll.
func startDevices(t *testing.T, token http.HandlerFunc) *fake {
	t.Helper()
	f := startFake(t)
	f.document["device_authorization_endpoint"] = f.URL + "/revoke" // any endpoint of it
	f.revoke = func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("client_id") != terminal.ID {
			sendJSON(w, http.StatusBadRequest, map[string]any{"error": "unauthorized_client"})
			return
		}
		sendJSON(w, http.StatusOK, map[string]any{
			"device_code": "d", "user_code": "BCDF-GHJK", "verification_uri": "http://localhost/device",
			"verification_uri_complete": "http://localhost/device?user_code=BCDF-GHJK", "interval": 1, "expires_in": 60,
		})
	}
	f.token = token
	return f
}

func TestAPersonSignsInFromAnotherDevice(t *testing.T) {
	t.Parallel()
	var f *fake
	polls := 0
	f = startDevices(t, func(w http.ResponseWriter, r *http.Request) {
		if polls++; polls == 1 {
			sendJSON(w, http.StatusBadRequest, map[string]any{"error": "authorization_pending"})
			return
		}
		if r.FormValue("device_code") != "d" || r.FormValue("code_verifier") == "" {
			t.Errorf("the poll is %v", r.Form)
		}
		sendJSON(w, http.StatusOK, goodToken("id_token", sign(t, jose.ES256, signingKey(), f.idClaims("", "nonce", nil))))
	})
	var shown DevicePrompt
	token, err := discover(t, f.URL).SignInDevice(t.Context(), DeviceOptions{Client: terminal, Scopes: []string{"email"}, Show: func(prompt DevicePrompt) error {
		shown = prompt
		return nil
	}})
	testkit.NoError(t, err)
	if token.Access == "" || token.Refresh == "" || token.ID == "" || !slices.Contains(token.Scope, "library_user") {
		t.Errorf("got %v", token)
	}
	if shown.Code != "BCDF-GHJK" || shown.Address != "http://localhost/device" || shown.Complete != shown.Address+"?user_code="+shown.Code || time.Until(shown.Expiry) > time.Minute {
		t.Errorf("shown: %+v", shown)
	}
}

func TestADeviceSignInThatIsNotAllowed(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]struct {
		says string
		is   error
	}{
		"access_denied": {"access was denied", ErrDenied},
		"expired_token": {"the code has expired; try again", context.DeadlineExceeded},
	} {
		f := startDevices(t, func(w http.ResponseWriter, _ *http.Request) {
			sendJSON(w, http.StatusBadRequest, map[string]any{"error": code, "error_description": "s3cr3t"})
		})
		_, err := discover(t, f.URL).SignInDevice(t.Context(), DeviceOptions{Client: terminal, Show: func(DevicePrompt) error { return nil }})
		says(t, err, want.says)
		testkit.ErrorIs(t, err, want.is)
	}
}

func TestADeviceSignInEndsWithTheContext(t *testing.T) {
	t.Parallel()
	f := startDevices(t, func(http.ResponseWriter, *http.Request) { t.Error("it asks for a token") })
	ctx, cancel := context.WithCancel(t.Context())
	_, err := discover(t, f.URL).SignInDevice(ctx, DeviceOptions{Client: terminal, Show: func(DevicePrompt) error { cancel(); return nil }})
	testkit.ErrorIs(t, err, context.Canceled)
}

func TestADeviceSignInThatCannotBegin(t *testing.T) {
	t.Parallel()
	p := discover(t, startDevices(t, nil).URL)
	_, err := p.SignInDevice(t.Context(), DeviceOptions{Client: terminal})
	says(t, err, "no Show")
	_, err = p.SignInDevice(t.Context(), DeviceOptions{Client: terminal, Show: func(DevicePrompt) error { return errors.New("no screen") }})
	says(t, err, "could not be shown", "no screen")
	_, err = p.SignInDevice(t.Context(), DeviceOptions{Client: Credentials{ID: "library-web"}, Show: func(DevicePrompt) error { return nil }})
	var refused *ProviderError
	if says(t, err, "registration"); !errors.As(err, &refused) || refused.Code != "unauthorized_client" {
		t.Errorf("got %v", err)
	}
	p.meta.Device = ""
	_, err = p.SignInDevice(t.Context(), DeviceOptions{Client: terminal, Show: func(DevicePrompt) error { return nil }})
	says(t, err, "does not offer", "browser on this machine")
}

func TestWhatAProviderSaysOfADeviceIsChecked(t *testing.T) {
	t.Parallel()
	now := time.Now()
	good := oauth2.DeviceAuthResponse{DeviceCode: "d", UserCode: "BCDF-GHJK", VerificationURI: "https://id.example/device"}
	for name, change := range map[string]func(*oauth2.DeviceAuthResponse){
		"no device code":      func(d *oauth2.DeviceAuthResponse) { d.DeviceCode = "" },
		"no code":             func(d *oauth2.DeviceAuthResponse) { d.UserCode = "" },
		"a long code":         func(d *oauth2.DeviceAuthResponse) { d.UserCode = strings.Repeat("B", 65) },
		"a code with an ESC":  func(d *oauth2.DeviceAuthResponse) { d.UserCode = "B\x1b[2J" },
		"no address":          func(d *oauth2.DeviceAuthResponse) { d.VerificationURI = "" },
		"a script":            func(d *oauth2.DeviceAuthResponse) { d.VerificationURI = "javascript:alert(1)" },
		"a password in it":    func(d *oauth2.DeviceAuthResponse) { d.VerificationURI = "https://a:b@id.example/" },
		"a file as the place": func(d *oauth2.DeviceAuthResponse) { d.VerificationURI = "file:///etc/passwd" },
	} {
		d := good
		change(&d)
		if _, err := readDevice(&d, now); err == nil {
			t.Errorf("%s is shown", name)
		}
	}
	d := good
	d.Interval, d.Expiry, d.VerificationURIComplete = 1<<40, now.Add(1000*time.Hour), "javascript:alert(1)"
	prompt, err := readDevice(&d, now)
	if err != nil || d.Interval != maxDeviceInterval || d.Expiry.After(now.Add(maxDeviceWait)) || prompt.Complete != "" {
		t.Errorf("%+v %+v %v", d, prompt, err)
	}
	if d = good; d.Expiry.IsZero() {
		d.Interval = -1
		if _, err := readDevice(&d, now); err != nil || d.Interval != 0 || d.Expiry.IsZero() {
			t.Errorf("%+v %v", d, err)
		}
	}
}

func TestAnAddressThatIsShortEnoughToType(t *testing.T) {
	t.Parallel()
	p := discover(t, startIDP(t).Issuer)
	b := newBrowser("bwayne", "wayne", "allow")
	short, opened := "", make(chan struct{})
	_, err := p.SignIn(t.Context(), SignInOptions{Client: terminal, Short: func(address string) { short = address }, Open: func(string) error {
		defer close(opened)
		if len(short) > len("http://127.0.0.1:65535/abcdef") || !strings.HasPrefix(short, "http://127.0.0.1:") {
			t.Errorf("the address is %s", short)
		}
		if status, _ := visit(short); status != http.StatusOK { // a mistake, and then again
			t.Errorf("a visit: %d", status)
		}
		return b.open(short)
	}})
	<-opened // the browser may still be reading the last page
	if err != nil || !strings.Contains(b.page, "You are signed in") {
		t.Errorf("%v %s", err, b.page)
	}
}

func TestNobodyGuessesTheShortAddress(t *testing.T) {
	t.Parallel()
	p := discover(t, startIDP(t).Issuer)
	ctx, cancel := context.WithCancel(t.Context())
	short, done := "", make(chan struct{})
	_, err := p.SignIn(ctx, SignInOptions{Client: terminal, Short: func(address string) { short = address }, Open: func(string) error {
		defer close(done)
		for range maxGuesses {
			if status, _ := visit(short[:len(short)-1] + "_"); status != http.StatusNotFound {
				t.Errorf("a wrong path: %d", status)
			}
		}
		if status, _ := visit(short); status != http.StatusNotFound {
			t.Errorf("the right path after too many wrong ones: %d", status)
		}
		cancel()
		return nil
	}})
	<-done
	testkit.ErrorIs(t, err, context.Canceled)
}
