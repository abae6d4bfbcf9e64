package importfile

import (
	"io"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/internal/table"
	"example.org/library/roster"
	"example.org/library/userfile"
)

// People is the files of people. The pattern makes addresses of those who have none.
func People(pattern userfile.Pattern) Kind[roster.Row] {
	return Kind[roster.Row]{
		size:    library.ErrUserImportSize,
		Invalid: func(err error) roster.Row { return roster.Row{Err: err} },
		open: func(in io.Reader, o table.Options) (source[roster.Row], error) {
			return openPeople(in, userfile.Options{Options: o, Pattern: pattern})
		},
	}
}

// openPeople reads the people of a CSV file.
func openPeople(in io.Reader, o userfile.Options) (source[roster.Row], error) {
	file, err := userfile.NewReader(in, o)
	if err != nil {
		return source[roster.Row]{}, err
	}
	return source[roster.Row]{file.Reader, func() (roster.Row, api.ImportResult, error) {
		row, err := file.Read()
		u := row.User
		roles := make([]library.Role, len(u.Roles))
		for i, name := range u.Roles {
			roles[i] = library.Role(name)
		}
		return roster.Row{
			UserFields: library.UserFields{
				Email: u.Email, FirstName: u.FirstName, LastName: u.LastName, Card: u.Card, Group: u.Group, Locale: u.Locale,
				Roles: roles,
			},
			Reminders: u.Reminders, Active: u.Active,
		}, api.ImportResult{Line: row.Line, User: &u}, err
	}}, nil
}
