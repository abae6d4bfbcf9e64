package bench

import (
	"context"
	endian "encoding/binary"
	"os"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"example.org/library/internal/testkit"
)

// writeAheadLog counts the bytes that a database writes to its log.
type writeAheadLog interface {
	// look is called after each piece of work, in case that the log begins anew.
	look()
	written(t *testing.T) int64
}

type unknownLog struct{}

func (unknownLog) look()                    {}
func (unknownLog) written(*testing.T) int64 { return 0 }

// sqliteLog reads the head of SQLite's wal-index, which says how many frames the log has. SQLite
// begins anew with the first frame when all of them are in the database file. What was written
// between the last look and that moment is not counted.
type sqliteLog struct {
	index *os.File

	mu     sync.Mutex
	frames uint32
	sum    int64
}

// openSQLiteLog needs a database that is in use.
func openSQLiteLog(t *testing.T, database string) *sqliteLog {
	t.Helper()
	index, err := os.Open(database + "-shm")
	testkit.NoError(t, err)
	t.Cleanup(func() { index.Close() })
	return &sqliteLog{index: index}
}

func (l *sqliteLog) look() {
	var head [20]byte
	if _, err := l.index.ReadAt(head[:], 0); err != nil {
		return // it has just been made
	}
	const frameHead = 24
	size, frames := int64(endian.NativeEndian.Uint16(head[14:]))+frameHead, endian.NativeEndian.Uint32(head[16:])
	l.mu.Lock()
	defer l.mu.Unlock()
	if frames < l.frames {
		l.frames = 0
	}
	l.sum += int64(frames-l.frames) * size
	l.frames = frames
}

func (l *sqliteLog) written(*testing.T) int64 {
	l.look()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sum
}

// postgresLog asks the server at an address, for all of its databases.
type postgresLog struct{ address string }

func (postgresLog) look() {}

func (l postgresLog) written(t *testing.T) (n int64) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), l.address)
	testkit.NoError(t, err)
	defer conn.Close(context.Background())
	testkit.NoError(t, conn.QueryRow(t.Context(), `SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint`).Scan(&n))
	return n
}
