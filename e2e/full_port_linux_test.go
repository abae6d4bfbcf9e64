package e2e

import (
	"fmt"
	"net"
	"syscall"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// fullPort is an address at which a connection is neither accepted nor refused: the queue of those that wait is full.
func fullPort(t testing.TB) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	testkit.NoError(t, err)
	t.Cleanup(func() { syscall.Close(fd) })
	testkit.NoError(t, syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	testkit.NoError(t, syscall.Listen(fd, 0))
	name, err := syscall.Getsockname(fd)
	testkit.NoError(t, err)
	address := fmt.Sprintf("127.0.0.1:%d", name.(*syscall.SockaddrInet4).Port)
	for {
		conn, err := net.DialTimeout("tcp", address, 100*time.Millisecond)
		if err != nil {
			return address
		}
		t.Cleanup(func() { conn.Close() })
	}
}
