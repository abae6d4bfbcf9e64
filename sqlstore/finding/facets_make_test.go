package finding

import (
	"fmt"
	"hash/maphash"
	"testing"
)

// TestWhatIsFrequentStaysHoweverManyKeysThereAre counts one key in ten among more different ones than are compared.
func TestWhatIsFrequentStaysHoweverManyKeysThereAre(t *testing.T) {
	hits := make(map[string]int)
	for i := range 3 * maxFrequent {
		countFrequent(hits, fmt.Sprint(i))
		if i%10 == 0 {
			countFrequent(hits, "water")
		}
	}
	if len(hits) > maxFrequent {
		t.Errorf("%d keys are compared", len(hits))
	}
	for key, n := range hits {
		if key != "water" && n >= hits["water"] {
			t.Errorf("%q has %d hits, water %d", key, n, hits["water"])
		}
	}
}

// TestNoSubjectOfTheRestHasMoreBooksThanIsSaid counts as many subjects as there are buckets, so that some share one.
func TestNoSubjectOfTheRestHasMoreBooksThanIsSaid(t *testing.T) {
	rest := restScan{seed: maphash.MakeSeed()}
	for i := range restBuckets {
		for range 1 + i%7 {
			rest.add(fmt.Sprint(i))
		}
	}
	if rest.most < 7 || rest.most > 7*8 {
		t.Errorf("a subject has %d books at most, want at least 7", rest.most)
	}
}
