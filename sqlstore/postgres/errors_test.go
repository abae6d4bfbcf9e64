package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"example.org/library"
)

// isRunAgain reports whether a transaction that fails with an error is run again.
func isRunAgain(err error) bool { return pauseAfter(Error(context.Background(), "test", err), 1) > 0 }

// TestWhoseFaultAnErrorIs: what the database is to blame for is unavailable, and run again if another attempt may find
// a better one; the rest is a mistake of ours.
func TestWhoseFaultAnErrorIs(t *testing.T) {
	t.Parallel()
	code := func(code string) error { return &pgconn.PgError{Severity: "ERROR", Code: code} }
	refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	type fault struct {
		isTheirs, isRunAgain bool
	}
	mistake, broken, passing := fault{}, fault{isTheirs: true}, fault{true, true}
	for _, tt := range []struct {
		name string
		err  error
		want fault
	}{
		{"connection failure", code("08006"), passing},
		{"protocol violation, as poolers say it", code("08P01"), passing},
		{"read-only", code("25006"), passing},
		{"idle in a transaction for too long", code("25P03"), passing},
		{"no such prepared statement", code("26000"), passing},
		{"a cached plan that is outdated", &pgconn.PgError{Code: "0A000", Routine: "RevalidateCachedQuery"}, fault{isRunAgain: true}},
		{"serialization failure", code("40001"), passing},
		{"deadlock", code("40P01"), passing},
		{"disk full", code("53100"), broken},
		{"out of memory", code("53200"), broken},
		{"too many connections", code("53300"), passing},
		{"lock timeout", code("55P03"), passing},
		{"statement timeout", code("57014"), broken},
		{"stopped by an administrator", code("57P01"), passing},
		{"a crash of another process", code("57P02"), passing},
		{"starting", code("57P03"), passing},
		{"database dropped", code("57P04"), broken},
		{"input or output failed", code("58030"), broken},
		{"internal error", code("XX000"), broken},
		{"data corrupted", code("XX001"), broken},
		{"no such table", code("42P01"), broken},
		{"no rights", code("42501"), broken},
		{"connection refused", refused, passing},
		{"end of the connection", fmt.Errorf("receive: %w", io.ErrUnexpectedEOF), passing},
		{"no answer in time", fmt.Errorf("timeout: %w", context.DeadlineExceeded), broken},

		{"syntax error", code("42601"), mistake},
		{"no such column", code("42703"), mistake},
		{"division by zero", code("22012"), mistake},
		{"not supported", code("0A000"), mistake},
		{"an error of the program", errors.New("no"), mistake},
	} {
		got := fault{errors.Is(Error(t.Context(), "test", tt.err), library.ErrUnavailable), isRunAgain(tt.err)}
		if got != tt.want {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
		}
	}
	for _, final := range []string{"42P01", "42501"} {
		if IsAbsent(Error(t.Context(), "test", code(final))) {
			t.Errorf("%s is waited for", final)
		}
	}
	unknown := fmt.Errorf("%w: %w", library.ErrOutcomeUnknown, io.ErrUnexpectedEOF)
	if isRunAgain(unknown) {
		t.Error("a transaction whose outcome nobody knows is run again")
	}
}

// TestACallerWhoHasGoneIsNotTheDatabase: it is not reported as unavailable.
func TestACallerWhoHasGoneIsNotTheDatabase(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := Error(ctx, "test", &net.OpError{Op: "read", Err: syscall.ECONNRESET})
	if !errors.Is(err, context.Canceled) || errors.Is(err, library.ErrUnavailable) {
		t.Errorf("got error %v", err)
	}
}

func TestAnUnreachableServerIsReportedOnce(t *testing.T) {
	t.Parallel()
	_, err := Open(t.Context(), "postgres://nobody@127.0.0.1:1/none")
	if err == nil || strings.Count(err.Error(), "connection refused") != 1 || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}
