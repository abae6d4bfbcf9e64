package testkit

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// NobodyListens is an address without a listener. A port closed by a test will not do:
// the system may give it to the next program.
const NobodyListens = "127.0.0.1:1"

// FreePort returns a port of 127.0.0.1 without a listener. Use it only for a program
// with a port in its settings, or to check for silence after the end of a program;
// other programs listen at port 0.
//
// It lies below the ephemeral ports of systems (from 32768 on Linux, 49152 elsewhere):
// one of them may become the near end of another connection before the program has
// bound it, or while the program restarts.
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

// FreeAddress returns 127.0.0.1 with a FreePort.
func FreeAddress(t testing.TB) string {
	t.Helper()
	port, err := FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}
