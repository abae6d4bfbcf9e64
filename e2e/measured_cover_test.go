//go:build !race

package e2e

import (
	"net/http"
	"sync"
	"testing"

	"example.org/library/internal/testkit"
)

// TestMeasuredAHundredCoversAtOnceTakeTheMemoryOfTwo uploads pictures of 12 million pixels, as
// telephones make them. Each takes 46 MiB when it is decoded, and two are decoded at once. Only
// the memory of the server is measured, not that of the callers.
func TestMeasuredAHundredCoversAtOnceTakeTheMemoryOfTwo(t *testing.T) {
	picture := pictureOf(4000, 3000)
	grown := func(uploads int) int {
		s := startOn(t, emptySQLite(t))
		s.awaitReady(t)
		c := s.as(t, curator)
		before := s.memory(t, "VmHWM")
		var all sync.WaitGroup
		statuses := make([]int, uploads)
		for i := range uploads {
			all.Go(func() {
				r, err := c.try("PUT", "/books/"+cleanCode+"/cover", picture, "Content-Type", "image/png")
				testkit.NoError(t, err)
				statuses[i] = r.Status
			})
		}
		all.Wait()
		counts := map[int]int{}
		for _, status := range statuses {
			counts[status]++
		}
		peak := s.memory(t, "VmHWM")
		t.Logf("%d uploads of 12 million pixels: %v; the peak of the server's memory rose by %s to %s", uploads, counts, mib(peak-before), mib(peak))
		if counts[http.StatusNoContent] == 0 || counts[http.StatusNoContent]+counts[http.StatusServiceUnavailable] != uploads {
			t.Errorf("answers: %v", counts)
		}
		s.stop(t, terminate)
		return peak - before
	}
	one := grown(1)
	// Two instead of one, and what the garbage collector has not seen yet.
	if hundred := grown(100); hundred > 6*one {
		t.Errorf("one upload takes %s, a hundred at once %s", mib(one), mib(hundred))
	}
}
