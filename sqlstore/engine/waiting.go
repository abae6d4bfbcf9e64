package engine

import (
	"log/slog"
	"time"
)

// Waiting is a transaction for whose end the events of the library wait: on
// PostgreSQL the oldest that has written something, anybody's in the cluster.
type Waiting struct {
	For time.Duration // how long it has been open; 0 if nothing waits

	// What the server says of it, as far as the user of the library may know.
	Transaction int64
	PID         int // 0 for a prepared transaction
	Database    string
	User        string
	Application string
	State       string
}

// LogValue is how a log shows it.
func (w Waiting) LogValue() slog.Value {
	return slog.GroupValue(slog.Int64("transaction", w.Transaction), slog.Int("pid", w.PID),
		slog.String("database", w.Database), slog.String("user", w.User),
		slog.String("application", w.Application), slog.String("state", w.State))
}
