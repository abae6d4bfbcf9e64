package testkit

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// NobodyListens is an address that refuses connections. A port that a test
// closes is not one: the system may give it to the next program that asks for any.
const NobodyListens = "127.0.0.1:1"

// FreePort is a port that nobody listens at on 127.0.0.1. Use it only for a
// program that needs a port in its settings, or of which a test checks that nobody
// answers when it has stopped; others listen at port 0.
//
// It lies below the ephemeral ports that systems hand out (from 32768 on
// Linux, 49152 elsewhere): one of those may become the near end of anybody's
// connection before the program has bound it, or while the program restarts.
func FreePort() (int, error) {
	const first, end, attempts = 10_000, 32_768, 100
	var err error
	for range attempts {
		port := first + rand.IntN(end-first)
		var l net.Listener
		if l, err = net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			l.Close()
			return port, nil
		}
	}
	return 0, fmt.Errorf("no free port after %d attempts: %w", attempts, err)
}

// FreeAddress is 127.0.0.1 with a FreePort.
func FreeAddress(t testing.TB) string {
	t.Helper()
	port, err := FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}
