package cli

import (
	"strings"
	"testing"

	"example.org/library/cli/clitest"
	"example.org/library/client"
	"example.org/library/internal/testkit"
	"example.org/library/signin"
)

func TestBeforeSomebodyIsRemovedWhoWouldComeBackThatIsSaid(t *testing.T) {
	t.Parallel()
	const warning = "Bruce Wayne comes back with the next login"
	for rule, c := range map[string]struct {
		rules          signin.Rules
		typed          string
		args           []string
		warns          bool
		active, exists bool
	}{
		"switched off instead":       {signin.Rules{Provisions: true}, "y\n", nil, true, false, true},
		"removed all the same":       {signin.Rules{Provisions: true}, "n\ny\n", nil, true, false, false},
		"neither":                    {signin.Rules{Provisions: true}, "n\nn\n", nil, true, true, true},
		"without questions":          {signin.Rules{Provisions: true}, "", []string{"--yes"}, true, false, false},
		"where only admins add them": {signin.Rules{}, "y\n", nil, false, false, false},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			w := clitest.NewWorldWith(t, c.rules)
			admins := w.Client(t, clitest.Admin, "library_admin")
			_, shown := w.Typing(t, program, c.typed, append([]string{"users", "remove", clitest.Reader}, c.args...)...)
			if strings.Contains(strings.Join(strings.Fields(shown), " "), warning) != c.warns {
				t.Errorf("it says:\n%s", shown)
			}
			page, err := admins.Users(t.Context(), client.UserQuery{Words: clitest.Reader})
			testkit.NoError(t, err)
			if (len(page.Items) == 1) != c.exists || c.exists && page.Items[0].Active != c.active {
				t.Errorf("the user is %+v\n%s", page.Items, shown)
			}
		})
	}
}

func TestBeforeSomebodyIsRemovedWhoIsSwitchedOffItIsSaidThatTheyComeBack(t *testing.T) {
	t.Parallel()
	for _, provisions := range []bool{true, false} {
		w := clitest.NewWorldWith(t, signin.Rules{Provisions: provisions})
		if code, _, stderr := w.As(t, program, clitest.Admin, "library_admin", "", "users", "deactivate", clitest.Reader); code != 0 {
			t.Fatal(stderr)
		}
		_, shown := w.Typing(t, program, "n\n", "users", "remove", clitest.Reader)
		said := strings.Join(strings.Fields(shown), " ")
		if strings.Contains(said, "once removed comes back with the next login") != provisions || strings.Contains(said, "Switch off instead?") || !strings.Contains(said, "Nobody was removed.") {
			t.Errorf("%v: it says:\n%s", provisions, shown)
		}
	}
}
