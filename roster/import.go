package roster

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"example.org/library"
)

// Options is how an import goes about its rows.
type Options struct {
	library.ImportOptions
	Roles []library.Role // of people who are added and whose row names none
}

// Import is the rows of an import, and how far it has come.
type Import struct {
	how  Options
	now  time.Time
	rows []Row
	errs []*library.Error // by row; nil for one that is a person

	named          named
	given, decided map[string][]string // what the rows have given: committed, and with those decided last
}

// New is an import of these rows.
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

// rowError is what a caller learns of a row that is no person at all, nil if it may be one.
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

// Len is how many rows there are.
func (in *Import) Len() int { return len(in.rows) }

// Keys are those of every user whom the rows from one up to another may be about.
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

// Decide decides about the rows from one up to another. Of the users whom the rows may be
// about all that exist must have been found.
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
	for i := range results { // the next run gives those who are not there other identifiers
		if in.how.DryRun && p.added[results[i].ID] {
			results[i].ID = ""
		}
	}
	in.decided = p.given
	return results, p.writes
}

// Accept notes that what was decided last is committed.
func (in *Import) Accept() { in.given = in.decided }
