package lendingmodel

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testkit"
	"example.org/library/storetest/fixture"
)

// Rules compare a store with the model.
var Rules = []fixture.Rule{
	{"lending follows the regulations, whatever is done in which order", lendingFollowsTheModel},
}

// Environment variables: the number of sequences, and the seed of the one sequence to
// run.
const (
	sequencesVariable = "STORETEST_SEQUENCES"
	seedVariable      = "STORETEST_SEED"
)

const (
	usualSequences = 120              // or a part of them: testkit.Enough
	timeLimit      = 10 * time.Second // for a part of them
	shrinking      = 30 * time.Second // at most
)

// lendingFollowsTheModel does random sequences of steps, and compares each answer, and
// what people see afterwards, with the model. A sequence that shows a difference is
// made as short as possible and printed.
func lendingFollowsTheModel(t *testing.T, f fixture.Store) {
	from, sequences, until := rand.Uint64()>>1, testkit.Enough(usualSequences), time.Now().Add(timeLimit)
	if testkit.Full() {
		until = time.Now().Add(testkit.Timeout(t))
	}
	if n, err := strconv.Atoi(os.Getenv(sequencesVariable)); err == nil {
		sequences, until = n, time.Now().Add(24*time.Hour)
	}
	if seed, err := strconv.ParseUint(os.Getenv(seedVariable), 10, 64); err == nil {
		from, sequences = seed, 1
	}
	done := 0
	for seed := from; done < sequences && time.Now().Before(until); seed++ {
		steps := randomSteps(rand.New(rand.NewPCG(seed, 1)), 15+int(seed%4)*10)
		if at, err := try(f, seed, steps); err != nil {
			report(t, f, seed, steps[:min(at+1, len(steps))], err)
		}
		done++
	}
	t.Logf("%d sequences, from %s=%d", done, seedVariable, from)
}

// try does the steps in a new world, and returns the first after which store and model
// differ.
func try(f fixture.Store, seed uint64, steps []step) (at int, err error) {
	w, err := newWorld(f, seed)
	if err != nil {
		return 0, fmt.Errorf("a new world: %w", err)
	}
	defer func() {
		if closing := w.close(); err == nil && closing != nil {
			at, err = len(steps), fmt.Errorf("the end of the world: %w", closing)
		}
	}()
	for i, s := range steps {
		if err := w.do(s); err != nil {
			return i, err
		}
	}
	return len(steps), w.compareAll(int(seed % 1000))
}

// report shortens the sequence as long as there is any difference, and prints it.
func report(t *testing.T, f fixture.Store, seed uint64, steps []step, err error) {
	t.Helper()
	t.Logf("%s=%d: %v", seedVariable, seed, err)
	until := time.Now().Add(shrinking)
	for size := len(steps) / 2; size > 0; size /= 2 {
		for from := 0; from+size <= len(steps) && time.Now().Before(until); {
			fewer := slices.Delete(slices.Clone(steps), from, from+size)
			if _, still := try(f, seed, fewer); still != nil {
				steps, err = fewer, still
			} else {
				from += size
			}
		}
	}
	var sequence strings.Builder
	for i, s := range steps {
		fmt.Fprintf(&sequence, "%3d %v\n", i+1, s)
	}
	t.Fatalf("%s=%d (shortened to %d steps):\n%s%v", seedVariable, seed, len(steps), sequence.String(), err)
}
