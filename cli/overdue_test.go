package cli

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/client"
)

// clock is a clock that is behind or ahead of the real one.
type clock struct{ off atomic.Int64 }

func (c *clock) now() time.Time         { return time.Now().Add(time.Duration(c.off.Load())) }
func (c *clock) set(d int)              { c.off.Store(int64(d) * int64(24*time.Hour)) }
func (c *clock) option() library.Option { return library.WithClock(c.now) }

// as runs a command as somebody.
func (w *world) as(t *testing.T, email, scope, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return runWith(t, map[string]string{
		"LIBRARY_TOKEN": w.token(t, email, scope), "LIBRARY_SERVER": w.address, "LIBRARY_CONFIG_DIR": t.TempDir(),
	}, stdin, args...)
}

func TestWhatIsOverdueIsSaidEverywhere(t *testing.T) {
	t.Parallel()
	past := &clock{}
	past.set(-30) // the usual loan is 28 days
	w := newWorld(t, past.option())
	readers := w.client(t, reader, "library_user")
	desk := w.client(t, curator, "library_curator")
	if _, err := readers.Borrow(t.Context(), cleanCode); err != nil {
		t.Fatal(err)
	}
	page, err := desk.Copies(t.Context(), cleanCode)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := desk.EditCopy(t.Context(), page.Items[0].Identifier, client.CopyFields{Barcode: "B1", Shelf: "B 12"}, ""); err != nil {
		t.Fatal(err)
	}
	past.set(0)
	for _, c := range []struct {
		email, scope, stdin string
		args                []string
		code                int
		want                string
	}{
		{reader, "library_user", "", []string{"loans", "list"}, 0, "\t2 days overdue\n"},
		{reader, "library_user", "", []string{"loans", "list", "--overdue"}, 0, "\tClean Code\tBruce Wayne\tB1\t"},
		{reader, "library_user", "", []string{"loans", "show", "clean code"}, 0, "due\t2 days overdue\n"},
		{reader, "library_user", "", []string{"books", "show", "clean code"}, 0, "due\t2 days overdue\n"},
		{curator, "library_curator", "", []string{"loans", "list", "--overdue", "--user", "bruce wayne"}, 0, "2 days overdue"},
		{curator, "library_curator", "", []string{"copies", "list", "clean code"}, 0, "lent to Bruce Wayne, 2 days overdue"},
		{curator, "library_curator", "B1\n", []string{"desk", "return"}, 0, `"Clean Code" is back from Bruce Wayne, 2 days overdue. Put it back: B 12.`},
	} {
		code, stdout, stderr := w.as(t, c.email, c.scope, c.stdin, c.args...)
		if code != c.code || !strings.Contains(stdout, c.want) {
			t.Errorf("%v: exit code %d, %q is not in\n%s%s", c.args, code, c.want, stdout, stderr)
		}
	}
}

func TestWhoHasSomethingOverdueIsToldWhatToDo(t *testing.T) {
	t.Parallel()
	past := &clock{}
	past.set(-40)
	w := newWorld(t, past.option())
	readers, admins := w.client(t, reader, "library_user"), w.client(t, admin, "library_admin")
	policy, version, err := admins.Policy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	policy.BlockOverdue = true
	if _, err := admins.EditPolicy(t.Context(), policy, version); err != nil {
		t.Fatal(err)
	}
	if _, err := readers.Borrow(t.Context(), cleanCode); err != nil {
		t.Fatal(err)
	}
	past.set(0)
	for _, c := range []struct {
		email, scope, stdin string
		args                []string
		want                string
	}{
		{reader, "library_user", "", []string{"books", "borrow", "homo faber"}, "You have an overdue loan. Bring it back first; 'library loans list --overdue' shows what it is."},
		{reader, "library_user", "", []string{"loans", "renew", "clean code"}, "You have an overdue loan."},
		{curator, "library_curator", "Bruce Wayne\nhomo faber\n", []string{"desk", "lend"}, `Bruce Wayne has an overdue loan, which must come back first. 'library loans list --overdue --user "Bruce Wayne"' shows it.`},
	} {
		code, stdout, stderr := w.as(t, c.email, c.scope, c.stdin, c.args...)
		if code != ExitConflict || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit code %d, %q is not in\n%s%s", c.args, code, c.want, stdout, stderr)
		}
	}
}

func TestADayEndsWhereTheLibraryIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admins := w.client(t, admin, "library_admin")
	policy, version, err := admins.Policy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	policy.TimeZone, policy.LoanDays = "Pacific/Kiritimati", 1 // 14 hours before UTC
	if _, err := admins.EditPolicy(t.Context(), policy, version); err != nil {
		t.Fatal(err)
	}
	loan, err := w.client(t, reader, "library_user").Borrow(t.Context(), cleanCode)
	if err != nil || !strings.HasSuffix(loan.Loan.DueAt, "T09:59:59Z") {
		t.Fatalf("%+v, %v", loan.Loan, err)
	}
	if _, stdout, stderr := w.as(t, reader, "library_user", "", "loans", "list"); !strings.HasSuffix(stdout, "\ttomorrow\n") {
		t.Errorf("%s%s", stdout, stderr)
	}
}
