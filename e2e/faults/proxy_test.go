package faults

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

// find is the path of a program from Debian's packages, some of which are where
// only administrators look.
func find(t testing.TB, name string) string {
	t.Helper()
	for _, dir := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/usr/local/sbin") {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	t.Fatalf("there is no %s: run `make deps` or `apt-get install %s`", name, name)
	return ""
}

// haproxyConfig asks /readyz five times a second. It repeats what could not be
// sent, and nothing else.
const haproxyConfig = `
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout check 5s
  retries 3
  option redispatch 1
  option httpchk GET /readyz
  default-server inter 200ms fastinter 100ms fall 1 rise 1
frontend library
  bind %s
  default_backend copies
backend copies
  balance roundrobin
`

// startHAProxy starts a proxy before the processes of a library, which must have
// been given their addresses, and returns its own.
func startHAProxy(t testing.TB, l *library) string {
	t.Helper()
	addr := testkit.FreeAddress(t)
	var config strings.Builder
	fmt.Fprintf(&config, haproxyConfig, addr)
	for i, s := range l.servers {
		_, port, err := net.SplitHostPort(s.management)
		testkit.NoError(t, err)
		fmt.Fprintf(&config, "  server copy%d %s check port %s\n", i, s.addr, port)
	}
	path := filepath.Join(t.TempDir(), "haproxy.cfg")
	testkit.NoError(t, os.WriteFile(path, []byte(config.String()), 0o600))
	p := testkit.Start(t, exec.Command(find(t, "haproxy"), "-db", "-f", path))
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("log of HAProxy (its end):\n%s", p.LogEnd())
		}
	})
	testkit.Eventually(t, "HAProxy passes requests on", func() bool {
		resp, err := plain.Get("http://" + addr + basePath + "/me")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusUnauthorized
	})
	return addr
}
