package claims

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.org/library/internal/strictjson"
)

// Set is the claims of a token, by their names.
type Set map[string]json.RawMessage

// Parse reads the payload of a token: one JSON object without duplicate
// members at any depth.
func Parse(payload []byte) (Set, error) {
	object, err := strictjson.Object(payload)
	return Set(object), err
}

// Has reports whether there is a claim of the name, whatever its value.
func (s Set) Has(name string) bool {
	_, ok := s[name]
	return ok
}

// Text returns the claim with exactly this name, "" if there is none or it is no string.
func (s Set) Text(name string) string {
	text, _ := strictjson.Text(s[name])
	return text
}

// IsTrue reports whether a claim is true, or the text "true", as some providers write it.
func (s Set) IsTrue(name string) bool {
	raw := string(s[name])
	return raw == "true" || raw == `"true"`
}

// Finding is the result of looking up a claim.
type Finding int

// The findings.
const (
	Missing   Finding = iota // there is no such claim
	Unusable                 // there is one, and nothing can be made of its value
	Found                    // there is one; it may be empty
	Elsewhere                // the token says that the claim has to be fetched from another place
)

// Values returns the values of a claim: the words of a text, the elements of an
// array of texts, the names of the members of an object. A name with dots in it
// is looked up as it is first, then as a path.
func (s Set) Values(name string) ([]string, Finding) {
	if s.isElsewhere(name) {
		return nil, Elsewhere
	}
	if raw, ok := s[name]; ok {
		return valuesOf(raw)
	}
	first, rest, isPath := strings.Cut(name, ".")
	raw, ok := s[first]
	if !isPath || !ok {
		return nil, Missing
	}
	return along(raw, strings.Split(rest, "."))
}

// isElsewhere reports whether the token names another place for the claim (OpenID Connect Core,
// section 5.6.2). Microsoft Entra ID does so for people in more groups than fit into a token, and
// says hasgroups in some of them.
func (s Set) isElsewhere(name string) bool {
	first, _, _ := strings.Cut(name, ".")
	names := membersOf(s["_claim_names"])
	_, whole := names[name]
	_, begin := names[first]
	return whole || begin && !s.Has(name) || name == "groups" && !s.Has(name) && s.IsTrue("hasgroups")
}

// along follows a path. In an array a number names an element; any other step is taken in each of
// its elements, and they must be objects.
func along(raw json.RawMessage, path []string) ([]string, Finding) {
	if len(path) == 0 {
		return valuesOf(raw)
	}
	if len(raw) > 0 && raw[0] == '[' {
		return alongArray(raw, path)
	}
	next, ok := membersOf(raw)[path[0]]
	if !ok {
		return nil, Missing
	}
	return along(next, path[1:])
}

func alongArray(raw json.RawMessage, path []string) ([]string, Finding) {
	var elements []json.RawMessage
	if json.Unmarshal(raw, &elements) != nil {
		return nil, Unusable
	}
	if at, err := strconv.ParseUint(path[0], 10, 31); err == nil {
		if at >= uint64(len(elements)) {
			return nil, Missing
		}
		return along(elements[at], path[1:])
	}
	all, found := []string(nil), Missing
	for _, element := range elements {
		if element[0] != '{' {
			return nil, Unusable
		}
		switch values, finding := along(element, path); finding {
		case Missing:
		case Found:
			all, found = append(all, values...), Found
		default:
			return nil, finding
		}
	}
	return all, found
}

// membersOf returns the members of an object, nil of anything else. Names are known to be unique:
// the whole document was parsed strictly.
func membersOf(raw json.RawMessage) Set {
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	var members Set
	if json.Unmarshal(raw, &members) != nil {
		return nil
	}
	return members
}

func valuesOf(raw json.RawMessage) ([]string, Finding) {
	if values, finding := words(raw); finding == Found {
		return values, Found
	}
	if members := membersOf(raw); members != nil {
		return slices.Sorted(maps.Keys(members)), Found
	}
	return nil, Unusable
}

// words are the values of a text with spaces between them, or of an array of texts.
func words(raw json.RawMessage) ([]string, Finding) {
	if values, ok := strictjson.Texts(raw); ok {
		return values, Found
	}
	if joined, ok := strictjson.Text(raw); ok {
		return slices.DeleteFunc(strings.Split(joined, " "), func(s string) bool { return s == "" }), Found
	}
	return nil, Unusable
}

// Person describes the person of a token, beside the e-mail address.
type Person struct {
	Issuer        string
	Subject       string // "" if it is no text
	GivenName     string
	FamilyName    string
	Name          string
	Locale        string // a language tag
	EmailVerified Verification
}

// PersonOf reads the claims about the person.
func PersonOf(s Set) Person {
	return Person{
		Issuer: s.Text("iss"), Subject: s.Text("sub"), GivenName: s.Text("given_name"), FamilyName: s.Text("family_name"),
		Name: s.Text("name"), Locale: s.Text("locale"), EmailVerified: VerificationOf(s),
	}
}

// Verification is the provider's statement about the e-mail address.
type Verification int

// The possible statements.
const (
	Unsaid   Verification = iota // nothing
	Denied                       // anything but the other two
	TextTrue                     // the text "true", which some providers write; see Vouches
	Verified                     // true
)

// VerificationOf reads email_verified, whatever the claim with the address.
func VerificationOf(s Set) Verification {
	switch raw, given := s["email_verified"]; {
	case !given:
		return Unsaid
	case string(raw) == "true":
		return Verified
	case s.IsTrue("email_verified"):
		return TextTrue
	}
	return Denied
}

// IsVerified reports whether the address is verified, for --require-verified-email.
func (v Verification) IsVerified() bool { return v == Verified }

// Vouches reports whether the statement is enough to make a record for an unknown person.
func (v Verification) Vouches() bool { return v == Verified || v == TextTrue }

// IsDenied reports whether the provider says that the address may be somebody else's.
func (v Verification) IsDenied() bool { return v == Denied }
