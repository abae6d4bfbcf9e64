package main

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"example.org/library/sqlstore"
)

// TestATransactionThatHoldsBackEventsIsReported goes through a night, as an operator sees it.
func TestATransactionThatHoldsBackEventsIsReported(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	var found sqlstore.Waiting
	var failure error
	w := &eventWatch{
		ask:    func(context.Context) (sqlstore.Waiting, error) { return found, failure },
		logger: slog.New(slog.NewTextHandler(&log, nil)),
	}
	hidden := sqlstore.Waiting{Transaction: 7}
	seen := sqlstore.Waiting{Transaction: 8, For: time.Hour, PID: 42, Application: "psql"}
	start := time.Now()
	for _, step := range []struct {
		at      time.Duration
		found   sqlstore.Waiting
		failure error
		seconds float64
		lines   int
	}{
		{at: 0},
		{at: time.Second, found: hidden},
		{at: 21 * time.Second, found: hidden, seconds: 20},
		{at: 41 * time.Second, found: hidden, seconds: 40, lines: 1},
		{at: 61 * time.Second, found: hidden, seconds: 60, lines: 1},
		{at: 62 * time.Second, failure: errors.New("no answer"), seconds: 60, lines: 1},
		{at: 70 * time.Second, lines: 1},
		{at: 80 * time.Second, found: seen, seconds: 3600, lines: 1},
		{at: 10 * time.Minute, found: seen, seconds: 3600, lines: 2},
	} {
		found, failure = step.found, step.failure
		w.look(t.Context(), start.Add(step.at))
		if got := w.value(); got != step.seconds {
			t.Errorf("after %v: %v seconds, want %v", step.at, got, step.seconds)
		}
		if got := strings.Count(log.String(), "\n"); got != step.lines {
			t.Errorf("after %v: %d lines, want %d", step.at, got, step.lines)
		}
	}
	if text := log.String(); !strings.Contains(text, "for.pid=42") || !strings.Contains(text, "for.application=psql") {
		t.Errorf("the log does not say who it is:\n%s", text)
	}
}
