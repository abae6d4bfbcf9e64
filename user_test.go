package library

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestTheRulesOfEditingUsers(t *testing.T) {
	t.Parallel()
	old := User{ID: "jane", UserFields: UserFields{Email: "jane@example.com", FirstName: "Jane", LastName: "A", Roles: []Role{RoleUser}}, Version: "1"}
	for _, c := range []struct {
		rule  string
		roles []Role
		pre   Precondition
		want  []Role
		err   error
	}{
		{rule: "roles that are not mentioned stay", want: []Role{RoleUser}},
		{rule: "roles are replaced", roles: []Role{RoleAdmin}, want: []Role{RoleAdmin}},
		{rule: "an empty list takes all roles away", roles: []Role{}, want: []Role{}},
		{rule: "a caller who has read the record as it is may edit it", pre: sameVersion("1"), want: []Role{RoleUser}},
		{rule: "a caller who has read it before another edit may not", pre: sameVersion("0"), err: ErrOutdated},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			got, err := old.Edited(UserFields{Email: "j@example.com", FirstName: "J", LastName: "B", Roles: c.roles}, c.pre)
			if !errors.Is(err, c.err) {
				t.Fatalf("error %v, want %v", err, c.err)
			}
			if c.err != nil {
				return
			}
			want := User{ID: "jane", UserFields: UserFields{Email: "j@example.com", FirstName: "J", LastName: "B", Roles: c.want}}
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(User{}, "Version")); diff != "" || got.Version == old.Version {
				t.Errorf("version %q; (-want +got)\n%s", got.Version, diff)
			}
		})
	}
}

func TestTheRulesOfRemovingUsers(t *testing.T) {
	t.Parallel()
	u := User{ID: "jane", Version: "1"}
	jane, john := Actor{User: u}, Actor{User: User{ID: "john"}}
	for _, c := range []struct {
		rule     string
		by       Actor
		hasLoans bool
		pre      Precondition
		want     error
	}{
		{rule: "a user without books is removed", by: john},
		{rule: "nobody removes their own account", by: jane, want: ErrOwnAccount},
		{rule: "a user with books is not removed", by: john, hasLoans: true, want: ErrUserHasBooks},
		{rule: "nor one who was edited since the admin looked", by: john, pre: sameVersion("0"), want: ErrOutdated},
	} {
		if err := u.MayBeRemoved(c.by, c.hasLoans, c.pre); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.rule, err, c.want)
		}
	}
}
