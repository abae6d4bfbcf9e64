package storetest

import (
	"strings"
	"testing"

	"example.org/library"
)

func userRoundTrip(t *testing.T, f fixture) {
	users := []library.User{newUser("all@example.com"), newUser("none@example.com"), newUser("long@example.com")}
	users[0].Roles = library.Roles
	users[1].Roles = nil
	users[2].Email = longest(library.MaxEmail-2) + "@x"
	users[2].FirstName, users[2].LastName = longest(library.MaxName), longest(library.MaxName)
	for i, text := range awkward {
		u := newUser(strings.Repeat("x", i) + "'@example.com")
		u.FirstName, u.LastName = text, text
		users = append(users, u)
	}
	for _, u := range users {
		f.addUsers(t, u)
		got, err := f.User(f.ctx, u.ID)
		wantError(t, err, nil)
		wantEqual(t, got, u)
		got, _, err = f.UserByEmail(f.ctx, u.Email)
		wantError(t, err, nil)
		wantEqual(t, got, u)
		f.tx(t, func(tx library.Tx) error {
			got, err := tx.User(f.ctx, u.ID)
			wantEqual(t, got, u)
			return err
		})
	}
}

func userEdit(t *testing.T, f fixture) {
	u := f.addUser(t, "jane@example.com")
	other := f.addUser(t, "other@example.com")
	u.UserFields = library.UserFields{
		Email: "Jane.Austen@example.com", FirstName: "Jane", LastName: "Austen", Roles: []library.Role{library.RoleAdmin},
		Card: "R-1", Locale: "de", Silent: true,
	}
	u.Version = "v2"
	f.tx(t, func(tx library.Tx) error { return tx.UpdateUser(f.ctx, u) })
	got, _, err := f.UserByEmail(f.ctx, "jane.austen@EXAMPLE.com")
	wantError(t, err, nil)
	wantEqual(t, got, u)
	got, err = f.User(f.ctx, other.ID)
	wantError(t, err, nil)
	wantEqual(t, got, other)
	_, _, err = f.UserByEmail(f.ctx, "jane@example.com")
	wantError(t, err, library.ErrUserNotFound)
}

func emailTaken(t *testing.T, f fixture) {
	jane := f.addUser(t, "Jane@Example.com")
	john := f.addUser(t, "john@example.com")
	f.txFails(t, library.ErrEmailTaken, func(tx library.Tx) error { return tx.AddUser(f.ctx, newUser("jANE@eXAMPLE.COM")) })
	same := newUser("third@example.com")
	same.ID = jane.ID
	f.txFails(t, library.ErrIdentifierTaken, func(tx library.Tx) error { return tx.AddUser(f.ctx, same) })

	john.Email = "JANE@example.com"
	f.txFails(t, library.ErrEmailTaken, func(tx library.Tx) error { return tx.UpdateUser(f.ctx, john) })
	jane.Email = "JANE@example.com" // one's own address in another spelling
	f.tx(t, func(tx library.Tx) error { return tx.UpdateUser(f.ctx, jane) })
	got, _, err := f.UserByEmail(f.ctx, "jane@example.com")
	wantError(t, err, nil)
	wantEqual(t, got, jane)
}

func emailLookAlikes(t *testing.T, f fixture) {
	addresses := []string{
		"kelvin@example.com", "\u212aelvin@example.com", // Kelvin sign
		"sam@example.com", "\u017fam@example.com", // long s
		"jose@example.com", "jos\u00e9@example.com", "jose\u0301@example.com", "jos\u00c9@example.com",
		"i@example.com", "\u0130@example.com", "\u0131@example.com",
	}
	for _, address := range addresses {
		f.addUser(t, address)
	}
	for _, address := range addresses {
		u, _, err := f.UserByEmail(f.ctx, address)
		wantError(t, err, nil)
		wantEqual(t, u.Email, address)
	}
}

func userNotFound(t *testing.T, f fixture) {
	missing := newUser("nobody@example.com")
	_, err := f.User(f.ctx, missing.ID)
	wantError(t, err, library.ErrUserNotFound)
	for _, email := range []string{missing.Email, "", "%", "' OR ''='"} {
		_, _, err = f.UserByEmail(f.ctx, email)
		wantError(t, err, library.ErrUserNotFound)
	}
	for _, fn := range []func(library.Tx) error{
		func(tx library.Tx) error { _, err := tx.User(f.ctx, missing.ID); return err },
		func(tx library.Tx) error { return tx.UpdateUser(f.ctx, missing) },
		func(tx library.Tx) error { return tx.DeleteUser(f.ctx, missing.ID) },
	} {
		f.txFails(t, library.ErrUserNotFound, fn)
	}
}
