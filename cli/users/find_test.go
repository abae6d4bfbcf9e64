package users

import (
	"context"
	"strings"
	"testing"

	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
	"example.org/library/client"
)

func TestUserIsFoundByWhatAPersonCallsThem(t *testing.T) {
	t.Parallel()
	w := clitest.NewWorld(t)
	c := w.Client(t, clitest.Admin, "library_admin")
	if _, err := c.AddUser(t.Context(), client.UserFields{Email: "bruce@example.com", FirstName: "Bruce", LastName: "Wayne-Kane", Card: "R0001"}); err != nil {
		t.Fatal(err)
	}
	const wayne = "c47641ee-e63c-4c13-8cd2-1c2490aee0b3"
	alsoCurator := w.Client(t, clitest.Admin, "library_admin library_curator") // may ask for a card
	if u, err := usersByCard(t.Context(), alsoCurator, "R0001"); err != nil || len(u) != 1 || u[0].Email != "bruce@example.com" {
		t.Errorf("%v %v", u, err)
	}
	for _, rule := range []struct {
		rule, name, want string
		code             int
	}{
		{"identifier", wayne, wayne, 0},
		{"beginning of an identifier", "c47641", wayne, 0},
		{"e-mail address", "bruce.wayne@example.com", wayne, 0},
		{"e-mail address in another case", "Bruce.Wayne@Example.com", wayne, 0},
		{"e-mail address of nobody", "bruce.w@example.com", "There is no user", command.ExitNotFound},
		{"whole name goes before a longer one", "bruce wayne", wayne, 0},
		{"last name first", "Wayne, Bruce", wayne, 0},
		{"name of several", "bruce", "more than one user", command.ExitFailed},
		{"card", "R0001", "bruce@example.com", 0},
		{"beginning of a card", "R000", "bruce@example.com", 0},
		{"words of one", "parker", "40c5ad0d-41f7-494b-8157-33fad16012aa", 0},
		{"nobody", "joker", "There is no user", command.ExitNotFound},
	} {
		t.Run(rule.rule, func(t *testing.T) {
			t.Parallel()
			a, said := clitest.NewApp()
			u, err := userFinder(a, c).Find(context.Background(), rule.name)
			switch {
			case command.ExitCode(err) != rule.code:
				t.Errorf("exit code %d, want %d: %v", command.ExitCode(err), rule.code, err)
			case err == nil && u.Identifier != rule.want && u.Email != rule.want:
				t.Errorf("it is %s", u.Email)
			case err != nil && !strings.Contains(err.Error(), rule.want):
				t.Errorf("it says %q", err)
			case rule.code == command.ExitFailed && strings.Count(said.String(), "\n") < 2:
				t.Errorf("the choices are %q", said)
			}
		})
	}
}
