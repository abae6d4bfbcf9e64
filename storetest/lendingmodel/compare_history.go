package lendingmodel

import (
	"fmt"
	"time"

	"example.org/library/internal/testkit"
)

// compareHistory compares the events about each book, loan and hold of this world with
// those of the model. It waits for them: on a server with other users they come later.
// The wait is bounded, because a sequence with a difference is tried many times.
func (w *world) compareHistory() error {
	want := w.model.history()
	for deadline := time.Now().Add(testkit.Bound(20 * time.Second)); ; time.Sleep(5 * time.Millisecond) {
		got, n, err := w.eventsSince(want)
		if err != nil {
			return err
		}
		if n >= len(w.model.events) || time.Now().After(deadline) {
			return same("the history of changes", got, want)
		}
	}
}

// eventsSince are the events about these subjects since the world began, and their number.
func (w *world) eventsSince(subjects map[string][]event) (got map[string][]event, n int, err error) {
	got = make(map[string][]event)
	for at := w.start; ; {
		page, err := w.service.Changes(w.Ctx, at, 500)
		if err != nil {
			return nil, 0, fmt.Errorf("changes: %w", err)
		}
		if len(page) == 0 {
			return got, n, nil
		}
		for _, c := range page {
			at = c.Position
			if _, ours := subjects[c.ID]; ours {
				got[c.ID] = append(got[c.ID], event{c.Kind, c.ID, c.Borrowed, c.Available, c.Person})
				n++
			}
		}
	}
}
