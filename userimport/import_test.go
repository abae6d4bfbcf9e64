package userimport

import (
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
)

// people of the library before each import.
func before() []library.User {
	user := func(id, email, card string, roles ...library.Role) library.User {
		return library.User{ID: id, UserFields: library.UserFields{Email: email, FirstName: "F", LastName: "L", Card: card, Locale: "en", Roles: roles}}
	}
	return []library.User{user("ada", "ada@b.c", "C-1"), user("bob", "bob@b.c", ""), user("boss", "boss@b.c", "", library.RoleAdmin)}
}

// play imports rows, so many in one transaction, and tells outcome, user, code and fields.
func play(rows []Row, how library.ImportOptions, atOnce int, a library.Actor) (told []string) {
	in, users := New(rows, Options{ImportOptions: how}, time.Unix(0, 0)), before()
	for from := 0; from < in.Len(); from += atOnce {
		to := min(from+atOnce, in.Len())
		results, writes := in.Decide(library.FoundUsers{Users: users}, a, from, to)
		in.Accept()
		for _, w := range writes {
			users = slices.DeleteFunc(slices.Clone(users), func(u library.User) bool { return u.ID == w.ID })
			users = append(users, w.User)
		}
		for _, r := range results {
			text := string(r.Outcome)
			if len(r.ID) > 0 && len(r.ID) < 10 {
				text += " " + r.ID
			}
			if r.Err != nil {
				text += " " + r.Err.Code
				for _, d := range r.Err.Details {
					text += " " + d.Field
				}
			}
			told = append(told, text)
		}
	}
	return told
}

func row(email, card, group string) Row {
	return Row{UserFields: library.UserFields{Email: email, Card: card, Group: group}}
}

// stranger is a row about somebody who may be new.
func stranger(email, card string) Row {
	r := row(email, card, "")
	r.FirstName, r.LastName = "N", "N"
	return r
}

// outcomes is what becomes of some rows.
type outcomes struct {
	rule   string
	update bool
	rows   []Row
	want   string
}

// checkOutcomes checks them wherever transactions end, and without any.
func checkOutcomes(t *testing.T, all []outcomes) {
	t.Helper()
	boss := library.Actor{User: before()[2], FromRecord: true}
	for _, c := range all {
		how := library.ImportOptions{Update: c.update}
		for _, atOnce := range []int{1, 2, 100} {
			testkit.Equal(t, strings.Join(play(c.rows, how, atOnce, boss), ", "), c.want, c.rule)
		}
		how.DryRun = true
		for i, told := range play(c.rows, how, 100, boss) {
			testkit.Equal(t, told, play(c.rows, library.ImportOptions{Update: c.update}, 100, boss)[i], c.rule+", dry run")
		}
	}
}

func TestOutcomesDoNotDependOnWhereTransactionsEnd(t *testing.T) {
	t.Parallel()
	off := func(email string) Row { return Row{UserFields: library.UserFields{Email: email}, Active: new(false)} }
	checkOutcomes(t, []outcomes{
		{"nothing new", true, []Row{row("ADA@b.c", "C-1", "")}, "unchanged ada"},
		{"a difference is kept", false, []Row{row("ada@b.c", "", "7a"), row("ada@b.c", "", "7a")}, "differs ada user_differs group, differs ada user_differs group"},
		{"a difference is replaced, once", true, []Row{row("ada@b.c", "", "7a"), row("ada@b.c", "", "7a")}, "updated ada, unchanged ada"},
		{"rows add to each other", true, []Row{row("bob@b.c", "", "7a"), row("bob@b.c", "C-2", "")}, "updated bob, updated bob"},
		{"and do not replace each other", true, []Row{row("bob@b.c", "", "7a"), row("bob@b.c", "", "7b")}, "updated bob, invalid ambiguous_user group"},
		{"a card that was given up", true, []Row{row("ada@b.c", "C-9", ""), row("bob@b.c", "C-1", "")}, "updated ada, updated bob"},
		{"a new person needs a name", false, []Row{row("new@b.c", "", ""), stranger("new@b.c", ""), row("new@b.c", "", "")}, "invalid invalid firstName lastName, added, unchanged"},
		{"no address", false, []Row{row("", "C-1", ""), stranger(" ", "")}, "invalid required email, invalid required email"},
		{"no person at all", false, []Row{{Err: library.ErrInvalid}, {Err: library.InvalidFields(library.Detail{Field: "x"})}}, "invalid invalid, invalid invalid x"},
		{"oneself", true, []Row{off("boss@b.c"), off("ada@b.c"), off("ada@b.c")}, "invalid self, updated ada, unchanged ada"},
	})
}

func TestACardFindsAPersonOnlyIfNoOtherRowSpeaksOfThem(t *testing.T) {
	t.Parallel()
	checkOutcomes(t, []outcomes{
		{"by card", true, []Row{row("new@b.c", "C-1", ""), row("new@b.c", "", "7a")}, "updated ada, updated ada"},
		{"by card, whose address is named later", true, []Row{stranger("new@b.c", "C-1"), row("ada@b.c", "", "")}, "invalid card_taken card, unchanged ada"},
		{"a card beside two addresses is nobody's", true, []Row{stranger("new@b.c", "C-1"), row("ADA@b.c", "C-1", "")}, "invalid card_taken card, unchanged ada"},
		{"nor is it that of the first of two strangers", true, []Row{stranger("new@b.c", "C-1"), stranger("other@b.c", "C-1")}, "invalid card_taken card, invalid card_taken card"},
		{"one that nobody has goes to the first", true, []Row{stranger("new@b.c", "C-5"), stranger("other@b.c", "C-5")}, "added, invalid card_taken card"},
		{"which a row says that is refused, too", true, []Row{stranger("new@b.c", "C-1"), row("ada@b.c", "C-1", strings.Repeat("x", 61))}, "invalid card_taken card, invalid invalid group"},
		{"by card, whose address was named", true, []Row{row("ada@b.c", "", ""), stranger("new@b.c", "C-1")}, "unchanged ada, invalid card_taken card"},
		{"the card of another", true, []Row{row("bob@b.c", "C-1", "")}, "invalid card_taken card"},
	})
}

func TestTheLastAdminStaysOne(t *testing.T) {
	t.Parallel()
	reader := Row{UserFields: library.UserFields{Email: "boss@b.c", Roles: []library.Role{library.RoleUser}}}
	second := Row{UserFields: library.UserFields{Email: "bob@b.c", Roles: []library.Role{library.RoleAdmin}}}
	for _, c := range []struct {
		rows       []Row
		fromRecord bool
		want       string
	}{
		{[]Row{reader}, true, "invalid last_admin"},
		{[]Row{reader}, false, "updated boss"},
		{[]Row{second, reader}, true, "updated bob, updated boss"},
	} {
		a := library.Actor{User: before()[2], FromRecord: c.fromRecord}
		testkit.Equal(t, strings.Join(play(c.rows, library.ImportOptions{Update: true}, 10, a), ", "), c.want, "last admin")
	}
}

func TestWhoHasNoRoleGetsTheOneOfTheImport(t *testing.T) {
	t.Parallel()
	rows := []Row{
		{UserFields: library.UserFields{Email: "ada@b.c"}},
		{UserFields: library.UserFields{Email: "new@b.c", FirstName: "N", LastName: "N"}},
		{UserFields: library.UserFields{Email: "own@b.c", FirstName: "N", LastName: "N", Roles: []library.Role{library.RoleCurator}}},
		{UserFields: library.UserFields{Email: "boss@b.c", Group: "IT"}},
	}
	for update, want := range map[bool][]string{
		true:  {"ada@b.c LIBRARY_USER", "new@b.c LIBRARY_USER", "own@b.c LIBRARY_CURATOR", "boss@b.c LIBRARY_ADMIN"},
		false: {"new@b.c LIBRARY_USER", "own@b.c LIBRARY_CURATOR"}, // who is there stays as they are
	} {
		how := Options{ImportOptions: library.ImportOptions{Update: update}, Roles: []library.Role{library.RoleUser}}
		_, writes := New(rows, how, time.Unix(0, 0)).Decide(library.FoundUsers{Users: before()}, library.Actor{}, 0, len(rows))
		var got []string
		for _, w := range writes {
			got = append(got, w.Email+" "+string(w.Roles[0]))
		}
		testkit.Diff(t, want, got)
	}
}

func TestWhoHasLeftIsNotAdded(t *testing.T) {
	t.Parallel()
	gone := func(email string, skip bool) Row {
		r := stranger(email, "")
		r.Active, r.SkipInactive = new(false), skip
		return r
	}
	rows := []Row{gone("new@b.c", true), gone("kept@b.c", false), gone("ada@b.c", true)}
	testkit.Diff(t, []string{"unchanged", "added", "updated ada"}, play(rows, library.ImportOptions{Update: true}, 10, library.Actor{}))
	results, _ := New(rows, Options{}, time.Unix(0, 0)).Decide(library.FoundUsers{Users: before()}, library.Actor{}, 0, 1)
	testkit.Diff(t, []library.Warning{leftOut}, results[0].Warnings)
}

func TestACardThatIsTakenSaysWhoseItIs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rows        []Row
		says, named string
	}{
		{[]Row{row("bob@b.c", "C-1", "")}, "F L has this card.", "ada"},
		{[]Row{stranger("new@b.c", "C-1"), row("ada@b.c", "C-1", "")}, "Another row has this card, too.", ""},
	} {
		results, _ := New(c.rows, Options{}, time.Unix(0, 0)).Decide(library.FoundUsers{Users: before()}, library.Actor{}, 0, len(c.rows))
		if r := results[0]; r.Err.Message != c.says || r.Named != c.named {
			t.Errorf("%q names %q, want %q", r.Err.Message, r.Named, c.says)
		}
	}
}
