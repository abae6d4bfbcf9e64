package books

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/api"
	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/testkit"
)

func TestFormOfABookIsReadAsItIsWritten(t *testing.T) {
	t.Parallel()
	for _, f := range []client.BookFields{
		{BookFields: api.BookFields{Title: "Clean Code"}},
		{BookFields: api.BookFields{Title: "title: a book: with colons", ISBN: "978", Authors: []string{"A: B", "C"}}},
		{BookFields: api.BookFields{Title: "T", Description: "One.\n\n---\n\ntitle: not a title\n  indented"}},
		{BookFields: api.BookFields{Title: "Ünïcode — “quotes”", Authors: []string{"Ødegård"}, Description: "図書"}},
	} {
		got, err := parseBook(formatBook(f))
		testkit.NoError(t, err)
		testkit.Diff(t, f, got)
	}
}

func TestEveryFieldOfABookIsInTheForm(t *testing.T) {
	t.Parallel()
	var f client.BookFields
	testkit.FillFields(&f.BookFields, "a ")
	got, err := parseBook(formatBook(f))
	if diff := cmp.Diff(f, got); diff != "" || err != nil {
		t.Errorf("error %v, (-written +read)\n%s", err, diff)
	}
	for i := range reflect.TypeOf(f.BookFields).NumField() {
		changed := f
		reflect.ValueOf(&changed.BookFields).Elem().Field(i).SetZero()
		if sameFields(f.BookFields, changed.BookFields) {
			t.Errorf("a change of %s is not noticed", reflect.TypeOf(f.BookFields).Field(i).Name)
		}
	}
}

func TestBookIsReadFromFormAndJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule, text string
		want       client.BookFields
		says       string
	}{
		{"form of another system", "Title:  A\r\nAUTHOR: B\r\nauthor:\r\n---\r\none\r\ntwo\r\n", client.BookFields{BookFields: api.BookFields{Title: "A", Authors: []string{"B"}, Description: "one\ntwo"}}, ""},
		{"form without a line", "title: A\nisbn: 1\n", client.BookFields{BookFields: api.BookFields{Title: "A", ISBN: "1"}}, ""},
		{"unknown field", "title: A\nyear: 1999\n", client.BookFields{}, `line 2 of the form begins with "year"`},
		{"text", "just words", client.BookFields{}, `begins with "just words"`},
		{"JSON as it is shown", `{"identifier":"i","title":"A","authors":["B"],"borrowed":true,"borrowedBy":{"identifier":"x","firstName":"y","lastName":"z"}}`,
			client.BookFields{Identifier: "i", BookFields: api.BookFields{Title: "A", Authors: []string{"B"}}}, ""},
		{"JSON with a mark before it", "\ufeff{\"title\":\"A\"}", client.BookFields{BookFields: api.BookFields{Title: "A"}}, ""},
		{"slip of the pen", `{"titel":"A"}`, client.BookFields{}, `unknown field "titel"`},
		{"two books", `{"title":"A"}{"title":"B"}`, client.BookFields{}, "something follows"},
		{"list", `[{"title":"A"}]`, client.BookFields{}, "it is a list"},
		{"half of it", `{"title":`, client.BookFields{}, "unexpected EOF"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			got, err := parseBookText(c.text)
			if c.says != "" {
				if err == nil || !strings.Contains(err.Error(), c.says) {
					t.Errorf("it says %v, want %q", err, c.says)
				}
				return
			}
			if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got)\n%s", err, diff)
			}
		})
	}
}

func TestDraftIsKeptWithAnError(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	a, _ := clitest.NewApp()
	err := keepDraft(a, "title: A\n", command.Fail(command.ExitConflict, "no"))
	_, name, found := strings.Cut(err.Error(), "What you wrote is in ")
	name, _, _ = strings.Cut(name, ";")
	text, readErr := os.ReadFile(name)
	if !found || readErr != nil || string(text) != "title: A\n" || command.ExitCode(err) != command.ExitConflict {
		t.Errorf("%v; %v %q", err, readErr, text)
	}
	if err := keepDraft(a, "", command.Fail(command.ExitConflict, "no")); err.Error() != "no" {
		t.Error(err)
	}
}
