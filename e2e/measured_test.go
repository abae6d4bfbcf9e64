//go:build !race

package e2e

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// The tests of this file measure the program, so they are built without the race
// detector, which has a memory of its own.

// What the program promises, and how much slack machines get here: these tests
// are to notice that a promise was forgotten, not that a machine is busy.
const (
	promisedStart  = 100 * time.Millisecond
	promisedMemory = 40 << 20 // idle
	slack          = 3
)

// TestMeasuredStartAndIdleMemory is not parallel: it measures.
func TestMeasuredStartAndIdleMemory(t *testing.T) {
	best := time.Hour
	var idle int
	idp := testidp.New(t)
	for range 5 {
		began := time.Now()
		s := startWith(t, idp, "--database", emptySQLite(t), "--sample-data")
		testkit.Eventually(t, "it is ready", func() bool {
			status, _ := s.manage(t, "/readyz")
			return status == http.StatusOK
		})
		best = min(best, time.Since(began))
		s.as(t, reader).get("/books").want(200)
		idle = s.memory(t, "VmRSS")
		s.stop(t, terminate)
	}
	t.Logf("from start to ready in %v at best; %s resident when idle", best.Round(time.Millisecond), mib(idle))
	if best > testkit.Bound(slack*promisedStart) {
		t.Errorf("the start takes %v, promised are %v", best, promisedStart)
	}
	if idle > slack*promisedMemory {
		t.Errorf("%s resident when idle, promised are %s", mib(idle), mib(promisedMemory))
	}
}

func TestMeasuredLongListIsStreamedInConstantMemory(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, database string) {
		const many = 20_000
		// The garbage collector lets the heap grow to several times what is in
		// use, and that is not what is measured here.
		idp := testidp.New(t)
		s := start(t, []string{"GOGC=50"}, "--issuer", idp.Issuer(), "--database", database, "--sample-data")
		s.idp = idp
		s.as(t, reader).get("/books").want(200)
		before := s.memory(t, "VmHWM")
		addManyBooks(t, s, database, many)

		req, err := http.NewRequest("GET", s.base+"/books", nil)
		testkit.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+s.as(t, reader).token)
		client := *s.client
		client.Timeout = 2 * time.Minute
		resp, err := client.Do(req)
		testkit.NoError(t, err)
		defer resp.Body.Close()
		body := &counter{r: resp.Body}
		decoder := json.NewDecoder(body)
		decoder.Token() // [
		books, last := 0, ""
		for ; decoder.More(); books++ {
			var b book
			testkit.NoError(t, decoder.Decode(&b))
			if strings.HasPrefix(last, "copy") && strings.HasPrefix(b.Title, "copy") && b.Title < last {
				t.Fatalf("%q comes after %q", b.Title, last)
			}
			last = b.Title
		}
		want := many + sampleBooks + 1
		if books != want || resp.Header.Get("X-Total-Count") != strconv.Itoa(want) {
			t.Errorf("%d books, X-Total-Count %s, want %d", books, resp.Header.Get("X-Total-Count"), want)
		}
		grown := s.memory(t, "VmHWM") - before
		t.Logf("a list of %s raised the peak of memory by %s to %s", mib(body.n), mib(grown), mib(s.memory(t, "VmHWM")))
		if body.n < 80<<20 {
			t.Fatalf("the list is only %s long; it proves nothing", mib(body.n))
		}
		// What is read costs the same for any list: on SQLite up to 16 MiB for the
		// cache of each connection, and a few MiB for a batch of books. A list that
		// is put together in memory costs several times its length.
		if grown > body.n*2/3 {
			t.Errorf("a list of %s raised the peak of memory by %s", mib(body.n), mib(grown))
		}
	})
}

// counter counts what is read through it.
type counter struct {
	r io.Reader
	n int
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

// TestMeasuredCallersWhoDoNotReadHoldLittleMemory has many of them ask for lists of
// books that are as long as the rules allow.
func TestMeasuredCallersWhoDoNotReadHoldLittleMemory(t *testing.T) {
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
					testkit.NoError(t, testkit.Err(conn.Read(make([]byte, 1))))
				}
				time.Sleep(time.Second) // until they cannot be sent more
				grown := s.memory(t, "VmHWM") - before
				t.Logf("%s: %d callers raised the memory by %s", name, callers, mib(grown))
				if grown > most {
					t.Errorf("%d callers who do not read raised the memory by %s", callers, mib(grown))
				}
			})
		})
	}
}
