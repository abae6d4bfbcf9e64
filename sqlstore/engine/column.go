package engine

import (
	"database/sql"
	"time"
)

// What values look like in a column: a time is its microseconds, and what there is not NULL.

// FromMicro is the time of a column.
func FromMicro(us int64) time.Time { return time.UnixMicro(us).UTC() }

// FromNullMicro is the zero time for NULL, and MicroOrNull the other way round.
func FromNullMicro(us sql.NullInt64) time.Time {
	if !us.Valid {
		return time.Time{}
	}
	return FromMicro(us.Int64)
}

func MicroOrNull(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
}

// TextOrNull is NULL for the empty text.
func TextOrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
