package books

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/internal/testkit"
)

// filled is a book with every field.
func filled() (b api.Book) {
	b.Identifier = "an identifier"
	testkit.FillFields(&b.BookFields, "a ")
	return b
}

func TestEveryFieldOfABookIsAFlag(t *testing.T) {
	t.Parallel()
	if n := reflect.TypeFor[api.BookFields]().NumField(); len(fields) != n {
		t.Errorf("the table has %d fields, a book %d", len(fields), n)
	}
	in, cmd, want := &input{}, &cobra.Command{}, filled().BookFields
	in.flags(cmd)
	var args []string
	for _, f := range fields {
		for _, value := range f.lines(want) {
			args = append(args, "--"+f.flag, value)
		}
	}
	testkit.NoError(t, cmd.ParseFlags(args))
	testkit.Diff(t, want, in.over(client.BookFields{}).BookFields)
}

func TestEveryFieldOfABookExceptTheTitleCanBeCleared(t *testing.T) {
	t.Parallel()
	a, _ := clitest.NewApp()
	got, _, err := changedBook(t.Context(), a, filled(), &input{given: func(string) bool { return false }}, clearable)
	if diff := cmp.Diff(api.BookFields{Title: filled().Title}, got.BookFields); diff != "" || err != nil {
		t.Errorf("error %v, (-want +got)\n%s", err, diff)
	}
}

func TestEveryFieldOfABookIsShown(t *testing.T) {
	t.Parallel()
	a, _ := clitest.NewApp()
	b := filled()
	sheet, facts := bookSheet(t.Context(), a, records.NewCalendar(nil), b, records.StatusOf(b), ""), bookFacts(b, "", "")
	for i := range reflect.TypeOf(b.BookFields).NumField() {
		name := reflect.TypeOf(b.BookFields).Field(i).Name
		var values []string
		switch value := reflect.ValueOf(b.BookFields).Field(i).Interface().(type) {
		case string:
			values = []string{value}
		case []string:
			values = value
		case int:
			values = []string{strconv.Itoa(value)}
		}
		if !slices.ContainsFunc(facts, func(f command.Fact) bool { return f[1] == strings.Join(values, "; ") }) {
			t.Errorf("%s is not among the lines for programs: %q", name, facts)
		}
		for _, value := range values {
			if !strings.Contains(sheet, value) {
				t.Errorf("%s is not on the sheet:\n%s", name, sheet)
			}
		}
	}
}
