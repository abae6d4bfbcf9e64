package claims

// Person is what a token says of the person beside the e-mail address.
type Person struct {
	Issuer        string
	Subject       string // "" if it is no text
	GivenName     string
	FamilyName    string
	Name          string
	EmailVerified Verification
}

// PersonOf reads what there is of the person.
func PersonOf(s Set) Person {
	return Person{
		Issuer: s.Text("iss"), Subject: s.Text("sub"), GivenName: s.Text("given_name"), FamilyName: s.Text("family_name"),
		Name: s.Text("name"), EmailVerified: VerificationOf(s),
	}
}

// Verification is what the provider says of whether the e-mail address is the person's.
type Verification int

// What it can say.
const (
	Unsaid   Verification = iota // nothing
	Denied                       // anything but the other two
	TextTrue                     // the text "true", which some providers write; see Vouches
	Verified                     // true
)

// VerificationOf reads email_verified, whatever the claim is that the address comes from.
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

// IsVerified reports whether the address is verified, where that is required of tokens.
func (v Verification) IsVerified() bool { return v == Verified }

// Vouches reports whether that is enough to make a record for somebody unknown.
func (v Verification) Vouches() bool { return v == Verified || v == TextTrue }

// IsDenied reports whether the provider says that the address may be somebody else's.
func (v Verification) IsDenied() bool { return v == Denied }
