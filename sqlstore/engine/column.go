package engine

import (
	"database/sql"
	"encoding/json"
	"strings"
	"time"
)

// The form of values in a column: a time is its microseconds, a missing value NULL, and a list of strings a JSON array.

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

// JoinWords makes the text of a column of words. Words have no spaces in them.
func JoinWords(words []string) string { return strings.Join(words, " ") }

// FormatList and ParseList keep a list of strings as a JSON array.
func FormatList[T ~string](list []T) string {
	if len(list) == 0 {
		return "[]"
	}
	b, _ := json.Marshal(list) // strings always marshal
	return string(b)
}

func ParseList[T ~string](text []byte) (list []T, err error) {
	if len(text) == 0 || string(text) == "[]" {
		return nil, nil
	}
	err = json.Unmarshal(text, &list)
	return list, err
}
