package api

// Person is a user without what is private.
type Person struct {
	Identifier string `json:"identifier"`
	FirstName  string `json:"firstName"`
	LastName   string `json:"lastName"`
	Group      string `json:"group,omitempty"` // a class, a department
}

// Reader is a user as the desk sees one.
type Reader struct {
	Person
	Card    string `json:"card,omitempty"`
	Loans   int    `json:"loans"`   // how many the person has now
	Overdue int    `json:"overdue"` // how many of these are overdue

	Unreachable bool `json:"unreachable,omitempty"` // by mail: the address is refused
}

// User is a user as admins see one.
type User struct {
	Identifier string   `json:"identifier"`
	Email      string   `json:"email"`
	FirstName  string   `json:"firstName"`
	LastName   string   `json:"lastName"`
	Roles      []string `json:"roles,omitempty"`
	Card       string   `json:"card,omitempty"`
	Locale     string   `json:"locale"`          // en or de
	Reminders  bool     `json:"reminders"`       // of due dates, by mail
	Group      string   `json:"group,omitempty"` // a class, a department
	Active     bool     `json:"active"`          // who is not is refused like somebody unknown
	Bound      bool     `json:"bound"`           // tied to a subject of the identity provider

	MailProblem *MailProblem `json:"mailProblem,omitempty"` // why nobody writes to the address; only for admins
}

// Me is the caller's own record and what the caller's credentials allow.
type Me struct {
	User
	Authorities []string `json:"authorities"`
	RolesFrom   string   `json:"rolesFrom"`             // RolesFromToken or RolesFromRecord
	LibraryName string   `json:"libraryName,omitempty"` // what the library calls itself
	Provision   string   `json:"provision,omitempty"`   // ProvisionLogin, or "" if only admins add users
	Mail        bool     `json:"mail"`                  // the library sends mails

	Lookup      bool `json:"lookup"`      // books can be looked up elsewhere
	CoverSource bool `json:"coverSource"` // covers can be fetched

	RolesClaim   string `json:"rolesClaim,omitempty"`   // the claim of the token that roles come from, where a setting names it
	RolesMissing string `json:"rolesMissing,omitempty"` // why that claim gave none: one of the RolesMissing constants
}

// Where the authorities of a caller come from. What an admin changes about the
// roles of a user has an effect only if it is the record.
const (
	RolesFromToken  = "token"
	RolesFromRecord = "record"
)

// Why a token gives no authorities.
const (
	RolesMissingClaim     = "claim_missing"     // it has no such claim, or an empty one
	RolesMissingUsable    = "claim_unusable"    // the claim is neither text, a list of texts nor an object
	RolesMissingElsewhere = "claim_elsewhere"   // it says that the claim has to be fetched elsewhere (_claim_names)
	RolesMissingMapped    = "values_not_mapped" // the library has a map of roles, without any of the claim's values
)

// ProvisionLogin says that a login makes the record of somebody who has none. Who is
// removed may come back that way; who is switched off does not.
const ProvisionLogin = "login"

// Export is everything that the library knows of the caller.
type Export struct {
	User  User   `json:"user"`
	Loans []Loan `json:"loans"` // open and returned ones
	Holds []Hold `json:"holds"` // active and ended ones

	Notices []Notice `json:"notices,omitempty"` // what was or is to be told by mail
}
