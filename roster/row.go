package roster

import (
	"slices"
	"strings"

	"example.org/library"
	"example.org/library/internal/validation"
)

// Row is a person as the source of an import describes one. What is empty or nil is
// absent: an import fills in and replaces, it never clears.
type Row struct {
	library.UserFields
	Reminders, Active *bool // instead of Silent and Inactive
	Err               error // why this is no person at all; then the rest is ignored
}

// Check reports everything that is wrong with a row.
func (r Row) Check() []library.Detail {
	if bad := r.normalize(); bad != nil {
		return bad.Details
	}
	return nil
}

// normalize cuts white space and says what is wrong. A row about somebody who is there
// needs no name.
func (r *Row) normalize() *library.Error {
	fields, bad := r.UserFields.Normalized()
	bad = slices.DeleteFunc(bad, func(d library.Detail) bool { return d.Code == validation.CodeRequired && d.Field != "email" })
	if strings.TrimSpace(r.Locale) == "" {
		fields.Locale = "" // and not the first of the locales: what is absent stays as it is
	}
	r.UserFields = fields
	switch {
	case len(bad) == 0:
		return nil
	case fields.Email == "":
		return withDetails(library.ErrNoAddress, bad)
	}
	return withDetails(errInvalid, bad)
}

// errInvalid is about a row that is no person.
var errInvalid = &library.Error{Kind: library.Invalid, Code: library.ErrInvalid.Code, Message: "The person is not valid."}

func withDetails(err *library.Error, details []library.Detail) *library.Error {
	e := *err
	e.Details = details
	return &e
}

// field is one of the texts that rows have of a user.
type field struct {
	name string
	of   func(*library.UserFields) *string
}

var texts = []field{
	{"email", func(f *library.UserFields) *string { return &f.Email }},
	{"firstName", func(f *library.UserFields) *string { return &f.FirstName }},
	{"lastName", func(f *library.UserFields) *string { return &f.LastName }},
	{"card", func(f *library.UserFields) *string { return &f.Card }},
	{"locale", func(f *library.UserFields) *string { return &f.Locale }},
	{"group", func(f *library.UserFields) *string { return &f.Group }},
}

// differs reports whether a text is given and is not what it was. The same address in
// another spelling is no difference.
func (f field) differs(given, was string) bool {
	if f.name == "email" {
		given, was = library.EmailKey(given), library.EmailKey(was)
	}
	return given != "" && given != was
}

// over puts what the row gives, and says otherwise, in the place of what was. It names the
// fields.
func (r Row) over(f library.UserFields) (out library.UserFields, names []string) {
	for _, text := range texts {
		given, was := *text.of(&r.UserFields), text.of(&f)
		if text.differs(given, *was) {
			*was, names = given, append(names, text.name)
		}
	}
	if len(r.Roles) > 0 && !slices.Equal(r.Roles, f.Roles) {
		f.Roles, names = r.Roles, append(names, "roles")
	}
	if r.Reminders != nil && *r.Reminders == f.Silent {
		f.Silent, names = !f.Silent, append(names, "reminders")
	}
	if r.Active != nil && *r.Active == f.Inactive {
		f.Inactive, names = !f.Inactive, append(names, "active")
	}
	return f, names
}

// given names the fields that the row gives.
func (r Row) given() (names []string) {
	_, names = r.over(library.UserFields{})
	for name, flag := range map[string]*bool{"reminders": r.Reminders, "active": r.Active} {
		if flag != nil {
			names = append(names, name)
		}
	}
	return names
}
