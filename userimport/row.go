package userimport

import (
	"slices"

	"example.org/library"
	"example.org/library/internal/validation"
)

// Row describes a person in the source of an import. Empty and nil fields are absent: an import fills
// in and replaces, it never clears.
type Row struct {
	library.UserFields
	Reminders, Active *bool // instead of Silent and Inactive
	SkipInactive      bool  // leave an inactive person out, unless the library has them
	Err               error // the reason it is no person; then the rest is ignored
}

// isGone reports whether the row has an inactive person, not to be added.
func (r Row) isGone() bool { return r.SkipInactive && r.Active != nil && !*r.Active }

// withRoles returns the row with the roles of the import if neither the row nor the user has
// any and the import may change them.
func (r Row) withRoles(u library.User, how Options) Row {
	if how.Update && !u.Managed && len(r.Roles)+len(u.Roles) == 0 {
		r.Roles = how.Roles
	}
	return r
}

// Check returns all faults of a row.
func (r Row) Check() []library.Detail {
	if bad := r.normalize(); bad != nil {
		return bad.Details
	}
	return nil
}

// normalize trims the fields and returns all their faults. A row about an existing user needs no name.
func (r *Row) normalize() *library.Error {
	fields, bad := r.UserFields.Normalized()
	bad = slices.DeleteFunc(bad, func(d library.Detail) bool { return d.Code == validation.CodeRequired && d.Field != "email" })
	r.UserFields = fields
	switch {
	case len(bad) == 0:
		return nil
	case fields.Email == "":
		return withDetails(library.ErrNoAddress, bad)
	}
	return withDetails(errInvalid, bad)
}

// errInvalid is the error of a row that is no person.
var errInvalid = &library.Error{Kind: library.Invalid, Code: library.ErrInvalid.Code, Message: "The person is not valid."}

func withDetails(err *library.Error, details []library.Detail) *library.Error {
	e := *err
	e.Details = details
	return &e
}

// field is a text of a user in rows.
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
	{"category", func(f *library.UserFields) *string { return &f.Category }},
	{"note", func(f *library.UserFields) *string { return &f.Note }},
	{"block", func(f *library.UserFields) *string { return &f.Block }},
}

// differs reports whether a text is given and has another value than before. Another spelling of the
// same address or category is no difference.
func (f field) differs(given, was string) bool {
	switch f.name {
	case "email":
		given, was = library.EmailKey(given), library.EmailKey(was)
	case "category":
		given, was = library.CategoryKey(given), library.CategoryKey(was)
	}
	return given != "" && given != was
}

// over replaces the fields with another value in the row, and returns their names.
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

// given returns the names of the fields in the row.
func (r Row) given() (names []string) {
	_, names = r.over(library.UserFields{})
	for name, flag := range map[string]*bool{"reminders": r.Reminders, "active": r.Active} {
		if flag != nil {
			names = append(names, name)
		}
	}
	return names
}
