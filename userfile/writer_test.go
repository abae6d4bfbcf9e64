package userfile_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"example.org/library/internal/table"
	"example.org/library/internal/testkit"
	"example.org/library/userfile"
)

func written(t testing.TB, o table.WriterOptions, people ...userfile.User) string {
	t.Helper()
	var out strings.Builder
	w, err := userfile.NewWriter(&out, o)
	testkit.NoError(t, err)
	for _, u := range people {
		testkit.NoError(t, w.Write(u))
	}
	testkit.NoError(t, w.Flush())
	return out.String()
}

func readPeople(t testing.TB, text string, format table.Format) (people []userfile.User) {
	t.Helper()
	r, err := userfile.NewReader(strings.NewReader(text), userfile.Options{Options: table.Options{Format: format}})
	testkit.NoError(t, err)
	for {
		row, err := r.Read()
		if err != nil {
			testkit.Diff(t, "EOF", err.Error())
			return people
		}
		people = append(people, row.User)
	}
}

var awkward = []userfile.User{
	{Email: "ada@example.org", FirstName: "Ada", LastName: `Byron, "Lady"`, Card: "C-1", Group: "7a;b", Category: "pupil", Roles: []string{"LIBRARY_USER", "LIBRARY_ADMIN"}, Locale: "de", Reminders: new(false), Active: new(true)},
	{Email: "x@y", FirstName: "=1+1", LastName: "two\nlines"},
}

func TestWhatIsWrittenReadsAsItWas(t *testing.T) {
	t.Parallel()
	for _, format := range []table.Format{table.CSV, table.JSON} {
		testkit.Diff(t, awkward, readPeople(t, written(t, table.WriterOptions{Format: format}, awkward...), format))
	}
	const heading = "email,first name,last name,card,group,category,roles,locale,reminders,active,note,block\n"
	if text := written(t, table.WriterOptions{Format: table.CSV, Spreadsheet: true}, awkward[1]); !strings.HasPrefix(text, "\ufeff"+heading+"x@y,'=1+1,") {
		t.Errorf("%q", text)
	}
}

// FuzzRead reads anything as anything, with and without headings.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"email,first name,last name\na@b.c,A,B\n", "Nachname;Vorname;Klasse\r\n\"a\nb\";c;7a\r\n", "sourcedId,status,enabledUser\nx,tobedeleted,true\n",
		"a\tb\tc\n", "[{\"email\":\"a\"},7]", "{\"active\":null}\n", "email\n\xff\n", "email,card\n=\"1\",1E+9\n",
	} {
		f.Add(text, "{account}@b.c", true, false)
		f.Add(text, "{email}{card}@", false, true)
	}
	f.Fuzz(func(t *testing.T, text, pattern string, isCSV, hasNoHeader bool) {
		o := userfile.Options{Options: table.Options{Format: table.JSON}}
		if isCSV {
			o.Format = table.CSV
		}
		if hasNoHeader {
			o.Header = []string{"email", "account", "group"}
		}
		o.Pattern, _ = userfile.ParsePattern(pattern)
		rows, _, _ := readAll(text, o)
		for _, row := range rows {
			if !utf8.ValidString(row) {
				t.Fatalf("%q", row)
			}
		}
	})
}
