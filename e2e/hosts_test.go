package e2e

import (
	"net"
	"net/http"
	"net/url"
	"regexp"
	"testing"

	"example.org/library/internal/testkit"
)

// status asks for an address at a host, under a name.
func (s *server) status(t testing.TB, address, host, name string) int {
	t.Helper()
	u, err := url.Parse(address)
	testkit.NoError(t, err)
	u.Host = net.JoinHostPort(host, u.Port())
	req, err := http.NewRequest("GET", u.String(), nil)
	testkit.NoError(t, err)
	if name != "" {
		req.Host = net.JoinHostPort(name, u.Port())
	}
	resp, err := s.client.Do(req)
	testkit.NoError(t, err)
	resp.Body.Close()
	return resp.StatusCode
}

// loopbacks are the addresses that "localhost" is here.
func loopbacks(t testing.TB) []string {
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Logf("there is no [::1] here: %v", err)
		return []string{"127.0.0.1"}
	}
	l.Close()
	return []string{"127.0.0.1", "::1"}
}

// A page on the internet can give this machine a name of its own.
func TestListenersOnThisMachineAnswerToItsNamesAlone(t *testing.T) {
	t.Parallel()
	const discovery = "/.well-known/openid-configuration"
	d := startDemo(t, "--ephemeral")
	idp := startIDP(t, "--issuer", "http://id.example:8080/auth/realms/workshop")
	at := "http://" + idp.AwaitLog(t, regexp.MustCompile(`msg=listening addr=(\S+)`))
	s := (&provider{d.server, d.issuer}).library(t)
	for _, tt := range []struct {
		what, address string
		answers       int
		hosts         []string
		names         []string
	}{
		{"web client of the demo", d.web, 0, loopbacks(t), nil},
		{"API of the demo", d.api + "/books", 401, loopbacks(t), nil},
		{"provider of the demo", d.issuer + discovery, 200, loopbacks(t), nil},
		{"provider", at + "/auth/realms/workshop" + discovery, 200, []string{"127.0.0.1"}, []string{"id.example"}},
		{"management", s.management + "/healthz", 200, []string{"127.0.0.1"}, nil},
	} {
		for _, host := range tt.hosts {
			for _, name := range append([]string{"", "localhost", "127.0.0.1", "::1"}, tt.names...) {
				got := s.status(t, tt.address, host, name)
				if got == http.StatusMisdirectedRequest || tt.answers != 0 && got != tt.answers {
					t.Errorf("%s at %s under the name %q: %d", tt.what, host, name, got)
				}
			}
			if got := s.status(t, tt.address, host, "rebound.example"); got != http.StatusMisdirectedRequest {
				t.Errorf("%s at %s under a name that is not its own: %d", tt.what, host, got)
			}
		}
	}
}
