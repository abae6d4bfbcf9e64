package users

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/library/cli/clitest"
	"example.org/library/internal/testkit"
)

func newLocalAdmin(t *testing.T) admin {
	t.Helper()
	w := clitest.NewLocalWorld(t)
	return admin{w, w.Client(t, clitest.Admin, "")}
}

// file writes a file of people and returns its path.
func file(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "people.csv")
	testkit.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	return path
}

// step is a command and what it says.
type step struct {
	rule   string
	args   []string
	code   int
	stdout string
	stderr string // "" for nothing
}

func (a admin) play(t *testing.T, steps []step) {
	t.Helper()
	for _, c := range steps {
		code, stdout, stderr := a.run(t, append([]string{"import"}, c.args...)...)
		if code != c.code || !strings.Contains(stdout, c.stdout) || !strings.Contains(stderr, c.stderr) || c.stderr == "" && stderr != "" {
			t.Errorf("%s: %d\n%s%s", c.rule, code, stdout, stderr)
		}
	}
}

func TestPeopleWithoutARoleAreCountedAndGetOne(t *testing.T) {
	t.Parallel()
	a := newLocalAdmin(t)
	pupils := file(t, "email,first name,last name,roles", "a@s.example,A,A,", "b@s.example,B,B,", "c@s.example,C,C,reader")
	a.play(t, []step{
		{"a dry run", []string{"--dry-run", pupils}, 0, "To add: 3", "Warning: 2 people of the file have no role and cannot borrow. Import the file with --update --role reader"},
		{"without a role", []string{pupils}, 0, "Added 3", "Warning: 2 people of the file have no role"},
		{"without an update they stay as they are", []string{"--role", "reader", pupils}, 0, "unchanged 3", "Warning: 2 people of the file have no role"},
		{"a dry run of the mend", []string{"--dry-run", "--update", "--role", "reader", pupils}, 0, "to update: 2", ""},
		{"the mend", []string{"--update", "--role", "reader", pupils}, 0, "updated 2, unchanged 1", ""},
		{"once", []string{"--update", "--role", "reader", pupils}, 0, "unchanged 3", ""},
	})
	faulty := file(t, "email,first name,last name,roles", "d@s.example,D,D,", "nonsense,E,E,reader")
	a.play(t, []step{
		{"a dry run with a row that would fail", []string{"--dry-run", faulty}, 1, "To add: 1", "Warning: 1 person of the file has no role"},
		{"beside a row that fails", []string{"--update", "--deactivate-missing", "--yes", faulty}, 1, "Added 1", "Warning: 1 person of the file has no role"},
	})
	testkit.Equal(t, a.inactive(t), 0, "switched off after an import with rows that failed")
	fromToken := newAdmin(t)
	fromToken.play(t, []step{{"roles of the token", []string{pupils}, 0, "Added 3", "Warning: this library takes roles from the token"}})
}

func TestSwitchingOffIsUndoneWithAnUpdate(t *testing.T) {
	t.Parallel()
	a := newAdmin(t)
	whole := []string{"email,first name,last name,roles", "a@s.example,A,A,reader", "b@s.example,B,B,reader", "c@s.example,C,C,reader"}
	all, most := file(t, whole...), file(t, whole[:3]...)
	a.play(t, []step{
		{"all", []string{all}, 0, "Added 3", "Warning: this library"},
		{"two of three, and readers of the library", []string{"--deactivate-missing", "--dry-run", most}, 0, "unchanged: 2", "would be switched off"},
		{"a dry run", []string{"--update", "--dry-run", all}, 0, "unchanged: 3", ""},
	})
	if code, _, stderr := a.run(t, "deactivate", "c@s.example"); code != 0 {
		t.Fatal(stderr)
	}
	a.play(t, []step{
		{"a dry run", []string{"--update", "--dry-run", all}, 0, "to update: 1", "would be switched on again: 1 person."},
		{"undone", []string{"--update", all}, 0, "updated 1", "Switched on again: 1 person."},
	})
}

func TestSwitchingOffMoreThanHalfWantsTheNumber(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule, typed string
		flags       []string
		code, off   int
		says        string
	}{
		{"yes is no number", "y\n", nil, 1, 0, "Nobody was switched off."},
		{"nor is a flag", "\n", []string{"--yes"}, 1, 0, "--yes does not answer this question"},
		{"another number", "21\n", nil, 1, 0, "Nobody was switched off."},
		{"the number", "20\n", nil, 0, 20, "Switched off 20 of 20. To undo it, import a file that has them with --update."},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			a := newAdmin(t)
			lines := []string{"email,first name,last name,roles"}
			for _, letter := range "abcdefghijklmnopqrst" {
				lines = append(lines, string(letter)+"@s.example,A,A,curator")
			}
			if code, _, stderr := a.run(t, "import", file(t, lines...)); code != 0 {
				t.Fatal(stderr)
			}
			code, said := a.typing(t, c.typed, append([]string{"users", "import", "--deactivate-missing", file(t, "email", clitest.Curator)}, c.flags...)...)
			if code != c.code || !strings.Contains(said, c.says) || a.inactive(t) != c.off {
				t.Errorf("%d, %d switched off\n%s", code, a.inactive(t), said)
			}
		})
	}
}

// typing runs a command at a terminal, and returns what it says with single spaces.
func (a admin) typing(t *testing.T, typed string, args ...string) (code int, said string) {
	t.Helper()
	code, shown := a.Typing(t, program, typed, args...)
	return code, strings.Join(strings.Fields(shown), " ")
}

func TestRowsOfOneFileAreComparedInADryRunAsInTheImport(t *testing.T) {
	t.Parallel()
	people := file(t, "email,first name,last name,card", "a@s.example,A,A,C-1", "a@s.example,A,A,C-1", "A@s.example,A,B,", "b@s.example,B,B,C-1", "c@s.example,Jörg,Müller,C-9")
	for _, flag := range []string{"--dry-run", "--strict"} {
		a := newAdmin(t)
		code, _, stderr := a.run(t, "import", flag, people)
		for _, says := range []string{
			"people.csv:3: is the same person as line 2\n", "people.csv:4: is the same person as line 2, and differs in lastName\n", "people.csv:5: This card is also in line 2.\n",
		} {
			if code != 1 || !strings.Contains(stderr, says) {
				t.Errorf("%s: %d\n%s\nwant %s", flag, code, stderr, says)
			}
		}
		if flag == "--dry-run" {
			continue
		}
		if _, _, stderr := a.run(t, "import", file(t, "email,first name,last name,card", "d@s.example,D,D,C-9", "c@s.example,,,")); !strings.Contains(stderr, "people.csv:2: Jörg Müller has this card.\n") {
			t.Error(stderr)
		}
	}
}

func TestWhoHasLeftASchoolIsNotAddedFromOneRoster(t *testing.T) {
	t.Parallel()
	a := newAdmin(t)
	const heading = "sourcedId,status,enabledUser,givenName,familyName,email"
	a.play(t, []step{
		{"new people", []string{file(t, heading, "1,active,true,A,A,a@s.example", "2,tobedeleted,true,B,B,b@s.example", "3,active,false,C,C,c@s.example")},
			0, "Added 1, updated 0, unchanged 0, different 0, failed 0, left out 2.\n", "Left out because they have left and the library does not have them: 2 people."},
		{"a dry run", []string{"--dry-run", file(t, heading, "2,tobedeleted,true,B,B,b@s.example")}, 0, "unchanged: 0, different: 0, failed: 0, left out: 1.\n", "1 person."},
		{"for programs", []string{"--json", file(t, heading, "2,tobedeleted,true,B,B,b@s.example")}, 0, `"unchanged":0,"different":0,"failed":0,"leftOut":1,"dryRun":false`, "1 person."},
		{"who is there is switched off", []string{"--update", file(t, heading, "1,tobedeleted,true,A,A,a@s.example")}, 0, "updated 1", "not imported: sourcedId"},
	})
	testkit.Equal(t, a.inactive(t), 1, "switched off")
}
