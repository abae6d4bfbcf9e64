package userfile_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"example.org/library/internal/table"
	"example.org/library/internal/testkit"
	"example.org/library/userfile"
)

// readAll reads a file and returns a line for each record: the line, and the person as JSON or what is wrong.
func readAll(text string, o userfile.Options) (rows []string, ignored []string, err error) {
	r, err := userfile.NewReader(strings.NewReader(text), o)
	if err != nil {
		return nil, nil, err
	}
	for {
		row, err := r.Read()
		bad, isBad := errors.AsType[*table.RowError](err)
		switch {
		case errors.Is(err, io.EOF):
			return rows, r.Ignored(), nil
		case isBad:
			rows = append(rows, fmt.Sprintf("%d! %s", bad.Line, bad.Reason))
		case err != nil:
			return rows, r.Ignored(), err
		default:
			person, _ := json.Marshal(row.User)
			rows = append(rows, fmt.Sprintf("%d %s", row.Line, person))
		}
	}
}

func csvOptions() userfile.Options {
	return userfile.Options{Options: table.Options{Format: table.CSV}}
}

func pattern(t testing.TB, text string) userfile.Pattern {
	t.Helper()
	p, err := userfile.ParsePattern(text)
	testkit.NoError(t, err)
	return p
}

func TestColumnsAreFoundByTheHeadingsOfSchoolsAndCompanies(t *testing.T) {
	t.Parallel()
	const ada = `2 {"email":"a@b.c","firstName":"Ada","lastName":"Byron"}`
	for _, c := range []struct {
		rule, text, want string
		ignored          []string
	}{
		{"English", "email,first name,last name,card,group,category,roles,locale\na@b.c,Ada,Byron,C-1,7a,Pupil,reader; LIBRARY_CURATOR,de\n",
			`2 {"email":"a@b.c","firstName":"Ada","lastName":"Byron","card":"C-1","group":"7a","category":"Pupil","roles":["LIBRARY_USER","LIBRARY_CURATOR"],"locale":"de"}`, nil},
		{"OneRoster", "sourcedId,status,enabledUser,role,username,givenName,familyName,identifier,email\ns1,active,true,student,ada,Ada,Byron,4711,a@b.c\n",
			`2 {"email":"a@b.c","firstName":"Ada","lastName":"Byron","card":"4711","active":true}`, []string{"sourcedId", "role", "username"}},
		{"OneRoster, who has left", "sourcedId,status,enabledUser,givenName,familyName,email\ns1,tobedeleted,true,Ada,Byron,a@b.c\n",
			`2 {"email":"a@b.c","firstName":"Ada","lastName":"Byron","active":false}`, []string{"sourcedId"}},
		{"German", "Nachname;Vorname;Klasse;E-Mail;Ausweisnummer;Rollen;Sprache\nByron;Ada;7a;a@b.c;C-1;Leser;Deutsch\n",
			`2 {"email":"a@b.c","firstName":"Ada","lastName":"Byron","card":"C-1","group":"7a","roles":["LIBRARY_USER"],"locale":"de"}`, nil},
		{"other German ones", "Familienname;Rufname;Klassenbezeichnung;E-Mail-Adresse;Ausweis\nByron;Ada;7a;a@b.c;C-1\n",
			`2 {"email":"a@b.c","firstName":"Ada","lastName":"Byron","card":"C-1","group":"7a"}`, nil},
		{"a role elsewhere is none here", "E-Mail;Vorname;Nachname;Rolle;role\na@b.c;Ada;Byron;Schülerin;student\n", ada, []string{"Rolle", "role"}},
		{"a name beside a first name is the last name", "Name;Vorname;Mail\nByron;Ada;a@b.c\n", ada, nil},
		{"and is ignored beside a last name", "name,last name,first name,email\nAda Byron,Byron,Ada,a@b.c\n", ada, []string{"name"}},
		{"and has the first name if no column has", "Name;Mail\n\"Byron, Ada\";a@b.c\n", ada, nil},
		{"with the last name last", "Name;Mail\nAda Byron;a@b.c\n", ada, nil},
		{"a name of one word is a last name", "Name;Mail\nByron;a@b.c\n", `2 {"email":"a@b.c","lastName":"Byron"}`, nil},
		{"an address that is a link", "email,first name,last name\nMailto:a@b.c,Ada,Byron\n", ada, nil},
		{"an address in quotation marks", "email,first name,last name\n „a@b.c“ ,Ada,Byron\n", ada, nil},
		{"languages of the library", "email,Sprache\na@b.c,de-DE\n", `2 {"email":"a@b.c","locale":"de"}`, nil},
		{"a mother tongue is named and left out", "email,Sprache\na@b.c,Türkisch\n", `2 {"email":"a@b.c"}`, []string{`Sprache "Türkisch" (only en and de)`}},
		{"the grade of OneRoster is a group", "sourcedId,email,grades\ns1,a@b.c,07\n", `2 {"email":"a@b.c","group":"07"}`, []string{"sourcedId"}},
		{"unless it has another", "sourcedId,email,grades,class\ns1,a@b.c,07,7a\n", `2 {"email":"a@b.c","group":"7a"}`, []string{"sourcedId", "grades"}},
		{"the first of several columns", "Vorname;Rufname;Nachname;E-Mail\nAda;Gus;Byron;a@b.c\n", ada, []string{"Rufname"}},
		{"unless a later one has the field's own name", "Mail;Vorname;Nachname;email\nx@y.z;Ada;Byron;a@b.c\n", ada, []string{"Mail"}},
		{"a number that a spreadsheet was to leave alone", "email,card\na@b.c,=\"0042\"\n", `2 {"email":"a@b.c","card":"0042"}`, nil},
		{"a number that it has cut short", "email,card\na@b.c,4.2E+12\n", "2! has 4.2E+12 for a card: a spreadsheet has cut the number short; format the column as text and enter it again", nil},
		{"neither yes nor no", "email,active\na@b.c,perhaps\n", `2! has "perhaps" for active, which is neither yes nor no`, nil},
		{"an unknown role is for the library to refuse", "email,roles\na@b.c,boss\n", `2 {"email":"a@b.c","roles":["boss"]}`, nil},
		{"tabs, and a byte order mark", "\ufeffE-Mail\tVorname\tNachname\na@b.c\tAda\tByron\n", ada, nil},
		{"Windows-1252", "Nachname;Vorname;E-Mail\nM\xfcller;J\xf6rg;a@b.c\n", `2 {"email":"a@b.c","firstName":"Jörg","lastName":"Müller"}`, nil},
		{"UTF-16", "e\x00m\x00a\x00i\x00l\x00\n\x00\xfc\x00@\x00b\x00\n\x00", `2 {"email":"ü@b"}`, nil},
	} {
		rows, ignored, err := readAll(c.text, csvOptions())
		if err != nil || len(rows) != 1 || rows[0] != c.want || !slices.Equal(ignored, c.ignored) {
			t.Errorf("%s: %q, ignored %q, %v\nwant %q, %q", c.rule, rows, ignored, err, c.want, c.ignored)
		}
	}
}

func TestARowThatIsWrongStillSaysWhoseItIs(t *testing.T) {
	t.Parallel()
	r, err := userfile.NewReader(strings.NewReader("card,email,first name\n4.2E+12,a@b.c,Ada\n"), csvOptions())
	testkit.NoError(t, err)
	if row, err := r.Read(); err == nil || row.User.FirstName != "Ada" || row.User.Email != "a@b.c" {
		t.Errorf("%+v, %v", row, err)
	}
}

func TestTheCallerNamesColumns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule, text string
		o          func(*userfile.Options)
		want, says string
	}{
		{"another heading", "Konto;Vorname;Nachname\na@b.c;Ada;Byron\n", func(o *userfile.Options) { o.Columns = map[string][]string{"email": {"Konto"}} },
			`2 {"email":"a@b.c","firstName":"Ada","lastName":"Byron"}`, ""},
		{"a column to be left out", "email,Sprache\na@b.c,Türkisch\n", func(o *userfile.Options) { o.Columns = map[string][]string{"locale": {}} }, `2 {"email":"a@b.c"}`, ""},
		{"one that is not there", "email\na@b.c\n", func(o *userfile.Options) { o.Columns = map[string][]string{"card": {"Nummer"}} }, "", `no column is called "Nummer"; the columns are "email"`},
		{"a file without headings", "Ada\tByron\ta@b.c\t7a\n", func(o *userfile.Options) { o.Header = []string{"first name", "last name", "email", "group"} },
			`1 {"email":"a@b.c","firstName":"Ada","lastName":"Byron","group":"7a"}`, ""},
		{"with commas inside cells", "Ada;Byron, Lady;a@b.c\n", func(o *userfile.Options) { o.Header = []string{"Vorname", "Nachname", "email"} },
			`1 {"email":"a@b.c","firstName":"Ada","lastName":"Byron, Lady"}`, ""},
		{"that does not fit", "Ada\tByron\n", func(o *userfile.Options) { o.Header = []string{"first name", "last name", "email"} }, "1! has 2 cells, but the heading has 3", ""},
		{"addresses out of a column", "Vorname;Nachname;Konto\nAda;Byron;ada\n", func(o *userfile.Options) { o.Pattern = pattern(t, "{konto}@school.example") },
			`2 {"email":"ada@school.example","firstName":"Ada","lastName":"Byron"}`, ""},
		{"out of a column by the name of its field", "Vorname;Nachname;Ausweis\nAda;Byron;7\n", func(o *userfile.Options) { o.Pattern = pattern(t, "{first name}.{card}@school.example") },
			`2 {"email":"Ada.7@school.example","firstName":"Ada","lastName":"Byron","card":"7"}`, ""},
		{"only where there is none", "email,first name,account\na@b.c,Ada,ada\n", func(o *userfile.Options) { o.Pattern = pattern(t, "{account}@school.example") },
			`2 {"email":"a@b.c","firstName":"Ada"}`, ""},
		{"which are enough", "account;Klasse\nada;7a\n", func(o *userfile.Options) { o.Pattern = pattern(t, "{account}@school.example") },
			`2 {"email":"ada@school.example","group":"7a"}`, ""},
		{"and none out of nothing", "first name,account\nAda, \n", func(o *userfile.Options) { o.Pattern = pattern(t, "{account}@school.example") }, `2 {"firstName":"Ada"}`, ""},
		{"of a column that is not there, and no other", "Klasse\n7a\n", func(o *userfile.Options) { o.Pattern = pattern(t, "{account}@school.example") }, "", `no column is called "account"`},
		{"of a column that is not there", "first name\nAda\n", func(o *userfile.Options) { o.Pattern = pattern(t, "{account}@school.example") }, "", `no column is called "account"`},
		{"nothing is known", "Farbe;Form\nrot;rund\n", func(*userfile.Options) {}, "", "no column has e-mail addresses or names"},
		{"a title above the headings", "Schülerliste 2026\nE-Mail;Vorname\n", func(*userfile.Options) {}, "", "if there are lines above the headings, delete them"},
		{"nothing is there", "", func(o *userfile.Options) { o.Header = []string{"email"} }, "", "the file is empty"},
	} {
		o := csvOptions()
		c.o(&o)
		rows, ignored, err := readAll(c.text, o)
		if c.says != "" {
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v, want %q", c.rule, err, c.says)
			}
		} else if err != nil || len(rows) != 1 || rows[0] != c.want {
			t.Errorf("%s: %q, ignored %q, %v; want %s", c.rule, rows, ignored, err, c.want)
		}
	}
}

func TestWhatIsNoPatternIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "account@school.example", "{account}", "{}@b.c", "{ }@b.c", "{a@b.c", "a}@b.c", "{a{b}}@b.c", "{a}}@b.c", "{a}@" + strings.Repeat("x", userfile.MaxPattern)} {
		if _, err := userfile.ParsePattern(text); err == nil {
			t.Errorf("%q is a pattern", text)
		}
	}
}

func TestPeopleAsJSON(t *testing.T) {
	t.Parallel()
	o := userfile.Options{Options: table.Options{Format: table.JSON}, Pattern: pattern(t, "{nr}@school.example")}
	text := `[{"email":"a@b.c","firstName":"Ada","lastName":"Byron","roles":["LIBRARY_USER"],"active":false,"bound":true},
{"nr":42,"card":null},
{"email":7}, {"email":"a@b.c","active":"yes"}, {"email":"a@b.c","roles":"x"}, 7]`
	rows, ignored, err := readAll(text, o)
	testkit.NoError(t, err)
	testkit.Diff(t, []string{
		`1 {"email":"a@b.c","firstName":"Ada","lastName":"Byron","roles":["LIBRARY_USER"],"active":false}`,
		`2 {"email":"42@school.example"}`,
		"3! email is not a text", "3! active is neither true nor false", "3! roles is not an array of texts", "3! is not a JSON object",
	}, rows)
	testkit.Diff(t, []string{"bound"}, ignored)
	if _, _, err := readAll(`[{} {}]`, o); err == nil || !strings.Contains(err.Error(), "a comma is missing between two people") {
		t.Errorf("%v", err)
	}
}
