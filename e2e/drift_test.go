package e2e

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// withClockAhead returns the address of a proxy whose answers look as if the clock of the server behind it were ahead.
func withClockAhead(t testing.TB, server string, drift time.Duration) string {
	t.Helper()
	address, err := url.Parse(server)
	testkit.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(address)
	proxy.ModifyResponse = func(resp *http.Response) error {
		resp.Header.Set("Date", time.Now().Add(drift).UTC().Format(http.TimeFormat))
		return nil
	}
	front := httptest.NewServer(proxy)
	t.Cleanup(front.Close)
	return front.URL
}
