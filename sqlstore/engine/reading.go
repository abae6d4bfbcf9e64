package engine

import (
	"context"
	"database/sql"
)

// Reading is a statement and the use of its rows.
type Reading struct {
	Doing string // for errors
	Text  string
	Args  []any
	Scan  func(Records) error
}

// Records are the rows of a statement, with either driver.
type Records interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
}

// Row is one of them.
type Row interface{ Scan(dest ...any) error }

// Reader reads from a database or a transaction in it.
type Reader interface {
	Read(ctx context.Context, r Reading) error
}

// AllOf puts every record into a list, First puts one where it belongs.
func AllOf[T any](list *[]T, scan func(Row) (T, error)) func(Records) error {
	return func(rows Records) error {
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

func First[T any](one **T, scan func(Row) (T, error)) func(Records) error {
	return func(rows Records) error {
		var list []T
		err := AllOf(&list, scan)(rows)
		if len(list) > 0 {
			*one = &list[0]
		}
		return err
	}
}

// Each calls scan for every record.
func Each(scan func(Row) error) func(Records) error {
	return func(rows Records) error {
		for rows.Next() {
			if err := scan(rows); err != nil {
				return err
			}
		}
		return rows.Err()
	}
}

// None is for statements with nothing but a lock.
func None(rows Records) error {
	for rows.Next() {
	}
	return rows.Err()
}

// Ask runs one statement.
func Ask(ctx context.Context, q Querier, r Reading, unavailable func(error) string) error {
	rows, err := q.QueryContext(ctx, r.Text, r.Args...)
	if err != nil {
		return Describe(ctx, r.Doing, err, unavailable)
	}
	defer rows.Close()
	return Describe(ctx, r.Doing, r.Scan(rows), unavailable)
}

// Collect reads all records of a statement.
func Collect[T any](ctx context.Context, from Reader, doing string, scan func(Row) (T, error), text string, args ...any) ([]T, error) {
	var list []T
	err := from.Read(ctx, Reading{doing, text, args, AllOf(&list, scan)})
	return list, err
}

// ReadOne reads the only record of a statement, or sql.ErrNoRows.
func ReadOne[T any](ctx context.Context, from Reader, doing string, scan func(Row) (T, error), text string, args ...any) (T, error) {
	var one *T
	err := from.Read(ctx, Reading{doing, text, args, First(&one, scan)})
	if err == nil && one == nil {
		err = sql.ErrNoRows
	}
	if err != nil {
		var zero T
		return zero, err
	}
	return *one, nil
}

func ScanText(r Row) (string, error) {
	var text string
	err := r.Scan(&text)
	return text, err
}

func ScanBool(r Row) (bool, error) {
	var yes bool
	err := r.Scan(&yes)
	return yes, err
}

func ScanNumber(r Row) (int, error) {
	var n int
	err := r.Scan(&n)
	return n, err
}
