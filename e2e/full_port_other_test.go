//go:build !linux

package e2e

import (
	"net"
	"testing"

	"example.org/library/internal/testkit"
)

// fullPort is an address at which nobody speaks. Where a full queue refuses connections, they are accepted instead.
func fullPort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}
