package importfile

import (
	"io"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/internal/table"
	"example.org/library/userfile"
	"example.org/library/userimport"
)

// People is the files of people. The pattern makes missing addresses.
func People(pattern userfile.Pattern) Kind[userimport.Row] {
	return Kind[userimport.Row]{
		size:    library.ErrUserImportSize,
		Invalid: func(err error) userimport.Row { return userimport.Row{Err: err} },
		open: func(in io.Reader, o table.Options) (source[userimport.Row], error) {
			return openPeople(in, userfile.Options{Options: o, Pattern: pattern})
		},
	}
}

// openPeople reads the people of a CSV file.
func openPeople(in io.Reader, o userfile.Options) (source[userimport.Row], error) {
	file, err := userfile.NewReader(in, o)
	if err != nil {
		return source[userimport.Row]{}, err
	}
	return source[userimport.Row]{file.Reader, func() (userimport.Row, api.ImportResult, error) {
		row, err := file.Read()
		u := row.User
		roles := make([]library.Role, len(u.Roles))
		for i, name := range u.Roles {
			roles[i] = library.Role(name)
		}
		return userimport.Row{
			UserFields: library.UserFields{
				Email: u.Email, FirstName: u.FirstName, LastName: u.LastName, Card: u.Card, Group: u.Group, Category: u.Category, Locale: u.Locale,
				Roles: roles, Note: u.Note, Block: u.Block,
			},
			Reminders: u.Reminders, Active: u.Active, SkipInactive: file.IsOneRoster(),
		}, api.ImportResult{Line: row.Line, User: &u}, err
	}}, nil
}
