package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/creack/pty"

	"example.org/library/admission"
	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/testkit"
)

// answering runs a command as an admin at a terminal who types something.
func answering(t *testing.T, w *clitest.World, typed string, args ...string) (code int, shown string) {
	t.Helper()
	keys, tty, err := pty.Open()
	testkit.NoError(t, err)
	defer keys.Close()
	var text bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		io.Copy(&text, keys) // fails when the terminal is closed
	}()
	testkit.NoError(t, testkit.Err(io.WriteString(keys, typed)))
	code = w.At(t, program, clitest.Admin, "library_admin", tty, args...)
	tty.Close()
	<-read
	return code, text.String()
}

func TestBeforeSomebodyIsRemovedWhoWouldComeBackThatIsSaid(t *testing.T) {
	t.Parallel()
	const warning = "Bruce Wayne comes back with the next login"
	for rule, c := range map[string]struct {
		rules          admission.Rules
		typed          string
		args           []string
		warns          bool
		active, exists bool
	}{
		"switched off instead":       {admission.Rules{Provisions: true}, "y\n", nil, true, false, true},
		"removed all the same":       {admission.Rules{Provisions: true}, "n\ny\n", nil, true, false, false},
		"neither":                    {admission.Rules{Provisions: true}, "n\nn\n", nil, true, true, true},
		"without questions":          {admission.Rules{Provisions: true}, "", []string{"--yes"}, true, false, false},
		"where only admins add them": {admission.Rules{}, "y\n", nil, false, false, false},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			w := clitest.NewWorldWith(t, c.rules)
			admins := w.Client(t, clitest.Admin, "library_admin")
			_, shown := answering(t, w, c.typed, append([]string{"users", "remove", clitest.Reader}, c.args...)...)
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
		w := clitest.NewWorldWith(t, admission.Rules{Provisions: provisions})
		if code, _, stderr := w.As(t, program, clitest.Admin, "library_admin", "", "users", "deactivate", clitest.Reader); code != 0 {
			t.Fatal(stderr)
		}
		_, shown := answering(t, w, "n\n", "users", "remove", clitest.Reader)
		said := strings.Join(strings.Fields(shown), " ")
		if strings.Contains(said, "once removed comes back with the next login") != provisions || strings.Contains(said, "Switch off instead?") || !strings.Contains(said, "Nobody was removed.") {
			t.Errorf("%v: it says:\n%s", provisions, shown)
		}
	}
}

func TestAUserIsUntied(t *testing.T) {
	t.Parallel()
	w := clitest.NewWorld(t)
	code, _, stderr := w.As(t, program, clitest.Admin, "library_admin", "", "users", "unbind", clitest.Reader)
	if code != 0 {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if code, _, _ := w.As(t, program, clitest.Admin, "library_admin", "", "users", "unbind", "joker"); code != command.ExitNotFound {
		t.Errorf("of nobody: exit code %d", code)
	}
}
