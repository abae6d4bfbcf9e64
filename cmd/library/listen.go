package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"

	"example.org/library/internal/httpserver"
)

// listen binds an address; an error names its flag.
func listen(flag, addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, cannotListen(flag, err)
	}
	return l, nil
}

func cannotListen(flag string, err error) error {
	return fmt.Errorf("cannot listen (choose another address with %s): %w", flag, err)
}

// listeners are the listeners of `library serve`.
type listeners struct {
	api        net.Listener
	web        net.Listener // nil without a client, or with one beside the API
	management net.Listener
}

// bind takes the passed sockets, and binds the other addresses.
func bind(cfg *serveConfig, passed passedSockets) (on listeners, err error) {
	if on.api, err = passed.listen("api", "--addr", cfg.addr); err != nil {
		return on, err
	}
	if cfg.hasWebListener() {
		if on.web, err = passed.listen("web", "--web-addr", cfg.web.addr); err != nil {
			return on, err
		}
	}
	if on.management, err = passed.listen("management", "--management-addr", cfg.managementAddr); err != nil {
		return on, err
	}
	return on, passed.unserved()
}

func (on listeners) close() {
	for _, l := range []net.Listener{on.api, on.web, on.management} {
		if l != nil {
			l.Close()
		}
	}
}

func (on listeners) log(log *slog.Logger, cfg *serveConfig) {
	log.Info("management", "at", on.management.Addr().String())
	if cfg.web.on {
		at := on.api
		if on.web != nil {
			at = on.web
		}
		log.Info("web", "at", at.Addr().String(), "basePath", cfg.web.basePath+"/", "open", cfg.scheme()+reachableAt(at)+cfg.web.basePath+"/", "api", cfg.apiAddress(on.api))
	}
	log.Info("listening", "addr", on.api.Addr().String(), "basePath", cfg.basePath, "tls", cfg.speaksTLS())
}

// managementConnections is few: operators and their tools are few.
const managementConnections = 32

// newServer returns a server with the usual limits, for some of the connections of the process.
func newServer(h http.Handler, log *slog.Logger, connections int, certs certificates) *httpserver.Server {
	return httpserver.New(httpserver.Config{
		Handler: h, Log: log, Limits: httpserver.DefaultLimits(connections), Certificate: certs.get, Proof: certs.proof,
	})
}

// connections returns the number of connections of the API.
func (c *serveConfig) connections() int {
	sharing := max(c.sharing, 1)
	if c.hasWebListener() {
		sharing = max(sharing, 2)
	}
	return max(httpserver.Connections(sharing)-managementConnections, managementConnections)
}

// systemd may open the listeners for us and pass them on (socket activation,
// sd_listen_fds(3)). It keeps them open while we restart, so that callers wait
// meanwhile instead of being refused.

// passedSockets are the passed sockets, by the names in their units.
type passedSockets map[string]*os.File

// socketNames are the names that a socket unit can give (FileDescriptorName=).
var socketNames = []string{"api", "management", "web"}

// takePassedSockets takes the sockets of the service manager. It refuses a socket
// that nobody would serve: its callers would wait for ever.
func takePassedSockets() (passedSockets, error) {
	files := activation.Files(false)
	if names := os.Getenv("LISTEN_FDNAMES"); len(files) > 0 && len(files) != len(strings.Split(names, ":")) {
		return nil, fmt.Errorf("%d sockets were passed with the names %q", len(files), names)
	}
	sockets := make(passedSockets)
	for _, file := range files {
		name := file.Name()
		if _, twice := sockets[name]; twice || !slices.Contains(socketNames, name) {
			return nil, fmt.Errorf("a socket with the name %q was passed; there can be one each of %s (FileDescriptorName= of its unit)", name, strings.Join(socketNames, ", "))
		}
		sockets[name] = file
	}
	return sockets, nil
}

// listen takes the socket of that name, or binds the address if there is none.
func (s passedSockets) listen(name, flag, addr string) (net.Listener, error) {
	file, passed := s[name]
	if !passed {
		return listen(flag, addr)
	}
	delete(s, name)
	defer file.Close()
	l, err := net.FileListener(file)
	if err != nil {
		return nil, fmt.Errorf("the socket %q that was passed cannot be used: %w", name, err)
	}
	return l, nil
}

// unserved returns an error if a socket is left.
func (s passedSockets) unserved() error {
	for name := range s {
		return fmt.Errorf("a socket with the name %q was passed, but nothing is served there", name)
	}
	return nil
}

// notifyManager notifies the service manager, if there is one, of our state (sd_notify(3)).
func notifyManager(state string) { _, _ = daemon.SdNotify(false, state) }

// listenLocally listens at both addresses of "localhost", 127.0.0.1 and [::1], on one port.
// Browsers and programs try either, so neither is left free: another program there would get our
// passwords and tokens.
func listenLocally(port string) (net.Listener, error) { return listenAtBoth(net.Listen, port) }

// freePortAttempts is how often a port that is free at one address may be in use at the other
// before we give up.
const freePortAttempts = 20

func listenAtBoth(listen func(network, address string) (net.Listener, error), port string) (net.Listener, error) {
	for attempt := 1; ; attempt++ {
		four, err := listen("tcp", "127.0.0.1:"+port)
		if err != nil {
			return nil, err
		}
		_, bound, _ := net.SplitHostPort(four.Addr().String())
		six, err := listen("tcp", "[::1]:"+bound)
		switch {
		case err == nil:
			return joinListeners(four, six), nil
		case errors.Is(err, syscall.EADDRNOTAVAIL), errors.Is(err, syscall.EAFNOSUPPORT), errors.Is(err, syscall.EPROTONOSUPPORT):
			return four, nil // this machine has no IPv6, so nobody can have that address
		}
		four.Close()
		if port != "0" || attempt == freePortAttempts {
			return nil, err
		}
	}
}

// twoListeners serve as one, with the address of the first.
type twoListeners struct {
	net.Listener
	second   net.Listener
	accepted chan accepted
	closed   chan struct{}
	close    func() error
}

type accepted struct {
	conn net.Conn
	err  error
}

func joinListeners(first, second net.Listener) net.Listener {
	l := &twoListeners{Listener: first, second: second, accepted: make(chan accepted), closed: make(chan struct{})}
	l.close = sync.OnceValue(func() error {
		close(l.closed)
		return errors.Join(first.Close(), second.Close())
	})
	go l.acceptFrom(first)
	go l.acceptFrom(second)
	return l
}

// acceptFrom passes on the connections of one of the two, until both are closed.
func (l *twoListeners) acceptFrom(one net.Listener) {
	for {
		conn, err := one.Accept()
		select {
		case l.accepted <- accepted{conn, err}:
		case <-l.closed:
			if conn != nil {
				conn.Close()
			}
			return
		}
	}
}

func (l *twoListeners) Accept() (net.Conn, error) {
	select {
	case a := <-l.accepted:
		return a.conn, a.err
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *twoListeners) Close() error { return l.close() }

// atOwnName refuses requests for other names than the names of this machine and the configured
// ones. A page on the internet can make its own name lead to this machine, and its scripts could
// then read everything here (DNS rebinding). A listener bound to an address beyond this machine
// has names unknown to us, so there every name is good.
func atOwnName(l net.Listener, next http.Handler, names ...string) http.Handler {
	if host, _, err := net.SplitHostPort(l.Addr().String()); err != nil || !isLoopback(host) {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Browsers always give a name.
		if host := hostname(r.Host); host == "" || isLoopback(host) || slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, host) }) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		http.Error(w, "This server does not go by that name. Use localhost, or an address that it was configured with.", http.StatusMisdirectedRequest)
	})
}

// atItsName redirects a browser from another name of this machine to the one known to the provider
// and the API.
func atItsName(l net.Listener, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := net.SplitHostPort(r.Host)
		if isLoopback(host) && host != "localhost" && r.Header.Get("Sec-Fetch-Mode") == "navigate" {
			http.Redirect(w, r, localAddress(l)+r.URL.RequestURI(), http.StatusTemporaryRedirect)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hostname is a Host header without the port. A tunnel may have another port.
func hostname(host string) string {
	u := url.URL{Host: host}
	return strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
