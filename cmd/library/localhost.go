package main

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// listenLocally listens where "localhost" leads to: at 127.0.0.1 and at [::1],
// on one port. Browsers and programs try either, so neither is left free: who
// else had it would get the passwords and tokens that are meant for us.
func listenLocally(port string) (net.Listener, error) { return listenAtBoth(net.Listen, port) }

// freePortAttempts is how often a port that is free at one address may be in
// use at the other before we give up.
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

// twoListeners are two that serve as one. The address is that of the first.
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

// acceptFrom passes on what one of the two accepts, until both are closed.
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

// atOwnName refuses requests for another name than the listener's own: the
// names of this machine, and those that were configured. A page on the internet
// can make its own name lead to this machine, and its scripts could then read
// everything that is here (DNS rebinding). A listener that was bound to an
// address beyond this machine has names that we do not know, so there every
// name is good.
func atOwnName(l net.Listener, next http.Handler, names ...string) http.Handler {
	if host, _, err := net.SplitHostPort(l.Addr().String()); err != nil || !isLoopback(host) {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Without a name it is no browser: those always give one.
		if host := hostname(r.Host); host == "" || isLoopback(host) || slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, host) }) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		http.Error(w, "This server does not go by that name. Use localhost, or an address that it was configured with.", http.StatusMisdirectedRequest)
	})
}

// atItsName sends a browser that came to another name of this machine to the
// one that the provider and the API know.
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

// hostOf is the name in an address.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
