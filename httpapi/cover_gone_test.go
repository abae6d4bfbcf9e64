package httpapi_test

import (
	"bytes"
	"context"
	"net/http"
	"testing"

	"example.org/library/internal/testkit"
)

// TestNoCoverIsDecodedForACallerWhoHasGone lets a caller leave while the picture waits for its turn.
func TestNoCoverIsDecodedForACallerWhoHasGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	uploads := func() float64 {
		families, err := w.metrics.Gather()
		testkit.NoError(t, err)
		for _, family := range families {
			for _, m := range family.GetMetric() {
				if family.GetName() == "library_http_requests_in_flight" && m.GetLabel()[0].GetValue() == "covers" {
					return m.GetGauge().GetValue()
				}
			}
		}
		return -1
	}
	giveBack := w.api().FillDecodings()
	ctx, leave := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, w.server.URL+w.base+coverPath, bytes.NewReader(onePixel))
	testkit.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+w.token(t, peterParker))
	req.Header.Set("Content-Type", "image/png")
	answered := make(chan error, 1)
	go func() {
		resp, err := w.server.Client().Do(req)
		if err == nil {
			resp.Body.Close()
		}
		answered <- err
	}()
	testkit.Eventually(t, "the picture waits for its turn", func() bool { return uploads() == 1 })
	leave()
	if err := <-answered; err == nil {
		t.Error("there was an answer")
	}
	testkit.Eventually(t, "the upload has ended, though no picture can be decoded", func() bool { return uploads() == 0 })
	giveBack()
	w.send(t, request{as: bruceWayne, path: coverPath}).want(t, 404, "no_cover")
}
