package admission

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"example.org/library"
)

// Login is what credentials say of a person. The provider has signed it; the names in it
// may be any text.
type Login struct {
	Email       string
	Subject     string    // see [SubjectKey]; "" if they name none
	Authorities []string  // that they bring
	FromRecord  bool      // they bring none, because records give them
	Verified    bool      // the address is the person's, says the provider
	Denied      bool      // it says that it does not know that
	Issued      time.Time // when the credentials were made; zero if they do not say

	GivenName, FamilyName, Name string

	outdated bool // a newer token of the subject has brought another address
}

// SubjectKey is what a record keeps of the subject to whom it is tied: enough to
// recognise them, and nothing that tells who they are. It is "" without a subject.
func SubjectKey(issuer, subject string) string {
	if subject == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(strconv.Itoa(len(issuer)) + " " + issuer + subject))
	return hex.EncodeToString(sum[:])
}

// names are the first and the last name of a login: two names, or one that has both in
// it, or one for both, or the address.
func (l Login) names() (first, last string) {
	first, last, name := asName(l.GivenName), asName(l.FamilyName), asName(l.Name)
	if i := strings.LastIndexByte(name, ' '); i >= 0 && (first == "" || last == "") {
		first, last = name[:i], name[i+1:]
	}
	one := cmp.Or(name, first, last, asName(l.Email))
	return cutName(cmp.Or(first, one)), cutName(cmp.Or(last, one))
}

// asName cleans a text so that a record can have it as a name: valid, on one line, with
// single spaces. It does not shorten it; see cutName.
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
