// Package userfile reads and writes files of people: the exports of schools and companies as CSV, and JSON, a person
// per line or all in one array. It knows nothing of services; docs/rosters.md describes the files. Package
// internal/table reads the records; this one makes people of them.
//
//	Reader   reader.go   the people of a file, one after another
//	         fields.go   every field of a file: start here to add one
//	         columns.go  the field of each column
//	         values.go   the values in columns for roles, languages, yes and no
//	         pattern.go  e-mail addresses made out of other columns
//	Writer   writer.go   the same formats; a file reads back as it was written
//
// An unreadable record is a [table.RowError], with its line, and the next one is read
// as if nothing had been. Start reading at [NewReader].
package userfile

import (
	"example.org/library/api"
	"example.org/library/internal/table"
)

// User is a person in a file. Fields missing in the file are empty or nil.
type User = api.RowUser

type reason = table.Reason

var nouns = table.Nouns{One: "person", Many: "people"}
