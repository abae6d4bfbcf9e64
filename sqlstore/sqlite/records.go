package sqlite

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io"
	"reflect"
)

// records are the rows that a statement of a transaction finds. They are read as
// database/sql would, as far as the columns of the library need that.
type records struct {
	rows   driver.Rows
	values []driver.Value // of the present row
	err    error          // why there is no next one
}

func (r *records) Next() bool {
	if r.err == nil {
		r.err = r.rows.Next(r.values)
	}
	return r.err == nil
}

// Err is nil after the last row.
func (r *records) Err() error {
	if r.err == io.EOF {
		return nil
	}
	return r.err
}

func (r *records) Scan(dest ...any) error {
	if len(dest) != len(r.values) {
		return fmt.Errorf("%d columns for %d values", len(r.values), len(dest))
	}
	for i, v := range r.values {
		if err := assign(dest[i], v); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return nil
}

// assign puts a value of SQLite where it belongs.
func assign(dest any, value driver.Value) error {
	if to, ok := dest.(sql.Scanner); ok {
		return to.Scan(value)
	}
	switch v := value.(type) {
	case string:
		return assignText(dest, v)
	case int64:
		return assignNumber(dest, v)
	case nil:
		if to, ok := dest.(*[]byte); ok {
			*to = nil
			return nil
		}
	case []byte:
		if to, ok := dest.(*[]byte); ok {
			*to = v
			return nil
		}
	}
	return wrongType(dest, value)
}

func assignText(dest any, text string) error {
	switch to := dest.(type) {
	case *string:
		*to = text
	case *[]byte:
		*to = []byte(text)
	default:
		at := reflect.ValueOf(dest).Elem()
		if at.Kind() != reflect.String {
			return wrongType(dest, text)
		}
		at.SetString(text)
	}
	return nil
}

func assignNumber(dest any, n int64) error {
	switch to := dest.(type) {
	case *int64:
		*to = n
	case *int:
		*to = int(n)
	case *bool:
		*to = n != 0
	default:
		return wrongType(dest, n)
	}
	return nil
}

func wrongType(dest any, value driver.Value) error {
	return fmt.Errorf("a %T cannot be read as a %T", value, dest)
}
