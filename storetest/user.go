package storetest

import (
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
		Card: "R-1", Locale: "de", Silent: true,
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
