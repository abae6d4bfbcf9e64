package deploy

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// idle is how long a stream is silent in these tests; proxies hang up after
// shortTimeout, so that a stream lives only because the library says something every
// ten seconds. In the examples the time-out is a minute.
const (
	idle         = 16 * time.Second
	shortTimeout = "13s"
)

// proxies are how each is started with its example in front of the copies. It
// listens at port 8443 of machine 1.
var proxies = map[string]func(t *testing.T, n network, cert, key, both string) *exec.Cmd{
	"HAProxy": func(t *testing.T, n network, _, _, both string) *exec.Cmd {
		config := example(t, "haproxy/haproxy.cfg", "10.0.0", string(n), "bind :443", "bind "+n.at("1:8443"),
			"/etc/haproxy/library.pem", both, "timeout client 60s", "timeout client "+shortTimeout, "timeout server 60s", "timeout server "+shortTimeout)
		return exec.Command(program(t, "haproxy"), "-db", "-f", write(t, t.TempDir(), "haproxy.cfg", config))
	},
	"nginx": func(t *testing.T, n network, cert, key, _ string) *exec.Cmd {
		dir := t.TempDir()
		config := example(t, "nginx/library.conf", "10.0.0", string(n), "listen 443", "listen "+n.at("1:8443"),
			"/etc/nginx/library.crt", cert, "/etc/nginx/library.key", key, "/var/log/nginx/library.log", "/dev/stdout",
			"proxy_read_timeout 60s", "proxy_read_timeout "+shortTimeout, "proxy_send_timeout 60s", "proxy_send_timeout "+shortTimeout)
		// What Debian's nginx.conf has around the example, for a process without rights.
		var temporary strings.Builder
		for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
			fmt.Fprintf(&temporary, "%s_temp_path %s/%s;\n", kind, dir, kind)
		}
		around := "daemon off; master_process off; pid " + dir + "/pid; error_log stderr;\nevents {}\nhttp {\n" + temporary.String() +
			"include " + write(t, dir, "library.conf", config) + ";\n}\n"
		return exec.Command(program(t, "nginx"), "-e", "stderr", "-p", dir, "-c", write(t, dir, "nginx.conf", around))
	},
	"Caddy": func(t *testing.T, n network, cert, key, _ string) *exec.Cmd {
		config := example(t, "caddy/Caddyfile", "10.0.0", string(n), hostName+" {", hostName+":8443 {\n\tbind "+n.at("1"),
			"/etc/caddy/library.crt", cert, "/etc/caddy/library.key", key, "admin off", "admin off\n\tauto_https disable_redirects",
			"read_timeout 60s", "read_timeout "+shortTimeout, "write_timeout 60s", "write_timeout "+shortTimeout)
		return exec.Command(program(t, "caddy"), "run", "--adapter", "caddyfile", "--config", write(t, t.TempDir(), "Caddyfile", config))
	},
}

// front is a proxy with copies behind it.
type front struct {
	*copies
	proxy  *testkit.Process
	client *http.Client
}

func startFront(t *testing.T, name string) *front {
	t.Helper()
	cert, key, both, config := newCertificate(t)
	f := &front{copies: startCopies(t)}
	cmd := proxies[name](t, f.network, cert, key, both)
	home := t.TempDir()
	cmd.Env = []string{"HOME=" + home, "XDG_DATA_HOME=" + home, "PATH=" + os.Getenv("PATH")}
	f.proxy = testkit.Start(t, cmd)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("log of the proxy (its end):\n%s", f.proxy.LogEnd())
		}
	})
	to := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", f.network.at("1:8443"))
	}
	f.client = &http.Client{Transport: &http.Transport{DialContext: to, TLSClientConfig: config, ForceAttemptHTTP2: true}}
	t.Cleanup(f.client.CloseIdleConnections)
	testkit.Eventually(t, name+" lets somebody in", func() bool {
		resp, err := f.do("GET", basePath+"/me", "")
		return err == nil && resp.StatusCode == http.StatusUnauthorized
	})
	return f
}

// requestTimeout is for requests through a proxy that may never answer.
const requestTimeout = time.Minute

// do sends a request through the proxy.
func (f *front) do(method, path, token string, header ...string) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, "https://"+hostName+path, nil)
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := f.client.Do(req)
	if err == nil {
		resp.Body.Close()
	}
	return resp, err
}

func TestBehindEachProxy(t *testing.T) {
	for name := range proxies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := startFront(t, name)
			f.checkHeaders(t)
			reader := f.idp.Token(t, "bruce.wayne@example.com", "library_user")
			var streams []*stream
			for range 6 {
				streams = append(streams, f.listen(t, reader))
			}
			w := &writer{f: f, token: reader}
			f.checkEventsComeAtOnce(t, w, streams)
			f.checkStreamsOutliveSilence(t, w, streams)
			f.checkRestartsAreNotNoticed(t, w, streams)
		})
	}
}

// checkHeaders: what the proxy says for the library, and what the library believes.
func (f *front) checkHeaders(t *testing.T) {
	resp, err := f.do("GET", basePath+"/me", "", "X-Forwarded-For", "192.0.2.66", "X-Request-Id", "chosen-by-the-client")
	testkit.NoError(t, err)
	if got := resp.Header.Get("Strict-Transport-Security"); got != "max-age=31536000" {
		t.Errorf("Strict-Transport-Security: %q", got)
	}
	id := resp.Header.Get("X-Request-Id")
	if len(id) < 32 {
		t.Errorf("X-Request-Id: %q", id)
	}
	if page, err := f.do("GET", "/", ""); err != nil || !strings.Contains(page.Header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("the browser client: %v %v", page, err)
	}
	testkit.Eventually(t, "the number of the request is in the proxy's log and in a copy's", func() bool {
		in := strings.Contains(f.proxy.Log.String(), id)
		for _, copy := range f.running {
			if log := copy.Log.String(); strings.Contains(log, id) {
				return in && !strings.Contains(log, "192.0.2.66")
			}
		}
		return false
	})
}

func (f *front) checkEventsComeAtOnce(t *testing.T, w *writer, streams []*stream) {
	best := time.Hour
	for range 3 {
		began := time.Now()
		w.write(t)
		for _, s := range streams {
			s.await(t, w.written)
		}
		best = min(best, time.Since(began))
	}
	if best > 2*time.Second {
		t.Errorf("an event takes %v at best", best)
	}
}

func (f *front) checkStreamsOutliveSilence(t *testing.T, w *writer, streams []*stream) {
	time.Sleep(idle)
	w.write(t)
	for i, s := range streams {
		s.await(t, w.written)
		if begun := s.begun.Load(); begun != 1 {
			t.Errorf("stream %d had to begin %d times in %v of silence", i, begun, idle)
		}
	}
}

// checkRestartsAreNotNoticed: two processes are replaced one after the other, while
// somebody borrows and returns, and every stream receives all events in order.
func (f *front) checkRestartsAreNotNoticed(t *testing.T, w *writer, streams []*stream) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
				w.write(t)
			}
		}
	}()
	for _, machine := range machines[:2] {
		f.restart(t, machine)
	}
	close(stop)
	<-stopped
	moved := 0
	for _, s := range streams {
		s.await(t, w.written)
		if s.begun.Load() > 1 {
			moved++
		}
	}
	if moved == 0 {
		t.Error("no stream was at a copy that was replaced")
	}
	t.Logf("%d writes, none failed, %d repeated because the database was slow; %d of %d streams moved to another process",
		w.written, w.repeated, moved, len(streams))
}

func TestHAProxyFindsNothingWrongWithTheConfigurationForCompose(t *testing.T) {
	t.Parallel()
	_, _, both, _ := newCertificate(t)
	config := example(t, "compose/haproxy.cfg", "/etc/haproxy/library.pem", both)
	cmd := exec.Command(program(t, "haproxy"), "-c", "-f", write(t, t.TempDir(), "haproxy.cfg", config))
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "WARNING") {
		t.Errorf("%v\n%s", err, out)
	}
}
