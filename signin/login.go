package signin

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"example.org/library"
)

// Login is the person as described by credentials. The provider has signed it; the names in it may
// be any text.
type Login struct {
	Email       string
	Subject     string    // see [SubjectKey]; "" if they name none
	Authorities []string  // that they bring
	FromRecord  bool      // they bring none, because records give them
	Verified    bool      // the address is the person's, says the provider
	Denied      bool      // it says that it does not know that
	Issued      time.Time // when the credentials were made; zero if they do not say

	GivenName, FamilyName, Name string
	Locale                      string // a language tag

	outdated bool // a newer token of the subject has brought another address
}

// SubjectKey returns the text stored to recognise a record's subject, without revealing the
// person. It is "" without a subject.
func SubjectKey(issuer, subject string) string {
	if subject == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(strconv.Itoa(len(issuer)) + " " + issuer + subject))
	return hex.EncodeToString(sum[:])
}

// locale returns the language for mails to the person, or "" if the login names none of the library's. Some providers
// write de_DE for de-DE.
func (l Login) locale() string {
	return library.LocaleOf(strings.ReplaceAll(strings.TrimSpace(l.Locale), "_", "-"))
}

// names returns the first and the last name of a login: two names, or a full name split in two, or
// one for both, or the address.
func (l Login) names() (first, last string) {
	first, last, name := asName(l.GivenName), asName(l.FamilyName), asName(l.Name)
	if i := strings.LastIndexByte(name, ' '); i >= 0 && (first == "" || last == "") {
		first, last = name[:i], name[i+1:]
	}
	one := cmp.Or(name, first, last, asName(l.Email))
	return cutName(cmp.Or(first, one)), cutName(cmp.Or(last, one))
}

// asName cleans a text for use as a name: valid, on one line, with single spaces. It does not
// shorten it; see cutName.
func asName(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	return strings.Join(strings.Fields(text), " ")
}

func cutName(name string) string {
	if utf8.RuneCountInString(name) > library.MaxName {
		name = strings.TrimSpace(string([]rune(name)[:library.MaxName]))
	}
	return name
}

// takesOver reports whether a record is to get its subject's new address. It keeps its own unless
// the provider has verified the new one, and if a newer token has brought its own: two tokens with
// different addresses would otherwise change the record with every request.
func (l Login) takesOver(u, holder library.User) bool {
	return holder.ID == "" && library.EmailKey(u.Email) != library.EmailKey(l.Email) && isEmail(l.Email) && !l.Denied && !l.outdated
}

// takeOver gives the record its subject's new address.
func takeOver(u library.User, email string) writing {
	u.Email, u.Version = email, library.NewVersion()
	return func(ctx context.Context, tx library.Tx, _ time.Time) error { return tx.UpdateUser(ctx, u) }
}

// takeOvers stores, for each subject, the time of issue of the token whose address was taken over.
// It is the memory of one process: with several, an address may change once for each of them until
// all have seen the newer token.
type takeOvers struct {
	mu     sync.Mutex
	issued map[string]time.Time
}

// maxTakeOvers is more than change their address in the life of a token.
const maxTakeOvers = 10_000

// isNewer reports whether the last take-over was by a newer token of the subject.
func (t *takeOvers) isNewer(subject string, issued time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.issued[subject].After(issued)
}

// add remembers a take-over, in place of any other if there are too many.
func (t *takeOvers) add(subject string, issued time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.issued == nil {
		t.issued = map[string]time.Time{}
	}
	last, known := t.issued[subject]
	for other := range t.issued {
		if known || len(t.issued) < maxTakeOvers {
			break
		}
		delete(t.issued, other)
	}
	if !last.After(issued) {
		t.issued[subject] = issued
	}
}
