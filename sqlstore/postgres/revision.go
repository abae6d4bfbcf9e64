package postgres

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"example.org/library"
	"example.org/library/internal/revcache"
	"example.org/library/sqlstore/engine"
)

// revision finds the revision of a PostgreSQL database: how often each of
// its sixteen counters has counted (see the migration), and where they are.
type revision struct {
	pool    *pool
	lookups coalescing[library.Revision]
	journal revcache.Journal

	mu      sync.Mutex
	place   string // of the counters, "" before the first answer
	numbers []int64
	name    string // of place and numbers
}

func newRevision(p *pool) *revision {
	r := &revision{pool: p}
	r.lookups.ask = r.ask
	return r
}

// A transaction of this program publishes its changes itself, and says so. Triggers take
// everything else for a change by hand: see the migration.
const publishes = `set_config('library.publishes', 'on', true)`

// Invalidate counts the transaction. The counter is locked until COMMIT, so this goes last.
func (syntax) Invalidate(place string) string {
	return `UPDATE revision SET changes = changes + 1,
			recent = ((changes + 1) || ' ' || ` + place + `::text) || recent[1:CASE WHEN length(` + place + `::text) > 60 THEN 5 ELSE 15 END]
		WHERE part = pg_current_xact_id()::text::bigint % 16`
}

// current returns the revision now: not older than the call.
func (r *revision) current(ctx context.Context) (library.Revision, error) {
	at, err := r.lookups.do(ctx)
	return at, Error(ctx, "read revision", err)
}

// askRevision reads the place of the counters and their numbers, with the changes of the last transactions if the
// number is not the one at its place in $1. A restarted server, another database and a table that was made anew have
// another place, because a restored backup begins to count again.
const askRevision = `SELECT pg_relation_filepath('revision') || '@' || extract(epoch FROM pg_postmaster_start_time()),
	string_agg(changes || CASE WHEN changes = ($1::bigint[])[part + 1] THEN '' ELSE ',' || array_to_string(recent, ',') END, ';' ORDER BY part)
	FROM revision`

func (r *revision) ask(ctx context.Context) (library.Revision, error) {
	r.mu.Lock()
	known := r.numbers // is replaced, never changed
	r.mu.Unlock()
	at, err := engine.ReadOne(ctx, r.pool, "read revision", func(record engine.Row) (at [2]string, err error) {
		err = record.Scan(&at[0], &at[1])
		return at, err
	}, askRevision, known)
	if err != nil {
		return library.Revision{}, err
	}
	return r.learn(known, at[0], at[1])
}

// learn notes the changes from the result of a query that was sent when some numbers were known. Results may come in
// another order than their queries were sent in, so more may be known already.
func (r *revision) learn(known []int64, place, counters string) (library.Revision, error) {
	numbers, recent, err := parseCounters(counters)
	if err != nil {
		return library.Revision{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if place == r.place && slices.Equal(numbers, r.numbers) {
		return r.journal.At(r.name), nil
	}
	subjects, ok := []string(nil), place == r.place && len(numbers) == len(known) && len(numbers) == len(r.numbers)
	for i := 0; ok && i < len(numbers); i++ {
		switch {
		case numbers[i] < known[i]:
			ok = false // the counter has gone back
		case numbers[i] <= r.numbers[i]:
			numbers[i] = r.numbers[i]
		default:
			var more []string
			more, ok = changedBetween(r.numbers[i], numbers[i], recent[i])
			subjects = append(subjects, more...)
		}
	}
	if ok {
		r.journal.Change(subjects...)
	} else {
		r.journal.ChangeAll()
	}
	sum := int64(0)
	for _, n := range numbers {
		sum += n
	}
	r.place, r.numbers, r.name = place, numbers, strconv.FormatInt(sum, 10)+"@"+place
	return r.journal.At(r.name), nil
}

// parseCounters reads the answer to askRevision.
func parseCounters(counters string) (numbers []int64, recent []string, err error) {
	for counter := range strings.SplitSeq(counters, ";") {
		number, more, _ := strings.Cut(counter, ",")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, nil, fmt.Errorf("the revision is %q", counters)
		}
		numbers, recent = append(numbers, n), append(recent, more)
	}
	return numbers, recent, nil
}

// changedBetween reads the changes of the transactions after one number and up to another.
// It reports false if it may be everything.
func changedBetween(after, to int64, recent string) (subjects []string, ok bool) {
	missing := to - after
	for transaction := range strings.SplitSeq(recent, ",") {
		number, books, _ := strings.Cut(transaction, " ")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || n <= after || n > to {
			continue
		}
		missing--
		for book := range strings.SplitSeq(books, " ") {
			switch book {
			case engine.EveryBook:
				return nil, false
			case engine.NoBook:
			default:
				subjects = append(subjects, book)
			}
		}
	}
	return subjects, missing == 0
}
