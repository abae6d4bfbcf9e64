package postgres

import (
	"encoding/binary"
	"io"
	"net"
	"testing"

	"example.org/library/internal/testkit"
)

// startingServer is a PostgreSQL server without TLS that is just being started.
func startingServer(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	const tlsRequest = 80877103
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				var head struct{ Length, Code uint32 }
				if binary.Read(conn, binary.BigEndian, &head) != nil {
					return
				}
				if head.Code == tlsRequest {
					io.WriteString(conn, "N")
					return
				}
				io.CopyN(io.Discard, conn, int64(head.Length-8))
				const body = "SFATAL\x00VFATAL\x00C57P03\x00Mthe database system is starting up\x00\x00"
				io.WriteString(conn, "E")
				binary.Write(conn, binary.BigEndian, uint32(len(body)+4))
				io.WriteString(conn, body)
			}()
		}
	}()
	return l.Addr().String()
}

func TestAServerThatIsStartedMayBeThereLater(t *testing.T) {
	t.Parallel()
	at := startingServer(t)
	for _, c := range []struct {
		rule, address string
		isAbsent      bool
	}{
		{"it has no TLS, which is asked for first", "postgres://u@" + at + "/library", true},
		{"without TLS", "postgres://u@" + at + "/library?sslmode=disable", true},
		{"it has no TLS, and must have", "postgres://u@" + at + "/library?sslmode=require", false},
		{"one of two must have TLS, and the other is not there", "postgres://u@" + at + ",127.0.0.1:1/library?sslmode=require", true},
	} {
		db, err := Open(t.Context(), c.address)
		if err == nil {
			db.Close()
		}
		if err == nil || IsAbsent(err) != c.isAbsent {
			t.Errorf("%s: absent is %t: %v", c.rule, !c.isAbsent, err)
		}
	}
}
