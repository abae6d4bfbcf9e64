package sqlstore_test

import (
	"testing"
	"time"

	"example.org/library/sqlstore"
)

// TestAStatementForWhichSomebodyWaitsLongMayTakeLong: the bound of a session is for all others, and the server ends
// a statement when its caller does not wait any more.
func TestAStatementForWhichSomebodyWaitsLongMayTakeLong(t *testing.T) {
	t.Parallel()
	store := open(t, databases["postgres"](t))
	const inSeconds = `SELECT CAST(ceil(extract(epoch FROM current_setting('statement_timeout')::interval)) AS text)`
	for _, tt := range []struct {
		waits time.Duration
		want  string
	}{{10 * time.Minute, "600"}, {time.Second, "60"}, {time.Minute, "60"}} {
		if got := sqlstore.LookFor(t, store, tt.waits, inSeconds); got != tt.want {
			t.Errorf("for somebody who waits %v a statement takes %s s at most, want %s", tt.waits, got, tt.want)
		}
	}
}
