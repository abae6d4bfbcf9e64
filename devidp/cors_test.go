package devidp

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"example.org/library/internal/testkit"
)

func TestRegisteredOriginsMayReadAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	open := map[string]string{pathDiscovery: "GET", pathKeys: "GET", pathToken: "POST", pathUserinfo: "GET", pathRevoke: "POST"}
	closed := map[string]string{pathAuth: "GET", pathLogout: "GET", pathIntrospect: "POST"}
	send := func(method, endpoint, origin, wanted string) answer {
		r := httptest.NewRequest(method, at(endpoint), nil)
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		if wanted != "" {
			r.Header.Set("Access-Control-Request-Method", wanted)
			r.Header.Set("Access-Control-Request-Headers", "authorization")
		}
		return w.do(r)
	}
	check := func(name string, a answer, status int, origin string) {
		t.Helper()
		if a.StatusCode != status || a.Header.Get("Access-Control-Allow-Origin") != origin || a.Header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: %d %v", name, a.StatusCode, a.Header)
		}
	}
	for endpoint, method := range open {
		a := send(http.MethodOptions, endpoint, webOrigin, method)
		check("preflight of "+endpoint, a, 204, webOrigin)
		if a.Header.Get("Access-Control-Allow-Headers") != "Accept, Authorization, Content-Type" {
			t.Errorf("%s: %v", endpoint, a.Header)
		}
		check("another origin's preflight of "+endpoint, send(http.MethodOptions, endpoint, "http://evil.example", method), 403, "")
		check("preflight of another method of "+endpoint, send(http.MethodOptions, endpoint, webOrigin, "DELETE"), 403, "")
		a = send(method, endpoint, webOrigin, "")
		check("request to "+endpoint, a, a.StatusCode, webOrigin) // also when it is an error
		testkit.Equal(t, a.Header.Get("Vary"), "Origin", endpoint)
		for _, origin := range []string{"", "null", "http://evil.example", "HTTP://localhost:4200", webOrigin + "/", "https://localhost:4200"} {
			a = send(method, endpoint, origin, "")
			check("request to "+endpoint+" from "+origin, a, a.StatusCode, "")
		}
	}
	for endpoint, method := range closed {
		check("preflight of "+endpoint, send(http.MethodOptions, endpoint, webOrigin, method), 405, "")
		a := send(method, endpoint, webOrigin, "")
		check("request to "+endpoint, a, a.StatusCode, "")
	}
}
