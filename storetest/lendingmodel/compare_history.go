package lendingmodel

import (
	"fmt"
	"time"
)

// compareHistory compares the events about each book, loan and hold of this world
// with the regulations. On a server that others use, too, they may be seen a
// moment later.
func (w *world) compareHistory() error {
	want := w.rules.history()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		got, n, err := w.eventsSince(want)
		if err != nil {
			return err
		}
		if n >= len(w.rules.events) || time.Now().After(deadline) {
			return same("the history of changes", got, want)
		}
	}
}

// eventsSince are the events about some subjects since the world began, and how
// many they are.
func (w *world) eventsSince(subjects map[string][]told) (got map[string][]told, n int, err error) {
	got = make(map[string][]told)
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
				got[c.ID] = append(got[c.ID], told{c.Kind, c.ID, c.Borrowed, c.Available, c.Person})
				n++
			}
		}
	}
}
