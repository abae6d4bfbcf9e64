package httpapi

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"example.org/library"
	"example.org/library/httpapi/internal/importfile"
	"example.org/library/httpapi/internal/input"
	"example.org/library/internal/validation"
	"example.org/library/roster"
	"example.org/library/userfile"
)

func (s *Server) importUsers(x *exchange) error {
	in := x.query()
	pattern, given := emailPattern(in, "emailPattern"), roles(in, "roles")
	return serveImport(x, in, importKind[roster.Row]{
		Kind:   importfile.People(pattern),
		noun:   "person",
		fields: func(members map[string]json.RawMessage) roster.Row { return userRow(members, pattern) },
		media:  errNotTable,
		run: func(ctx context.Context, a library.Actor, rows []roster.Row, how library.ImportOptions) ([]library.ImportResult, error) {
			in := roster.New(rows, roster.Options{ImportOptions: how, Roles: given}, s.service.Now())
			return s.service.ImportUsers(ctx, a, in, how.DryRun)
		},
	})
}

// roles are some roles, separated by commas.
func roles(q *input.Query, name string) (roles []library.Role) {
	text, given := q.Take(name)
	if !given {
		return nil
	}
	for word := range strings.SplitSeq(text, ",") {
		if !slices.Contains(library.Roles, library.Role(word)) {
			q.Refuse(validation.UnknownValue(name, library.Roles))
			return nil
		}
		roles = append(roles, library.Role(word))
	}
	return roles
}

// emailPattern is a pattern that makes addresses out of columns, or of members of JSON.
func emailPattern(q *input.Query, name string) (p userfile.Pattern) {
	text, given := q.Take(name)
	if !given {
		return p
	}
	p, err := userfile.ParsePattern(text)
	if err != nil {
		q.Refuse(library.Detail{Field: name, Code: validation.CodeMalformed, Message: err.Error()})
	}
	return p
}

// userRow is userFields for a row, in which what is absent stays as it is.
func userRow(members map[string]json.RawMessage, pattern userfile.Pattern) roster.Row {
	in := input.NewFields(members)
	row := roster.Row{UserFields: userFields(&in)}
	row.Silent, row.Inactive, row.KeepsActive = false, false, false
	if in.Has("reminders") {
		row.Reminders = new(in.Boolean("reminders", true))
	}
	if in.Has("active") {
		row.Active = new(in.Boolean("active", true))
	}
	if row.Email == "" {
		row.Email = pattern.Email(func(name string) string { return userfile.MemberText(members, name) })
	}
	if in.IsWrong() { // otherwise the import checks the fields, once
		row.Err = in.Err(row.Check())
	}
	return row
}
