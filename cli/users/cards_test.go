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

func TestEverybodyGetsACardOnce(t *testing.T) {
	t.Parallel()
	a := newAdmin(t)
	if code, _, stderr := a.run(t, "cards", "--first", "S"); code != 2 || !strings.Contains(stderr, "must be a card number that ends with digits") {
		t.Errorf("%d %s", code, stderr)
	}
	code, stdout, stderr := a.run(t, "cards", "--first", "S-0001", "--dry-run")
	if code != 0 || !strings.Contains(stdout, "S-0001\t") || stderr != "" {
		t.Fatalf("%d\n%s%s", code, stdout, stderr)
	}
	again, stdoutAgain, stderr := a.run(t, "cards", "--first", "S-0001", "--yes")
	if again != 0 || stdoutAgain != stdout || !strings.Contains(stderr, "Gave a card to ") {
		t.Fatalf("%d\n%s%s", again, stdoutAgain, stderr)
	}
	if code, stdout, stderr = a.run(t, "cards", "--yes"); code != 0 || stdout != "" || !strings.Contains(stderr, "Everybody has a card.") {
		t.Errorf("%d\n%s%s", code, stdout, stderr)
	}
}
