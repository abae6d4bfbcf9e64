package signin

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"example.org/library"
)

func TestNamesOfALogin(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 300)
	for _, c := range []struct {
		rule        string
		login       Login
		first, last string
	}{
		{"two names", Login{GivenName: "Ada", FamilyName: "Lovelace", Name: "Countess"}, "Ada", "Lovelace"},
		{"the last word of one name is the last name", Login{Name: "Augusta Ada King"}, "Augusta Ada", "King"},
		{"a single word is both", Login{Name: "Ada"}, "Ada", "Ada"},
		{"one of two names gives way to the whole", Login{GivenName: "Ada", Name: "Augusta King"}, "Augusta", "King"},
		{"or is completed", Login{FamilyName: "King", Name: "Ada"}, "Ada", "King"},
		{"or is both", Login{GivenName: "Ada"}, "Ada", "Ada"},
		{"else the address", Login{}, "ada@example.com", "ada@example.com"},
		{"blank names are none", Login{GivenName: " \t", FamilyName: "\u00a0", Name: "\n"}, "ada@example.com", "ada@example.com"},
		{"white space is one space", Login{Name: "  Ada \t\n  King "}, "Ada", "King"},
		{"control characters are none of a name", Login{GivenName: "A\x00da\x1b[31m", FamilyName: "Ki\u0085ng\x7f"}, "A da [31m", "Ki ng"},
		{"what is no text is left out", Login{GivenName: "A\xffda", FamilyName: "King"}, "Ada", "King"},
		{"long names are cut", Login{GivenName: long, FamilyName: long}, long[:200], long[:200]},
		{"also in one name", Login{Name: long + " " + long}, long[:200], long[:200]},
		{"no space is left at the cut", Login{GivenName: strings.Repeat("x", 99) + " y", FamilyName: "King"}, strings.Repeat("x", 99), "King"},
	} {
		c.login.Email = "ada@example.com"
		first, last := c.login.names()
		if first != c.first || last != c.last {
			t.Errorf("%s: %q, %q", c.rule, first, last)
		}
		f := library.UserFields{Email: c.login.Email, FirstName: first, LastName: last}
		if bad := f.Check(); len(bad) > 0 || !utf8.ValidString(first+last) {
			t.Errorf("%s: no record can have these names: %v", c.rule, bad)
		}
	}
	far := Login{Email: strings.Repeat("x", 200) + "@example.com"}
	if first, last := far.names(); len(first) != library.MaxName || last != first {
		t.Errorf("a long address: %q, %q", first, last)
	}
}

func TestLanguageOfALogin(t *testing.T) {
	t.Parallel()
	for claim, want := range map[string]string{"de": "de", "de-AT": "de", " de_DE ": "de", "EN-us": "en", "fr": "", "deu": "", "": ""} {
		if got := (Login{Locale: claim}).locale(); got != want {
			t.Errorf("%q: %q, want %q", claim, got, want)
		}
	}
}

func TestWhoIsLetInByALogin(t *testing.T) {
	t.Parallel()
	own, others := SubjectKey("i", "own"), SubjectKey("i", "others")
	user := func(email, subject string) library.User {
		return library.User{ID: email, UserFields: library.UserFields{Email: email}, Subject: subject}
	}
	off := func(u library.User) library.User { u.Inactive = true; return u }
	reader := []string{library.RoleUser.Authority(), "ROLE_EMAIL"}
	both := Rules{Binds: true, Provisions: true}
	for _, c := range []struct {
		rule   string
		rules  Rules
		login  Login
		found  candidates
		is     string // whose record it is
		writes bool
		err    error
	}{
		{rule: "tied, under the same address", rules: both, login: Login{Subject: own, Email: "A@b"}, found: candidates{bySubject: user("a@b", own)}, is: "a@b"},
		{rule: "tied, under another address", rules: both, login: Login{Subject: own, Email: "c@d"}, found: candidates{bySubject: user("a@b", own)}, is: "a@b", writes: true},
		{rule: "tied, under an address that somebody has", rules: both, login: Login{Subject: own, Email: "c@d"}, found: candidates{user("a@b", own), user("c@d", "")}, is: "a@b"},
		{rule: "tied, under what is no address", rules: both, login: Login{Subject: own, Email: "c d"}, found: candidates{bySubject: user("a@b", own)}, is: "a@b"},
		{rule: "tied, under an address with spaces", rules: both, login: Login{Subject: own, Email: "c@d "}, found: candidates{bySubject: user("a@b", own)}, is: "a@b"},
		{rule: "tied, under another address that is not verified", rules: both, login: Login{Subject: own, Email: "c@d", Denied: true}, found: candidates{bySubject: user("a@b", own)}, is: "a@b"},
		{rule: "tied, under another address, by a token of before", rules: both, login: Login{Subject: own, Email: "c@d", outdated: true}, found: candidates{bySubject: user("a@b", own)}, is: "a@b"},
		{rule: "tied, switched off", rules: both, login: Login{Subject: own, Email: "c@d"}, found: candidates{bySubject: off(user("a@b", own))}, err: library.ErrUserNotFound},
		{rule: "not tied yet", rules: both, login: Login{Subject: own, Email: "a@b"}, found: candidates{byEmail: user("a@b", "")}, is: "a@b", writes: true},
		{rule: "not tied yet, by an address that is not verified", rules: both, login: Login{Subject: own, Email: "a@b", Denied: true}, found: candidates{byEmail: user("a@b", "")}, is: "a@b"},
		{rule: "tied to another, by an address that is not verified", rules: both, login: Login{Subject: own, Email: "a@b", Denied: true}, found: candidates{byEmail: user("a@b", others)}, err: ErrSubjectConflict},
		{rule: "not tied yet, switched off", rules: both, login: Login{Subject: own, Email: "a@b"}, found: candidates{byEmail: off(user("a@b", ""))}, err: library.ErrUserNotFound},
		{rule: "tied a moment ago", rules: both, login: Login{Subject: own, Email: "a@b"}, found: candidates{byEmail: user("a@b", own)}, is: "a@b"},
		{rule: "tied to another", rules: both, login: Login{Subject: own, Email: "a@b"}, found: candidates{byEmail: user("a@b", others)}, err: ErrSubjectConflict},
		{rule: "tied to another, which does not matter", rules: Rules{Provisions: true}, login: Login{Subject: own, Email: "a@b"}, found: candidates{byEmail: user("a@b", others)}, is: "a@b"},
		{rule: "without a subject", rules: both, login: Login{Email: "a@b"}, found: candidates{byEmail: user("a@b", "")}, err: library.ErrUserNotFound},
		{rule: "without a subject, which does not matter", rules: Rules{Provisions: true}, login: Login{Email: "a@b"}, found: candidates{byEmail: user("a@b", "")}, is: "a@b"},

		{rule: "new", rules: both, login: Login{Subject: own, Email: "a@b", Verified: true, Authorities: reader}, writes: true},
		{rule: "new, and nobody is made", rules: Rules{Binds: true}, login: Login{Subject: own, Email: "a@b", Verified: true, Authorities: reader}, err: library.ErrUserNotFound},
		{rule: "new, without a role", rules: both, login: Login{Subject: own, Email: "a@b", Verified: true, Authorities: reader[1:]}, err: library.ErrUserNotFound},
		{rule: "new, with scopes that are no roles", rules: both, login: Login{Subject: own, Email: "a@b", Verified: true, Authorities: []string{"SCOPE_LIBRARY_USER", "ROLE_library_user"}}, err: library.ErrUserNotFound},
		{rule: "new, with an address that is not verified", rules: both, login: Login{Subject: own, Email: "a@b", Authorities: reader}, err: library.ErrUserNotFound},
		{rule: "new, with one that need not be", rules: Rules{Provisions: true, Unverified: true}, login: Login{Email: "a@b", Authorities: reader}, writes: true},
		{rule: "new, with what is no address", rules: both, login: Login{Subject: own, Email: "DOMAIN\\a", Verified: true, Authorities: reader}, err: library.ErrUserNotFound},
		{rule: "new, with an address with spaces", rules: both, login: Login{Subject: own, Email: " a@b", Verified: true, Authorities: reader}, err: library.ErrUserNotFound},
		{rule: "new, where records give roles", rules: Rules{Provisions: true, Roles: []library.Role{library.RoleUser}}, login: Login{Email: "a@b", Verified: true, FromRecord: true}, writes: true},
		{rule: "new, where records give roles and none is set", rules: Rules{Provisions: true}, login: Login{Email: "a@b", Verified: true, FromRecord: true, Authorities: reader}, err: library.ErrUserNotFound},
	} {
		u, next, err := c.rules.judge(c.login, c.found)
		if !errors.Is(err, c.err) || err == nil && (u.ID != c.is || (next != nil) != c.writes) {
			t.Errorf("%s: %q, writes %t, error %v", c.rule, u.ID, next != nil, err)
		}
	}
}

func TestASubjectIsThatOfItsIssuer(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, pair := range [][2]string{{"a", "bc"}, {"ab", "c"}, {"1 a", "bc"}, {"", "abc"}, {"a", "BC"}, {"a", "bc "}, {"a", "bc\x00"}} {
		seen[SubjectKey(pair[0], pair[1])] = true
	}
	if len(seen) != 7 || SubjectKey("a", "") != "" {
		t.Errorf("%d subjects", len(seen))
	}
}

func TestTheNewestTakeOverOfASubjectIsRemembered(t *testing.T) {
	t.Parallel()
	var m takeOvers
	at := time.Unix(1_800_000_000, 0)
	if m.isNewer("s", time.Time{}) || m.isNewer("s", at) {
		t.Error("something is newer than the first")
	}
	m.add("s", at)
	m.add("s", at.Add(-time.Minute)) // that was written by another process, or came late
	if !m.isNewer("s", at.Add(-time.Second)) || !m.isNewer("s", time.Time{}) || m.isNewer("s", at) || m.isNewer("s", at.Add(time.Second)) || m.isNewer("other", at.Add(-time.Hour)) {
		t.Error("only older tokens of the same subject are outdated")
	}
	for i := range 2 * maxTakeOvers {
		m.add(strconv.Itoa(i), at)
	}
	if len(m.issued) != maxTakeOvers || !m.isNewer(strconv.Itoa(2*maxTakeOvers-1), at.Add(-1)) {
		t.Errorf("%d are remembered", len(m.issued))
	}
}
