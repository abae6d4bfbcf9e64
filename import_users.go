package library

// UserKeys says which users the rows of an import may be about.
type UserKeys struct {
	Emails []string // each an EmailKey
	Cards  []string
}

// FoundUsers is the users who have one of some keys.
type FoundUsers struct {
	Users      []User
	OtherAdmin bool // somebody who is not among them has RoleAdmin and is active; only said if one of them has it
}

// UserWrite is a user to add, or to replace.
type UserWrite struct {
	User
	Added bool
}

// Normalized is the fields without white space around them, and everything that is wrong
// with them.
func (f UserFields) Normalized() (UserFields, []Detail) {
	bad := details(f.Normalize())
	return f, bad
}
