package lookup

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// serve is a source for one test.
func serve(t *testing.T, handle http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	return s.URL
}

func TestAnAddressIsHTTPSOrOnThisMachine(t *testing.T) {
	t.Parallel()
	for text, good := range map[string]bool{
		"https://example.com/x": true, "http://localhost:81/": true, "http://127.0.0.1/x": true, "http://[::1]:8/": true, "http://LOCALHOST": true,
		"http://example.com/x": false, "http://10.0.0.1": false, "http://localhost.example.com": false, "ftp://example.com": false, "file:///etc/passwd": false,
		"https://": false, "https:///x": false, "https://user:secret@example.com": false, "https://example.com/#x": false, "x": false, "https://:80/": false,
	} {
		if _, err := parseAddress(text); (err == nil) != good {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestAnAnswerHasABoundAndNoOtherHost(t *testing.T) {
	t.Parallel()
	other := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("secret")) })
	from := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/here":
			http.Redirect(w, r, "/there", http.StatusFound)
		case "/there":
			w.Write([]byte("found"))
		case "/around":
			http.Redirect(w, r, "/around", http.StatusFound)
		case "/other":
			http.Redirect(w, r, other, http.StatusFound)
		case "/huge":
			w.Write(make([]byte, 101))
		}
	})
	for path, want := range map[string]error{"/here": nil, "/around": errRedirect, "/other": errRedirect, "/huge": errTooLarge} {
		_, body, err := newWeb(100, sameHost).get(t.Context(), from+path, "*/*")
		if !errors.Is(err, want) || want == nil && string(body) != "found" {
			t.Errorf("%s: %q, %v", path, body, err)
		}
	}
	if _, _, err := newWeb(100, sameHost).get(t.Context(), "http://127.0.0.1:1/secret", "*/*"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("an error with the address: %v", err)
	}
}

func TestTheUsualPortIsNoOtherHost(t *testing.T) {
	t.Parallel()
	for to, same := range map[string]bool{
		"https://example.com:443/x": true, "https://EXAMPLE.com/": true, "https://example.com:444/": false, "http://example.com:443/": false, "https://example.org/": false,
	} {
		if got := sameHost(address("https://example.com/"), address(to)); got != same {
			t.Errorf("%s: %v", to, got)
		}
	}
}

func TestARedirectCountsAsARequest(t *testing.T) {
	t.Parallel()
	source := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/from" {
			http.Redirect(w, r, "/to", http.StatusFound)
		}
	})
	w := newWeb(100, sameHost)
	start := time.Now()
	for range 3 { // six requests
		testkit.NoError(t, testkit.Err(first(w.get(t.Context(), source+"/from", "*/*"))))
	}
	if took := time.Since(start); took < time.Second {
		t.Errorf("6 requests in %v", took)
	}
}

func TestASourceIsAskedFiveTimesASecondAndByFiveAtOnce(t *testing.T) {
	t.Parallel()
	var now, most atomic.Int32
	var mu sync.Mutex
	var began []time.Time
	source := serve(t, func(http.ResponseWriter, *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		mu.Lock()
		began = append(began, time.Now())
		most.Store(max(most.Load(), n))
		mu.Unlock()
		time.Sleep(20 * time.Millisecond)
	})
	w := newWeb(100, sameHost)
	start := time.Now()
	var all sync.WaitGroup
	for range 13 {
		all.Go(func() { testkit.NoError(t, testkit.Err(first(w.get(context.Background(), source, "*/*")))) })
	}
	all.Wait()
	if took := time.Since(start); took < 2*time.Second || most.Load() > atOnce || len(began) != 13 {
		t.Errorf("13 requests in %v, %d at once", took, most.Load())
	}
}

func first(status int, _ []byte, err error) (int, error) { return status, err }

func TestTheBeginningsOfRequestsAreFiveASecond(t *testing.T) {
	t.Parallel()
	w, now := newWeb(1, sameHost), time.Now()
	for i := range 23 {
		if want := time.Duration(i/perSecond) * time.Second; w.begin(now) != want {
			t.Errorf("request %d does not wait %v", i, want)
		}
	}
	if got := w.begin(now.Add(time.Minute)); got != 0 {
		t.Errorf("after a minute it waits %v", got)
	}
}

func TestWhatTheSettingOfCoversMayBe(t *testing.T) {
	t.Parallel()
	for setting, name := range map[string]string{
		"openlibrary": "openlibrary", "https://example.com/{isbn}.jpg": "example.com", "http://127.0.0.1:90/c?n={isbn}": "127.0.0.1:90",
		"https://example.com/x.jpg": "", "http://example.com/{isbn}": "", "amazon": "", "{isbn}": "", "https://{isbn}.example.com/": "", "ftp://x/{isbn}": "",
	} {
		c, err := ParseCovers(setting)
		if (err == nil) != (name != "") || err == nil && c.Name != name {
			t.Errorf("%s: %v, %v", setting, c, err)
		}
	}
	if c, err := ParseCovers(""); c != nil || err != nil {
		t.Errorf("no setting: %v, %v", c, err)
	}
}

func TestOpenLibraryMayLeadToItsArchive(t *testing.T) {
	t.Parallel()
	from := &url.URL{Scheme: "https", Host: "covers.openlibrary.org"}
	for to, may := range map[string]bool{
		"https://covers.openlibrary.org/x": true, "https://archive.org/x": true, "https://ia80.us.archive.org/x": true,
		"http://archive.org/x": false, "https://evilarchive.org/": false, "https://archive.org.evil.example/": false, "https://127.0.0.1/": false,
	} {
		u, err := url.Parse(to)
		testkit.NoError(t, err)
		if openLibraryMayFollow(from, u) != may {
			t.Errorf("%s: %v", to, !may)
		}
	}
}

func TestNobodyWaitsLongerThanOneRequestForASourceThatHangs(t *testing.T) {
	t.Parallel()
	end := make(chan struct{})
	source := serve(t, func(http.ResponseWriter, *http.Request) { <-end })
	defer close(end)
	w := newWeb(100, sameHost)
	start := time.Now()
	var all sync.WaitGroup
	for range 2*atOnce + 1 { // more than are asked at once
		all.Go(func() {
			if _, _, err := w.get(context.Background(), source, "*/*"); err == nil {
				t.Error("there was an answer")
			}
		})
	}
	all.Wait()
	if took := time.Since(start); took > timeout+4*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestOnlyASourceThatHasNothingElseIsAskedOverPlainHTTP(t *testing.T) {
	t.Parallel()
	sources, err := ParseSources("loc,dnb,openlibrary,sru+http://127.0.0.1:9/,sru+https://example.com/")
	testkit.NoError(t, err)
	for i, want := range []bool{true, false, false, false, false} {
		if got := sources[i].IsPlain(); got != want {
			t.Errorf("%s: %v", sources[i].Name, got)
		}
	}
}
