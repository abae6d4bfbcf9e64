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
	"example.org/library/userfile"
	"example.org/library/userimport"
)

func (s *Server) importUsers(x *exchange) error {
	in := x.query()
	pattern, given, language := emailPattern(in, "emailPattern"), roles(in, "roles"), input.Choice(in, "locale", library.Locales)
	skipInactive := in.Flag("skipInactive")
	return serveImport(x, in, importKind[userimport.Row]{
		Kind: importfile.People(pattern),
		noun: "person",
		fields: func(members map[string]json.RawMessage) userimport.Row {
			row := userRow(members, pattern)
			row.SkipInactive = skipInactive
			return row
		},
		media: errNotTable,
		run: func(ctx context.Context, a library.Actor, rows []userimport.Row, how library.ImportOptions) ([]library.ImportResult, error) {
			locale, err := s.service.LocaleOr(ctx, language)
			if err != nil {
				return nil, err
			}
			in := userimport.New(rows, userimport.Options{ImportOptions: how, Roles: given, Locale: locale}, s.service.Now())
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

// emailPattern reads a pattern for addresses made of columns, or of members of JSON.
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

// userRow is userFields for a row: absent values stay as they are.
func userRow(members map[string]json.RawMessage, pattern userfile.Pattern) userimport.Row {
	in := input.NewFields(members)
	row := userimport.Row{UserFields: userFields(&in)}
	row.Silent, row.Inactive, row.KeepsActive, row.KeepsStation, row.KeepsNote, row.KeepsBlock = false, false, false, false, false, false
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
