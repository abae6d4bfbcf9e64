package testkit

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Equal compares two values; it reports a difference with their name, if given.
func Equal[T comparable](t testing.TB, got, want T, what ...string) {
	t.Helper()
	if got != want {
		t.Errorf("%s %v, want %v", strings.Join(append(what, "got"), ": "), got, want)
	}
}

// Diff compares two values of any kind and shows where they differ.
func Diff(t testing.TB, want, got any, options ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, options...); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// ErrorIs checks an error.
func ErrorIs(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("the error is %v, want %v", err, want)
	}
}

// Contains checks for all parts in a text.
func Contains(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in:\n%s", part, text)
		}
	}
}
