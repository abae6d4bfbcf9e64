package e2e

import (
	"net"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestCallersWhoDoNotReadHoldLittleMemory has many of them ask for lists of
// books that are as long as the rules allow.
func TestCallersWhoDoNotReadHoldLittleMemory(t *testing.T) {
	const (
		callers = 30
		books   = 300
		most    = 160 << 20 // more than before; what they ask for is several times as much
	)
	author := strings.Repeat("\U00020000", 255)
	for name, attack := range map[string]struct {
		path   string
		fields map[string]any
	}{
		"pages of maximal books": {"/books?limit=1000", map[string]any{
			"description": strings.Repeat("\U00020000", 10_000), "authors": slices.Repeat([]string{author}, 50)}},
		"lists of books with many authors": {"/books", map[string]any{
			"authors": slices.Repeat([]string{author}, 50)}},
	} {
		t.Run(name, func(t *testing.T) {
			onEachDatabase(t, func(t *testing.T, database string) {
				s := startOn(t, database)
				addCopies(t, s, database, books, attack.fields)
				token := s.as(t, reader).token
				before := s.memory(t, "VmRSS")
				var conns []rawConn
				for range callers {
					conn := s.dial(t)
					conn.Conn.(*net.TCPConn).SetReadBuffer(4 << 10)
					conn.say("GET " + basePath + attack.path + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token + "\r\n\r\n")
					conns = append(conns, conn)
				}
				for _, conn := range conns { // all of them are being answered
					if _, err := conn.Read(make([]byte, 1)); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(time.Second) // until they cannot be sent more
				grown := s.memory(t, "VmHWM") - before
				t.Logf("%s: %d callers raised the memory by %s", name, callers, mib(grown))
				if grown > most && !raceEnabled { // the detector has a memory of its own
					t.Errorf("%d callers who do not read raised the memory by %s", callers, mib(grown))
				}
			})
		})
	}
}
