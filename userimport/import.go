// Package userimport is a part of the domain: it decides about the rows of an import of people. It
// matches rows with users, and decides about replacing their fields. Package service finds the users,
// writes the decisions, and judges the caller.
//
// A row is about the user with its e-mail address, or else about the one with its card.
//
//	Import  import.go  the rows and their progress: start here
//	        people.go  the users after the rows so far, and the addresses and cards of all rows
//	Row     row.go     a row, and its changes to a user
package userimport

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"example.org/library"
)

// Options are the options of an import.
type Options struct {
	library.ImportOptions
	// Roles are given to added or updated people without a role, if their row has none.
	Roles []library.Role
	// Locale is given to added people, if their row has none.
	Locale string
}

// Import is an import: its rows and its progress.
type Import struct {
	how  Options
	now  time.Time
	rows []Row
	errs []*library.Error // by row; nil for a valid one

	named          named
	given, decided map[string][]string // fields given by rows: committed, and with the last decision
}

// New returns an import of rows.
func New(rows []Row, how Options, now time.Time) *Import {
	in := &Import{how: how, now: now, rows: slices.Clone(rows), errs: make([]*library.Error, len(rows))}
	for i := range in.rows {
		if in.errs[i] = rowError(in.rows[i].Err); in.errs[i] == nil {
			in.errs[i] = in.rows[i].normalize()
		}
	}
	in.named = namedBy(in.rows)
	return in
}

// rowError returns the error of an invalid row.
func rowError(err error) *library.Error {
	known, is := errors.AsType[*library.Error](err)
	switch {
	case err == nil:
		return nil
	case is && len(known.Details) == 0:
		return known
	case is:
		return &library.Error{Kind: library.Invalid, Code: cmp.Or(known.Code, errInvalid.Code), Message: errInvalid.Message, Details: known.Details}
	}
	return errInvalid
}

// Len returns the number of rows.
func (in *Import) Len() int { return len(in.rows) }

// Keys returns the keys of every user that may match the rows of a range.
func (in *Import) Keys(from, to int) (keys library.UserKeys) {
	for i := from; i < to; i++ {
		if in.errs[i] != nil {
			continue
		}
		keys.Emails = append(keys.Emails, library.EmailKey(in.rows[i].Email))
		if card := in.rows[i].Card; card != "" {
			keys.Cards = append(keys.Cards, card)
		}
	}
	return keys
}

// Decide decides about the rows of a range. Found must have every existing user with one of their keys.
func (in *Import) Decide(found library.FoundUsers, a library.Actor, from, to int) ([]library.ImportResult, []library.UserWrite) {
	p := newPeople(found, a, in.named, in.given)
	var results []library.ImportResult
	for i := from; i < to; i++ {
		if in.errs[i] != nil {
			results = append(results, library.ImportResult{Outcome: library.ImportInvalid, Err: in.errs[i]})
			continue
		}
		// Apart by a little, so that the order of the rows can be seen.
		results = append(results, p.apply(in.rows[i], in.how, in.now.Add(time.Duration(i)*time.Microsecond)))
	}
	for i := range results { // the real run gives new people other identifiers
		if in.how.DryRun && p.added[results[i].ID] {
			results[i].ID = ""
		}
	}
	in.decided = p.given
	return results, p.writes
}

// Accept records the commit of the last decision.
func (in *Import) Accept() { in.given = in.decided }
