package sqlite

import (
	"context"
	"database/sql"
	"sync"
	"time"

	sqlite3 "modernc.org/sqlite/lib"
)

// damage is what the connections have noticed of a file that is damaged. Most of
// the file may still be good, so a request here and there would fail and nobody
// would notice. It is remembered until a check of the whole file finds nothing.
type damage struct {
	mu      sync.Mutex
	noticed error
	times   int       // that it was noticed
	checked time.Time // when the last check began
}

// checkPause is the time between two checks of the whole file.
const checkPause = 15 * time.Second

// notice looks at an error of a connection.
func (d *damage) notice(err error) {
	switch Code(err) {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		d.mu.Lock()
		defer d.mu.Unlock()
		d.noticed = err
		d.times++
	}
}

// found is what has been noticed, if no check has found since that all is well. It starts one now and then.
func (d *damage) found(db *sql.DB) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.noticed != nil && time.Since(d.checked) > checkPause {
		d.checked = time.Now()
		go d.check(db)
	}
	return d.noticed
}

// check reads the whole file. What is noticed meanwhile, by it or by others, stays.
func (d *damage) check(db *sql.DB) {
	d.mu.Lock()
	before := d.times
	d.mu.Unlock()
	var verdict string
	err := db.QueryRowContext(context.Background(), `PRAGMA quick_check(1)`).Scan(&verdict)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil && verdict == "ok" && d.times == before {
		d.noticed = nil
	}
}
