package library

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/internal/testkit"
)

// complaints returns "field message" for each problem that an error names.
func complaints(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	var e *Error
	if !errors.As(err, &e) || e.Kind != Invalid || !errors.Is(err, ErrInvalid) {
		t.Fatalf("error %v (%T) is not ErrInvalid", err, err)
	}
	var out []string
	for _, d := range e.Details {
		out = append(out, d.Field+" "+d.Message)
	}
	return out
}

func TestBookFields(t *testing.T) {
	t.Parallel()
	const control = " contains a control character"
	for _, c := range []struct {
		rule string
		in   BookFields
		want []string
	}{
		{"a title is enough", BookFields{Title: "T"}, nil},
		{"a title is required", BookFields{}, []string{"title is required"}},
		{"white space is no title", BookFields{Title: " \t\u00a0\n"}, []string{"title is required"}},
		{"255 characters of title", BookFields{Title: strings.Repeat("é", 255)}, nil},
		{"255 characters outside the basic plane", BookFields{Title: strings.Repeat("𝄞", 255)}, nil},
		{"256 characters are too many", BookFields{Title: strings.Repeat("é", 256)}, []string{"title is longer than 255 characters"}},
		{"white space at the ends does not count", BookFields{Title: strings.Repeat(" ", 300) + "T" + strings.Repeat(" ", 300)}, nil},
		{"a line break in a title", BookFields{Title: "a\nb"}, []string{"title" + control}},
		{"a tab in a title", BookFields{Title: "a\tb"}, []string{"title" + control}},
		{"NUL in a title", BookFields{Title: "a\x00b"}, []string{"title" + control}},
		{"DEL in a title", BookFields{Title: "a\x7fb"}, []string{"title" + control}},
		{"a C1 control character in a title", BookFields{Title: "a\u0085b"}, []string{"title" + control}},
		{"a title that is not UTF-8", BookFields{Title: "a\xffb"}, []string{"title is not valid UTF-8"}},
		{"20 characters of ISBN", BookFields{Title: "T", ISBN: strings.Repeat("9", 20)}, nil},
		{"21 characters of ISBN", BookFields{Title: "T", ISBN: strings.Repeat("9", 21)}, []string{"isbn is longer than 20 characters"}},
		{"an ISBN need not be one", BookFields{Title: "T", ISBN: "none"}, nil},
		{"10,000 characters of description", BookFields{Title: "T", Description: strings.Repeat("ß", 10_000)}, nil},
		{"10,001 characters of description", BookFields{Title: "T", Description: strings.Repeat("ß", 10_001)}, []string{"description is longer than 10000 characters"}},
		{"line breaks and tabs in a description", BookFields{Title: "T", Description: "a\r\n\tb"}, nil},
		{"NUL in a description", BookFields{Title: "T", Description: "a\x00b"}, []string{"description" + control}},
		{"a form feed in a description", BookFields{Title: "T", Description: "a\fb"}, []string{"description" + control}},
		{"50 authors", BookFields{Title: "T", Authors: slicesRepeat("A", 50)}, nil},
		{"51 authors", BookFields{Title: "T", Authors: slicesRepeat("A", 51)}, []string{"authors has more than 50 entries"}},
		{"an author without a name", BookFields{Title: "T", Authors: []string{"A", " "}}, []string{"authors[1] is required"}},
		{"an author of 256 characters", BookFields{Title: "T", Authors: []string{strings.Repeat("x", 256)}}, []string{"authors[0] is longer than 255 characters"}},
		{"an author with a control character", BookFields{Title: "T", Authors: []string{"A", "B", "C\x1bD"}}, []string{"authors[2]" + control}},
		{
			"everything that is wrong is named at once",
			BookFields{Title: "", ISBN: strings.Repeat("9", 21), Description: "\x00x", Authors: []string{""}},
			[]string{"title is required", "isbn is longer than 20 characters", "description" + control, "authors[0] is required"},
		},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, complaints(t, c.in.Normalize())); diff != "" {
				t.Errorf("problems (-want +got)\n%s", diff)
			}
		})
	}
}

func slicesRepeat(s string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = s
	}
	return out
}

func TestWhiteSpaceAtTheEndsIsCut(t *testing.T) {
	t.Parallel()
	book := BookFields{Title: "\u2003 Emma\n", ISBN: " 1 2 ", Description: "\n a \n b \n", Authors: []string{"\tJane  Austen "}}
	testkit.NoError(t, book.Normalize())
	want := BookFields{Title: "Emma", ISBN: "1 2", Description: "a \n b", Authors: []string{"Jane  Austen"}}
	if diff := cmp.Diff(want, book); diff != "" {
		t.Errorf("book (-want +got)\n%s", diff)
	}
	user := UserFields{Email: " a@b ", FirstName: " Jane ", LastName: "\tAusten", Card: " 1 "}
	testkit.NoError(t, user.Normalize())
	if diff := cmp.Diff(UserFields{Email: "a@b", FirstName: "Jane", LastName: "Austen", Card: "1"}, user); diff != "" {
		t.Errorf("user (-want +got)\n%s", diff)
	}
}

func TestBlankOptionalValuesCountAsAbsent(t *testing.T) {
	t.Parallel()
	book := BookFields{Title: "T", ISBN: "  ", Description: "\n\t", Authors: []string{}}
	testkit.NoError(t, book.Normalize())
	if diff := cmp.Diff(BookFields{Title: "T"}, book); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestUserFields(t *testing.T) {
	t.Parallel()
	user := func(email, first, last string, roles ...Role) UserFields {
		return UserFields{Email: email, FirstName: first, LastName: last, Roles: roles}
	}
	for _, c := range []struct {
		rule string
		in   UserFields
		want []string
	}{
		{"names and an address are enough", user("a@b", "A", "B"), nil},
		{"all three are required", user("", "", ""), []string{"email is required", "firstName is required", "lastName is required"}},
		{"100 characters of name", user("a@b", strings.Repeat("ü", 100), strings.Repeat("𝄞", 100)), nil},
		{"101 characters of name", user("a@b", strings.Repeat("ü", 101), strings.Repeat("𝄞", 101)),
			[]string{"firstName is longer than 100 characters", "lastName is longer than 100 characters"}},
		{"control characters in a name", user("a@b", "A\nB", "B\x00"), []string{"firstName contains a control character", "lastName contains a control character"}},
		{"every role there is", user("a@b", "A", "B", Roles...), nil},
		{"a role that there is not", user("a@b", "A", "B", RoleUser, "library_user", "ADMIN"), []string{
			"roles[1] is not one of LIBRARY_USER, LIBRARY_CURATOR, LIBRARY_ADMIN",
			"roles[2] is not one of LIBRARY_USER, LIBRARY_CURATOR, LIBRARY_ADMIN",
		}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, complaints(t, c.in.Normalize())); diff != "" {
				t.Errorf("problems (-want +got)\n%s", diff)
			}
		})
	}
}

func TestEmailAddresses(t *testing.T) {
	t.Parallel()
	const not = "email is not an e-mail address"
	for _, c := range []struct{ email, want string }{
		{"bruce.wayne@example.com", ""},
		{"service-account-library-client@placeholder.org", ""},
		{"o'brien+books@sub.example.com", ""},
		{"jürgen@exämple.de", ""},
		{"a@b", ""},
		{strings.Repeat("a", 252) + "@b", ""},
		{strings.Repeat("a", 253) + "@b", "email is longer than 254 characters"},
		{strings.Repeat("é", 252) + "@b", ""},
		{" ", "email is required"},
		{"example.com", not},
		{"@example.com", not},
		{"bruce@", not},
		{"@", not},
		{"a@b@c", not},
		{"a@@c", not},
		{"a b@c", not},
		{"a@b c", not},
		{"a\u00a0b@c", not},
		{"a\tb@c", "email contains a control character"},
		{"a\x00@c", "email contains a control character"},
		{"a@c\u0085d", "email contains a control character"},
	} {
		var want []string
		if c.want != "" {
			want = []string{c.want}
		}
		if diff := cmp.Diff(want, complaints(t, CheckEmail(c.email))); diff != "" {
			t.Errorf("%.40q (-want +got)\n%s", c.email, diff)
		}
	}
}

func TestEmailKeyFoldsASCIIAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ email, want string }{
		{"Bruce.Wayne@Example.COM", "bruce.wayne@example.com"},
		{"\u212aent@example.com", "\u212aent@example.com"}, // the Kelvin sign is no k
		{"JÜRGEN@example.com", "jÜrgen@example.com"},
		{"ſam@example.com", "ſam@example.com"}, // the long s is no s
		{"İ@example.com", "İ@example.com"},
	} {
		if got := EmailKey(c.email); got != c.want {
			t.Errorf("EmailKey(%q) = %q, want %q", c.email, got, c.want)
		}
	}
}

func TestRolesAreKeptOnceAndInOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want []Role }{
		{nil, nil},
		{[]Role{}, []Role{}},
		{[]Role{RoleAdmin, RoleUser, RoleAdmin}, []Role{RoleUser, RoleAdmin}},
	} {
		if diff := cmp.Diff(c.want, sortRoles(c.in)); diff != "" {
			t.Errorf("sortRoles(%v) (-want +got)\n%s", c.in, diff)
		}
	}
}

func TestIdentifiers(t *testing.T) {
	t.Parallel()
	const id = "f9bf70d6-e56d-4cab-be6b-294cd05f599f"
	for _, c := range []struct {
		in   string
		want string // "" if it is none
	}{
		{id, id},
		{strings.ToUpper(id), id},
		{"", ""},
		{"1", ""},
		{strings.ReplaceAll(id, "-", ""), ""},
		{"{" + id + "}", ""},
		{"urn:uuid:" + id, ""},
		{id + " ", ""},
		{"f9bf70d6-e56d-4cab-be6b-294cd05f599g", ""},
		{"f9bf70d6_e56d_4cab_be6b_294cd05f599f", ""},
		{"f9bf70d6e-56d-4cab-be6b-294cd05f599f", ""},
	} {
		got, ok := ParseID(c.in)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("ParseID(%q) = %q, %v, want %q", c.in, got, ok, c.want)
		}
	}
	if a, b := NewID(), NewID(); a == b || a > b {
		t.Errorf("identifiers %s and %s: want two different ones in order", a, b)
	}
}

// Errors are compared by their code, so that details do not get in the way.
func TestErrorsAreTheirSentinels(t *testing.T) {
	t.Parallel()
	err := InvalidFields(Detail{Field: "title", Message: "is required"})
	if !errors.Is(err, ErrInvalid) || errors.Is(err, ErrBookNotFound) || errors.Is(err, context.Canceled) {
		t.Errorf("%v is not what it should be", err)
	}
}
