package httpserver_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library/internal/httpserver"
	"example.org/library/internal/testkit"
)

// TestABodyOfHTTP2IsDroppedAfterTheAnswer uses a client that goes on sending when it has got its answer.
func TestABodyOfHTTP2IsDroppedAfterTheAnswer(t *testing.T) {
	t.Parallel()
	cert, trusting := newCertificate(t)
	addr := serve(t, httpserver.Config{Limits: minutes, Certificate: cert, Handler: http.HandlerFunc(answerPart)})
	for _, path := range []string{"/", "/part"} {
		sent := &counting{Reader: io.LimitReader(endless{}, large)}
		resp, err := trusting.RoundTrip(must(http.NewRequest("POST", "https://"+addr+path, sent)))
		testkit.NoError(t, err)
		began := time.Now()
		if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.ProtoMajor != 2 {
			t.Errorf("%s: %s, %v", path, resp.Proto, err)
		}
		resp.Body.Close()
		if n := sent.n.Load(); path == "/" && n != large {
			t.Errorf("%s: %d bytes were sent", path, n)
		}
		if took := time.Since(began); took > testkit.Bound(4*time.Second) { // net/http's client sends no more after a refusal
			t.Errorf("%s: the end of the answer took %v", path, took)
		}
	}
}

// slow is a connection that takes 400 KiB a second.
type slow struct {
	net.Conn
	taken *atomic.Int64
}

func (s slow) Write(p []byte) (written int, err error) {
	for piece := range slices.Chunk(p, 8<<10) {
		time.Sleep(20 * time.Millisecond)
		n, err := s.Conn.Write(piece)
		s.taken.Add(int64(n))
		if written += n; err != nil {
			return written, err
		}
	}
	return written, nil
}

// TestWhoSendsSlowlyOverHTTP2IsNotTakenForDone uses a client that makes frames as
// large as the server takes. Only whole ones are seen.
func TestWhoSendsSlowlyOverHTTP2IsNotTakenForDone(t *testing.T) {
	t.Parallel()
	cert, trusting := newCertificate(t)
	var taken atomic.Int64
	trusting.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, network, addr)
		return slow{c, &taken}, err
	}
	addr := serve(t, httpserver.Config{Limits: minutes, Certificate: cert})
	for _, size := range []int64{0, 512 << 10} { // after the first answer, the client knows how large frames may be
		resp, err := trusting.RoundTrip(must(http.NewRequest("POST", "https://"+addr, io.LimitReader(endless{}, size))))
		testkit.NoError(t, err)
		if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "HTTP/2.0" || taken.Load() < size {
			t.Errorf("%s, %v; %d bytes of %d were sent", body, err, taken.Load(), size)
		}
		resp.Body.Close()
	}
}

// counting counts what is read.
type counting struct {
	io.Reader
	n atomic.Int64
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}

func TestWhoAsksFirstIsNotAskedForABodyThatNobodyReads(t *testing.T) {
	t.Parallel()
	cert, trusting := newCertificate(t)
	trusting.ExpectContinueTimeout = time.Minute
	secure := serve(t, httpserver.Config{Limits: minutes, Certificate: cert})
	plain := serve(t, httpserver.Config{Limits: minutes})
	for url, proto := range map[string]string{"http://" + plain: "HTTP/1.1", "https://" + secure: "HTTP/2.0"} {
		sent, asked := &counting{Reader: io.LimitReader(endless{}, large)}, atomic.Bool{}
		r := must(http.NewRequest("POST", url, sent))
		r.Header.Set("Expect", "100-continue")
		trace := &httptrace.ClientTrace{Got100Continue: func() { asked.Store(true) }}
		resp, err := trusting.RoundTrip(r.WithContext(httptrace.WithClientTrace(t.Context(), trace)))
		testkit.NoError(t, err)
		if body, err := io.ReadAll(resp.Body); err != nil || string(body) != proto {
			t.Errorf("%s: %s, %v", url, body, err)
		}
		resp.Body.Close()
		if n := sent.n.Load(); n != 0 || asked.Load() {
			t.Errorf("%s: %d bytes were sent, asked for: %t", url, n, asked.Load())
		}
	}
}
