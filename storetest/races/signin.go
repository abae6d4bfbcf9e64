package races

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/service"
	"example.org/library/signin"
	"example.org/library/storetest/fixture"
)

// newcomer is a login of somebody who has no record yet.
func newcomer(email, subject string) signin.Login {
	return signin.Login{
		Email: email, Subject: subject, Verified: true, Authorities: []string{library.RoleUser.Authority()}, GivenName: "Jane", FamilyName: "Austen",
	}
}

// twoAdmissions let callers in through two handles.
func twoAdmissions(t *testing.T, f fixture.Store, rules signin.Rules) (all []*signin.SignIn) {
	t.Helper()
	for _, store := range []library.Store{f.Store, f.Open(t)} {
		all = append(all, signin.New(service.New(store), store, rules))
	}
	return all
}

func raceToArrive(t *testing.T, f fixture.Store) {
	ctx := library.WithStoreTimeout(f.Ctx, time.Minute) // a busy machine is no broken database
	for _, rules := range []signin.Rules{{Provisions: true}, {Provisions: true, Binds: true}} {
		services := twoAdmissions(t, f, rules)
		login := newcomer(fmt.Sprintf("jane%t@example.com", rules.Binds), signin.SubjectKey("issuer", "jane"))
		var all sync.Map
		fixture.Concurrently(1000, func(i int) {
			var u library.User
			err := fixture.RetryUnavailable(func() (err error) { u, _, err = services[i%2].Admit(ctx, login, nil); return err })
			if err != nil {
				t.Errorf("Admit: %v", err)
			}
			all.Store(u.ID, nil)
		})
		records := 0
		all.Range(func(any, any) bool { records++; return true })
		if users, err := f.Users(f.Ctx, library.UserQuery{Terms: library.ParseTerms(login.Email)}); records != 1 || len(users) != 1 || err != nil {
			t.Errorf("binds %t: %d records were found, %d are there, error %v", rules.Binds, records, len(users), err)
		}
	}
}

func raceForOneRecord(t *testing.T, f fixture.Store) {
	services := twoAdmissions(t, f, signin.Rules{Binds: true, Provisions: true})
	for round := range 10 {
		u := f.AddUser(t, fmt.Sprintf("jane%d@example.com", round))
		logins := []signin.Login{newcomer(u.Email, signin.SubjectKey("a", fmt.Sprint(round))), newcomer(u.Email, signin.SubjectKey("b", fmt.Sprint(round)))}
		var mu sync.Mutex
		let := map[string]int{}
		fixture.Concurrently(20, func(i int) {
			got, _, err := services[i/2%2].Admit(f.Ctx, logins[i%2], nil)
			if err != nil && !errors.Is(err, signin.ErrSubjectConflict) || err == nil && got.ID != u.ID {
				t.Errorf("got %+v and error %v", got, err)
			}
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				let[logins[i%2].Subject]++
			}
		})
		got, err := f.User(f.Ctx, u.ID)
		fixture.WantError(t, err, nil)
		if len(let) != 1 || let[got.Subject] != 10 {
			t.Errorf("let in: %v; tied to %q", let, got.Subject)
		}
	}
}

// raceForOneAddress lets two people come under one new address at once.
func raceForOneAddress(t *testing.T, f fixture.Store) {
	services := twoAdmissions(t, f, signin.Rules{Binds: true, Provisions: true})
	for round := range 10 {
		var users [2]library.User
		for i := range users {
			subject := signin.SubjectKey("issuer", fmt.Sprint(round, i))
			u, _, err := services[i].Admit(f.Ctx, newcomer(fmt.Sprintf("person%d.%d@example.com", round, i), subject), nil)
			fixture.WantError(t, err, nil)
			users[i] = u
		}
		wanted := fmt.Sprintf("new%d@example.com", round)
		fixture.Concurrently(20, func(i int) {
			got, _, err := services[i/2%2].Admit(f.Ctx, newcomer(wanted, users[i%2].Subject), nil)
			if err != nil || got.ID != users[i%2].ID {
				t.Errorf("number %d: got %+v and error %v", i, got, err)
			}
		})
		holder, _, err := f.UserByEmail(f.Ctx, wanted)
		fixture.WantError(t, err, nil)
		for _, u := range users {
			now, err := f.User(f.Ctx, u.ID)
			fixture.WantError(t, err, nil)
			if now.Subject != u.Subject || u.ID != holder.ID && now.Email != u.Email {
				t.Errorf("%+v has become %+v", u, now)
			}
		}
	}
}
