package storetest

import (
	"fmt"
	"testing"

	"example.org/library"
	"example.org/library/service"
	"example.org/library/storetest/fixture"
	"example.org/library/userimport"
)

func admin(t testing.TB, f fixture.Store) library.Actor {
	t.Helper()
	a := f.Curator(t)
	a.Authorities = append(a.Authorities, library.RoleAdmin.Authority())
	return a
}

// usersAreFound looks for users by address and by card, inside a transaction and outside.
func usersAreFound(t *testing.T, f fixture.Store) {
	users := []library.User{f.AddUser(t, "Ada@example.com"), f.AddUser(t, "bob@example.com"), f.AddUser(t, "cy@example.com")}
	users[1].Card = "C-1"
	users[2].Roles, users[2].Inactive = []library.Role{library.RoleAdmin}, true
	f.InTx(t, func(tx library.Tx) error { return tx.UpdateUser(f.Ctx, users[1]) })
	f.InTx(t, func(tx library.Tx) error { return tx.UpdateUser(f.Ctx, users[2]) })
	keys := library.UserKeys{Emails: []string{"ada@example.com", "cy@example.com", "nobody@example.com"}, Cards: []string{"C-1", "C-2"}}
	check := func(find func() (library.FoundUsers, error), otherAdmin bool) {
		t.Helper()
		found, err := find()
		fixture.WantError(t, err, nil)
		emails := map[string]bool{}
		for _, u := range found.Users {
			emails[u.Email] = true
		}
		fixture.WantEqual(t, emails, map[string]bool{"Ada@example.com": true, "bob@example.com": true, "cy@example.com": true})
		fixture.WantEqual(t, found.OtherAdmin, otherAdmin)
	}
	check(func() (library.FoundUsers, error) { return f.FindUsers(f.Ctx, keys) }, false)
	other := f.AddUser(t, "other@example.com")
	other.Roles = []library.Role{library.RoleUser, library.RoleAdmin}
	f.InTx(t, func(tx library.Tx) error { return tx.UpdateUser(f.Ctx, other) })
	f.InTx(t, func(tx library.Tx) error {
		check(func() (library.FoundUsers, error) { return tx.FindUsers(f.Ctx, keys) }, true)
		return nil
	})
	nobody, err := f.FindUsers(f.Ctx, library.UserKeys{})
	fixture.WantError(t, err, nil)
	fixture.WantEqual(t, len(nobody.Users), 0)
}

// peopleAreImported imports more people than one transaction takes, and again; what
// breaks off is finished by the same import.
func peopleAreImported(t *testing.T, f fixture.Store) {
	const size = 450
	a := admin(t, f)
	var rows []userimport.Row
	for i := range size {
		rows = append(rows, userimport.Row{UserFields: library.UserFields{Email: fmt.Sprintf("p%d@example.com", i), FirstName: "P", LastName: fmt.Sprint(i), Group: fmt.Sprint(i % 7), Card: fmt.Sprintf("P-%d", i)}})
	}
	run := func(store library.Store, how library.ImportOptions) (map[library.ImportOutcome]int, error) {
		t.Helper()
		lib := service.New(store)
		results, err := lib.ImportUsers(f.Ctx, a, userimport.New(rows, userimport.Options{ImportOptions: how}, lib.Now()), how.DryRun)
		outcomes := map[library.ImportOutcome]int{}
		for _, r := range results {
			outcomes[r.Outcome]++
		}
		return outcomes, err
	}
	expect := func(how library.ImportOptions, want map[library.ImportOutcome]int) {
		t.Helper()
		got, err := run(f.Store, how)
		fixture.WantError(t, err, nil)
		fixture.WantEqual(t, got, want)
	}
	expect(library.ImportOptions{DryRun: true}, map[library.ImportOutcome]int{library.ImportAdded: size})
	_, err := run(&countingStore{Store: f.Store, allowed: 1, then: fmt.Errorf("broken: %w", library.ErrUnavailable)}, library.ImportOptions{})
	fixture.WantError(t, err, library.ErrImportBrokeOff)
	expect(library.ImportOptions{}, map[library.ImportOutcome]int{library.ImportAdded: size - 200, library.ImportUnchanged: 200})
	before := f.RevisionOf(t, f, a.User.Email)
	expect(library.ImportOptions{Update: true}, map[library.ImportOutcome]int{library.ImportUnchanged: size})
	if after := f.RevisionOf(t, f, a.User.Email); after != before {
		t.Error("an import that changes nothing changes the revision")
	}
	rows[size-1].Active = new(false)
	expect(library.ImportOptions{Update: true}, map[library.ImportOutcome]int{library.ImportUnchanged: size - 1, library.ImportUpdated: 1})
	n, err := f.CountUsers(f.Ctx, library.UserQuery{Group: "3"})
	fixture.WantError(t, err, nil)
	fixture.WantEqual(t, n, size/7)
}
