package storetest

import (
	"slices"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/storetest/fixture"
)

func userRoundTrip(t *testing.T, f fixture.Store) {
	users := []library.User{fixture.NewUser("all@example.com"), fixture.NewUser("none@example.com"), fixture.NewUser("long@example.com")}
	users[0].Roles = library.Roles
	users[1].Roles = nil
	users[2].Email = longest(library.MaxEmail-2) + "@x"
	users[2].FirstName, users[2].LastName = longest(library.MaxName), longest(library.MaxName)
	for i, text := range awkward {
		u := fixture.NewUser(strings.Repeat("x", i) + "'@example.com")
		u.FirstName, u.LastName = text, text
		users = append(users, u)
	}
	for _, u := range users {
		f.AddUsers(t, u)
		got, err := f.User(f.Ctx, u.ID)
		fixture.WantError(t, err, nil)
		fixture.WantEqual(t, got, u)
		got, _, err = f.UserByEmail(f.Ctx, u.Email)
		fixture.WantError(t, err, nil)
		fixture.WantEqual(t, got, u)
		f.InTx(t, func(tx library.Tx) error {
			got, err := tx.User(f.Ctx, u.ID)
			fixture.WantEqual(t, got, u)
			return err
		})
	}
}

func userEdit(t *testing.T, f fixture.Store) {
	u := f.AddUser(t, "jane@example.com")
	other := f.AddUser(t, "other@example.com")
	u.UserFields = library.UserFields{
		Email: "Jane.Austen@example.com", FirstName: "Jane", LastName: "Austen", Roles: []library.Role{library.RoleAdmin},
		Card: "R-1", Locale: "de", Silent: true, Group: "7B", Category: "Pupil", Inactive: true, Station: true,
	}
	u.Version = "v2"
	f.InTx(t, func(tx library.Tx) error { return tx.UpdateUser(f.Ctx, u) })
	got, _, err := f.UserByEmail(f.Ctx, "jane.austen@EXAMPLE.com")
	fixture.WantError(t, err, nil)
	fixture.WantEqual(t, got, u)
	got, err = f.User(f.Ctx, other.ID)
	fixture.WantError(t, err, nil)
	fixture.WantEqual(t, got, other)
	_, _, err = f.UserByEmail(f.Ctx, "jane@example.com")
	fixture.WantError(t, err, library.ErrUserNotFound)
}

func emailTaken(t *testing.T, f fixture.Store) {
	jane := f.AddUser(t, "Jane@Example.com")
	john := f.AddUser(t, "john@example.com")
	f.TxFails(t, library.ErrEmailTaken, func(tx library.Tx) error { return tx.AddUser(f.Ctx, fixture.NewUser("jANE@eXAMPLE.COM")) })
	same := fixture.NewUser("third@example.com")
	same.ID = jane.ID
	f.TxFails(t, library.ErrIdentifierTaken, func(tx library.Tx) error { return tx.AddUser(f.Ctx, same) })

	john.Email = "JANE@example.com"
	f.TxFails(t, library.ErrEmailTaken, func(tx library.Tx) error { return tx.UpdateUser(f.Ctx, john) })
	jane.Email = "JANE@example.com" // one's own address in another spelling
	f.InTx(t, func(tx library.Tx) error { return tx.UpdateUser(f.Ctx, jane) })
	got, _, err := f.UserByEmail(f.Ctx, "jane@example.com")
	fixture.WantError(t, err, nil)
	fixture.WantEqual(t, got, jane)
}

func emailLookAlikes(t *testing.T, f fixture.Store) {
	addresses := []string{
		"kelvin@example.com", "\u212aelvin@example.com", // Kelvin sign
		"sam@example.com", "\u017fam@example.com", // long s
		"jose@example.com", "jos\u00e9@example.com", "jose\u0301@example.com", "jos\u00c9@example.com",
		"i@example.com", "\u0130@example.com", "\u0131@example.com",
	}
	for _, address := range addresses {
		f.AddUser(t, address)
	}
	for _, address := range addresses {
		u, _, err := f.UserByEmail(f.Ctx, address)
		fixture.WantError(t, err, nil)
		fixture.WantEqual(t, u.Email, address)
	}
}

func userNotFound(t *testing.T, f fixture.Store) {
	missing := fixture.NewUser("nobody@example.com")
	_, err := f.User(f.Ctx, missing.ID)
	fixture.WantError(t, err, library.ErrUserNotFound)
	for _, email := range []string{missing.Email, "", "%", "' OR ''='"} {
		_, _, err = f.UserByEmail(f.Ctx, email)
		fixture.WantError(t, err, library.ErrUserNotFound)
	}
	for _, fn := range []func(library.Tx) error{
		func(tx library.Tx) error { _, err := tx.User(f.Ctx, missing.ID); return err },
		func(tx library.Tx) error { return tx.UpdateUser(f.Ctx, missing) },
		func(tx library.Tx) error { return tx.DeleteUser(f.Ctx, missing.ID) },
	} {
		f.TxFails(t, library.ErrUserNotFound, fn)
	}
}

// peopleInGroups tries every list with a filter by group.
func peopleInGroups(t *testing.T, f fixture.Store) {
	groups := []string{"7b", "7B", "\u00dc-Klasse", "\u00fc-klasse", "u-klasse", "U\u0308-KLASSE", "", "7b ", "%", "Stra\u00dfe", "STRASSE"}
	users := make([]library.User, len(groups))
	for i, group := range groups {
		users[i] = fixture.NewUser(string(rune('a'+i)) + "@example.com")
		users[i].Group = group
		f.AddUsers(t, users[i])
		f.Lend(t, f.AddBook(t, "Emma"), users[i])
	}
	for group, want := range map[string][]int{
		"7B": {0, 1}, "\u00dc-KLASSE": {2, 3, 5}, "u-klasse": {4}, "%": {8}, "_b": {}, "strasse": {9, 10}, "7": {}, "": {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
	} {
		of := library.UserQuery{Group: group, Now: fixture.Epoch}
		found, err := f.Users(f.Ctx, of)
		fixture.WantError(t, err, nil)
		readers, err := f.Readers(f.Ctx, library.ReaderQuery{UserQuery: of})
		fixture.WantError(t, err, nil)
		loans, err := f.Loans(f.Ctx, library.LoanQuery{Filter: library.OpenLoans, Group: group, Now: fixture.Epoch})
		fixture.WantError(t, err, nil)
		n, err := f.CountUsers(f.Ctx, of)
		fixture.WantError(t, err, nil)
		m, err := f.CountReaders(f.Ctx, library.ReaderQuery{UserQuery: of})
		fixture.WantError(t, err, nil)
		k, err := f.CountLoans(f.Ctx, library.LoanQuery{Filter: library.OpenLoans, Group: group, Now: fixture.Epoch})
		fixture.WantError(t, err, nil)
		if all := []int{len(found), len(readers), len(loans), n, m, k}; slices.ContainsFunc(all, func(n int) bool { return n != len(want) }) {
			t.Errorf("group %q: users, readers, loans, and how many there are: %v, want %d", group, all, len(want))
		}
		for _, i := range want {
			is := func(id string) bool { return id == users[i].ID }
			if !slices.ContainsFunc(found, func(u library.User) bool { return is(u.ID) && u.Group == groups[i] }) ||
				!slices.ContainsFunc(readers, func(r library.Reader) bool { return is(r.ID) && r.Group == groups[i] }) ||
				!slices.ContainsFunc(loans, func(l library.Loan) bool { return is(l.Borrower.ID) && l.Borrower.Group == groups[i] }) {
				t.Errorf("group %q lacks number %d, or does not name the group", group, i)
			}
		}
	}
}

// peopleWhoAreSwitchedOff asks for people by whether they are let in.
func peopleWhoAreSwitchedOff(t *testing.T, f fixture.Store) {
	on, off, other := fixture.NewUser("a@example.com"), fixture.NewUser("b@example.com"), fixture.NewUser("c@example.com")
	off.Inactive, off.Group, off.LastName = true, "7b", "Off"
	other.Group, other.LastName = "7b", "On"
	f.AddUsers(t, on, off, other)
	for _, c := range []struct {
		q    library.UserQuery
		want []string
	}{
		{library.UserQuery{Active: new(true)}, []string{on.ID, other.ID}},
		{library.UserQuery{Active: new(false)}, []string{off.ID}},
		{library.UserQuery{}, []string{on.ID, off.ID, other.ID}},
		{library.UserQuery{Active: new(true), Group: "7B"}, []string{other.ID}},
		{library.UserQuery{Active: new(false), Terms: library.ParseTerms("off")}, []string{off.ID}},
		{library.UserQuery{Active: new(true), Terms: library.ParseTerms("off")}, nil},
	} {
		c.q.Now = fixture.Epoch
		users, err := f.Users(f.Ctx, c.q)
		fixture.WantError(t, err, nil)
		readers, err := f.Readers(f.Ctx, library.ReaderQuery{UserQuery: c.q})
		fixture.WantError(t, err, nil)
		n, err := f.CountUsers(f.Ctx, c.q)
		fixture.WantError(t, err, nil)
		m, err := f.CountReaders(f.Ctx, library.ReaderQuery{UserQuery: c.q})
		fixture.WantError(t, err, nil)
		fixture.WantEqual(t, []int{len(users), len(readers), n, m}, []int{len(c.want), len(c.want), len(c.want), len(c.want)})
		for i := range min(len(users), len(readers)) {
			if !slices.Contains(c.want, users[i].ID) || !slices.Contains(c.want, readers[i].ID) || readers[i].Inactive != users[i].Inactive {
				t.Errorf("%+v finds %+v and %+v", c.q, users[i], readers[i])
			}
		}
	}
}

func onlyActiveAdmins(t *testing.T, f fixture.Store) {
	admins := []library.User{fixture.NewUser("a@example.com"), fixture.NewUser("b@example.com")}
	for i := range admins {
		admins[i].Roles = []library.Role{library.RoleAdmin}
		f.AddUsers(t, admins[i])
	}
	has := func(want bool) {
		t.Helper()
		f.InTx(t, func(tx library.Tx) error {
			got, err := tx.HasAdmin(f.Ctx, admins[0].ID)
			fixture.WantEqual(t, got, want)
			return err
		})
	}
	has(true)
	admins[1].Station = true
	f.InTx(t, func(tx library.Tx) error { return tx.UpdateUser(f.Ctx, admins[1]) })
	has(false)
	admins[1].Station, admins[1].Inactive = false, true
	f.InTx(t, func(tx library.Tx) error { return tx.UpdateUser(f.Ctx, admins[1]) })
	has(false)
}

func userSubject(t *testing.T, f fixture.Store) {
	jane, john := fixture.NewUser("jane@example.com"), f.AddUser(t, "john@example.com")
	jane.Subject = "s1"
	f.AddUsers(t, jane)
	find := func(subject string, want library.User, failure error) {
		t.Helper()
		for range 2 { // the second may come from a cache
			got, _, err := f.UserBySubject(f.Ctx, subject)
			fixture.WantError(t, err, failure)
			fixture.WantEqual(t, got, want)
		}
	}
	find("s1", jane, nil)
	find("", library.User{}, library.ErrUserNotFound)
	_, _, err := f.UserByEmail(f.Ctx, "s1")
	fixture.WantError(t, err, library.ErrUserNotFound)
	f.TxFails(t, library.ErrSubjectTaken, func(tx library.Tx) error { return tx.BindUser(f.Ctx, john.ID, "s1") })
	other := fixture.NewUser("other@example.com")
	other.Subject = "s1"
	f.TxFails(t, library.ErrSubjectTaken, func(tx library.Tx) error { return tx.AddUser(f.Ctx, other) })
	f.TxFails(t, library.ErrUserNotFound, func(tx library.Tx) error { return tx.BindUser(f.Ctx, library.NewID(), "s3") })

	edited := jane
	edited.Email, edited.Subject, edited.Version = "austen@example.com", "", "v2"
	f.InTx(t, func(tx library.Tx) error { return tx.UpdateUser(f.Ctx, edited) })
	edited.Subject = "s1"
	find("s1", edited, nil)

	f.InTx(t, func(tx library.Tx) error { return tx.BindUser(f.Ctx, john.ID, "s2") })
	john.Subject = "s2"
	find("s2", john, nil)
	f.InTx(t, func(tx library.Tx) error {
		bySubject, byEmail, err := tx.LoginUsers(f.Ctx, "s2", "AUSTEN@example.com")
		fixture.WantEqual(t, bySubject, john)
		fixture.WantEqual(t, byEmail, edited)
		fixture.WantError(t, err, nil)
		bySubject, byEmail, err = tx.LoginUsers(f.Ctx, "s9", "nobody@example.com")
		fixture.WantEqual(t, bySubject, library.User{})
		fixture.WantEqual(t, byEmail, library.User{})
		return err
	})
	f.InTx(t, func(tx library.Tx) error { return tx.BindUser(f.Ctx, john.ID, "") })
	find("s2", library.User{}, library.ErrUserNotFound)
	f.InTx(t, func(tx library.Tx) error { return tx.BindUser(f.Ctx, john.ID, "") }) // again
}
