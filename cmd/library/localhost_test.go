package main

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"example.org/library/internal/testkit"
)

func needIPv6(t *testing.T) bool {
	t.Helper()
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Logf("there is no [::1] here: %v", err)
		return false
	}
	l.Close()
	return true
}

func TestLocalListenerHoldsBothAddressesUntilItIsClosed(t *testing.T) {
	t.Parallel()
	free, err := testkit.FreePort()
	testkit.NoError(t, err)
	port := strconv.Itoa(free)
	l, err := listenLocally(port)
	testkit.NoError(t, err)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Host) })}
	stopped := make(chan error, 1)
	go func() { stopped <- server.Serve(l) }()
	hosts := []string{"127.0.0.1"}
	if needIPv6(t) {
		hosts = append(hosts, "::1")
	}
	client := &http.Client{Timeout: testkit.Timeout(t)}
	for _, host := range hosts {
		address := net.JoinHostPort(host, port)
		if taken, err := net.Listen("tcp", address); err == nil {
			taken.Close()
			t.Errorf("%s is free for somebody else", address)
		}
		resp, err := client.Get("http://" + address)
		testkit.NoError(t, err)
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(body) != address {
			t.Errorf("%s answers %q", address, body)
		}
	}
	client.CloseIdleConnections()
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	testkit.ErrorIs(t, <-stopped, http.ErrServerClosed)
	for _, host := range hosts {
		// A child that another test starts has our sockets, too, until it has
		// become its program.
		testkit.Eventually(t, host+" is free again", func() bool {
			again, err := net.Listen("tcp", net.JoinHostPort(host, port))
			if err != nil {
				return false
			}
			again.Close()
			return true
		})
	}
}

func TestLocalListenerWithoutIPv6(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		err    error
		starts bool
	}{
		{"no such address", syscall.EADDRNOTAVAIL, true},
		{"no such kind of address", syscall.EAFNOSUPPORT, true},
		{"somebody else has it", syscall.EADDRINUSE, false},
		{"not allowed", syscall.EACCES, false},
	} {
		calls := 0
		listen := func(network, address string) (net.Listener, error) {
			if calls++; strings.HasPrefix(address, "[::1]") {
				return nil, &net.OpError{Op: "listen", Net: network, Err: os.NewSyscallError("bind", tt.err)}
			}
			return net.Listen(network, address)
		}
		l, err := listenAtBoth(listen, "0")
		if (err == nil) != tt.starts {
			t.Errorf("%s: %v", tt.name, err)
		}
		if l != nil {
			l.Close()
		}
		if !tt.starts && (!errors.Is(err, tt.err) || calls != 2*freePortAttempts) {
			t.Errorf("%s: after %d calls: %v", tt.name, calls, err)
		}
	}
}

func TestOtherNamesThanItsOwnAreRefused(t *testing.T) {
	t.Parallel()
	bound := func(address string) net.Listener { return fakeListener{address: address} }
	ok := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {})
	for _, tt := range []struct {
		listens string
		names   []string
		host    string
		status  int
	}{
		{"127.0.0.1:8080", nil, "localhost:8080", 200},
		{"127.0.0.1:8080", nil, "LocalHost:8080", 200},
		{"127.0.0.1:8080", nil, "localhost.:8080", 200},
		{"127.0.0.1:8080", nil, "127.0.0.1:8080", 200},
		{"127.0.0.1:8080", nil, "[::1]:8080", 200},
		{"127.0.0.1:8080", nil, "[::1]", 200},
		{"127.0.0.1:8080", nil, "localhost:1234", 200}, // through a tunnel
		{"127.0.0.1:8080", nil, "", 200},               // HTTP/1.0
		{"[::1]:8080", nil, "localhost", 200},
		{"127.0.0.1:8080", []string{"id.example"}, "ID.example", 200},
		{"127.0.0.1:8080", []string{"id.example"}, "id.example:8443", 200},
		{"127.0.0.1:8080", nil, "rebound.example:8080", 421},
		{"127.0.0.1:8080", []string{"id.example"}, "xid.example", 421},
		{"127.0.0.1:8080", []string{""}, "rebound.example", 421},
		{"127.0.0.1:8080", nil, "localhost.rebound.example", 421},
		{"127.0.0.1:8080", nil, "127.0.0.1.rebound.example", 421},
		{"127.0.0.1:8080", nil, "192.0.2.1", 421},
		{"127.0.0.1:8080", nil, "0.0.0.0:8080", 421},
		{"[::1]:8080", nil, "rebound.example", 421},
		{"0.0.0.0:8080", nil, "anything.example", 200},
		{"[::]:8080", nil, "anything.example", 200},
		{"192.0.2.1:8080", nil, "anything.example", 200},
	} {
		rec, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
		r.Host = tt.host
		atOwnName(bound(tt.listens), ok, tt.names...).ServeHTTP(rec, r)
		if rec.Code != tt.status {
			t.Errorf("at %s, %q, %q: %d", tt.listens, tt.names, tt.host, rec.Code)
		}
		if strings.Contains(rec.Body.String(), "rebound") {
			t.Errorf("the answer repeats the name: %s", rec.Body)
		}
	}
}

// fakeListener has an address and nothing else.
type fakeListener struct {
	net.Listener
	address string
}

func (f fakeListener) Addr() net.Addr { return f }

func (fakeListener) Network() string { return "tcp" }

func (f fakeListener) String() string { return f.address }
