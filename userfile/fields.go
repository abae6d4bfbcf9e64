package userfile

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"example.org/library/internal/table"
)

// field describes a field of a person in a file: a text, a list of texts, or yes or no.
type field struct {
	name     string   // a member of JSON
	heading  string   // of a column when writing
	headings []string // other headings of columns, as table.Plain makes them
	spare    []string // headings of columns to read only if no other column has the field
	text     func(*User) *string
	list     func(*User) *[]string
	flag     func(*User) **bool
	read     func(cell string) string // returns the value in a cell; nil to take the whole cell
}

// The fields with rules of their own for reading them, or looked for by name.
const (
	fieldEmail     = "email"
	fieldFirstName = "firstName"
	fieldLastName  = "lastName"
	fieldCard      = "card"
	fieldGroup     = "group"
	fieldRoles     = "roles"
	fieldLocale    = "locale"
	fieldActive    = "active"
)

// fields lists every field, in the order of the columns.
var fields = []field{
	{name: fieldEmail, heading: "email", headings: []string{"mail", "emailaddress", "mailaddress", "emailadresse", "mailadresse"}, text: func(u *User) *string { return &u.Email }, read: emailOf},
	{name: fieldFirstName, heading: "first name", headings: []string{"givenname", "forename", "vorname", "vornamen", "rufname"}, text: func(u *User) *string { return &u.FirstName }},
	{name: fieldLastName, heading: "last name", headings: []string{"familyname", "surname", "nachname", "familienname", "zuname"}, spare: []string{"name"}, text: func(u *User) *string { return &u.LastName }},
	{name: fieldCard, heading: "card", headings: []string{"cardnumber", "librarycard", "ausweisnummer", "ausweis", "kartennummer"}, spare: []string{"identifier"}, text: func(u *User) *string { return &u.Card }},
	{name: fieldGroup, heading: "group", headings: []string{"class", "department", "gruppe", "klasse", "klassenbezeichnung", "abteilung"}, spare: []string{"grades"}, text: func(u *User) *string { return &u.Group }},
	{name: "category", heading: "category", headings: []string{"kategorie"}, text: func(u *User) *string { return &u.Category }},
	{name: fieldRoles, heading: "roles", headings: []string{"rollen"}, list: func(u *User) *[]string { return &u.Roles }},
	{name: fieldLocale, heading: "locale", headings: []string{"language", "sprache"}, text: func(u *User) *string { return &u.Locale }, read: localeOf},
	{name: "reminders", heading: "reminders", headings: []string{"erinnerungen"}, flag: func(u *User) **bool { return &u.Reminders }},
	{name: fieldActive, heading: "active", headings: []string{"aktiv", "enableduser", "status"}, flag: func(u *User) **bool { return &u.Active }},
	{name: "note", heading: "note", headings: []string{"notiz", "bemerkung"}, text: func(u *User) *string { return &u.Note }},
	{name: "block", heading: "block", headings: []string{"sperre", "sperrgrund"}, text: func(u *User) *string { return &u.Block }},
}

// Fields lists the names of the fields, in the order of the columns.
var Fields = func() (names []string) {
	for _, f := range fields {
		names = append(names, f.name)
	}
	return names
}()

// headings maps the headings of columns, as table.Plain makes them, to fields. spares has
// the headings of columns to read only if no other column has the field.
var headings, spares = func() (all, spare map[string]string) {
	all, spare = map[string]string{}, map[string]string{}
	for _, f := range fields {
		all[table.Plain(f.heading)] = f.name
		for _, heading := range f.headings {
			all[heading] = f.name
		}
		for _, heading := range f.spare {
			spare[heading] = f.name
		}
	}
	return all, spare
}()

// fieldNamed returns the field with a name, or nil for an ignored column.
func fieldNamed(name string) *field {
	if i := slices.IndexFunc(fields, func(f field) bool { return f.name == name }); i >= 0 {
		return &fields[i]
	}
	return nil
}

// cell returns the field of a person as a cell of a CSV file.
func (f *field) cell(u *User) string {
	switch {
	case f.text != nil:
		return *f.text(u)
	case f.list != nil:
		return strings.Join(*f.list(u), ", ")
	case *f.flag(u) != nil:
		return strconv.FormatBool(**f.flag(u))
	}
	return ""
}

// readCell sets the field of a person to the value of a cell of a CSV file, or returns
// why it cannot. A nil field or an empty cell sets nothing.
func (f *field) readCell(u *User, cell string) reason {
	switch {
	case f == nil || cell == "":
	case f.name == fieldCard && table.IsCutShort(cell):
		return reason{Code: "card_cut_short", Text: "has " + table.Shortened(cell) + " for a card: a spreadsheet has cut the number short; format the column as text and enter it again"}
	case f.text != nil && f.read != nil:
		*f.text(u) = f.read(cell)
	case f.text != nil:
		*f.text(u) = cell
	case f.list != nil:
		*f.list(u) = append(*f.list(u), rolesOf(cell)...)
	default:
		return readFlag(f.flag(u), f.heading, cell)
	}
	return reason{}
}

// readJSON sets the field of a person to the value of a member, or returns why it
// cannot. Null counts as an absent member.
func (f *field) readJSON(u *User, value json.RawMessage) reason {
	switch {
	case f.list != nil:
		texts, is := table.Texts(value)
		if !is {
			return notAPerson(f.name + " is not an array of texts")
		}
		*f.list(u) = texts
	case f.text != nil && json.Unmarshal(value, f.text(u)) != nil:
		return notAPerson(f.name + " is not a text")
	case f.flag != nil && json.Unmarshal(value, f.flag(u)) != nil:
		return notAPerson(f.name + " is neither true nor false")
	}
	return reason{}
}

func notAPerson(text string) reason { return reason{Code: "not_a_person", Text: text} }
