package users

import (
	"strings"
	"testing"

	"example.org/library/api"
	"example.org/library/internal/testkit"
)

func TestCardsAreNumberedGroupByGroupAfterTheHighest(t *testing.T) {
	t.Parallel()
	all := []api.User{
		{Email: "a", Group: "7b", Active: true}, {Email: "b", Group: "", Active: true}, {Email: "c", Group: "7A", Active: true},
		{Email: "d", Group: "7a", Card: "S-0041", Active: true}, {Email: "e", Group: "7a", Card: "X-9999", Active: true},
		{Email: "f", Group: "7a", Active: false}, {Email: "service-account-x", Active: true}, {Email: "g", Group: "7a", Active: true},
	}
	for _, c := range []struct{ first, group, want string }{
		{"S-0001", "", "c S-0042, g S-0043, a S-0044, b S-0045"},
		{"S-0100", "7A", "c S-0100, g S-0101"},
		{"9", "7b", "a 9"},
		{"X-1", "7b", "a X-10000"},
	} {
		numbered, err := cardOptions{first: c.first, group: c.group}.number(all)
		testkit.NoError(t, err)
		var got []string
		for _, u := range numbered {
			got = append(got, u.Email+" "+u.Card)
		}
		testkit.Equal(t, strings.Join(got, ", "), c.want, c.first)
	}
	classes, err := cardOptions{first: "1"}.number([]api.User{{Email: "ten", Group: "10a", Active: true}, {Email: "nine", Group: "9a", Active: true}, {Email: "none", Active: true}})
	testkit.NoError(t, err)
	testkit.Equal(t, classes[0].Email+" "+classes[1].Email+" "+classes[2].Email, "nine ten none", "as overdue loans are printed")
	if _, err := (cardOptions{first: "S-99999999999999999999"}).number(all); err == nil {
		t.Error("a number without an end is taken")
	}
}
