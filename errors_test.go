package library_test

import (
	"context"
	"errors"
	"testing"

	"example.org/library"
)

// Errors are compared by their code, so that details do not get in the way.
func TestErrorsAreTheirSentinels(t *testing.T) {
	t.Parallel()
	err := library.InvalidFields(library.Detail{Field: "title", Message: "is required"})
	if !errors.Is(err, library.ErrInvalid) || errors.Is(err, library.ErrBookNotFound) || errors.Is(err, context.Canceled) {
		t.Errorf("%v is not what it should be", err)
	}
}
