//go:build unix

package account

import (
	"context"
	"testing"
	"time"

	"example.org/library/cli/clitest"
	"example.org/library/internal/testkit"
)

func TestAnInterruptionDoesNotWaitForASecret(t *testing.T) {
	t.Parallel()
	for _, written := range []bool{true, false} {
		a, _ := clitest.NewApp()
		path := clitest.Fifo(t, written)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		ended := make(chan error, 1)
		go func() {
			_, err := clientSecret(ctx, a, path)
			ended <- err
		}()
		if testkit.Receive(t, "the end of it", ended) == nil {
			t.Error("there is a secret")
		}
	}
}
