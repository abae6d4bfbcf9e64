//go:build !unix

package sqlite

import "errors"

// walIndex is not available here; SQLite is queried each time instead.
type walIndex struct{}

type walHead struct{}

func openWALIndex(string) (*walIndex, error) { return nil, errors.ErrUnsupported }

func (*walIndex) read() walHead { return walHead{} }

func (*walIndex) current() bool { return false }
