package dpop

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"slices"
	"syscall"
	"testing"
	"time"

	"example.org/library/internal/testidp"
)

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// BenchmarkAuthenticate compares requests whose tokens are in the cache: with a proof,
// and with a bearer token, in processor time. The ratio is what counts.
func BenchmarkAuthenticate(b *testing.B) {
	idp := testidp.New(b)
	s := newTestScheme(b, idp, nil)
	key := testidp.NewProofKey(b)
	bearer := httptest.NewRequest(http.MethodGet, booksURL, nil)
	bearer.Header.Set("Authorization", "Bearer "+idp.Mint(b, nil))
	token := idp.Mint(b, key.Bound())
	proofs := make([]*http.Request, 500)
	for i := range proofs {
		proofs[i] = requestWith(token, key.Proof(b, http.MethodGet, booksURL, token, nil, nil))
	}
	var with, without time.Duration
	for b.Loop() {
		s.seen = newReplays(maxRemembered)
		with += processorTime(func() { authenticate(b, s, proofs) })
		without += processorTime(func() { authenticate(b, s, slices.Repeat([]*http.Request{bearer}, 20*len(proofs))) }) / 20
	}
	b.ReportMetric(float64(with.Nanoseconds())/float64(b.N*len(proofs)), "proof-cpu-ns")
	b.ReportMetric(float64(without.Nanoseconds())/float64(b.N*len(proofs)), "bearer-cpu-ns")
	b.ReportMetric(float64(with)/float64(without), "ratio")
}

func authenticate(b *testing.B, s *Scheme, requests []*http.Request) {
	for _, r := range requests {
		if _, err := s.Authenticate(r); err != nil {
			b.Fatal(err)
		}
	}
}

// processorTime is how much of the processor do takes.
func processorTime(do func()) time.Duration {
	var before, after syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &before)
	do()
	syscall.Getrusage(syscall.RUSAGE_SELF, &after)
	return time.Duration(after.Utime.Nano() - before.Utime.Nano() + after.Stime.Nano() - before.Stime.Nano())
}
