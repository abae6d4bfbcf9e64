package library

import (
	"errors"
	"testing"
)

// permissions says which roles have which permission. Roles do not include
// each other.
var permissions = []struct {
	name       string
	permission Permission
	role       Role // "" is every caller
}{
	{"begin", Begin, ""},
	{"read", Read, ""},
	{"lend", Lend, RoleUser},
	{"curate", Curate, RoleCurator},
	{"administer", Administer, RoleAdmin},
}

func TestAStrangerMayBrowseAndNothingElse(t *testing.T) {
	t.Parallel()
	for p := Begin; p <= Serve; p++ {
		if err := Stranger().Authorize(p); (err == nil) != (p == Browse) {
			t.Errorf("permission %d: %v", p, err)
		}
	}
	if err := (Actor{}).Authorize(Browse); err != nil {
		t.Errorf("a user without a role may browse, too: %v", err)
	}
}

func TestAStationMayBeginAndServeWhateverItsToken(t *testing.T) {
	t.Parallel()
	all := Actor{FromRecord: true, Authorities: []string{RoleUser.Authority(), RoleCurator.Authority(), RoleAdmin.Authority()}}
	station := all.WithUser(User{ID: "door", UserFields: UserFields{Station: true, Roles: Roles}})
	if len(station.Authorities) > 0 {
		t.Errorf("it has the authorities %q", station.Authorities)
	}
	for p := Begin; p <= Serve; p++ {
		want := ErrStation
		if p == Begin || p == Serve {
			want = nil
		}
		if err := station.Authorize(p); want == nil && err != nil || want != nil && !errors.Is(err, want) {
			t.Errorf("permission %d of a station: %v", p, err)
		}
		if err := all.Authorize(p); (p == Serve) != errors.Is(err, ErrNoStation) {
			t.Errorf("permission %d of a person: %v", p, err)
		}
	}
}

func TestEachPermissionBelongsToOneRole(t *testing.T) {
	t.Parallel()
	actors := map[Role]Actor{"": {}}
	for _, role := range Roles {
		actors[role] = Actor{Authorities: []string{role.Authority()}}
	}
	for _, p := range permissions {
		for role, actor := range actors {
			may := p.role == "" || p.role == role
			err := actor.Authorize(p.permission)
			if may && err != nil {
				t.Errorf("%q may not %s: %v", role, p.name, err)
			}
			if !may && !errors.Is(err, ErrForbidden) {
				t.Errorf("%q may %s (error %v)", role, p.name, err)
			}
			var e *Error
			if !may && errors.As(err, &e) && (e.Role != p.role || e.Kind != Forbidden) {
				t.Errorf("%s: the refusal names %q, want %q", p.name, e.Role, p.role)
			}
		}
	}
}

func TestOnlyExactAuthoritiesCount(t *testing.T) {
	t.Parallel()
	for _, authority := range []string{
		"LIBRARY_ADMIN", "role_library_admin", "SCOPE_library_admin", "ROLE_LIBRARY_ADMIN ",
		"ROLE_LIBRARY_ADMINS", "ROLE_ADMIN", "ROLE_", "", "ROLE_LIBRARY_ADM\u0131N",
	} {
		if (Actor{Authorities: []string{authority}}).Authorize(Administer) == nil {
			t.Errorf("%q passes for an admin", authority)
		}
	}
}

func TestRoleNames(t *testing.T) {
	t.Parallel()
	if got := RoleAdmin.Authority(); got != "ROLE_LIBRARY_ADMIN" {
		t.Errorf("authority %q", got)
	}
	if got := RoleAdmin.Scope(); got != "library_admin" {
		t.Errorf("scope %q", got)
	}
	u := User{UserFields: UserFields{Roles: []Role{RoleUser, RoleCurator}}}
	if got := u.Authorities(); len(got) != 2 || got[0] != "ROLE_LIBRARY_USER" || got[1] != "ROLE_LIBRARY_CURATOR" {
		t.Errorf("authorities of the record: %q", got)
	}
}

func TestOnlyThoseWhomItConcernsSeeTheBorrower(t *testing.T) {
	t.Parallel()
	const borrower, other = "b", "o"
	book := Book{Stock: Stock{Copies: 1, Lent: 1, Borrowed: true}, Loan: &Loan{ID: "1", Borrower: Person{ID: borrower, FirstName: "Bruce", LastName: "Wayne"}}}
	for _, c := range []struct {
		who  string
		id   string
		role Role
		sees bool
	}{
		{"the borrower", borrower, RoleUser, true},
		{"the borrower without any role", borrower, "", true},
		{"another reader", other, RoleUser, false},
		{"somebody without any role", other, "", false},
		{"a curator", other, RoleCurator, true},
		{"an admin", other, RoleAdmin, true},
	} {
		actor := Actor{User: User{ID: c.id}}
		if c.role != "" {
			actor.Authorities = []string{c.role.Authority()}
		}
		seen := book.SeenBy(actor, monday)
		if !seen.Stock.Borrowed {
			t.Errorf("%s does not see that the book is borrowed", c.who)
		}
		if sees := seen.Loan != nil; sees != c.sees {
			t.Errorf("%s sees the borrower: %v, want %v", c.who, sees, c.sees)
		}
	}
	if book.Loan.Borrower.FirstName != "Bruce" {
		t.Error("hiding the borrower changed the book itself")
	}
}

// Actors with the same view key share cached answers, so equal keys must
// mean equal sight.
func TestViewKeysDifferWhereTheViewDiffers(t *testing.T) {
	t.Parallel()
	actor := func(id string, roles ...Role) Actor {
		a := Actor{User: User{ID: id}}
		for _, r := range roles {
			a.Authorities = append(a.Authorities, r.Authority())
		}
		return a
	}
	if actor("a", RoleUser).ViewKey() == actor("b", RoleUser).ViewKey() {
		t.Error("two readers share a view key, but each sees the own loans")
	}
	if actor("a", RoleUser).ViewKey() == actor("a", RoleCurator).ViewKey() {
		t.Error("a reader and a curator share a view key")
	}
	if actor("a", RoleAdmin).ViewKey() == actor("b", RoleAdmin).ViewKey() {
		t.Error("two admins share a view key, but each sees the own loans")
	}
	if actor("a", RoleAdmin).ViewKey() != actor("a", RoleCurator).ViewKey() {
		t.Error("an admin and a curator see alike, but have different view keys")
	}
}

func TestARecordThatIsTiedToAnotherSubjectIsNotTheActors(t *testing.T) {
	t.Parallel()
	record := func(subject string) User {
		return User{ID: "jane", UserFields: UserFields{Email: "jane@example.com"}, Subject: subject}
	}
	unknown := User{UserFields: UserFields{Email: "jane@example.com"}}
	for _, c := range []struct {
		rule    string
		subject string // of the actor
		was     User   // the record by which the actor was let in
		now     string // to whom the record is tied
		gone    bool
	}{
		{rule: "tied to the actor", subject: "own", was: record("own"), now: "own"},
		{rule: "tied to nobody, then and now", subject: "own", was: record("")},
		{rule: "tied to the actor meanwhile", subject: "own", was: record(""), now: "own"},
		{rule: "tied to somebody else meanwhile", subject: "own", was: record(""), now: "other", gone: true},
		{rule: "tied to somebody else after the actor", subject: "own", was: record("own"), now: "other", gone: true},
		{rule: "untied meanwhile", subject: "own", was: record("own"), gone: true},
		{rule: "tied to nobody, and not loaded before", subject: "own", was: unknown, gone: true},
		{rule: "tied to the actor, and not loaded before", subject: "own", was: unknown, now: "own"},
		{rule: "tied, where subjects do not matter", was: record(""), now: "other"},
	} {
		a := Actor{User: c.was, Subject: c.subject}
		if _, err := a.Reauthorize(record(c.now), Read); errors.Is(err, ErrCallerGone) != c.gone {
			t.Errorf("%s: error %v", c.rule, err)
		}
	}
}
