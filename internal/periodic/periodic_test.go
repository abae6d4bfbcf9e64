package periodic_test

import (
	"context"
	"testing"
	"time"

	"example.org/library/internal/periodic"
)

func TestWorkIsDoneAgainUntilItIsStopped(t *testing.T) {
	t.Parallel()
	times, ended := 0, false
	third := make(chan struct{})
	stop := periodic.Start(time.Millisecond, func(ctx context.Context) {
		if times++; times < 3 {
			return
		}
		close(third) // twice would panic
		<-ctx.Done()
		ended = true
	})
	<-third
	stop()
	if times != 3 || !ended {
		t.Errorf("done %d times; stop has waited for the last: %t", times, ended)
	}
}
