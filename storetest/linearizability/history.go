package linearizability

import (
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"example.org/library/internal/testkit"
)

// history is the steps of concurrent readers, with their answers.
type history struct {
	start time.Time
	mu    sync.Mutex
	steps []porcupine.Operation
}

// do does one step of a reader and records it. It reports whether the step has an answer.
func (h *history) do(t *testing.T, reader int, in any, do func() (string, error)) bool {
	called := time.Since(h.start)
	out, err := do()
	if err != nil {
		t.Errorf("%+v: %v", in, err)
		return false
	}
	step := porcupine.Operation{ClientId: reader, Input: in, Output: out, Call: int64(called), Return: int64(time.Since(h.start))}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.steps = append(h.steps, step)
	return true
}

// check fails the test unless some order of the steps explains every answer.
func (h *history) check(t *testing.T, m porcupine.Model) {
	t.Helper()
	if result := porcupine.CheckOperationsTimeout(m, h.steps, testkit.Timeout(t)); result != porcupine.Ok {
		t.Errorf("%d answers cannot be explained: %v", len(h.steps), result)
	}
}

// partition divides a history by book: books do not depend on each other.
func partition(bookOf func(input any) string) func([]porcupine.Operation) [][]porcupine.Operation {
	return func(steps []porcupine.Operation) [][]porcupine.Operation {
		byBook := make(map[string][]porcupine.Operation)
		for _, s := range steps {
			byBook[bookOf(s.Input)] = append(byBook[bookOf(s.Input)], s)
		}
		return slices.Collect(maps.Values(byBook))
	}
}
