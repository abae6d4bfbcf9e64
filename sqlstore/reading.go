package sqlstore

import (
	"context"
	"database/sql"
)

// reading is a statement and what becomes of its rows. Several of them can be
// sent together where that saves round trips.
type reading struct {
	doing string // for errors
	text  string
	args  []any
	scan  func(records) error
}

// records are the rows that a statement finds, with either driver.
type records interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
}

// row is one of them.
type row interface{ Scan(dest ...any) error }

// allOf puts every record into a list, first puts one where it belongs.
func allOf[T any](list *[]T, scan func(row) (T, error)) func(records) error {
	return func(rows records) error {
		*list = nil // the statement may be run again
		for rows.Next() {
			r, err := scan(rows)
			if err != nil {
				return err
			}
			*list = append(*list, r)
		}
		return rows.Err()
	}
}

func first[T any](one **T, scan func(row) (T, error)) func(records) error {
	return func(rows records) error {
		var list []T
		err := allOf(&list, scan)(rows)
		if len(list) > 0 {
			*one = &list[0]
		}
		return err
	}
}

// none is for statements that are there for their locks.
func none(rows records) error {
	for rows.Next() {
	}
	return rows.Err()
}

// read runs statements, one after the other.
func read(ctx context.Context, q querier, readings ...reading) error {
	for _, r := range readings {
		err := error(nil)
		if p, ok := q.(*pool); ok {
			err = p.ask(ctx, r)
		} else {
			err = ask(ctx, q, r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// collect reads all records that a statement finds.
func collect[T any](ctx context.Context, q querier, doing string, scan func(row) (T, error), text string, args ...any) ([]T, error) {
	var list []T
	err := read(ctx, q, reading{doing, text, args, allOf(&list, scan)})
	return list, err
}

// readOne reads the only record that a statement finds, or sql.ErrNoRows.
func readOne[T any](ctx context.Context, q querier, doing string, scan func(row) (T, error), text string, args ...any) (T, error) {
	var one *T
	err := read(ctx, q, reading{doing, text, args, first(&one, scan)})
	if err == nil && one == nil {
		err = sql.ErrNoRows
	}
	if err != nil {
		var zero T
		return zero, err
	}
	return *one, nil
}

func scanText(r row) (string, error) {
	var text string
	err := r.Scan(&text)
	return text, err
}

func scanBool(r row) (bool, error) {
	var yes bool
	err := r.Scan(&yes)
	return yes, err
}

func scanNumber(r row) (int, error) {
	var n int
	err := r.Scan(&n)
	return n, err
}
