//go:build unix

package account

import (
	"context"
	"testing"
	"time"

	"example.org/library/cli/clitest"
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
		select {
		case err := <-ended:
			if err == nil {
				t.Error("there is a secret")
			}
		case <-time.After(10 * time.Second):
			t.Error("it goes on waiting")
		}
	}
}
