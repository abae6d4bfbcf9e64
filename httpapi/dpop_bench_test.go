package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"time"

	"example.org/library/auth/dpop"
	"example.org/library/internal/testidp"
)

// BenchmarkProof compares whole requests for one book, without the network: with a bound
// token and a proof, and with a bearer token. The ratio of processor time is what counts.
func BenchmarkProof(b *testing.B) {
	w := newDPoPWorld(b, dpop.Allowed)
	path := w.base + "/books/" + cleanCode
	newRequest := func(header http.Header) *http.Request {
		r := httptest.NewRequest(http.MethodGet, "http://library.test"+path, nil)
		r.Header = header
		return r
	}
	bearer := newRequest(bearerHeader(w.idp.Mint(b, nil)))
	var with, without time.Duration
	const each = 300
	for b.Loop() {
		b.StopTimer()
		var proofs []*http.Request
		for range each {
			proofs = append(proofs, newRequest(dpopHeader(w.dpopToken, w.key.Proof(b, "GET", "http://library.test"+path, w.dpopToken, testidp.Claims{"iat": w.now.Unix()}, nil))))
		}
		b.StartTimer()
		with += w.processorTime(b, proofs...)
		for range each {
			without += w.processorTime(b, bearer, bearer, bearer, bearer, bearer, bearer, bearer, bearer, bearer, bearer) / 10
		}
	}
	b.ReportMetric(float64(with.Microseconds())/float64(b.N*each), "proof-cpu-µs")
	b.ReportMetric(float64(without.Microseconds())/float64(b.N*each), "bearer-cpu-µs")
	b.ReportMetric(float64(with)/float64(without), "ratio")
}

// processorTime is how much of the processor the requests take.
func (w *dpopWorld) processorTime(b *testing.B, requests ...*http.Request) time.Duration {
	var before, after syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &before)
	for _, r := range requests {
		answer := httptest.NewRecorder()
		if w.server.Config.Handler.ServeHTTP(answer, r); answer.Code != http.StatusOK {
			b.Fatal(answer.Code, answer.Body)
		}
	}
	syscall.Getrusage(syscall.RUSAGE_SELF, &after)
	return time.Duration(after.Utime.Nano() - before.Utime.Nano() + after.Stime.Nano() - before.Stime.Nano())
}
