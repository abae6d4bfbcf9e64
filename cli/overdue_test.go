package cli

import (
	"strings"
	"testing"

	"example.org/library/api"
	"example.org/library/cli/clitest"
	"example.org/library/client"
	"example.org/library/internal/testkit"
)

func TestWhatIsOverdueIsSaidEverywhere(t *testing.T) {
	t.Parallel()
	past := &clitest.Clock{}
	past.Set(-30) // the usual loan is 28 days
	w := clitest.NewWorld(t, past.Option())
	readers := w.Client(t, clitest.Reader, "library_user")
	desk := w.Client(t, clitest.Curator, "library_curator")
	if _, err := readers.Borrow(t.Context(), clitest.CleanCode); err != nil {
		t.Fatal(err)
	}
	page, err := desk.Copies(t.Context(), clitest.CleanCode)
	testkit.NoError(t, err)
	if _, err := desk.EditCopy(t.Context(), page.Items[0].Identifier, client.CopyFields{Barcode: "B1", Shelf: "B 12"}, ""); err != nil {
		t.Fatal(err)
	}
	past.Set(0)
	for _, c := range []struct {
		email, scope, stdin string
		args                []string
		code                int
		want                string
	}{
		{clitest.Reader, "library_user", "", []string{"loans", "list"}, 0, "\t2 days overdue\n"},
		{clitest.Reader, "library_user", "", []string{"loans", "list", "--overdue"}, 0, "\tClean Code\tBruce Wayne\tB1\t"},
		{clitest.Reader, "library_user", "", []string{"loans", "show", "clean code"}, 0, "due\t2 days overdue\n"},
		{clitest.Reader, "library_user", "", []string{"books", "show", "clean code"}, 0, "due\t2 days overdue\n"},
		{clitest.Curator, "library_curator", "", []string{"loans", "list", "--overdue", "--user", "bruce wayne"}, 0, "2 days overdue"},
		{clitest.Curator, "library_curator", "", []string{"copies", "list", "clean code"}, 0, "lent to Bruce Wayne, 2 days overdue"},
		{clitest.Curator, "library_curator", "B1\n", []string{"desk", "return"}, 0, `"Clean Code" is back from Bruce Wayne, 2 days overdue. Put it back: B 12.`},
	} {
		code, stdout, stderr := w.As(t, program, c.email, c.scope, c.stdin, c.args...)
		if code != c.code || !strings.Contains(stdout, c.want) {
			t.Errorf("%v: exit code %d, %q is not in\n%s%s", c.args, code, c.want, stdout, stderr)
		}
	}
}

// borrowAsStaff lends a book to the curator, whose group is Staff then.
func borrowAsStaff(t *testing.T, admins, desk *client.Client) {
	t.Helper()
	own, err := desk.Me(t.Context())
	testkit.NoError(t, err)
	fields := client.UserFieldsOf(own.User)
	fields.Group = "Staff"
	testkit.NoError(t, testkit.Err(admins.EditUser(t.Context(), own.Identifier, fields, "")))
	book, err := desk.AddBook(t.Context(), client.BookFields{BookFields: api.BookFields{Title: "Book of one's own"}})
	testkit.NoError(t, err)
	testkit.NoError(t, testkit.Err(desk.Lend(t.Context(), client.LoanFields{User: own.Identifier, Book: book.Identifier})))
}

func TestOverdueLoansArePrintedOneGroupAPage(t *testing.T) {
	t.Parallel()
	past := &clitest.Clock{}
	past.Set(-30)
	w := clitest.NewWorld(t, past.Option())
	admins, desk := w.Client(t, clitest.Admin, "library_admin"), w.Client(t, clitest.Curator, "library_curator")
	for i, group := range []string{"10a", "9B", "", "9b"} {
		name := string(rune('A' + i))
		u, err := admins.AddUser(t.Context(), client.UserFields{Email: name + "@example.com", FirstName: name, LastName: "Pupil", Group: group})
		testkit.NoError(t, err)
		book, err := desk.AddBook(t.Context(), client.BookFields{BookFields: api.BookFields{Title: "Book of " + name}})
		testkit.NoError(t, err)
		testkit.NoError(t, testkit.Err(desk.Lend(t.Context(), client.LoanFields{User: u.Identifier, Book: book.Identifier})))
	}
	borrowAsStaff(t, admins, desk)
	past.Set(0)
	code, stdout, stderr := w.As(t, program, clitest.Curator, "library_curator", "", "loans", "list", "--overdue", "--by-group")
	pages := strings.Split(stdout, "\f")
	if code != 0 || len(pages) != 4 {
		t.Fatalf("exit code %d, %d pages:\n%s%s", code, len(pages), stdout, stderr)
	}
	for i, want := range []struct {
		heading string
		titles  []string
	}{{"9B", []string{"Book of B", "Book of D"}}, {"10a", []string{"Book of A"}}, {"Staff", []string{"Book of one's own"}}, {"Without a group", []string{"Book of C"}}} {
		heading, table, _ := strings.Cut(pages[i], "\n")
		if heading != want.heading || strings.Count(table, "\n") != 1+len(want.titles) || strings.Contains(table, "\t") || !strings.Contains(strings.ToLower(table), "reader") {
			t.Errorf("page %d:\n%s", i, pages[i])
		}
		for _, title := range want.titles {
			if !strings.Contains(table, title) {
				t.Errorf("page %d lacks %q:\n%s", i, title, pages[i])
			}
		}
	}
	_, stdout, stderr = w.As(t, program, clitest.Curator, "library_curator", "", "loans", "list", "--overdue", "--group", "9b")
	if strings.Count(stdout, "\n") != 2 || strings.Contains(stdout, "Book of A") {
		t.Errorf("of one group:\n%s%s", stdout, stderr)
	}
}
