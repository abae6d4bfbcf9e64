package responsecache

import (
	"strconv"
	"time"

	"example.org/library"
)

// Snapshot is what a response depends on beside who asks: a state of the store, and
// a quarter of an hour within which no loan becomes overdue.
type Snapshot struct {
	revision library.Revision
	quarter  int64 // quarters of an hour since 1970
}

// SnapshotOf returns the snapshot of a revision at a time. A loan is overdue as soon
// as its last second, the last of a day, has begun to pass; and days begin with a
// quarter of an hour of UTC in every time zone of today.
func SnapshotOf(revision library.Revision, now time.Time) Snapshot {
	const lastSecond = time.Second - time.Microsecond // the clock's resolution
	return Snapshot{revision, now.Add(lastSecond).Unix() / int64(15*time.Minute/time.Second)}
}

// Names are the two halves of the snapshot as texts, for tags.
func (s Snapshot) Names() (revision, quarter string) {
	return s.revision.Name, strconv.FormatInt(s.quarter, 10)
}
