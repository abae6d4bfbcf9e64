package users

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"example.org/library/api"
	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/testkit"
)

var program = clitest.Only(New)

// roster is a file of people as another program exports it.
type roster struct {
	name    string
	heading string
	rows    []string
	flags   []string
	charset *charmap.Charmap // nil for UTF-8
	sample  api.User         // one of them, as the library has the person then
}

// germanSchool is 1,200 pupils in 40 classes.
func germanSchool() roster {
	given := []string{"Jörg", "Änne", "Björn", "Zoë", "Günther", "Sofía", "Mia", "Élise", "Paul", "Özlem"}
	family := []string{"Müller", "Größ", "Süß", "Weiß", "Özdemir", "Krämer", "O'Neill", "von der Heide", "Schäfer", "Noël", "Lukas", "Böhm"}
	r := roster{name: "schueler.csv", heading: "Nachname;Vorname;Klasse;Geburtsdatum;E-Mail-Adresse;Ausweisnummer", charset: charmap.Windows1252}
	for i := range 1200 {
		r.rows = append(r.rows, fmt.Sprintf("%s;%s;%d%c;01.02.2013;schueler%04d@schule.example;S-%04d", family[i%len(family)], given[i%len(given)], 5+i/30/5, 'a'+rune(i/30%5), i, i))
	}
	r.sample = api.User{Email: "schueler0000@schule.example", FirstName: "Jörg", LastName: "Müller", Group: "5a", Card: "S-0000"}
	return r
}

func rosters(t *testing.T) []roster {
	t.Helper()
	text, err := os.ReadFile("testdata/oneroster-users.csv")
	testkit.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	oneRoster := roster{name: "users.csv", heading: lines[0], rows: lines[1:],
		sample: api.User{Email: "ada.byron@district.example", FirstName: "Ada", LastName: "Byron", Card: "500001", Group: "07"}}
	plain := roster{name: "staff.txt", flags: []string{"--columns", "last name,first name,department,email,"},
		sample: api.User{Email: "w0@company.example", FirstName: "W0", LastName: "Worker, the", Group: "IT"}}
	pattern := roster{name: "accounts.csv", heading: "Klasse,Familienname,Rufname,Konto", flags: []string{"--email-pattern", "{Konto}@school.example"},
		sample: api.User{Email: "konto0@school.example", FirstName: "R0", LastName: "F", Group: "9c"}}
	for i := range 10 {
		plain.rows = append(plain.rows, fmt.Sprintf("Worker, the\tW%d\tIT\tw%d@company.example\t%d", i, i, i))
		pattern.rows = append(pattern.rows, fmt.Sprintf("9c,F,R%d,konto%d", i, i))
	}
	return []roster{germanSchool(), oneRoster, plain, pattern}
}

// write writes the file without its last rows and returns its path.
func (r roster) write(t *testing.T, without int) string {
	t.Helper()
	text := strings.Join(r.rows[:len(r.rows)-without], "\r\n") + "\r\n"
	if r.heading != "" {
		text = r.heading + "\r\n" + text
	}
	if r.charset != nil {
		var err error
		text, err = r.charset.NewEncoder().String(text)
		testkit.NoError(t, err)
	}
	path := filepath.Join(t.TempDir(), r.name)
	testkit.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// admin runs commands in a library with the sample users.
type admin struct {
	*clitest.World
	client *client.Client
}

func newAdmin(t *testing.T) admin {
	t.Helper()
	w := clitest.NewWorld(t)
	return admin{w, w.Client(t, clitest.Admin, "library_admin")}
}

func (a admin) run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return a.As(t, program, clitest.Admin, "library_admin", "", append([]string{"users"}, args...)...)
}

func (a admin) inactive(t *testing.T) (n int) {
	t.Helper()
	for u, err := range a.client.AllUsers(t.Context(), client.UserQuery{}) {
		testkit.NoError(t, err)
		if !u.Active {
			n++
		}
	}
	return n
}

func TestRostersOfSchoolsAndCompaniesComeInWithOneCommand(t *testing.T) {
	t.Parallel()
	for _, r := range rosters(t) {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			a := newAdmin(t)
			n := command.Thousands(len(r.rows))
			with := func(args []string, more ...string) []string { return slices.Concat(args, more) }
			whole, fewer := append([]string{"import", r.write(t, 0)}, r.flags...), append([]string{"import", "--deactivate-missing", r.write(t, 3)}, r.flags...)
			for _, c := range []struct {
				rule   string
				args   []string
				code   int
				stdout string
				stderr string
				off    int // people who are switched off then
			}{
				{"a dry run", append([]string{"import", "--dry-run"}, whole[1:]...), 0, "Dry run, nothing was changed. To add: " + n + ", to update: 0, unchanged: 0, different: 0, failed: 0.\n", "", 0},
				{"all come in", whole, 0, "Added " + n + ", updated 0, unchanged 0, different 0, failed 0.\n", "", 0},
				{"twice without a change", with(whole, "--update"), 0, "Added 0, updated 0, unchanged " + n + ", different 0, failed 0.\n", "", 0},
				{"nobody can be asked", fewer, 2, "", "--yes: is needed", 0},
				{"a dry run shows who is missing", with(fewer, "--dry-run"), 0, "unchanged: " + command.Thousands(len(r.rows)-3), "would be switched off: 3 people", 0},
				{"three fewer are switched off", with(fewer, "--yes"), 0, "unchanged " + command.Thousands(len(r.rows)-3), "Switched off 3 of 3.", 3},
				{"and no more", with(fewer, "--yes"), 0, "unchanged " + command.Thousands(len(r.rows)-3), "Everybody of the same role is in the file.", 3},
				{"who comes back is different", with(whole, "--deactivate-missing", "--yes"), 0, "different 3", "differs from the library in active", 3},
				{"and switched on", with(whole, "--deactivate-missing", "--yes", "--update"), 0, "updated 3", "", 0},
			} {
				code, stdout, stderr := a.run(t, c.args...)
				if code != c.code || !strings.Contains(stdout, c.stdout) || !strings.Contains(stderr, c.stderr) {
					t.Fatalf("%s: %d\n%s%s", c.rule, code, stdout, stderr)
				}
				testkit.Equal(t, a.inactive(t), c.off, c.rule)
			}
			page, err := a.client.Users(t.Context(), client.UserQuery{Words: r.sample.Email})
			testkit.NoError(t, err)
			got := page.Items[0]
			testkit.Diff(t, r.sample, api.User{Email: got.Email, FirstName: got.FirstName, LastName: got.LastName, Group: got.Group, Card: got.Card})
		})
	}
}

func TestOnlyThoseOfTheSameRoleAreMissing(t *testing.T) {
	t.Parallel()
	a := newAdmin(t)
	file := filepath.Join(t.TempDir(), "readers.csv")
	testkit.NoError(t, os.WriteFile(file, []byte("email\n"+clitest.Reader+"\n"), 0o600))
	code, _, stderr := a.run(t, "import", file, "--deactivate-missing", "--dry-run")
	if code != 0 || !strings.Contains(stderr, "bruce.banner@example.com") || strings.Contains(stderr, clitest.Curator) || strings.Contains(stderr, clitest.Admin) {
		t.Errorf("%d\n%s", code, stderr)
	}
	for _, c := range []struct {
		rule, text, says string
		flags            []string
	}{
		{"only headings", "email,first name,last name\n", "Nobody is in the file, so nobody is switched off.", nil},
		{"a new reader", "email,first name,last name,roles\nnew@b.c,N,N,reader\n", "would be switched off", nil},
		{"a new reader by a flag", "email,first name,last name\nnew@b.c,N,N\n", "would be switched off", []string{"--role", "reader"}},
		{"a new person without a role", "email,first name,last name\nnew@b.c,N,N\n", "Everybody of the same role is in the file.", nil},
	} {
		testkit.NoError(t, os.WriteFile(file, []byte(c.text), 0o600))
		code, _, stderr := a.run(t, append([]string{"import", file, "--deactivate-missing", "--dry-run"}, c.flags...)...)
		if code != 0 || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: %d\n%s", c.rule, code, stderr)
		}
	}
	testkit.NoError(t, os.WriteFile(file, []byte("email\n"+clitest.Reader+"\nbad\n"), 0o600))
	code, _, stderr = a.run(t, "import", file, "--deactivate-missing", "--yes")
	if code != 1 || !strings.Contains(stderr, "Nobody was switched off") || a.inactive(t) != 0 {
		t.Errorf("after rows that failed: %d\n%s", code, stderr)
	}
}

func TestNobodyGetsAnothersRecordByACardAtTheOtherEndOfALongFile(t *testing.T) {
	t.Parallel()
	a := newAdmin(t)
	before, err := a.client.AddUser(t.Context(), client.UserFields{Email: "ada@school.example", FirstName: "Ada", LastName: "Byron", Card: "C-1"})
	testkit.NoError(t, err)
	text := "email,first name,last name,card\nnew@school.example,New,Person,C-1\n"
	for i := range 1200 {
		text += fmt.Sprintf("pupil%d@school.example,P,%d,S-%d\n", i, i, i)
	}
	file := filepath.Join(t.TempDir(), "pupils.csv")
	testkit.NoError(t, os.WriteFile(file, []byte(text+"ada@school.example,Ada,Byron,C-1\n"), 0o600))
	code, stdout, stderr := a.run(t, "import", "--update", file)
	if code != 1 || !strings.HasPrefix(stdout, "Added 1,200, updated 0, unchanged 0, different 0, failed 2.") || strings.Count(stderr, "has the card C-1, which is also in line ") != 2 {
		t.Errorf("%d\n%s%s", code, stdout, stderr)
	}
	after, _, err := a.client.User(t.Context(), before.Identifier)
	testkit.NoError(t, err)
	testkit.Diff(t, before, after)
}

func TestAFileOfPeopleThatCannotBeImportedSaysWhatToDo(t *testing.T) {
	t.Parallel()
	a := newAdmin(t)
	file := filepath.Join(t.TempDir(), "people.csv")
	for _, c := range []struct {
		rule, text string
		flags      []string
		code       int
		says       string
	}{
		{"no addresses", "Vorname;Nachname\nA;B\n", nil, 1, "no column has e-mail addresses; the columns are"},
		{"which could be made", "Vorname;Nachname\nA;B\n", nil, 1, "--email-pattern"},
		{"no headings", "Anna,B,a@b.c\n", nil, 1, "--columns"},
		{"a bad pattern", "email\n", []string{"--email-pattern", "school.example"}, 2, "--email-pattern: must be text with the name of a column in braces"},
		{"a pattern of another column", "Vorname;Nachname\nA;B\n", []string{"--email-pattern", "{konto}@b.c"}, 1, `no column is called "konto"`},
		{"a row without an address", "email,first name,last name\n,A,B\n", nil, 1, "people.csv:2: No e-mail address.\n"},
		{"a column that is named", "Konto,first name,last name\na@b.c,A,B\n", []string{"--column", "email=Konto", "--dry-run"}, 0, ""},
		{"JSON without headings", `{"email":"a@b.c"}`, []string{"--format", "jsonl", "--columns", "email"}, 2, "--columns: is for CSV files"},
	} {
		testkit.NoError(t, os.WriteFile(file, []byte(c.text), 0o600))
		code, stdout, stderr := a.run(t, append([]string{"import", file}, c.flags...)...)
		if code != c.code || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: %d\n%s%s", c.rule, code, stdout, stderr)
		}
	}
}
